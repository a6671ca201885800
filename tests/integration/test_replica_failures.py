"""Processes of a run that are killed, stopped or cut off: the others name them, exit, and the run resumes."""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time
import unittest

from replica_runs import ReplicaTest, events, slow, write_silent_damage

KILLS = int(os.environ.get("QANAT_KILLS", "3"))
TIMEOUT = 8   # --exchange-timeout
TO_EXIT = 25  # s beyond it, on a busy machine
NAMED = re.compile(r"rank (\d) on (\S+) is gone: .*last step (\d+)")


def has_namespaces():
    if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("unshare"):
        return False
    name = f"qanat{os.getpid()}"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True).returncode == 0
    subprocess.run(["ip", "netns", "delete", name], capture_output=True)
    return made


class FailureTest(ReplicaTest):
    def exit_code(self, rank, timeout=TIMEOUT + TO_EXIT):
        try:
            return rank.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.fail(f"rank {rank.number} waits for one that left:\n{rank.text()}")

    def assert_names(self, survivor, victim, host=None, last=None):
        """The survivor exits with 1 and says who is gone."""
        self.assertEqual(self.exit_code(survivor), 1, survivor.text())
        named = NAMED.search(survivor.text())
        self.assertTrue(named, survivor.text())
        self.assertEqual(int(named[1]), victim, survivor.text())
        self.assertEqual(named[2], host or os.uname().nodename)
        if last is not None:
            self.assertLessEqual(abs(int(named[3]) - last), 8, survivor.text())  # hosts run ahead

    def assert_whole(self, folder):
        for checkpoint in folder.glob("step-*"):
            self.assertTrue(any(checkpoint.glob("*.safetensors")), checkpoint)
            json.loads((checkpoint / "state.json").read_text(encoding="utf-8"))


