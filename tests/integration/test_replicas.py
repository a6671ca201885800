"""Several processes that train one model: how they are started, and what they learn."""
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

from program import QANAT, environment
from replica_runs import ReplicaTest, events, free_port, largest_difference, tensors

TORCHRUN = os.environ.get("QANAT_TORCHRUN") or shutil.which("torchrun")


class Learning(ReplicaTest):
    def run_alone(self, name, *more):
        folder = self.checkpoints(name)
        self.train(folder, "--batch-size", 16, "--max-steps", 20, *more)
        return folder

    def run_shared(self, name, *more):
        folder = self.checkpoints(name)
        self.train(folder, "--batch-size", 8, "--max-steps", 20, "--processes", 2, *more)
        return folder

    # One process computes its 16 rows in microbatches of 8, as two processes do.
    def test_two_processes_with_half_the_batch_learn_what_one_does(self):
        alone = self.run_alone(" 1", "--microbatch-size", 8)
        shared = self.run_shared(" 2")
        again = self.run_shared(" 3")

        self.assert_same_losses(alone, shared)
        self.assert_same_weights(alone, shared, 1e-5)
        self.assert_same_losses(shared, again, 0)
        self.assert_same_weights(shared, again)
        self.assertTrue((shared / "journal.rank1.jsonl").exists())
        run = events(shared / "journal.rank1.jsonl", "run")[0]
        self.assertEqual((run["rank"], run["world"]), (1, 2))

    def test_more_processes_than_cores_are_told_once(self):
        cores = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(cores)})
        self.addCleanup(os.sched_setaffinity, 0, cores)

        run = self.train(self.checkpoints(), "--batch-size", 8, "--max-steps", 1, "--processes", 2)

        self.assertEqual(run.stderr.count("2 processes share 1 cores of this machine"), 1, run.stderr)

    # All 16 rows at once are added up in another order, which moves a duration by a frame sooner or
    # later: in one process as in two, and by as much.
    def test_processes_add_no_more_than_another_order_of_sums_does(self):
        whole = self.run_alone(" whole")
        halves = self.run_alone(" halves", "--microbatch-size", 8)
        shared = self.run_shared(" shared")

        order, _ = largest_difference(tensors(whole), tensors(halves))
        processes, name = largest_difference(tensors(whole), tensors(shared))
        self.assertLessEqual(processes, max(1e-5, 1.01 * order), name)

    # 2 -> 1 -> 4 -> 2 processes, with kills in between: one plan, every batch of it once.
    def test_a_run_goes_on_with_any_number_of_processes(self):
        whole, parts = self.checkpoints(" whole"), self.checkpoints(" parts")
        common = ["--batch-size", 8, "--microbatch-size", 4, "--max-steps", 12, "--save-every", 2]
        self.train(whole, *common, "--processes", 2)
        for processes, step in ((2, 3), (1, 6), (4, 8)):
            process = self.start(parts, *common, "--processes", processes)
            self.wait_for_step(parts, step, lambda run=process: run.poll() is None)
            for pid in self.children(process) if processes > 1 else [process.pid]:
                os.kill(pid, signal.SIGKILL)
            process.communicate(timeout=90)
        self.train(parts, *common, "--processes", 2)

        losses, others = self.losses(whole), self.losses(parts)
        self.assertEqual(losses.keys(), others.keys())
        for step, loss in losses.items():
            self.assertLessEqual(abs(others[step] - loss), 1e-4 * loss, f"step {step}")
        batches = [{event["step"]: (event["epoch"], event["batch"])
                    for event in events(folder / "journal.jsonl", "step")}
                   for folder in (whole, parts)]
        self.assertEqual(*batches)

    def test_bf16_halves_the_traffic_and_learns_nearly_the_same(self):
        single, half = self.run_shared(" f32"), self.checkpoints(" bf16")
        self.train(half, "--batch-size", 8, "--max-steps", 20, "--processes", 2, "--set",
                   "training.exchange_format=bf16", "--set", "training.compare_weights_every=1")

        def sent(folder):
            return events(folder / "journal.jsonl", "step")[-1]["exchange"]["bytes"]

        self.assertEqual(2 * sent(half), sent(single))
        worst, _ = largest_difference(tensors(single), tensors(half))
        self.assertGreater(worst, 0)
        losses, others = self.losses(single), self.losses(half)
        for step in losses:
            self.assertLessEqual(abs(others[step] - losses[step]), 0.02 * losses[step], step)


