"""While other programs keep the cores busy, the notes of a run, `qanat top` and the report name one cause.

The busy programs are real. QANAT_NOTE_RUNS says how many runs there are."""
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from program import QANAT, environment, qanat

RUNS = int(os.environ.get("QANAT_NOTE_RUNS", "10"))
STEPS = int(os.environ.get("QANAT_NOTE_STEPS", "1000"))
MAX_NOTES = 3  # in 1,000 steps
NOTE = re.compile(r"verdict ([A-Z-]+)[^:]*: (?:([A-Z]+\d{3}) )?(.*)")


@contextlib.contextmanager
def busy_programs(count):
    programs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


def cause_in_top(text):
    """The first finding, or the verdict where there is none."""
    finding = re.search(r"^#1  (\w+) ", text, re.MULTILINE)
    return finding[1] if finding else re.search(r"^VERDICT  (\S+)", text, re.MULTILINE)[1]


def cause_in_report(report):
    verdict = report["verdict"]
    return next((finding["id"] for finding in report["findings"] if finding["title"] == verdict["why"]),
                verdict["kind"])


class Notes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.data = pathlib.Path(cls.folder.name) / "data"
        made = qanat("data", "make-demo", cls.data, "--utterances", 24, "--mean-seconds", 1.5, "--built-in",
                     timeout=300)
        assert made.returncode == 0, made.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def train(self, run):
        """What the run printed."""
        with busy_programs(3):
            result = subprocess.run(
                [QANAT, "train", "--train-data", self.data, "--model-size", "nano", "--batch-size", "4", "--max-steps",
                 str(STEPS), "--save-every", "0", "--render-every", "0", "--checkpoint-dir", run],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                env=environment(), timeout=1800, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stderr

    def test_notes_top_and_report_name_the_same_cause(self):
        for number in range(RUNS):
            with self.subTest(run=number):
                run = pathlib.Path(self.folder.name) / f"run-{number}"
                printed = self.train(run)
                notes = [NOTE.search(line) for line in printed.splitlines() if NOTE.search(line)]
                report = json.loads(qanat("report", run, "--json").stdout)
                top = qanat("top", run, "--once").stdout
                cause = cause_in_report(report)
                print(f"run {number}: notes {[note[2] or note[1] for note in notes]}, top {cause_in_top(top)}, "
                      f"report {cause}", flush=True)
                self.assertEqual(cause_in_top(top), cause, top)
                self.assertLessEqual(len(notes), MAX_NOTES, printed)
                self.assertTrue(notes, printed)
                for note in notes:
                    self.assertEqual(note[2] or note[1], cause, printed)
                    self.assertEqual(note[3].count(note[3][:20]), 1, "the reason is given once")


if __name__ == "__main__":
    unittest.main()
