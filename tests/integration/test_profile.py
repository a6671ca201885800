"""`qanat profile data|step|dual`: what they print, with which exit code, and on Ctrl-C."""
import copy
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

import schema
from program import QANAT, environment, qanat

NANO = ["--model-size", "nano", "--batch-size", "4"]


class Profile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # One thread for the model: the machine may have other things to do.
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        cls.temporary = tempfile.TemporaryDirectory(prefix="qanat profile ")
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.corpus = cls.folder / "corpus"
        made = qanat("data", "make-demo", cls.corpus, "--utterances", 16, "--mean-seconds", 1.5,
                     "--built-in")
        assert made.returncode == 0, made.stderr

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def flags(self):
        return ["--data-path", self.corpus, "--set", f"data.cache_dir={self.folder}"]

    def profile(self, *arguments, expect=(0,)):
        result = qanat("profile", *arguments, *self.flags(), timeout=300)
        self.assertIn(result.returncode, expect, result.stderr + result.stdout)
        return result

    def profile_json(self, *arguments, expect=(0,)):
        return json.loads(self.profile(*arguments, "--json", expect=expect).stdout)

    def test_data_says_how_much_it_delivers(self):
        text = self.profile("data", "--num-batches", 70, "--batch-size", 4).stdout
        for words in ["RATE", "s of speech and", "TIMING STATISTICS", "mean", "p95",
                      "p99 needs 299 values", "BOTTLENECK ANALYSIS", "queue", "workers",
                      "RECOMMENDED CONFIGURATION", "variation", "period"]:
            self.assertIn(words, text)

    def test_data_speaks_persian(self):
        text = self.profile("data", "--num-batches", 70, "--batch-size", 4, "--lang", "fa").stdout
        for words in ["نرخ", "آمار زمان", "تحلیل گلوگاه", "پیکربندی پیشنهادی", "میانگین"]:
            self.assertIn(words, text)
        self.assertNotRegex(text, "[0-9] ms")

    def test_a_sweep_that_is_kept_is_drawn(self):
        kept = self.folder / "kept sweep"
        self.profile("data", "--benchmark", "--batch-size", 2, "--sweep-batch-sizes", 2,
                     "--sweep-workers", "1", "--budget", 3, "--keep", kept, expect=(0, 3))
        lines = [json.loads(line) for line in (kept / "journal.jsonl").read_text().splitlines()]
        self.assertEqual([line["kind"] for line in lines], ["journal", "sweep"])
        self.assertEqual([cell["batch"] for cell in lines[1]["cells"]], [2])
        self.assertIn('id="sweep-plot"', (kept / "report.html").read_text())
        again = self.folder / "again.html"
        result = qanat("report", kept, "--html", again)
        self.assertEqual(result.returncode, 3, "nothing was trained")
        self.assertIn('id="sweep-plot"', again.read_text())

    def test_data_at_a_pace_says_whether_a_trainer_waits(self):
        report = self.profile_json("data", "--num-batches", 40, "--batch-size", 4,
                                   "--step-ms", 20)
        schema.validate(report)
        self.assertLess(report["wait_share"], 0.5)
        self.assertGreaterEqual(report["batch_s"]["min"], 0.02)
        self.assertIsNone(report["batch_s"]["p95"])

    def test_data_faster_than_any_loader_ends_with_findings(self):
        report = self.profile_json("data", "--num-batches", 80, "--batch-size", 4, "--step-ms",
                                   0.01, "--set", "pipeline.feature_cache=0", expect=(10,))
        schema.validate(report)
        self.assertGreater(report["wait_share"], 0.3)
        self.assertEqual(self.profile("data", "--num-batches", 80, "--batch-size", 4,
                                      "--step-ms", 0.01, "--fail-on", "never").returncode, 0)

    def test_benchmark_recommends_workers_for_the_batch_size_in_use(self):
        report = self.profile_json("data", "--benchmark", "--batch-size", 4,
                                   "--sweep-batch-sizes", "2,4", "--sweep-workers", "1,2",
                                   "--budget", 3)
        schema.validate(report)
        self.assertEqual(len(report["cells"]), 4)
        self.assertEqual(report["recommended"]["batch"], 4)
        self.assertEqual(report["recommended"]["workers"], 1)  # there is one core
        self.assertGreaterEqual(report["recommended"]["of_best"], 0.97)

    def test_step_runs_the_trainer_and_the_probe(self):
        report = self.profile_json("step", *NANO, "--num-steps", 40, "--fail-on", "never",
                                   expect=(0, 3))
        schema.validate(report)
        names = [phase["name"] for phase in report["phases"]]
        self.assertEqual(names, ["data wait", "transfer", "forward", "loss", "backward",
                                 "optimizer", "other", "step"])
        step = report["phases"][-1]["mean"]
        self.assertAlmostEqual(sum(p["mean"] for p in report["phases"][:-1]), step, delta=1e-6)
        self.assertLess(abs(report["report"]["ledger"]["residual"]), 0.02 * step)
        self.assertIsNotNone(report["cached_probe"])
        self.assertGreater(report["cached_probe"]["steps"], 10)

    def test_step_that_is_too_short_cannot_measure(self):
        result = self.profile("step", *NANO, "--num-steps", 5, expect=(3,))
        self.assertIn("INCOMPLETE", result.stdout)
        self.assertIn("p95 needs 59 steps, p99 needs 299", result.stdout)

    def test_step_keeps_nothing_unless_asked(self):
        before = set(self.folder.iterdir())
        kept = self.folder / "kept journals"
        self.profile("step", *NANO, "--num-steps", 3, "--keep", kept, expect=(3,))
        self.assertEqual({path.name for path in (kept / "run").iterdir()},
                         {"journal.jsonl", "run.yaml"})
        self.profile("step", *NANO, "--num-steps", 3, expect=(3,))
        self.assertEqual(set(self.folder.iterdir()) - before, {kept})

    def test_dual_compares_with_one_device_and_says_that_it_emulates(self):
        report = self.profile_json("dual", *NANO, "--num-steps", 14, "--rounds", 2,
                                   "--fail-on", "never", expect=(0, 3))
        schema.validate(report)
        self.assertTrue(report["emulated"])
        self.assertIsNotNone(report["dual"]["batch_s"]["prepare"])
        self.assertIsNone(report["single"]["batch_s"]["prepare"])
        self.assertGreater(report["dual"]["data_device"]["memory_peak_bytes"], 0)
        text = self.profile("dual", *NANO, "--num-steps", 3, expect=(3,))
        self.assertIn("two are emulated", text.stderr)

    def start_dual(self, kept, train):
        """`profile dual`, and the processes of its replicas as soon as they are there, or train."""
        command = [QANAT, "profile", "dual", *NANO, "--num-steps", 12, "--rounds", 1, "--virtual-gpus", 2,
                   "--keep", kept, "--json", *self.flags()]
        process = subprocess.Popen([*map(str, command)], stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        journal, replicas = kept / "replicas-1" / "journal.rank1.jsonl", []
        while len(replicas) < 2 or (train and not (journal.exists() and '"kind":"step"' in journal.read_text())):
            self.assertIsNone(process.poll())
            tasks = pathlib.Path(f"/proc/{process.pid}/task").glob("*/children")
            replicas = sorted(int(pid) for task in tasks for pid in task.read_text().split())
            time.sleep(0.02)
        return process, replicas

    def test_dual_trains_two_replicas_each_on_a_device_of_its_own(self):
        kept = self.folder / "kept replicas"
        report = self.profile_json("dual", *NANO, "--num-steps", 6, "--rounds", 1, "--virtual-gpus", 2,
                                   "--keep", kept, "--fail-on", "never", expect=(0, 3))
        schema.validate(report)
        self.assertGreater(report["replica"]["step_s"], 0)
        for rank, name in enumerate(("journal.jsonl", "journal.rank1.jsonl")):
            lines = [json.loads(line) for line in (kept / "replicas-1" / name).read_text().splitlines()]
            run = next(line for line in lines if line["kind"] == "run")
            self.assertEqual((run["rank"], run["world"], run["device"]), (rank, 2, f"virtual:{rank}"))
            self.assertEqual(sum(line["kind"] == "step" for line in lines), 6)

    def test_dual_says_why_a_replica_failed_and_measures_the_rest(self):
        process, replicas = self.start_dual(self.folder / "kept failure", train=True)
        os.kill(replicas[1], signal.SIGKILL)
        output, errors = process.communicate(timeout=180)
        self.assertIn(process.returncode, (0, 3, 10), errors)
        self.assertIn("rank 1 ended first, with signal 9", errors)
        self.assertNotIn("has no effect", errors)
        self.assertNotIn("replica", json.loads(output))
        self.assertFalse(pathlib.Path(f"/proc/{replicas[0]}").exists())

    # Before they have journals.
    def test_ctrl_c_while_replicas_start_prints_what_there_is_and_leaves_nobody(self):
        process, replicas = self.start_dual(self.folder / "kept stop", train=False)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, errors)
        self.assertIn("single", json.loads(output))
        for pid in replicas:
            self.assertFalse(pathlib.Path(f"/proc/{pid}").exists(), f"{pid} is left")

    def test_wrong_inputs_are_said(self):
        nowhere = qanat("profile", "data", "--data-path", self.folder / "nowhere")
        self.assertEqual(nowhere.returncode, 1)
        self.assertIn("nowhere", nowhere.stderr)
        none = qanat("profile", "step")
        self.assertEqual(none.returncode, 1)
        self.assertIn("--train-data", none.stderr)
        self.assertEqual(self.profile("data", "--num-batches", 1, expect=(2,)).stdout, "")
        gpus = self.profile("dual", *NANO, "--data-gpu", 0, "--model-gpu", 1, expect=(1,))
        self.assertIn("Insufficient GPUs", gpus.stderr)

    def test_ctrl_c_prints_what_there_is(self):
        process = subprocess.Popen(
            [QANAT, "profile", "data", "--num-batches", "1000000", "--step-ms", "10",
             *map(str, self.flags())], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=environment())
        time.sleep(3)  # long enough for some batches
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, errors)
        self.assertIn("TIMING STATISTICS", output)

    def test_the_schema_refuses_what_is_not_a_report(self):
        report = self.profile_json("data", "--num-batches", 20, "--batch-size", 4)
        schema.validate(report)
        if schema.jsonschema is None:
            return
        for damage in [lambda r: r.pop("batch_s"), lambda r: r.update(wait_share=2),
                       lambda r: r["loader"]["queue"].update(empty_share=None)]:
            damaged = copy.deepcopy(report)
            damage(damaged)
            with self.assertRaises(schema.jsonschema.ValidationError):
                schema.validate(damaged)


if __name__ == "__main__":
    unittest.main()