class PredictedMel(ReplicaTest):
    """A vocoder that learns from the mel of a speech model: one process predicts it, for all."""

    def vocoder(self, name, *more, cores=1):
        """A run on so many cores: each process has one, so that all sum in the same order."""
        folder = self.checkpoints(name)
        allowed = ",".join(map(str, sorted(os.sched_getaffinity(0))[:cores]))
        self.train(folder, "--task", "vocoder", "--mel-from", self.checkpoints(" speech"),
                   "--segment-frames", 16, "--discriminator-start", 3, "--max-steps", 6, *more,
                   launcher=["taskset", "-c", allowed])
        return folder

    @staticmethod
    def shards(folder):
        return {path.name: path.read_bytes()
                for path in (folder / "predicted_mel" / "train").glob("*.qshard")}

    def test_two_processes_predict_once_and_learn_what_one_does(self):
        self.train(self.checkpoints(" speech"), "--batch-size", 8, "--max-steps", 2)
        alone = self.vocoder(" 1", "--batch-size", 16, "--microbatch-size", 8)
        shared = self.vocoder(" 2", "--batch-size", 8, "--processes", 2, cores=2)
        again = self.vocoder(" 3", "--batch-size", 8, "--processes", 2, cores=2)

        self.assertTrue(self.shards(alone))
        self.assertEqual(self.shards(alone).keys(), self.shards(shared).keys())
        self.assertEqual(self.shards(alone), self.shards(shared))
        self.assert_same_losses(alone, shared)
        self.assert_same_weights(alone, shared, 1e-5)
        self.assert_same_losses(shared, again, 0)
        self.assert_same_weights(shared, again)

    def test_a_kill_while_they_predict_leaves_a_run_that_starts(self):
        self.train(self.checkpoints(" speech"), "--batch-size", 8, "--max-steps", 2)
        flags = ["--task", "vocoder", "--mel-from", self.checkpoints(" speech"), "--segment-frames",
                 16, "--max-steps", 2, "--batch-size", 8, "--processes", 2]
        whole, killed = self.checkpoints(" whole"), self.checkpoints(" killed")
        self.train(whole, *flags)
        process = self.start(killed, *flags)
        shards = killed / "predicted_mel" / "train"
        deadline = time.monotonic() + 120
        while not shards.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        for pid in self.children(process):
            os.kill(pid, signal.SIGKILL)
        process.communicate(timeout=90)
        self.assertNotEqual(process.returncode, 0)

        self.train(killed, *flags)

        self.assert_same_losses(whole, killed, 0)
        self.assert_same_weights(whole, killed)


class Launchers(ReplicaTest):
    """Each starts the program unchanged, and it ends in the same weights."""

    STEPS = ["--batch-size", 8, "--max-steps", 5]

    def by_processes(self):
        folder = self.checkpoints(" processes")
        result = self.train(folder, *self.STEPS, "--processes", 2)
        self.assertIn("2 processes train one model: this is rank 0", result.stderr)
        return folder

    def assert_starts_the_same(self, launcher):
        folder = self.checkpoints(" launcher")
        self.train(folder, *self.STEPS, launcher=launcher)
        self.assertTrue((folder / "journal.rank1.jsonl").exists())
        ours = self.by_processes()
        self.assert_same_losses(ours, folder, 0)
        self.assert_same_weights(ours, folder)

    @unittest.skipUnless(shutil.which("mpirun"), "no mpirun (package openmpi-bin)")
    def test_mpirun(self):
        self.assert_starts_the_same(["mpirun", "--oversubscribe", "--bind-to", "none", "-n", "2"])

    @unittest.skipUnless(TORCHRUN, "no torchrun (package python3-torch, or torch of pip)")
    def test_torchrun(self):
        # Without -r and -t, that of PyTorch 1.13 fails in Python 3.11.
        self.assert_starts_the_same([TORCHRUN, "--no_python", "--nproc_per_node", "2", "--master_port",
                                     free_port(), "-r", "1", "-t", "1"])

    # What srun would start, with the variables that it sets; test_slurm.py has a real one.
    def test_the_variables_of_slurm(self):
        folder = self.checkpoints(" slurm")
        folder.mkdir(parents=True)
        ranks = []
        for rank in range(2):
            variables = {"SLURM_JOB_ID": os.getpid(), "SLURM_STEP_ID": 0, "SLURM_PROCID": rank,
                         "SLURM_LOCALID": rank, "SLURM_NODEID": 0, "SLURM_STEP_NUM_TASKS": 2,
                         "SLURM_STEP_TASKS_PER_NODE": "2", "SLURM_STEP_NODELIST": "localhost"}
            ranks.append(subprocess.Popen(
                [QANAT, *map(str, self.arguments(folder, *self.STEPS))], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                env=environment(**{name: str(value) for name, value in variables.items()})))
        for rank in ranks:
            said, _ = rank.communicate(timeout=300)
            self.assertEqual(rank.returncode, 0, said)

        ours = self.by_processes()
        self.assert_same_losses(ours, folder, 0)
        self.assert_same_weights(ours, folder)

    def test_half_set_variables_are_named(self):
        result = self.train(self.checkpoints(), expect=2, RANK="0")
        self.assertIn("RANK is set, but WORLD_SIZE is not", result.stderr)


