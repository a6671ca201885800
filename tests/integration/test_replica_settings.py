"""Processes that were told different things: refused before the first step, with what differs; nobody waits for long."""
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

from replica_runs import ReplicaTest, events, slow

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMEOUT = 20  # --exchange-timeout: s that processes of a busy machine may be apart
TO_EXIT = 25  # s beyond it, on a busy machine


def keys():
    """key -> (what it takes, its default), from the reference that the program writes."""
    found, section = {}, ""
    for line in (ROOT / "docs/en/configuration.md").read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"## `(\w+)`", line):
            section = heading[1]
        elif line.startswith("| `"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            found[f"{section}.{cells[0].strip('`')}"] = (cells[2], cells[4].strip("`"))
    return found


def of_one_process():
    """The keys that may differ, from the list in the source."""
    source = (ROOT / "src/run/training/replica_agreement.cpp").read_text(encoding="utf-8")
    listed = re.search(r"kOfOneProcess = \{(.*?)\};", source, re.S)[1]
    return set(re.findall(r'"([a-z_.]+)"', listed))


def another(takes, default):
    """A value other than the default."""
    if takes.startswith("`true`"):
        return "false" if default == "true" else "true"
    if names := re.match(r"one of ([\w, ]+?)(?:, or auto)?$", takes):
        return [name for name in names[1].split(", ") if name != default][-1]
    if takes.startswith("one or several of"):
        return "decoder"
    if takes.startswith("text"):
        return "/elsewhere"
    return {"whole": "12", "number": "0.25"}["whole" if "whole" in takes else "number"]


# Settings, not flags: what a rank is told besides replaces them.
SMALL = {"model.size": "nano", "data.val_split": 0, "training.max_steps": 6, "training.validation_batches": 0,
         "training.render_every": 0, "training.log_every": 1000}


# Values that a rank does not refuse by itself, and what both need to be told for that.
VALUES = {"pipeline.frame_budget": "4096"}
BESIDE = {"vocoder.mel_from": ("--task", "vocoder")}
KEYS = os.environ.get("QANAT_KEYS", "").split()  # only these


class Settings(ReplicaTest):
    def arguments(self, checkpoints, *more, corpus=None):
        settings = {"data.train_data": corpus or self.corpus, "data.cache_dir": self.folder,
                    "training.checkpoint_dir": checkpoints, **SMALL}
        return ["train", "--no-emoji",
                *(part for key, value in settings.items() for part in ("--set", f"{key}={value}")), *more]

    def assert_refused(self, ranks, *words):
        begin = time.monotonic()
        for rank in ranks:
            try:
                code = rank.process.wait(TIMEOUT + TO_EXIT)
            except subprocess.TimeoutExpired:
                self.fail(f"rank {rank.number} waits after {time.monotonic() - begin:.0f} s:\n{rank.text()}")
            self.assertEqual(code, 1, rank.text())
            for word in words:
                self.assertIn(word, rank.text())

    def differ(self, checkpoints, *arguments, both=()):
        return self.start_ranks(checkpoints, 2, "--exchange-timeout", TIMEOUT, *both,
                                of_rank=lambda rank: arguments if rank == 1 else ())

    def test_another_learning_rate_is_refused(self):
        folder = self.checkpoints()
        self.assert_refused(self.differ(folder, "--lr", "0.5"),
                            "training.learning_rate: 0.5 on rank 1", "but auto on rank 0")
        self.assertEqual(events(folder / "journal.jsonl", "step"), [])

    @slow
    def test_every_key_that_decides_a_run_is_compared(self):
        for key, (takes, default) in keys().items():
            if key in of_one_process() or key == "training.exchange_timeout" or (KEYS and key not in KEYS):
                continue
            value = VALUES.get(key) or another(takes, default)
            with self.subTest(key=key, value=value):
                folder = self.checkpoints(f" {key}")
                ranks = self.differ(folder, "--set", f"{key}={value}", both=BESIDE.get(key, ()))
                self.assert_refused(ranks, f"{key}: ", "on rank 1", "on rank 0")
                self.assertEqual(events(folder / "journal.jsonl", "step"), [])

    def test_another_number_of_processes_is_refused(self):
        ranks = self.start_ranks(self.checkpoints(), 2, "--exchange-timeout", TIMEOUT,
                                 place_of=lambda rank: {"WORLD_SIZE": 2 + rank})
        self.assert_refused(ranks, "check WORLD_SIZE")

    def test_one_that_is_stopped_before_it_comes_is_waited_for_only_so_long(self):
        ranks = self.start_ranks(self.checkpoints(), 2, "--exchange-timeout", TIMEOUT,
                                 within=lambda rank: ["sleep", "600", "#"] if rank == 1 else ())
        self.assert_refused(ranks[:1], "rank 1 did not connect")

    def test_the_first_signal_ends_the_wait_for_the_others(self):
        ranks = self.start_ranks(self.checkpoints(), 2, "--exchange-timeout", 600,
                                 within=lambda rank: ["sleep", "600", "#"] if rank == 1 else ())
        deadline = time.monotonic() + 60
        while not self.listens(ranks[0]) and time.monotonic() < deadline:
            time.sleep(0.05)
        ranks[0].process.send_signal(signal.SIGTERM)
        self.assertIn(ranks[0].process.wait(TO_EXIT), (1, 128 + signal.SIGTERM), ranks[0].text())

    @staticmethod
    def listens(rank):
        """Whether rank 0 serves the store."""
        sockets = pathlib.Path(f"/proc/{rank.process.pid}/net/tcp6").read_text().splitlines()[1:]
        port = f"{int(rank.port):04X}"
        return any(line.split()[1].endswith(f":{port}") and line.split()[3] == "0A" for line in sockets)


if __name__ == "__main__":
    unittest.main()
