"""`qanat demo`: a consumer fed at a trainer's pace."""
import json
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from program import QANAT, environment, qanat

FIELDS = {"name", "workers", "batch", "wanted_batches_per_s", "batches_per_s", "wait_share", "cores",
          "first_batch_s", "memory_mb"}


class Demo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="qanat demo ")
        cls.corpus = pathlib.Path(cls.folder.name) / "corpus"
        made = qanat("data", "make-demo", cls.corpus, "--utterances", 24, "--built-in")
        assert made.returncode == 0, made.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def demo(self, *arguments):
        return qanat("demo", "--data", self.corpus, "--pace", 20, "--batch-size", 4,
                     "--seconds", 0.5, *arguments)

    def test_json_says_what_the_consumer_saw(self):
        result = self.demo("--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        reading = json.loads(result.stdout)
        self.assertEqual(set(reading), FIELDS)
        self.assertEqual((reading["wanted_batches_per_s"], reading["batch"]), (20, 4))
        self.assertGreater(reading["batches_per_s"], 0)
        self.assertTrue(0 <= reading["wait_share"] <= 1)

    def test_text_has_a_table_a_verdict_and_what_to_do_next(self):
        result = self.demo()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Qanat, 1 worker", result.stdout)
        self.assertIn("Asked for 20 batches of 4 per second, Qanat", result.stdout)
        self.assertIn("What to type next", result.stdout)

    def test_readings_of_others_stand_beside_ours(self):
        theirs = pathlib.Path(self.folder.name) / "theirs.json"
        theirs.write_text(json.dumps({
            "name": "Other", "workers": 2, "batch": 4, "wanted_batches_per_s": 20,
            "batches_per_s": 9.5, "wait_share": 0.5, "cores": 1.5, "first_batch_s": 3.25}) + "\n")
        result = self.demo("--beside", theirs)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Other, 2 workers", result.stdout)
        self.assertIn("Other reaches 9.5", result.stdout)

    def test_a_file_without_readings_is_refused_with_its_name(self):
        broken = pathlib.Path(self.folder.name) / "broken.json"
        broken.write_text("not json\n")
        for path in (broken, pathlib.Path(self.folder.name) / "missing.json"):
            with self.subTest(path=path.name):
                result = self.demo("--beside", path)
                self.assertEqual(result.returncode, 1)
                self.assertIn(path.name, result.stderr)

    def test_an_empty_folder_is_an_error_that_says_what_is_missing(self):
        empty = pathlib.Path(self.folder.name) / "empty"
        empty.mkdir()
        result = qanat("demo", "--data", empty)
        self.assertEqual(result.returncode, 1)
        self.assertIn("metadata", result.stderr)

    def test_a_pace_of_nothing_is_a_usage_error(self):
        self.assertEqual(self.demo("--pace", 0).returncode, 2)

    def test_sigint_ends_it_within_two_seconds(self):
        process = subprocess.Popen(
            [QANAT, "demo", "--data", self.corpus, "--seconds", "60", "--batch-size", "4"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
        self.assertIn("feeding", process.stderr.readline())
        process.send_signal(signal.SIGINT)
        sent = time.monotonic()
        out, _ = process.communicate(timeout=30)
        self.assertLess(time.monotonic() - sent, 2)
        self.assertEqual((process.returncode, out), (128 + signal.SIGINT, ""))


if __name__ == "__main__":
    unittest.main()
