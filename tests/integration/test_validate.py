"""`qanat validate`: five checks of the real pipeline, on virtual GPUs."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from program import QANAT, environment, qanat

# Training on a busy machine takes its time: done by the slow tests.
TRAINS = unittest.skipUnless(os.environ.get("QANAT_SLOW"), "trains; runs with QANAT_SLOW=1")
TWO = ("--virtual-gpus", 2, "--virtual-gpu-memory", 1024)


def on_one_core():
    """A step in several threads can take many seconds beside other programs, and a stop waits for
    the piece of work that is running."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


class Validate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="qanat validate ")
        cls.corpus = pathlib.Path(cls.folder.name) / "corpus"
        made = qanat("data", "make-demo", cls.corpus, "--utterances", 12, "--built-in",
                     "--mean-seconds", 2)
        assert made.returncode == 0, made.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def validate(self, *arguments):
        return qanat("validate", "--data-path", self.corpus, "--batch-size", 4, "--steps", 3,
                     "--set", f"data.cache_dir={self.folder.name}", *arguments, timeout=300)

    def outcomes(self, result):
        return [check["outcome"] for check in json.loads(result.stdout)["checks"]]

    @TRAINS
    def test_five_checks_pass_in_both_orders_of_the_gpus(self):
        for data, model in ((0, 1), (1, 0)):
            with self.subTest(data=data):
                result = self.validate(*TWO, "--data-gpu", data, "--model-gpu", model, "--json")
                self.assertEqual(result.returncode, 0, result.stderr)
                found = json.loads(result.stdout)
                self.assertEqual(self.outcomes(result), ["PASS"] * 5)
                placement = found["checks"][1]["figures"]
                self.assertEqual(placement, {"data": f"virtual:{data}", "model": f"virtual:{model}"})
                self.assertGreater(found["dual"]["data_busy"], 0)
                self.assertEqual(found["checks"][2]["figures"]["on_data_mb"], 0)
                transfer = found["checks"][3]["figures"]
                for way in ("data_to_model", "model_to_data"):
                    self.assertGreater(transfer[way]["gigabytes_per_s"], 0)
                    self.assertTrue(transfer[way]["exact"])
                self.assertIn("verdict", found)
                self.assertGreater(found["replicas"]["steps_per_s"], 0)
                self.assertIn("replicas_over_single", found)
                ratio = found["dual_over_single"]
                self.assertEqual(ratio["ratio"] is None, ratio["withheld"] is not None)

    @TRAINS
    def test_text_numbers_the_checks_and_ends_with_a_verdict(self):
        result = self.validate(*TWO)
        self.assertEqual(result.returncode, 0, result.stderr)
        for number in range(1, 6):
            self.assertIn(f"[{number}/5]", result.stdout)
        self.assertIn("PASS: 5 of 5 checks passed", result.stdout)
        self.assertRegex(result.stdout, r"GB/s, [\d.]+ (us|ms) per batch")
        self.assertRegex(result.stdout, "P2P +(yes|no)")
        self.assertRegex(result.stdout, "dual (beats|does not pay|and single|pays cannot be said)")

    @TRAINS
    def test_the_model_is_the_one_that_was_asked_for(self):
        def parameters(*flags):
            report = json.loads(self.validate(*TWO, "--json", *flags).stdout)
            return report["checks"][2]["figures"]["parameters"]
        self.assertGreater(parameters("--model-size", "tiny"), parameters())

    @TRAINS
    def test_a_vocoder_is_validated_like_a_speech_model(self):
        result = self.validate(*TWO, "--task", "vocoder", "--segment-frames", 16, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        found = json.loads(result.stdout)
        self.assertEqual(self.outcomes(result), ["PASS"] * 5)
        for mode in ("single", "dual", "replicas"):
            self.assertGreater(found[mode]["steps_per_s"], 0, mode)
        self.assertIn("best_use", found)

    def test_gpus_that_cannot_be_had_fail_the_placement(self):
        cases = {("--data-gpu", 0, "--model-gpu", 1): "requires at least 2 GPUs, found 0",
                 (*TWO, "--data-gpu", 0, "--model-gpu", 5): "invalid model_gpu=5, must be 0-1"}
        for arguments, message in cases.items():
            with self.subTest(message=message):
                result = self.validate(*arguments, "--json")
                self.assertEqual(result.returncode, 1)
                self.assertEqual(self.outcomes(result),
                                 ["PASS", "FAIL", "skipped", "skipped", "skipped"])
                self.assertIn(message, result.stdout)

    def test_persian_text_has_its_digits_and_leaves_json_alone(self):
        gpus = (*TWO, "--data-gpu", 0, "--model-gpu", 5, "--lang", "fa")
        text = self.validate(*gpus).stdout
        for part in ("[۱/۵] پیش‌نیازها", "GPU مجازی ۲", "(ناموفق): ۱ از ۵ بررسی موفق بود"):
            self.assertIn(part, text)
        self.assertNotIn("Insufficient", text)
        self.assertIn("must be 0-1", self.validate(*gpus, "--json").stdout)

    def test_gpu_numbers_that_make_no_sense_are_usage_errors(self):
        cases = {("--data-gpu", 1, "--model-gpu", 1): "expected two different ones",
                 ("--data-gpu", 0): "needs both",
                 ("--model-gpu", 1): "needs both",
                 ("--data-gpu", -1, "--model-gpu", 1): "-1 is not valid"}
        for arguments, message in cases.items():
            with self.subTest(arguments=arguments):
                result = self.validate(*TWO, *arguments)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertIn(message, result.stderr)

    @TRAINS
    def test_a_budget_that_is_too_small_names_numbers_that_fit(self):
        result = self.validate(*TWO, "--enable-memory-isolation", "--model-gpu-memory", 40,
                               "--data-gpu-memory", 512, "--json")
        self.assertEqual(result.returncode, 1)
        self.assertIn("--model-gpu-memory ", result.stdout)

    @TRAINS
    def test_sigterm_ends_it_within_two_seconds(self):
        command = [QANAT, "validate", "--data-path", self.corpus, "--batch-size", 4, "--steps",
                   100000, *TWO]
        process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=environment(),
                                   preexec_fn=on_one_core)
        while "training for a moment" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        sent = time.monotonic()
        process.communicate(timeout=30)
        self.assertLess(time.monotonic() - sent, 2)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)


if __name__ == "__main__":
    unittest.main()