class Stopping(ReplicaTest):
    def start_two(self, **options):
        folder = self.checkpoints()
        process = self.start(folder, "--batch-size", 4, "--epochs", 500, "--processes", 2, **options)
        self.wait_for_step(folder, 2, lambda: process.poll() is None)
        ranks = self.children(process)
        self.assertEqual(len(ranks), 2)
        return folder, process, ranks

    def assert_stopped(self, folder, process, ranks, code):
        _, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, code, err)
        ended = [events(folder / name, "ended") for name in ("journal.jsonl", "journal.rank1.jsonl")]
        self.assertTrue(all(ended), err)
        ends = [of_rank[-1] for of_rank in ended]
        self.assertEqual(ends[0]["step"], ends[1]["step"])
        self.assertEqual(ends[0]["ending"], "stopped")
        saved = max(int(path.name.rpartition("-")[2]) for path in folder.glob("step-*"))
        self.assertEqual(saved, ends[0]["step"])
        for pid in ranks:
            self.assertFalse(pathlib.Path(f"/proc/{pid}").exists(), f"{pid} is left")

    def test_a_signal_stops_all_after_the_same_step_and_saves(self):
        folder, process, ranks = self.start_two()
        process.send_signal(signal.SIGTERM)
        self.assert_stopped(folder, process, ranks, 128 + signal.SIGTERM)

    # As a terminal does it: to every process of the foreground group.
    def test_ctrl_c_stops_all_and_leaves_nobody(self):
        folder, process, ranks = self.start_two(start_new_session=True)
        os.killpg(process.pid, signal.SIGINT)
        self.assert_stopped(folder, process, ranks, 128 + signal.SIGINT)

    # The ranks are told by the kernel, once for every thread of the one that is gone.
    def test_all_save_and_nobody_is_left_when_the_one_that_started_them_is_killed(self):
        folder, process, ranks = self.start_two()
        process.kill()
        deadline = time.monotonic() + 60
        while any(pathlib.Path(f"/proc/{pid}").exists() for pid in ranks):
            self.assertLess(time.monotonic(), deadline, "a rank is left")
            time.sleep(0.05)
        self.assert_stopped(folder, process, ranks, -signal.SIGKILL)


class Reading(ReplicaTest):
    def test_report_and_top_read_all_ranks(self):
        folder = self.checkpoints()
        self.train(folder, "--batch-size", 4, "--max-steps", 12, "--processes", 2)
        for command, seen in ((["report", folder, "--json"], '"ranks"'),
                              (["top", folder, "--once"], "rank 1")):
            result = subprocess.run([QANAT, *map(str, command)], stdin=subprocess.DEVNULL, text=True,
                                    timeout=60, capture_output=True, env=environment())
            self.assertIn(result.returncode, (0, 3), result.stderr)  # 3: too few steps for a verdict
            self.assertIn(seen, result.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
