"""For tests of the loader: small data sets, made with the standard library."""
import math
import os
import random
import struct
import tempfile
import unittest
import wave

LIBRARY = os.environ.get("QANAT_LIBRARY")


def tones(count, seed):
    """Three sines over noise, at a level that changes: no band is empty."""
    source = random.Random(seed)
    pitches = [source.uniform(0.01, 1.2) for _ in range(3)]
    values = []
    for i in range(count):
        level = 4000 * (1.2 + math.sin(i / 3000))
        value = sum(math.sin(i * pitch) for pitch in pitches) * level + source.uniform(-300, 300)
        values.append(max(-32768, min(32767, int(value))))
    return values


def write_wav(path, samples, rate):
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(struct.pack(f"<{len(samples)}h", *samples))


def make_corpus(folder, utterances=24, rate=22050, seconds=0.3):
    """Clips of growing length by two speakers, and their manifest."""
    os.makedirs(os.path.join(folder, "wavs"))
    whole = tones(int(2 * seconds * rate), 1)
    rows = []
    for i in range(utterances):
        length = int(seconds * rate * (1 + i / utterances))
        write_wav(os.path.join(folder, "wavs", f"clip{i}.wav"), whole[i:i + length], rate)
        rows.append(f"clip{i}|number {i}||speaker{i % 2}\n")
    with open(os.path.join(folder, "metadata.csv"), "w", encoding="utf-8") as file:
        file.writelines(rows)
    return folder


@unittest.skipUnless(LIBRARY, "QANAT_LIBRARY does not name the loader's library")
class CorpusTest(unittest.TestCase):
    """A data set for all cases of a class."""

    utterances = 24

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = scratch.name
        cls.data = make_corpus(os.path.join(scratch.name, "data"), cls.utterances)

    def loader(self, **settings):
        import qanat

        settings = {"batch_size": 4, "cache_dir": os.path.join(self.scratch, "cache"), **settings}
        loader = qanat.Loader(self.data, **settings)
        self.addCleanup(loader.close)
        return loader


def items_of(batches):
    return [item for batch in batches for item in batch.items.tolist()]
