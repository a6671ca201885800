"""`qanat gpu-acceptance` on a scripted GPU: that it runs, judges and keeps everything."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from program import QANAT, SOURCE, environment


def accept(out, *flags, nvml_busy=None, **script):
    variables = {f"FAKE_CUDA_{name.upper()}": str(value) for name, value in script.items()}
    if nvml_busy is not None:
        variables |= {"QANAT_NVML": os.environ["QANAT_FAKE_NVML"], "FAKE_NVML_GPUS": "1",
                      "FAKE_NVML_BUSY": str(nvml_busy)}
    return subprocess.run([sys.executable, SOURCE / "python/qanat/gpu_acceptance.py", "--qanat", QANAT, "--out",
                           out, *map(str, flags)], text=True, capture_output=True, timeout=900,
                          env=environment(QANAT_CUDA_RUNTIME=os.environ["QANAT_FAKE_CUDA"], **variables))


class GpuAcceptance(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.out = pathlib.Path(self.temporary.name) / "kept"

    def results(self):
        return {result["check"]: result for result in json.loads((self.out / "results.json").read_text())}

    def test_one_card_is_judged_and_what_needs_two_is_left_out(self):
        # So few that every shape comes often enough to be recorded.
        data = pathlib.Path(self.temporary.name) / "corpus"
        subprocess.run([QANAT, "data", "make-demo", data, "--utterances", "40"], check=True, capture_output=True)
        done = accept(self.out, "--steps", 18, "--without-analyze", "--data", data, gpus=1, graphs=1, pace=150,
                      nvml_busy=93)
        results = self.results()
        self.assertEqual(results["devices"]["outcome"], "PASS")
        self.assertEqual(results["the same losses as the CPU"]["outcome"], "PASS", done.stdout)
        # How long a step takes is not the scripted GPU's to say, but it counts waits.
        self.assertRegex(results["graph mode"]["seen"], r"[1-9]\d* shapes recorded, 0 refused")
        self.assertEqual(results["mixed precision against single"]["outcome"], "PASS", done.stdout)
        self.assertEqual(results["graphs against computing"]["outcome"], "PASS", done.stdout)
        self.assertEqual(results["launches, computed"]["outcome"], "PASS", done.stdout)
        self.assertEqual(results["host waits, computed"]["outcome"], "PASS", done.stdout)
        self.assertEqual(results["host waits, played from graphs"]["outcome"], "PASS", done.stdout)
        self.assertEqual(results["busy against NVML, computed"]["outcome"], "PASS", done.stdout)
        self.assertEqual(results["host waits by CUDA's profiler, computed"]["outcome"], "LEFT OUT")
        self.assertEqual(results["validate"]["outcome"], "LEFT OUT")
        self.assertEqual(results["a budget that is too small"]["outcome"], "PASS", done.stdout)
        self.assertTrue((self.out / "single.journal.jsonl").exists())
        self.assertIn("| devices | PASS |", (self.out / "summary.md").read_text())

    def test_a_card_that_waits_for_its_host_to_launch_fails(self):
        done = accept(self.out, "--steps", 12, "--without-analyze", gpus=1, pace=150, launch_gap=60,
                      nvml_busy=93)
        launches = self.results()["launches, computed"]
        self.assertEqual(launches["outcome"], "FAIL", done.stdout)
        self.assertIn("less than 5 %", launches["expected"])
        nvml = self.results()["busy against NVML, computed"]
        self.assertEqual(nvml["outcome"], "FAIL", done.stdout)
        self.assertIn("93 % by NVML", nvml["seen"])
        self.assertEqual(self.results()["host waits, computed"]["outcome"], "PASS", done.stdout)
        self.assertEqual(done.returncode, 1)

    def test_without_a_driver_the_folder_says_so_and_the_processor_is_tried(self):
        data = pathlib.Path(self.temporary.name) / "corpus"
        subprocess.run([QANAT, "data", "make-demo", data, "--utterances", "40"], check=True, capture_output=True)
        done = accept(self.out, "--without-analyze", "--data", data, start=35, driver=0)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(self.results()["devices"]["outcome"], "LEFT OUT")
        self.assertIn("no NVIDIA driver", self.results()["devices"]["seen"])
        self.assertEqual(self.results()["training on the CPU"]["outcome"], "PASS", done.stdout)

    def test_a_folder_that_is_there_is_not_overwritten(self):
        self.out.mkdir()
        done = accept(self.out, gpus=1)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("name another folder", done.stderr)


if __name__ == "__main__":
    unittest.main()
