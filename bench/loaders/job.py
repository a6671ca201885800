"""The job that every loader in this folder does, and how it is told and timed.

Read the WAV files of an LJSpeech folder, 22.05 kHz, 16 bit, mono; log-mel as bench/README.md defines it;
batches of 16 in a new random order each epoch, padded to their longest row. A loader hands out
(positions in the corpus, frames of each row, mel [rows, frames, 80]) without end, as a trainer takes
them: no loader waits at the end of an epoch.

Needs numpy alone, so that no loader pays for the imports of another.
"""
import argparse
import ctypes
import json
import os
import time
import wave

import numpy

RATE, FFT, HOP, REACH, BANDS = 22050, 1024, 256, 384, 80
TOP_HZ = 8000.0
POWER_FLOOR = 1e-9  # added under the root
MEL_FLOOR = 1e-5
TICK = os.sysconf("SC_CLK_TCK")


def window():
    """Periodic Hann."""
    return numpy.sin(numpy.pi * numpy.arange(FFT) / FFT) ** 2


def bands():
    """[bins, 80]: Slaney's scale and area norm. Only bins with a weight: nothing above 8 kHz."""
    def hz_of(mel):
        return numpy.where(mel < 15, mel * 200 / 3, 1000 * 6.4 ** ((mel - 15) / 27))

    top = 15 + 27 * numpy.log(TOP_HZ / 1000) / numpy.log(6.4)
    edges = hz_of(numpy.linspace(0, top, BANDS + 2))
    hz = numpy.arange(FFT // 2 + 1)[:, None] * RATE / FFT
    rise = (hz - edges[:-2]) / numpy.diff(edges)[:-1]
    fall = (edges[2:] - hz) / numpy.diff(edges)[1:]
    weights = numpy.clip(numpy.minimum(rise, fall), 0, None) * 2 / (edges[2:] - edges[:-2])
    return weights[:numpy.flatnonzero(weights.any(axis=1))[-1] + 1]


def read_samples(path):
    """int16, of the standard library: faster than libraries that convert to float first."""
    with wave.open(path) as file:
        return numpy.frombuffer(bytearray(file.readframes(file.getnframes())), "<i2")


class Corpus:
    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "metadata.csv"), encoding="utf-8") as lines:
            ids = [line.split("|", 1)[0] for line in lines if line.strip()]
        self.ids = ids[1:] if ids[0] == "id" else ids  # the first row may name the columns
        self.files = [os.path.join(folder, "wavs", name + ".wav") for name in self.ids]

    def __len__(self):
        return len(self.ids)

    def batches(self, size, seed=1):
        """Lists of positions, epoch after epoch; the last of an epoch may be short."""
        random = numpy.random.default_rng(seed)
        while True:
            order = random.permutation(len(self)).tolist()
            yield from (order[begin:begin + size] for begin in range(0, len(self), size))


def keep_freed_memory():
    """Lets glibc keep what is freed, as a tuned program would have it from jemalloc: otherwise the
    kernel zeroes the pages of large arrays anew for every clip. Workers that are forked inherit it."""
    mallopt = ctypes.CDLL(None).mallopt
    for option, value in ((-3, 1 << 30), (-1, 1 << 30), (-2, 1 << 24)):  # map, trim, grow
        mallopt(option, value)


def options_of(description, *more):
    """`more`: (flag, default, choices or None) of the loader's own."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--corpus", required=True, help="folder with metadata.csv and wavs/")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--dump", help="write the mel of the first utterances here")
    parser.add_argument("--dump-limit", type=int, default=64)
    for flag, default, choices in more:
        parser.add_argument(flag, type=type(default), default=default, choices=choices)
    return parser.parse_args()


def tree(root):
    found, waiting = [], [root]
    while waiting:
        found.append(waiting.pop())
        try:
            for task in os.listdir(f"/proc/{found[-1]}/task"):
                with open(f"/proc/{found[-1]}/task/{task}/children", encoding="ascii") as children:
                    waiting += map(int, children.read().split())
        except OSError:
            continue  # it just ended
    return found


def cpu_seconds():
    """Of this process and its workers."""
    ticks = 0
    for pid in tree(os.getpid()):
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
                ticks += sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13]))
        except OSError:
            continue
    return ticks / TICK


def write_rows(out, name_of, batch, limit):
    """Records "<id> <frames>\\n" and frames x 80 floats, frame by frame."""
    positions, lengths, mels = batch
    for row, position in enumerate(positions):
        if position < limit:
            frames = int(lengths[row])
            out.write(f"{name_of(int(position))} {frames}\n".encode())
            out.write(numpy.ascontiguousarray(numpy.asarray(mels[row])[:frames], "<f4").tobytes())


def run(options, corpus, stream, start, name_of=None):
    """One JSON line per epoch (bench/README.md has the fields). `start`: when the program began."""
    name_of = name_of or corpus.ids.__getitem__
    dump = open(options.dump, "wb") if options.dump else None
    stream = iter(stream)
    for epoch in range(options.epochs):
        begin, cpu, first = time.monotonic() if epoch else start, cpu_seconds(), None
        utterances = frames = padded = 0
        while utterances < len(corpus):
            batch = next(stream)
            first = first or time.monotonic() - begin
            utterances += len(batch[1])
            frames += int(sum(batch[1]))
            padded += int(batch[2].shape[0]) * int(batch[2].shape[1])
            if dump:
                write_rows(dump, name_of, batch, options.dump_limit)
        print(json.dumps({"epoch": epoch, "utterances": utterances, "frames": frames,
                          "padded_frames": padded, "wall_s": time.monotonic() - begin,
                          "cpu_s": cpu_seconds() - cpu, "first_batch_s": first}), flush=True)
    if dump:
        dump.close()
