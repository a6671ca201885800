"""`qanat analyze`: everything into one folder, in bounded time, and what is left after Ctrl-C."""
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
PARTS = ["machine", "data", "step", "loader", "sweep", "dual"]


class Analyze(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        cls.temporary = tempfile.TemporaryDirectory(prefix="qanat analyze ")
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.corpus = cls.folder / "corpus"
        made = qanat("data", "make-demo", cls.corpus, "--utterances", 12, "--mean-seconds", 1.5,
                     "--built-in")
        assert made.returncode == 0, made.stderr

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def arguments(self, out, *more):
        return ["analyze", self.corpus, "--out", out, "--set", f"data.cache_dir={self.folder}",
                *NANO, *more]

    def test_writes_everything_into_one_folder(self):
        out = self.folder / "whole"
        result = qanat(*self.arguments(out, "--num-steps", 24, "--budget", 60, "--fail-on",
                                       "never"), timeout=300)
        self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
        for name in ["report.txt", "report.json", "report.html", "run.yaml", "index.txt"]:
            self.assertTrue((out / name).stat().st_size > 0, name)
        report = json.loads((out / "report.json").read_text())
        schema.validate(report)
        self.assertEqual([part["name"] for part in report["parts"]], PARTS)
        for part in report["parts"]:
            self.assertIn(part["status"], ["done", "cut_short"], part)
            if part["name"] != "data":
                schema.validate(part["report"])
        text = (out / "report.txt").read_text()
        for words in ["TIMING STATISTICS", "BOTTLENECK ANALYSIS", "RECOMMENDED CONFIGURATION",
                      "DIAGNOSTIC SUMMARY", "CACHED-BATCH PROBE", "SWEEP"]:
            self.assertIn(words, text)
        page = (out / "report.html").read_text(encoding="utf-8")
        for chart in ["ledger-plot", "steps-plot", "sweep-plot"]:
            self.assertIn(f'id="{chart}"', page)
        again = qanat("report", out / "journals" / "step" / "run", "--json", "--fail-on", "never")
        schema.validate(json.loads(again.stdout))

    def test_speaks_persian(self):
        out = self.folder / "persian"
        result = qanat(*self.arguments(out, "--num-steps", 4, "--budget", 10, "--lang", "fa",
                                       "--fail-on", "never"), timeout=300)
        self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
        self.assertIn("مجموعه‌داده", result.stdout)
        self.assertIn("پیکربندی پیشنهادی", (out / "report.txt").read_text(encoding="utf-8"))
        self.assertIn('dir="rtl"', (out / "report.html").read_text(encoding="utf-8"))

    def test_ctrl_c_leaves_what_was_finished_and_says_what_is_missing(self):
        out = self.folder / "stopped"
        process = subprocess.Popen(
            [QANAT, *map(str, self.arguments(out, "--num-steps", 100000))],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment())
        deadline = time.monotonic() + 120
        journal = out / "journals" / "step" / "run" / "journal.jsonl"
        while not journal.exists():
            self.assertIsNone(process.poll(), "ended early")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, errors)
        self.assertIn("missing", output)
        report = json.loads((out / "report.json").read_text())
        self.assertFalse(report["complete"])
        self.assertEqual(report["parts"][0]["status"], "done")
        self.assertEqual(report["parts"][4]["note"], "not reached")

    def test_a_folder_that_cannot_be_made_is_said(self):
        (self.folder / "file").write_text("")
        result = qanat(*self.arguments(self.folder / "file" / "below"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("--out", result.stderr)

    def test_a_data_set_that_is_not_there_is_said_once_and_leaves_no_folder(self):
        out = self.folder / "never written"
        result = qanat("analyze", self.folder / "nowhere", "--out", out, *NANO)
        self.assertEqual(result.returncode, 1)
        self.assertEqual((result.stdout + result.stderr).count("no such data set"), 1)
        self.assertFalse(out.exists())


if __name__ == "__main__":
    unittest.main()
