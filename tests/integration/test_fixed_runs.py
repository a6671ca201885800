"""Six fixed runs, compared with what they gave before: nothing that is computed has moved.

Batches, losses and the kinds and keys of the journal are in tests/golden/fixed_runs.json. Losses are compared with a
tolerance, because processors round differently; whole numbers are compared as they are. To see that a change moves
no bit on this machine either:

    QANAT_BIN=... python3 tests/integration/test_fixed_runs.py --record before.json
    QANAT_BIN=... python3 tests/integration/test_fixed_runs.py --compare before.json

--record tests/golden/fixed_runs.json renews the golden file, when a change of results is meant.
"""
import array
import hashlib
import json
import os
import pathlib
import random
import sys
import tempfile
import unittest
import wave

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from program import QANAT, SOURCE, environment, qanat  # noqa: E402

GOLDEN = SOURCE / "tests/golden/fixed_runs.json"
TOLERANCE = 5e-4  # of a loss; other kernels move it by 4e-5, another learning rate by 0.8
# Predicted frames follow durations, which are rounded: one frame more or less is another mel.
LOOSE = {"vocoder_on_predicted_mel": 0.1}
STEPS = 6
# The same kernels and one thread, as far as a variable can say so.
FIXED = {"OMP_NUM_THREADS": "1", "ATEN_CPU_CAPABILITY": "default", "OPENBLAS_CORETYPE": "Haswell",
         "ONEDNN_MAX_CPU_ISA": "AVX2"}
SENTENCES = ["number one", "the second clip, which is longer", "سلام دنیا", "four speakers", "five", "and a sixth one",
             "هفت کتاب خواندم", "eight of them"]
COMMON = ["--model-size", "nano", "--batch-size", "4", "--render-every", "0", "--no-emoji", "--num-workers", "1", "--buffer-size", "4", "--max-steps",
          str(STEPS), "--validate-every", "3", "--set", "data.val_split=0.2", "--set", "training.save_every=3"]
# Lines that come when they come, or not at all: their keys are those of the machine.
BY_CHANCE = {"host", "gpu", "decision", "note", "verdict"}


