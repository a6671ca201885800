"""Processes that Slurm starts, stops and starts again: a real cluster, of this machine."""
import os
import pathlib
import signal
import subprocess
import unittest

import slurm
from program import QANAT, environment
from replica_runs import ReplicaTest, events, free_port

STEPS = ["--batch-size", 8, "--max-steps", 12, "--save-every", 2]
TASKS = ["--ntasks", "2", "--overcommit"]


@unittest.skipIf(slurm.why_not(), slurm.why_not())
class Slurm(ReplicaTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster = slurm.Cluster((free_port(), free_port()))
        cls.addClassCleanup(cls.cluster.stop)

    def srun(self, folder, *more, launcher=("srun", *TASKS)):
        """Trains, in a process that goes on by itself."""
        command = [*launcher, QANAT, *self.arguments(folder, *more)]
        return subprocess.Popen([*map(str, command)], stdin=subprocess.DEVNULL, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                env=environment(**self.cluster.variables))

    def whole(self):
        folder = self.checkpoints(" whole")
        self.train(folder, *STEPS, "--processes", 2)
        return folder

    def ranks(self, folder):
        """Process ids by rank, of those that train there now."""
        found = {}
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                command = (process / "cmdline").read_bytes().decode(errors="replace").split("\0")
                variables = (process / "environ").read_bytes().decode(errors="replace").split("\0")
            except OSError:
                continue
            rank = [text.partition("=")[2] for text in variables if text.startswith("SLURM_PROCID=")]
            if rank and "qanat" in pathlib.Path(command[0]).name and str(folder) in command:
                found[int(rank[0])] = int(process.name)
        return found

    def assert_saved_by_all(self, folder, said):
        ends = [events(folder / name, "ended") for name in ("journal.jsonl", "journal.rank1.jsonl")]
        self.assertTrue(all(ends), said)
        self.assertEqual([end[-1]["ending"] for end in ends], ["stopped"] * 2, said)
        saved = max(int(path.name.rpartition("-")[2]) for path in folder.glob("step-*"))
        self.assertEqual(saved, ends[0][-1]["step"], said)
        self.assertEqual(self.ranks(folder), {})

    def test_srun_starts_what_learns_the_same(self):
        folder = self.checkpoints()
        self.train(folder, *STEPS, launcher=["srun", *TASKS], **self.cluster.variables)
        self.assertEqual(events(folder / "journal.rank1.jsonl", "run")[0]["world"], 2)
        whole = self.whole()
        self.assert_same_losses(whole, folder, 0)
        self.assert_same_weights(whole, folder)

    def test_a_killed_rank_is_named_and_the_next_srun_resumes(self):
        folder = self.checkpoints()
        process = self.srun(folder, *STEPS)
        self.wait_for_step(folder, 3, lambda: process.poll() is None)
        os.kill(self.ranks(folder)[1], signal.SIGKILL)
        said, _ = process.communicate(timeout=120)
        self.assertNotEqual(process.returncode, 0, said)
        self.assertIn("task 1: Killed", said)
        self.assertRegex(said, "rank 1 on .* is gone")
        self.assertRegex(said, "task 0: Exited with exit code 1")

        again = self.train(folder, *STEPS, launcher=["srun", *TASKS], **self.cluster.variables)
        self.assertIn("resuming", again.stderr)
        self.assert_same_weights(self.whole(), folder)

    def test_a_job_that_is_put_back_into_the_queue_resumes(self):
        folder, output = self.checkpoints(), self.folder / "job.txt"
        script = self.folder / "job.sh"
        arguments = " ".join(f"'{argument}'" for argument in self.arguments(folder, *STEPS))
        script.write_text("#!/bin/sh\n"
                          f"srun {' '.join(TASKS)} '{QANAT}' {arguments} && exit 0\n"
                          "test \"${SLURM_RESTART_COUNT:-0}\" = 0 && scontrol requeue $SLURM_JOB_ID\n"
                          "exit 1\n")
        job = self.cluster.ask("sbatch", "--parsable", "--requeue", "--open-mode=append",
                               f"--output={output}", *TASKS, script)
        self.wait_for_step(folder, 3)
        os.kill(self.ranks(folder)[0], signal.SIGKILL)
        self.cluster.wait_until("end of the job", lambda: self.cluster.job_state(job) in
                                ("COMPLETED", "FAILED", "CANCELLED"), timeout=180)
        said = output.read_text(encoding="utf-8")
        self.assertEqual(self.cluster.job_state(job), "COMPLETED", said)
        self.assertIn("rank 0 on ", said)
        self.assertIn("resuming", said)
        self.assert_same_weights(self.whole(), folder)

    def test_scancel_saves(self):
        folder = self.checkpoints()
        process = self.srun(folder, "--batch-size", 4, "--epochs", 500)
        self.wait_for_step(folder, 2, lambda: process.poll() is None)
        self.cluster.ask("scancel", "--user=root")
        said, _ = process.communicate(timeout=120)
        self.assert_saved_by_all(folder, said)

    # srun itself kills its tasks right after the second Ctrl-C; one signal to them is what saves.
    def test_a_signal_to_the_step_saves(self):
        folder = self.checkpoints()
        process = self.srun(folder, "--batch-size", 4, "--epochs", 500)
        self.wait_for_step(folder, 2, lambda: process.poll() is None)
        self.cluster.ask("scancel", "--signal=INT", "--user=root")
        said, _ = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, said)
        self.assert_saved_by_all(folder, said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
