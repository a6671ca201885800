"""Runs of several processes under test: a small corpus, how they are started, and what they leave."""
import array
import json
import math
import os
import pathlib
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

from program import QANAT, environment, write_tone

UTTERANCES = 32
NANO = ["--model-size", "nano", "--render-every", "0", "--no-emoji", "--set",
        "training.validation_batches=0", "--set", "data.val_split=0", "--log-every", "1000"]
SLOW = bool(os.environ.get("QANAT_SLOW"))
slow = unittest.skipUnless(SLOW, "slow")
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def tensors(folder):
    """Name -> floats of the latest checkpoint's weights, as safetensors keeps them."""
    latest = max(folder.glob("step-*"), key=lambda path: int(path.name.rpartition("-")[2]))
    data = next(latest.glob("*weights*.safetensors"), None) or next(latest.glob("model*.safetensors"))
    raw = data.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8:8 + length])
    header.pop("__metadata__", None)
    found = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        if entry["dtype"] == "F32":
            found[name] = array.array("f", raw[begin:end])
    return found


def largest_difference(one, other):
    """(difference, name of the tensor) of two results of tensors()."""
    return max((max((abs(a - b) for a, b in zip(one[name], other[name])), default=0.0), name)
               for name in one)


def events(journal, kind):
    found = []
    try:
        lines = journal.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return found
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            continue  # the last line of a process that was killed
        if event.get("kind") == kind:
            found.append(event)
    return found


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def write_silent_damage(path, seconds, rate=22050):
    """A file whose header is fine and whose samples are not numbers: damage that only decoding sees."""
    samples = array.array("f", [math.nan] * int(rate * seconds)).tobytes()
    chunk = struct.pack("<4sIHHIIHH", b"fmt ", 16, 3, 1, rate, 4 * rate, 4, 32)
    body = b"WAVE" + chunk + struct.pack("<4sI", b"data", len(samples)) + samples
    path.write_bytes(struct.pack("<4sI", b"RIFF", len(body)) + body)


class Rank:
    """One process of a run, started by its variables; what it says goes to a file."""

    def __init__(self, number, command, log, **variables):
        self.number = number
        self.log = log
        self.port = variables.get("MASTER_PORT")
        with open(log, "w", encoding="utf-8") as output:
            self.process = subprocess.Popen([*map(str, command)], stdin=subprocess.DEVNULL,
                                            stdout=output, stderr=output,
                                            env=environment(**variables))

    def text(self):
        return self.log.read_text(encoding="utf-8", errors="replace")

    def end(self):
        for number in (signal.SIGCONT, signal.SIGKILL):
            if self.process.poll() is None:
                self.process.send_signal(number)
        self.process.wait()


class ReplicaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="qanat replicas ")
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.corpus = cls.make_corpus("corpus", UTTERANCES)

    @classmethod
    def make_corpus(cls, name, utterances):
        corpus = cls.folder / name
        (corpus / "wavs").mkdir(parents=True)
        with open(corpus / "metadata.csv", "w", encoding="utf-8") as manifest:
            for n in range(utterances):
                write_tone(corpus / "wavs" / f"clip-{n:02}.wav", 200 + 20 * n, 0.5 + 0.01 * n)
                manifest.write(f"clip-{n:02}|clip {n}\n")
        return corpus

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def checkpoints(self, name=""):
        return self.folder / (self.id().rpartition(".")[2] + name)

    def arguments(self, checkpoints, *more, corpus=None):
        return ["train", "--train-data", corpus or self.corpus, "--set",
                f"data.cache_dir={self.folder}", "--checkpoint-dir", checkpoints, *NANO, *more]

    def train(self, checkpoints, *more, launcher=(), expect=0, corpus=None, timeout=300, **variables):
        command = [*launcher, QANAT, *self.arguments(checkpoints, *more, corpus=corpus)]
        result = subprocess.run([*map(str, command)], stdin=subprocess.DEVNULL, text=True,
                                timeout=timeout, capture_output=True,
                                env=environment(**AS_ROOT, **variables))
        self.assertEqual(result.returncode, expect, result.stderr + result.stdout)
        return result

    def start(self, checkpoints, *more, **options):
        """A run of --processes that goes on by itself."""
        return subprocess.Popen([QANAT, *map(str, self.arguments(checkpoints, *more))],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env=environment(), **options)

    def start_ranks(self, checkpoints, world, *more, within=lambda rank: (), of_rank=lambda rank: (),
                    place_of=lambda rank: {}, **variables):
        """Every process by itself, as a launcher would start it; `of_rank` are arguments of one of them."""
        checkpoints.mkdir(parents=True, exist_ok=True)
        port = free_port()
        ranks = []
        for rank in range(world):
            place = {"RANK": rank, "WORLD_SIZE": world, "LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": world,
                     "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, **variables, **place_of(rank)}
            command = [*within(rank), QANAT, *self.arguments(checkpoints, *more, *of_rank(rank))]
            ranks.append(Rank(rank, command, checkpoints / f"rank-{rank}.txt",
                              **{name: str(value) for name, value in place.items()}))
            self.addCleanup(ranks[-1].end)
        return ranks

    def losses(self, checkpoints):
        return {event["step"]: event["losses"]["total"]
                for event in events(checkpoints / "journal.jsonl", "step")}

    def last_step(self, checkpoints):
        return max(self.losses(checkpoints), default=-1)

    def wait_for_step(self, checkpoints, step, alive=lambda: True):
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and alive():
            if self.last_step(checkpoints) >= step:
                return
            time.sleep(0.02)
        self.fail(f"no step {step}")

    @staticmethod
    def children(process):
        listed = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
        return [int(pid) for pid in listed.split()]

    def assert_same_losses(self, one, other, relative=1e-6):
        losses, others = self.losses(one), self.losses(other)
        self.assertEqual(losses.keys(), others.keys())
        for step, loss in losses.items():
            self.assertLessEqual(abs(others[step] - loss), relative * abs(loss), f"step {step}")

    def assert_same_weights(self, one, other, tolerance=0.0):
        first, second = tensors(one), tensors(other)
        self.assertEqual(first.keys(), second.keys())
        worst, name = largest_difference(first, second)
        self.assertLessEqual(worst, tolerance, name)