class Failures(FailureTest):
    def lose(self, number, victim, world=2):
        folder = self.checkpoints(f" {victim}")
        ranks = self.start_ranks(folder, world, "--batch-size", 4, "--epochs", 500, "--save-every", 5,
                                 "--exchange-timeout", TIMEOUT)
        self.wait_for_step(folder, 6, lambda: all(rank.process.poll() is None for rank in ranks))
        ranks[victim].process.send_signal(number)
        return folder, ranks

    def test_a_killed_process_is_named_and_the_run_resumes(self):
        for victim in (0, 1):
            with self.subTest(victim=victim):
                folder, ranks = self.lose(signal.SIGKILL, victim)
                self.assert_names(ranks[1 - victim], victim, last=self.last_step(folder))
                self.assert_whole(folder)
                result = self.train(folder, "--batch-size", 4, "--max-steps", 12, "--processes", 2)
                self.assertIn("resum", result.stderr.lower())

    # All of three: those that are left agree on who it was.
    def test_two_name_the_third(self):
        _, ranks = self.lose(signal.SIGKILL, 1, world=3)
        self.assert_names(ranks[0], 1)
        self.assert_names(ranks[2], 1)

    def test_a_stopped_process_is_named_and_does_not_wait_for_those_that_left(self):
        for victim in (0, 1):
            with self.subTest(victim=victim):
                _, ranks = self.lose(signal.SIGSTOP, victim)
                self.assert_names(ranks[1 - victim], victim)
                ranks[victim].process.send_signal(signal.SIGCONT)
                self.assertEqual(self.exit_code(ranks[victim]), 1, ranks[victim].text())

    def test_processes_tell_of_a_killed_one(self):
        folder = self.checkpoints()
        process = self.start(folder, "--batch-size", 4, "--epochs", 500, "--processes", 2)
        self.wait_for_step(folder, 4, lambda: process.poll() is None)
        os.kill(self.children(process)[1], signal.SIGKILL)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGKILL, err)
        self.assertRegex(err, NAMED)

    # After up to nine steps of their own; some before the processes have met: then whoever started
    # them ends the other one.
    @slow
    def test_kills_at_random_moments_change_nothing(self):
        whole, killed = self.checkpoints(" whole"), self.checkpoints(" killed")
        steps = ["--batch-size", 4, "--max-steps", 8 * KILLS, "--save-every", 5]
        self.train(whole, *steps, "--processes", 2)
        chance = random.Random(7)
        named = 0
        for number in range(KILLS):
            before = len(events(killed / "journal.jsonl", "step"))
            ranks = self.start_ranks(killed, 2, *steps, "--exchange-timeout", TIMEOUT)
            new_steps = chance.randrange(10) if number % 6 else 0
            deadline = time.monotonic() + 90
            while new_steps and len(events(killed / "journal.jsonl", "step")) < before + new_steps:
                self.assertTrue(all(rank.process.poll() is None for rank in ranks), ranks[0].text())
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.02)
            time.sleep(chance.uniform(0, 0.3 if new_steps else 4))
            victim = chance.randrange(2)
            ranks[victim].process.kill()
            ranks[victim].process.wait()
            if new_steps:
                self.assert_names(ranks[1 - victim], victim)
                named += 1
            else:
                ranks[1 - victim].process.terminate()
                self.assertNotEqual(self.exit_code(ranks[1 - victim]), 0, ranks[1 - victim].text())
            self.assert_whole(killed)
        self.train(killed, *steps, "--processes", 2)

        self.assertGreaterEqual(named, KILLS // 2)
        self.assert_same_weights(whole, killed)

    # 5 % of the files, all of them in the rows of few batches.
    @slow
    def test_damaged_files_spread_unevenly_stop_nobody(self):
        corpus = self.make_corpus("damaged", 40)
        for n in (3, 4):
            write_silent_damage(corpus / "wavs" / f"clip-{n:02}.wav", 0.5 + 0.01 * n)
        folder = self.checkpoints()
        self.train(folder, "--batch-size", 4, "--max-steps", 1000, "--save-every", 0, "--processes", 2,
                   corpus=corpus, timeout=900)
        self.assertEqual(self.last_step(folder), 999)
        bad = [len(events(folder / name, "bad_utterance"))
               for name in ("journal.jsonl", "journal.rank1.jsonl")]
        self.assertGreater(sum(bad), 0)


@slow
@unittest.skipUnless(has_namespaces(), "no network namespaces: needs root and iproute2")
class CutLink(FailureTest):
    """Two network namespaces as two machines, and the link between them."""

    def setUp(self):
        self.names = [f"qanat{os.getpid()}{letter}" for letter in "ab"]
        for name in self.names:
            self.ip("netns", "add", name)
            self.addCleanup(self.ip, "netns", "delete", name)
        self.ip("link", "add", "veth0", "netns", self.names[0], "type", "veth", "peer", "name", "veth0",
                "netns", self.names[1])
        for number, name in enumerate(self.names):
            self.ip("-n", name, "link", "set", "lo", "up")
            self.ip("-n", name, "address", "add", f"10.77.0.{number + 1}/24", "dev", "veth0")
            self.ip("-n", name, "link", "set", "veth0", "up")

    def ip(self, *arguments):
        subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)

    def machine(self, rank):
        return ["ip", "netns", "exec", self.names[rank], "unshare", "--uts", "sh", "-c",
                f'hostname machine-{rank}; exec "$@"', "sh"]

    def start_machines(self, folder, *more):
        return self.start_ranks(folder, 2, "--batch-size", 4, "--max-steps", 40, "--save-every", 5,
                                "--exchange-timeout", TIMEOUT, *more, within=self.machine,
                                LOCAL_RANK=0, LOCAL_WORLD_SIZE=1, MASTER_ADDR="10.77.0.1")

    def test_both_sides_name_the_other_and_the_run_resumes(self):
        whole, cut = self.checkpoints(" whole"), self.checkpoints(" cut")
        for rank in self.start_machines(whole):
            self.assertEqual(self.exit_code(rank, 300), 0, rank.text())
        ranks = self.start_machines(cut)
        self.wait_for_step(cut, 8, lambda: all(rank.process.poll() is None for rank in ranks))
        self.ip("-n", self.names[0], "link", "set", "veth0", "down")
        begin = time.monotonic()
        self.assert_names(ranks[0], 1, host="machine-1")
        self.assert_names(ranks[1], 0, host="machine-0")
        self.assertLess(time.monotonic() - begin, TIMEOUT + TO_EXIT)
        self.assert_whole(cut)

        self.ip("-n", self.names[0], "link", "set", "veth0", "up")
        for rank in self.start_machines(cut):
            self.assertEqual(self.exit_code(rank, 300), 0, rank.text())
        self.assert_same_weights(whole, cut)


if __name__ == "__main__":
    unittest.main(verbosity=2)
