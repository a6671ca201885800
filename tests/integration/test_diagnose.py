"""`qanat diagnose`: exit codes, sections, and what it does where something is missing."""
import json
import os
import pathlib
import stat
import tempfile
import unittest
import xml.etree.ElementTree as xml

from program import QANAT, qanat, write_tone

FAKE_NVML = os.environ.get("QANAT_FAKE_NVML", "")
SECTIONS = ["hardware", "configuration", "data set", "loader", "compute path", "memory", "storage",
            "runtime"]


def make_data_set(root, utterances=12):
    (root / "wavs").mkdir(parents=True)
    with open(root / "metadata.csv", "w", encoding="utf-8") as manifest:
        for i in range(utterances):
            write_tone(root / "wavs" / f"clip{i}.wav", 200 + 20 * i, 0.4 + 0.02 * (i % 5))
            manifest.write(f"clip{i}|this is clip number {i}\n")
    return root


class Diagnose(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)

    def with_fake_gpus(self, **changes):
        """Variables of the environment for this test."""
        for name, value in {"QANAT_NVML": FAKE_NVML, **changes}.items():
            before = os.environ.get(name)
            os.environ[name] = value
            restore = (lambda n=name, b=before:
                       os.environ.pop(n, None) if b is None else os.environ.__setitem__(n, b))
            self.addCleanup(restore)

    def train_flags(self, data):
        return ["--data-path", data, "--model-size", "nano", "--batch-size", 4,
                "--set", f"data.cache_dir={self.root / 'cache'}"]

    def test_without_data_the_machine_is_checked(self):
        result = qanat("diagnose", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual([section["name"] for section in report["sections"]], SECTIONS)
        self.assertFalse(report["measured"])
        skipped = {section["name"] for section in report["sections"] if section["skipped"]}
        self.assertEqual(skipped, {"data set", "loader", "compute path", "storage"})
        reasons = {check["id"]: check["reason"] for check in report["skipped"]}
        self.assertEqual(reasons["DL002"], "too few steps")
        self.assertIn("HW004", reasons)

    def test_ci_gets_the_findings(self):
        junit = self.root / "junit.xml"
        result = qanat("diagnose", "--json", "--junit", junit, "--annotations", "github")
        report = json.loads(result.stdout)
        cases = xml.parse(junit).getroot().findall("testcase")
        rules = len(report["findings"]) + len(report["passed"]) + len(report["skipped"])
        self.assertEqual(len(cases), 1 + rules)
        annotations = [line for line in result.stderr.splitlines() if line.startswith("::")]
        self.assertEqual(len(annotations), 1 + len(report["findings"]))

    def test_a_run_is_diagnosed_and_its_files_are_kept(self):
        data = make_data_set(self.root / "set")
        out = self.root / "out"
        result = qanat("diagnose", *self.train_flags(data), "--steps", 40, "--out", out,
                       "--fail-on", "never", "--verbose", timeout=300)
        self.assertEqual(result.returncode, 0, result.stderr)
        for heading in ("HARDWARE", "COMPUTE PATH", "VERDICT", "STEP TIME BREAKDOWN",
                        "TIMING STATISTICS", "DIAGNOSTIC SUMMARY"):
            self.assertIn(heading, result.stdout)
        self.assertEqual({path.name for path in out.iterdir()},
                         {"report.txt", "report.json", "journal.jsonl", "run.yaml"})
        self.assertTrue(json.loads((out / "report.json").read_text())["measured"])
        kinds = {json.loads(line)["kind"] for line in open(out / "journal.jsonl", encoding="utf-8")}
        self.assertLessEqual({"host", "devices", "step"}, kinds)
        again = qanat("report", out, "--fail-on", "never")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("HOST004", again.stdout)

    def test_too_few_steps_cannot_be_judged(self):
        data = make_data_set(self.root / "set")
        result = qanat("diagnose", *self.train_flags(data), "--steps", 5, timeout=300)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("a verdict needs 20", result.stdout)

    def test_findings_at_the_level_asked_for_are_an_exit_code(self):
        flags = ["diagnose", "--num-workers", 1000]
        self.assertEqual(qanat(*flags).returncode, 0)
        result = qanat(*flags, "--fail-on", "warn")
        self.assertEqual(result.returncode, 10, result.stderr)
        self.assertIn("CFG008", result.stdout)
        self.assertIn("num_workers:", result.stdout.partition("CONFIGURATION CHANGES")[2])
        self.assertEqual(qanat("diagnose", "--data-gpu", 0, "--model-gpu", 1).returncode, 10)

    def test_broken_hardware_has_an_exit_code_of_its_own(self):
        if not FAKE_NVML:
            self.skipTest("QANAT_FAKE_NVML names no library")
        self.with_fake_gpus(FAKE_NVML_LOST="0")
        result = qanat("diagnose")
        self.assertEqual(result.returncode, 12, result.stderr)
        self.assertIn("HW007", result.stdout)

    def test_a_driver_that_hangs_is_a_finding_not_a_hang(self):
        if not FAKE_NVML:
            self.skipTest("QANAT_FAKE_NVML names no library")
        self.with_fake_gpus(FAKE_NVML_HANG="clock")
        result = qanat("diagnose", timeout=60)
        self.assertEqual(result.returncode, 12, result.stderr)
        self.assertIn("did not answer", result.stdout)

    def test_wrong_flags_and_missing_data_are_told_apart(self):
        self.assertEqual(qanat("diagnose", "--steps", 0).returncode, 2)
        self.assertEqual(qanat("diagnose", "--verify", "DL002").returncode, 2)
        unknown = qanat("diagnose", "--data-path", self.root, "--verify", "ZZ001")
        self.assertEqual(unknown.returncode, 2)
        self.assertIn("ZZ001", unknown.stderr)
        missing = qanat("diagnose", "--data-path", self.root / "nothing")
        self.assertEqual(missing.returncode, 1)
        self.assertIn("no such data set", missing.stderr)
        blocked = self.root / "file"
        blocked.write_text("")
        self.assertEqual(qanat("diagnose", "--out", blocked / "inside").returncode, 1)

    def test_a_read_only_data_set_and_no_espeak_are_no_obstacle(self):
        data = make_data_set(self.root / "set")
        for folder in (data / "wavs", data):
            folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
            self.addCleanup(folder.chmod, stat.S_IRWXU)
        before = sorted(path.name for path in data.iterdir())
        path = os.environ["PATH"]
        os.environ["PATH"] = ""
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        result = qanat("diagnose", "--quick", *self.train_flags(data), "--fail-on", "never")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, "espeak-ng +not found")
        self.assertEqual(sorted(path.name for path in data.iterdir()), before)

    def test_a_finding_that_is_not_there_cannot_be_verified(self):
        data = make_data_set(self.root / "set")
        result = qanat("diagnose", *self.train_flags(data), "--steps", 30, "--verify", "HW005",
                       timeout=300)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("nothing to verify", result.stderr)


if __name__ == "__main__":
    unittest.main()
