"""Several processes that train one model: how they are started, what they learn, and how they fail."""
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest

from program import QANAT, environment, qanat, write_tone

UTTERANCES = 24
NANO = ["--model-size", "nano", "--render-every", "0", "--no-emoji", "--set",
        "training.validation_batches=0", "--log-every", "1000"]
SLOW = bool(os.environ.get("QANAT_SLOW"))
KILLS = int(os.environ.get("QANAT_KILLS", "3"))
slow = unittest.skipUnless(SLOW, "slow")


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
            found[name] = struct.unpack(f"<{(end - begin) // 4}f", raw[begin:end])
    return found


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


class Replicas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="qanat replicas ")
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.corpus = cls.folder / "corpus"
        (cls.corpus / "wavs").mkdir(parents=True)
        with open(cls.corpus / "metadata.csv", "w", encoding="utf-8") as manifest:
            for n in range(UTTERANCES):
                write_tone(cls.corpus / "wavs" / f"clip-{n:02}.wav", 200 + 20 * n, 0.5 + 0.01 * n)
                manifest.write(f"clip-{n:02}|clip {n}\n")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def checkpoints(self, name=""):
        return self.folder / (self.id().rpartition(".")[2] + name)

    def arguments(self, checkpoints, *more):
        return ["train", "--train-data", self.corpus, "--set", f"data.cache_dir={self.folder}",
                "--checkpoint-dir", checkpoints, *NANO, *more]

    def train(self, checkpoints, *more, launcher=(), expect=0):
        result = subprocess.run([*launcher, QANAT, *map(str, self.arguments(checkpoints, *more))],
                                stdin=subprocess.DEVNULL, text=True, timeout=300, capture_output=True,
                                env=environment(OMPI_ALLOW_RUN_AS_ROOT="1",
                                                OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1"))
        self.assertEqual(result.returncode, expect, result.stderr + result.stdout)
        return result

    def start(self, checkpoints, *more):
        return subprocess.Popen([QANAT, *map(str, self.arguments(checkpoints, *more))],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env=environment())

    def losses(self, checkpoints):
        return {event["step"]: event["losses"]["total"]
                for event in events(checkpoints / "journal.jsonl", "step")}

    def wait_for_step(self, checkpoints, step):
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if max(self.losses(checkpoints), default=-1) >= step:
                return
            time.sleep(0.02)
        self.fail(f"no step {step}")

    @staticmethod
    def children(process):
        listed = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
        return [int(pid) for pid in listed.split()]

    def child_of_rank(self, process, rank):
        for pid in self.children(process):
            variables = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            if f"RANK={rank}".encode() in variables:
                return pid
        self.fail(f"no rank {rank}")

    def assert_same_run(self, one, other, tolerance):
        losses, others = self.losses(one), self.losses(other)
        self.assertEqual(losses.keys(), others.keys())
        for step, loss in losses.items():
            self.assertLessEqual(abs(others[step] - loss), 1e-6 * abs(loss), f"step {step}")
        first, second = tensors(one), tensors(other)
        self.assertEqual(first.keys(), second.keys())
        worst = max(abs(a - b) for name in first for a, b in zip(first[name], second[name]))
        self.assertLessEqual(worst, tolerance)

    def test_two_processes_with_half_the_batch_learn_what_one_does(self):
        alone, shared, again = (self.checkpoints(name) for name in (" 1", " 2", " 3"))
        self.train(alone, "--batch-size", 16, "--max-steps", 20)
        result = self.train(shared, "--batch-size", 8, "--max-steps", 20, "--processes", 2)
        self.train(again, "--batch-size", 8, "--max-steps", 20, "--processes", 2)

        self.assert_same_run(alone, shared, 1e-5)
        self.assert_same_run(shared, again, 0)
        self.assertIn("2 processes train one model: this is rank 0", result.stderr)
        self.assertTrue((shared / "journal.rank1.jsonl").exists())
        run = events(shared / "journal.rank1.jsonl", "run")[0]
        self.assertEqual((run["rank"], run["world"]), (1, 2))

    @unittest.skipUnless(shutil.which("mpirun"), "no mpirun")
    def test_mpirun_starts_the_same_run(self):
        ours, theirs = self.checkpoints(" ours"), self.checkpoints(" mpi")
        self.train(ours, "--batch-size", 8, "--max-steps", 5, "--processes", 2)
        self.train(theirs, "--batch-size", 8, "--max-steps", 5,
                   launcher=["mpirun", "--oversubscribe", "-n", "2"])

        self.assert_same_run(ours, theirs, 0)

    def test_half_set_variables_are_named(self):
        result = subprocess.run([QANAT, *map(str, self.arguments(self.checkpoints()))],
                                stdin=subprocess.DEVNULL, text=True, timeout=60, capture_output=True,
                                env=environment(RANK="0"))
        self.assertEqual(result.returncode, 2)
        self.assertIn("RANK is set, but WORLD_SIZE is not", result.stderr)

    def test_a_signal_stops_all_after_the_same_step_and_saves(self):
        folder = self.checkpoints()
        process = self.start(folder, "--batch-size", 4, "--epochs", 500, "--processes", 2)
        self.wait_for_step(folder, 2)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=120)

        self.assertEqual(process.returncode, 128 + signal.SIGTERM, err)
        ends = [events(folder / name, "end")[-1] for name in ("journal.jsonl", "journal.rank1.jsonl")]
        self.assertEqual(ends[0]["step"], ends[1]["step"])
        self.assertEqual(ends[0]["ending"], "stopped")

    def lose(self, rank, number, *more):
        """Sends a signal to one process of a run of two; what the run says of it, and how long it took."""
        folder = self.checkpoints(f" {rank} {number}")
        process = self.start(folder, "--batch-size", 4, "--epochs", 500, "--processes", 2,
                             "--save-every", 5, *more)
        self.wait_for_step(folder, 6)
        victim = self.child_of_rank(process, rank)
        begin = time.monotonic()
        os.kill(victim, number)
        try:
            _, err = process.communicate(timeout=90)
        finally:
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return folder, process.returncode, err, time.monotonic() - begin

    def test_a_killed_process_is_named_and_the_run_resumes(self):
        folder, code, err, took = self.lose(1, signal.SIGKILL)
        self.assertEqual(code, 128 + signal.SIGKILL, err)
        self.assertIn("rank 1 on ", err)
        self.assertIn(" is gone", err)
        self.assertLess(took, 60)

        result = self.train(folder, "--batch-size", 4, "--max-steps", 12, "--processes", 2)
        self.assertIn("resum", result.stderr.lower())

    def test_the_others_name_rank_0(self):
        folder, _, _, _ = self.lose(0, signal.SIGKILL)
        log = (folder / "ranks" / "rank-1.log").read_text()
        self.assertIn("rank 0 on ", log)

    def test_a_stopped_process_is_named_after_the_timeout(self):
        _, code, err, took = self.lose(1, signal.SIGSTOP, "--exchange-timeout", 4)
        self.assertEqual(code, 1, err)
        self.assertIn("rank 1 on ", err)
        self.assertLess(took, 4 + 30)

    @slow
    def test_kills_at_random_moments_change_nothing(self):
        whole, killed = self.checkpoints(" whole"), self.checkpoints(" killed")
        steps = ["--batch-size", 4, "--max-steps", 60, "--save-every", 5, "--processes", 2]
        self.train(whole, *steps)
        chance = random.Random(7)
        for _ in range(KILLS):
            process = self.start(killed, *steps)
            try:
                process.wait(timeout=chance.uniform(0.5, 8))
            except subprocess.TimeoutExpired:
                victims = self.children(process)
                if victims:
                    os.kill(chance.choice(victims), signal.SIGKILL)
            process.communicate(timeout=90)
        self.train(killed, *steps)

        first, second = tensors(whole), tensors(killed)
        self.assertEqual(first, second)

    @slow
    def test_damaged_files_spread_unevenly_stop_nobody(self):
        corpus = self.folder / "damaged"
        shutil.copytree(self.corpus, corpus)
        with open(corpus / "wavs" / "clip-03.wav", "r+b") as file:
            file.truncate(60)
        folder = self.checkpoints()
        result = qanat("train", "--train-data", corpus, "--set", f"data.cache_dir={self.folder}",
                       "--checkpoint-dir", folder, *NANO, "--batch-size", 4, "--max-steps", 1000,
                       "--save-every", 0, "--processes", 2, timeout=600)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(max(self.losses(folder)), 999)


if __name__ == "__main__":
    unittest.main(verbosity=2)
