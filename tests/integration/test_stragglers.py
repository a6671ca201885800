"""A process that holds up the others is named, with what makes it slow; where none does, none is.

The processes are real, and so is what slows one of them: storage that answers late, products of matrices
that take longer, a limit of its control group. QANAT_STRAGGLERS says how many runs there are with and without."""
import json
import os
import pathlib
import unittest

from program import qanat
from replica_runs import ReplicaTest

RUNS = int(os.environ.get("QANAT_STRAGGLERS", "3"))
SLOW_RANK = os.environ.get("QANAT_SLOW_RANK")  # a library; see slow_rank.cpp
STEPS = ["--batch-size", 4, "--max-steps", 50, "--save-every", 0, "--num-workers", 1, "--buffer-size", 2, "--set",
         "pipeline.feature_cache=0", "--set", "pipeline.monitor_every=0.5"]
WITHHELD = "but other programs take"  # where they have the cores that a rank waits for


class Group:
    """A control group; its processes have all of the processor until limit()."""

    def __init__(self):
        root = pathlib.Path("/sys/fs/cgroup")
        self.is_first_version = (root / "cpu" / "cgroup.procs").exists()
        self.folder = (root / "cpu" if self.is_first_version else root) / f"qanat-test-{os.getpid()}"
        self.folder.mkdir()

    def limit(self, share):
        """To `share` of a core."""
        period = 50_000  # us
        if self.is_first_version:
            (self.folder / "cpu.cfs_period_us").write_text(str(period))
            (self.folder / "cpu.cfs_quota_us").write_text(str(int(share * period)))
        else:
            (self.folder / "cpu.max").write_text(f"{int(share * period)} {period}")

    @classmethod
    def can_be_made(cls):
        try:
            group = cls()
        except OSError:
            return False
        try:
            group.limit(0.5)
            return True
        except OSError:
            return False
        finally:
            group.folder.rmdir()


class Stragglers(ReplicaTest):
    def train_two(self, folder, slow=None, within=()):
        """Two processes; rank `slow` is started by the command `within`."""
        return self.start_ranks(folder, 2, *STEPS, within=lambda rank: within if rank == slow else ())

    def finish(self, ranks):
        for rank in ranks:
            self.assertEqual(rank.process.wait(timeout=300), 0, rank.text())

    def run_preloaded(self, folder, slow, delay):
        self.finish(self.train_two(folder, slow, ("env", f"LD_PRELOAD={SLOW_RANK}", delay)))

    def run_with_slow_files(self, folder, slow):
        self.run_preloaded(folder, slow, "QANAT_SLOW_FILES_MS=150")

    def run_with_slow_products(self, folder, slow):
        self.run_preloaded(folder, slow, "QANAT_SLOW_PRODUCTS_MS=10")

    def run_with_limit(self, folder, slow):
        group, ranks = Group(), []
        try:
            join = f"echo $$ > {group.folder}/cgroup.procs && exec \"$@\""
            ranks = self.train_two(folder, slow, ("sh", "-c", join, "sh"))
            self.wait_for_step(folder, 0, lambda: all(rank.process.poll() is None for rank in ranks))
            group.limit(0.05)
            self.finish(ranks)
        finally:
            for rank in ranks:
                rank.end()
            group.folder.rmdir()

    def outcome(self, folder):
        """What the report says of RNK001: its title, that it passed, or why it was skipped."""
        report = json.loads(qanat("report", folder, "--json").stdout)
        for part, text in (("findings", "title"), ("passed", "what"), ("skipped", "reason")):
            for entry in report[part]:
                if entry["id"] == "RNK001":
                    return entry[text]
        self.fail(f"nothing of RNK001: {report['verdict']}")

    def kinds(self):
        """What slows a process down: (in the words of the title, how it is done)."""
        kinds = [("longer for data", self.run_with_slow_files), ("it computes", self.run_with_slow_products)]
        return kinds + ([("its machine", self.run_with_limit)] if Group.can_be_made() else [])

    @unittest.skipUnless(SLOW_RANK, "QANAT_SLOW_RANK does not name the library")
    def test_a_slow_process_is_named_with_its_reason(self):
        kinds = self.kinds()
        for run in range(RUNS):
            reason, train = kinds[run % len(kinds)]
            slow = run % 2
            with self.subTest(run=run, reason=reason, slow=slow):
                for attempt in range(3):
                    folder = self.checkpoints(f" {run} {attempt}")
                    train(folder, slow)
                    outcome = self.outcome(folder)
                    print(f"rank {slow}, {reason}: {outcome}", flush=True)
                    if WITHHELD not in outcome:
                        break
                else:
                    self.skipTest("the machine is too busy to tell")
                self.assertRegex(outcome, f"^rank {slow} on .* holds up the others: .*{reason}")

    def test_none_is_named_where_none_is_slow(self):
        for run in range(RUNS):
            with self.subTest(run=run):
                folder = self.checkpoints(f" {run}")
                self.finish(self.train_two(folder))
                outcome = self.outcome(folder)
                print(f"none: {outcome}", flush=True)
                self.assertNotRegex(outcome, "^rank .* holds up the others")


if __name__ == "__main__":
    unittest.main(verbosity=2)
