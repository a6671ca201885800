"""The CUDA backend as users meet it, on scripted GPUs: what works, and what is said when it does not.

Nothing here touches a GPU. QANAT_FAKE_CUDA names the library the program takes for CUDA's runtime
(src/devices/cuda_runtime/fake_cuda_library.cpp); libtorch computes on the processor.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from program import QANAT, environment, qanat

FAKE_NVML = os.environ.get("QANAT_FAKE_NVML", "")
trains = unittest.skipUnless(os.environ.get("QANAT_SLOW"), "trains: runs with the slow tests")
DONE, FAILED, HARDWARE_FAULT = 0, 1, 12


def on_gpus(*arguments, timeout=120, nvml_busy=None, **script):
    """Runs the program on scripted GPUs: lost=1 becomes FAKE_CUDA_LOST=1. NVML says that they are nvml_busy % busy."""
    variables = {f"FAKE_CUDA_{name.upper()}": str(value) for name, value in script.items()}
    if nvml_busy is not None:
        variables |= {"QANAT_NVML": FAKE_NVML, "FAKE_NVML_GPUS": "1", "FAKE_NVML_BUSY": str(nvml_busy)}
    return subprocess.run([QANAT, *map(str, arguments)], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout,
                          env=environment(QANAT_CUDA_RUNTIME=os.environ["QANAT_FAKE_CUDA"],
                                          **variables))


class Cuda(unittest.TestCase):
    """What ends before anything is trained; the slow ones train for a moment."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.data = cls.folder / "corpus"
        made = qanat("data", "make-demo", cls.data, "--utterances", 24, "--mean-seconds", 2,
                     "--built-in")
        assert made.returncode == 0, made.stderr

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def train(self, *flags, **script):
        return on_gpus("train", "--train-data", self.data, "--model-size", "nano", "--batch-size", 4,
                       "--max-steps", 4, "--no-emoji", "--checkpoint-dir",
                       self.folder / self.id().rpartition(".")[2], "--reset-training", *flags, **script)

    def test_devices_names_every_card_with_its_memory_and_bus(self):
        result = on_gpus("devices", "--json", memory=8192)
        self.assertEqual(result.returncode, DONE, result.stderr)
        found = json.loads(result.stdout)["devices"]
        self.assertEqual([device["id"] for device in found], ["cuda:0", "cuda:1"])
        self.assertEqual({device["memory_mb"] for device in found}, {8192})
        self.assertIn("0000:66:00.0", found[1]["description"])

    @trains
    def test_one_card_trains_without_being_asked_to(self):
        result = self.train("--json", gpus=1)
        self.assertEqual(result.returncode, DONE, result.stderr)
        summary = json.loads(result.stdout)
        self.assertEqual(summary["model_device"], "cuda:0")
        self.assertEqual(summary["step"], 4)

    @trains
    def test_two_cards_train_in_multi_gpu_mode_and_learn_the_same_without_peer_access(self):
        losses = {}
        for name, script in {"direct": {}, "staged": {"no_peers": 1}}.items():
            folder = self.folder / name
            result = on_gpus("train", "--train-data", self.data, "--model-size", "nano",
                             "--batch-size", 4, "--max-steps", 4, "--data-gpu", 0, "--model-gpu", 1,
                             "--no-mixed-precision", "--checkpoint-dir", folder, "--json", **script)
            self.assertEqual(result.returncode, DONE, result.stderr)
            self.assertEqual(json.loads(result.stdout)["mode"], "multi_gpu")
            journal = map(json.loads, (folder / "journal.jsonl").read_text().splitlines())
            losses[name] = [line["losses"]["total"] for line in journal if line.get("kind") == "step"]
        self.assertEqual(len(losses["direct"]), 4)
        self.assertEqual(losses["direct"], losses["staged"])

    def paced_run(self, **script):
        """(share of the time that the card was busy, share that it waited for launches, report) of a run on a
        card that takes half as long again as its host does, so that the host is ahead unless it is held up."""
        folder = self.folder / f"paced-{len(script)}"
        result = on_gpus("train", "--train-data", self.data, "--model-size", "nano", "--batch-size", 4,
                         "--max-steps", 40, "--epochs", 1000, "--no-mixed-precision", "--set",
                         "training.enable_graph_mode=false", "--checkpoint-dir", folder, gpus=1, pace=150, timeout=300,
                         **script)
        self.assertEqual(result.returncode, DONE, result.stderr)
        lines = [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
        steps = [line for line in lines if line.get("kind") == "step"][10:]
        launch = sum(step["phases"].get("launch", 0) for step in steps) / sum(step["wall"] for step in steps)
        readings = [(line["t"], device["busy"]) for line in lines if line.get("kind") == "pipeline"
                    for device in line["devices"] if device["role"] == "model"
                    and steps[0]["t"] <= line["t"] <= steps[-1]["t"]]
        busy = (readings[-1][1] - readings[0][1]) / (readings[-1][0] - readings[0][0])
        report = qanat("report", folder, "--json", "--fail-on", "never")
        return busy, launch, json.loads(report.stdout)

    @trains
    def test_time_in_which_the_card_waits_for_its_host_is_in_busy_breakdown_and_verdict(self):
        busy, launch, report = self.paced_run(nvml_busy=93)
        self.assertGreater(busy, 0.8)
        self.assertLess(launch, 0.05)
        found = {finding["id"]: finding["title"] for finding in report["findings"]}
        self.assertNotIn("CMP004", found)
        self.assertNotIn("HW011", found)
        # The same NVML: it is not NVML that brings the gap to light, but it is said that the two differ.
        gap_busy, gap_launch, gap_report = self.paced_run(nvml_busy=93, launch_gap=20)
        self.assertLess(gap_busy, busy - 0.3)
        self.assertGreater(gap_launch, 0.3)
        self.assertEqual(gap_report["findings"][0]["id"], "CMP004", gap_report["verdict"])
        self.assertEqual(gap_report["verdict"]["kind"], "HOST-OVERHEAD")
        found = {finding["id"]: finding["title"] for finding in gap_report["findings"]}
        self.assertIn("93 % by NVML", found["HW011"])

    def test_no_driver_is_said_politely(self):
        listed = on_gpus("devices", start=35, driver=0)
        self.assertEqual(listed.returncode, DONE, listed.stderr)
        self.assertIn("No GPU was found: no NVIDIA driver was found", listed.stdout)

    @trains
    def test_without_a_driver_training_goes_on_on_the_processor(self):
        trained = self.train(start=35, driver=0)
        self.assertEqual(trained.returncode, DONE, trained.stderr)
        self.assertIn("no NVIDIA driver was found", trained.stdout + trained.stderr)
        self.assertIn("continuing on the CPU", trained.stdout + trained.stderr)

    def test_gpus_that_were_asked_for_are_missed_with_the_reason(self):
        result = self.train("--data-gpu", 0, "--model-gpu", 1, start=35, driver=0)
        self.assertEqual(result.returncode, FAILED)
        self.assertIn("Insufficient GPUs for Multi-GPU Mode", result.stderr)
        self.assertIn("requires at least 2 GPUs, found 0 (no NVIDIA driver was found", result.stderr)

    def test_a_driver_that_is_too_old_is_an_error_with_both_versions(self):
        result = self.train(start=35, driver=12020)
        self.assertEqual(result.returncode, FAILED)
        self.assertIn("it can do CUDA 12.2; expected 13.2 or newer", result.stderr)
        self.assertEqual(on_gpus("devices", start=35, driver=12020).returncode, DONE)

    @trains
    def test_a_driver_that_is_too_old_may_be_gone_on_without(self):
        allowed = self.train("--allow-fallback", start=35, driver=12020)
        self.assertEqual(allowed.returncode, DONE, allowed.stderr)

    def test_a_wrong_driver_is_an_error_that_says_what_to_do(self):
        result = self.train(start=803)
        self.assertEqual(result.returncode, FAILED)
        self.assertIn("a library and a kernel module of the same version", result.stderr)
        self.assertIn("reboot", result.stderr)

    @trains
    def test_a_gpu_lost_in_the_middle_of_a_run_is_a_hardware_fault(self):
        for lost in (0, 1):
            result = self.train("--data-gpu", 0, "--model-gpu", 1, "--max-steps", 200,
                                lost=lost, lost_after=3000)
            self.assertEqual(result.returncode, HARDWARE_FAULT, result.stderr)
            self.assertIn(f"cuda:{lost}: the GPU was lost", result.stderr)
            self.assertIn("--resume", result.stderr)

    @trains
    def test_out_of_memory_names_the_gpu_that_is_full(self):
        for full in (0, 1):
            result = self.train("--data-gpu", 0, "--model-gpu", 1, full=full, full_after=2)
            self.assertEqual(result.returncode, FAILED)
            self.assertIn(f"cuda:{full}: out of memory: asked for", result.stderr)
            self.assertIn("--batch-size", result.stderr)

    def refused_for_its_budget(self, *flags, **script):
        """A run that says what it has to say of its settings, and does not begin."""
        result = self.train("--data-gpu", 0, "--model-gpu", 1, "--enable-memory-isolation",
                            "--data-gpu-memory", 1, "--model-gpu-memory", 4096, *flags, memory=8192,
                            **script)
        self.assertEqual(result.returncode, FAILED)
        return result

    def test_half_precision_that_a_card_is_slow_at_is_said_to_have_no_effect(self):
        inert = "training.mixed_precision has no effect"
        old = self.refused_for_its_budget("--mixed-precision", capability=61)
        self.assertIn(inert, old.stderr)
        self.assertNotIn(inert, self.refused_for_its_budget(capability=61).stderr)
        fast = self.refused_for_its_budget("--mixed-precision", capability=70)
        self.assertNotIn(inert, fast.stderr)

    def test_a_budget_is_a_limit_of_the_card(self):
        result = self.refused_for_its_budget()
        self.assertIn("memory of cuda:0", result.stderr)
        self.assertIn("expected at most 1.0 MB", result.stderr)


if __name__ == "__main__":
    unittest.main()