def write_clip(path, seconds, seed, rate=22050):
    """Noise under a tone whose level changes, so that no mel band is empty."""
    source = random.Random(seed)
    samples, level = array.array("h"), 0
    for i in range(int(rate * seconds)):
        level = (level * 31 + source.randrange(-3000, 3000)) // 32
        samples.append(level * 8 + (2500 if (i // (20 + seed)) % 2 else -2500))
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        file.writeframes(samples.tobytes())


def make_corpus(folder):
    """Four speakers, unequal lengths, two languages."""
    (folder / "wavs").mkdir(parents=True)
    with open(folder / "metadata.csv", "w", encoding="utf-8") as manifest:
        for n in range(32):
            write_clip(folder / "wavs" / f"clip{n:02}.wav", 0.6 + 0.05 * (n * 7 % 32), n)
            text = SENTENCES[n % len(SENTENCES)]
            manifest.write(f"clip{n:02}|{text}|{text}|speaker{n % 4}\n")
    return folder


def rounded(value):
    return float(f"{value:.7g}")


def journal_of(folder):
    return [json.loads(line) for line in (folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()]


def keys_of(events):
    """Kind -> the keys that every line of it has."""
    found = {}
    for event in events:
        if event["kind"] not in BY_CHANCE:
            keys = set(event)
            found[event["kind"]] = found.get(event["kind"], keys) & keys
    return {kind: sorted(keys) for kind, keys in sorted(found.items())}


def batch_of(step):
    return {key: value for key, value in sorted(step.items())
            if key in ("step", "epoch", "batch", "rows", "frames", "tokens", "padded_frames", "shape")}


def losses_of(event):
    """All that is computed from the batch and the weights; a step has its losses in a list of their own."""
    values = {**event, **event.get("losses", {})}
    return {key: rounded(value) for key, value in sorted(values.items())
            if isinstance(value, float) and key not in ("t", "wall") and not key.endswith("seconds")
            and (key in event.get("losses", {}) or "loss" in key or key in ("grad_norm", "score", "learning_rate"))}


def weights_of(folder):
    latest = max(folder.glob("step-*"), key=lambda path: int(path.name.rpartition("-")[2]))
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest()
            for file in sorted(latest.glob("*.safetensors"))}


class Runs:
    def __init__(self, folder):
        self.folder = folder
        self.corpus = make_corpus(folder / "corpus")

    def train(self, name, *more):
        out = self.folder / name
        command = ["train", "--train-data", self.corpus, "--checkpoint-dir", out, "--set",
                   f"data.cache_dir={self.folder}", *COMMON, *more]
        result = qanat(*command, timeout=300)
        if result.returncode != 0:
            raise AssertionError(f"{name}: {result.stderr}{result.stdout}")
        events = journal_of(out)
        steps = [event for event in events if event["kind"] == "step"]
        validations = [event for event in events if event["kind"] == "validation"]
        return {"journal": keys_of(events), "batches": [batch_of(step) for step in steps],
                "losses": [losses_of(event) for event in steps + validations], "weights": weights_of(out)}

    def loader(self):
        library = os.environ.get("QANAT_LIBRARY")
        if not library:
            return None
        sys.path.insert(0, str(SOURCE / "python"))
        import qanat as package

        whole, numbers = hashlib.sha256(), []
        with package.Loader(str(self.corpus), batch_size=4, cache_dir=str(self.folder)) as loader:
            for batch, _ in zip(loader, range(8)):
                mel = [value for row in batch.mel.tolist() for frame in row for value in frame]
                whole.update(array.array("f", mel).tobytes())
                numbers.append({"items": batch.items.tolist(), "mel_lengths": batch.mel_lengths.tolist(),
                                "token_lengths": batch.token_lengths.tolist(), "mel_sum": rounded(sum(mel))})
        batches = [{key: value for key, value in row.items() if key != "mel_sum"} for row in numbers]
        return {"journal": {}, "batches": batches, "losses": [{"mel_sum": row["mel_sum"]} for row in numbers],
                "weights": {"mel": whole.hexdigest()}}

    def all(self):
        found = {
            "speech": self.train("speech"),
            "two_devices": self.train("two_devices", "--virtual-gpus", "2", "--data-gpu", "0", "--model-gpu", "1"),
            "two_processes": self.train("two_processes", "--processes", "2", "--set", "data.batch_size=2"),
            "vocoder": self.train("vocoder", "--task", "vocoder"),
            "vocoder_on_predicted_mel": self.train("predicted", "--task", "vocoder", "--mel-from", self.folder / "speech"),
        }
        batches = self.loader()
        return found if batches is None else {**found, "loader": batches}


def measured():
    os.environ.update(FIXED)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory(prefix="qanat fixed ") as folder:
        return Runs(pathlib.Path(folder)).all()


def differs(expected, found, tolerance):
    return abs(expected - found) > tolerance * max(abs(expected), 1e-3)


class FixedRuns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.expected = json.loads(GOLDEN.read_text(encoding="utf-8"))
        cls.found = measured()

    def each(self, part):
        for name, run in self.found.items():
            with self.subTest(run=name):
                yield name, self.expected[name][part], run[part]

    def test_batches_are_those_of_before(self):
        for name, expected, found in self.each("batches"):
            self.assertEqual(expected, found)

    def test_losses_are_those_of_before(self):
        for name, expected, found in self.each("losses"):
            self.assertEqual([sorted(row) for row in expected], [sorted(row) for row in found])
            for number, (before, now) in enumerate(zip(expected, found)):
                wrong = {key: (before[key], now[key]) for key in before
                         if differs(before[key], now[key], LOOSE.get(name, TOLERANCE))}
                self.assertEqual(wrong, {}, f"line {number}: (before, now)")

    def test_the_journal_has_the_kinds_and_keys_of_before(self):
        for name, expected, found in self.each("journal"):
            for kind, keys in expected.items():
                self.assertIn(kind, found)
                self.assertLessEqual(set(keys), set(found[kind]), kind)


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--record":
        found, path = measured(), pathlib.Path(sys.argv[2])
        if path.resolve() == GOLDEN:
            for run in found.values():
                run.pop("weights")  # their last bits are the processor's
        path.write_text(json.dumps(found, sort_keys=True).replace("}, ", "},\n") + "\n", encoding="utf-8")
    elif len(sys.argv) == 3 and sys.argv[1] == "--compare":
        before, now = json.loads(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")), measured()
        moved = [f"{name}: {part}" for name in now for part in now[name]
                 if before.get(name, {}).get(part) != now[name][part]]
        print("\n".join(moved) or f"{len(now)} runs: equal to the bit")
        sys.exit(1 if moved else 0)
    else:
        unittest.main(verbosity=2)


if __name__ == "__main__":
    main()
