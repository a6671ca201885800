"""What a run writes for other tools, read back by other means: TensorBoard, Perfetto, Prometheus,
JUnit, GitHub."""
import json
import os
import pathlib
import re
import tempfile
import unittest
import xml.etree.ElementTree as xml

from event_files import BoardFile, Trace, crc32c
from journals import write_journal
from program import qanat, write_tone

UTTERANCES = 12
PHASES = ["wait", "transfer", "forward", "loss", "backward", "retry", "optimizer", "checkpoint",
          "residual"]
SAMPLE = re.compile(r'^(qanat_[a-z_]+)(\{[a-z_]+="(?:[^"\\\n]|\\["\\n])*"'
                    r'(?:,[a-z_]+="(?:[^"\\\n]|\\["\\n])*")*\})? (\S+)$')


def check_prometheus(test, text):
    """The exposition format, strictly; returns {(name, labels): value}."""
    test.assertTrue(text.endswith("\n"))
    types, samples, family, families = {}, {}, None, set()
    for line in text.splitlines():
        if line.startswith("# HELP "):
            family = line.split(" ")[2]
            test.assertNotIn(family, families, "a family in two places")
            families.add(family)
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            test.assertEqual(name, family)
            types[name] = kind
        else:
            match = SAMPLE.match(line)
            test.assertIsNotNone(match, line)
            name, labels, value = match.groups()
            base = re.sub("_(bucket|sum|count)$", "", name) if types[family] == "histogram" else name
            test.assertEqual(base, family, line)
            test.assertNotIn((name, labels), samples, line)
            samples[name, labels] = float(value)
            if types[family] == "counter":
                test.assertTrue(name.endswith("_total"), line)
                test.assertGreaterEqual(float(value), 0, line)
    return samples


class Exports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        cls.temporary = tempfile.TemporaryDirectory(prefix="qanat exports ")
        cls.folder = pathlib.Path(cls.temporary.name)
        corpus = cls.folder / "corpus"
        (corpus / "wavs").mkdir(parents=True)
        with open(corpus / "metadata.csv", "w", encoding="utf-8") as manifest:
            for n in range(UTTERANCES):
                write_tone(corpus / "wavs" / f"clip-{n:02}.wav", 200 + 20 * n, 0.5 + 0.01 * n)
                manifest.write(f"clip-{n:02}|clip {n}\n")
        cls.run_folder = cls.folder / "run"
        cls.trace_file = cls.folder / "run.perfetto-trace"
        cls.arguments = ["train", "--train-data", corpus, "--set",
                         f"data.cache_dir={cls.folder}", "--checkpoint-dir", cls.run_folder,
                         "--model-size", "nano", "--batch-size", "4", "--no-emoji",
                         "--virtual-gpus", "2", "--data-gpu", "0", "--model-gpu", "1",
                         "--save-every", "4"]
        cls.result = qanat(*cls.arguments, "--max-steps", 6, "--render-every", 6, "--tensorboard",
                           "--trace", cls.trace_file, timeout=300)
        assert cls.result.returncode == 0, cls.result.stderr

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def journal(self, kind):
        text = (self.run_folder / "journal.jsonl").read_text(encoding="utf-8")
        return [line for line in map(json.loads, text.splitlines()) if line["kind"] == kind]

    def board_files(self):
        return sorted((self.run_folder / "tensorboard").glob("events.out.tfevents.*"))

    def test_the_checksum_here_is_the_castagnoli_one(self):
        self.assertEqual(crc32c(b"123456789"), 0xE3069283)

    def test_tensorboard_has_every_curve_with_the_values_of_the_journal(self):
        board = BoardFile(self.board_files()[0])
        self.assertEqual(board.version, b"brain.Event:2")
        self.assertEqual(board.starts, [0])
        for step in self.journal("step")[:6]:
            number = step["step"]
            for part, value in step["losses"].items():
                self.assertAlmostEqual(board.scalars[f"loss/{part}"][number], value, delta=1e-4)
            for phase in PHASES:
                self.assertAlmostEqual(board.scalars[f"step_ms/{phase}"][number],
                                       1e3 * step["phases"].get(phase, 0), delta=1e-2)
            self.assertAlmostEqual(board.scalars["train/learning_rate"][number], step["lr"],
                                   delta=1e-6)
        self.assertEqual(set(board.scalars["loss/total"]), set(range(6)))

    def test_tensorboard_has_sound_pictures_and_the_verdict(self):
        board = BoardFile(self.board_files()[0])
        for sentence in ("evaluation/sentence-1", "evaluation/sentence-2"):
            stem = self.run_folder / "renders" / "step-000000006" / sentence.split("/")[1]
            self.assertEqual(board.audio[sentence][6], stem.with_suffix(".wav").read_bytes())
            self.assertEqual(board.images[sentence][6], stem.with_suffix(".png").read_bytes())
        (verdict,) = board.texts["verdict"].values()
        self.assertIn("VERDICT", verdict)

    def test_tensorboard_itself_reads_the_file(self):
        try:
            from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
        except ImportError:
            self.skipTest("no tensorboard here")
        events = EventAccumulator(str(self.run_folder / "tensorboard"))
        events.Reload()
        self.assertIn("loss/total", events.Tags()["scalars"])
        self.assertIn("evaluation/sentence-1", events.Tags()["audio"])
        self.assertIn("evaluation/sentence-1", events.Tags()["images"])
        self.assertIn("verdict", events.Tags()["tensors"])

    def test_z_a_resumed_run_opens_a_new_file_that_voids_what_came_after_it(self):
        self.assertEqual(len(self.board_files()), 1)
        result = qanat(*self.arguments, "--max-steps", 7, "--render-every", 0, "--tensorboard",
                       timeout=300)
        self.assertEqual(result.returncode, 0, result.stderr)
        resumed = BoardFile(self.board_files()[1])
        self.assertEqual(resumed.starts, [6])
        self.assertEqual(set(resumed.scalars["loss/total"]), {6})

    def test_the_trace_has_every_step_with_its_ledger_inside(self):
        trace = Trace(self.trace_file)
        steps = [one for one in trace.slices["steps"] if one[3] == 0]
        self.assertEqual([name for name, *_ in steps], [f"step {n}" for n in range(6)])
        for (name, begin, end, _), line in zip(steps, self.journal("step")):
            self.assertAlmostEqual((end - begin) * 1e-9, line["wall"], delta=0.002, msg=name)
            inside = [one for one in trace.slices["steps"]
                      if one[3] == 1 and begin <= one[1] and one[2] <= end]
            self.assertIn("forward", [one[0] for one in inside])
            self.assertAlmostEqual(sum(one[2] - one[1] for one in inside), end - begin, delta=1e6)

    def test_the_trace_leads_from_every_utterance_to_its_batch_to_its_step(self):
        trace = Trace(self.trace_file)
        ways = list(trace.flows.values())
        rows = [way for way in ways if way[0][1].startswith("loader worker")]
        delivered = [way for way in rows if len(way) == 2]
        self.assertGreaterEqual(len(delivered), 6 * 4)  # six batches of four
        for way in delivered:
            self.assertRegex(way[0][2], "^clip-[0-9]{2}$")
            self.assertRegex(way[1][1], "^slot [0-9]+ on the data device$")
            self.assertLessEqual(way[0][0], way[1][0])
        batches = [way for way in ways if way not in rows and way[-1][1] == "steps"]
        self.assertEqual(len(batches), 6)
        for way in batches:
            self.assertEqual([name for _, _, name in way], ["stage", "forward"])

    def test_the_trace_has_slots_jobs_and_counters(self):
        trace = Trace(self.trace_file)
        slot = {name for track, slices in trace.slices.items() if track.startswith("slot ")
                for name, *_ in slices}
        self.assertLessEqual({"stage", "prepare", "copy", "in use"}, slot)
        self.assertEqual([one[0] for one in trace.slices["checkpoints"]], ["step 4", "step 6"])
        self.assertEqual([one[0] for one in trace.slices["renders"]], ["step 6"])
        self.assertEqual(len(trace.counters["loss"]), 6)
        self.assertIn("ready batches", trace.counters)
        self.assertIn("start_gate", trace.instants)

    def test_a_finished_journal_gives_the_same_steps_without_the_rows(self):
        file = self.folder / "again.perfetto-trace"
        result = qanat("report", self.run_folder, "--trace", file)
        self.assertIn(result.returncode, (0, 3), result.stderr)
        live, again = Trace(self.trace_file), Trace(file)
        self.assertFalse([track for track in again.slices if track.startswith("loader worker")])
        for one, other in zip(live.slices["steps"][:30], again.slices["steps"][:30]):
            self.assertEqual(one[0], other[0])
            self.assertAlmostEqual(one[2] - one[1], other[2] - other[1], delta=5e4)

    def test_the_json_trace_is_json_with_flows(self):
        file = self.folder / "trace.json"
        qanat("report", self.run_folder, "--trace", file, "--trace-format", "json")
        events = json.loads(file.read_text())["traceEvents"]
        self.assertTrue([event for event in events if event["ph"] == "s"])
        self.assertTrue([event for event in events if event["ph"] == "f"])
        self.assertIn("step 0", [event.get("name") for event in events])

    def test_prometheus_text_is_strictly_right_and_says_what_the_journal_says(self):
        file = self.folder / "qanat.prom"
        qanat("report", self.run_folder, "--prometheus", file)
        text = file.read_text(encoding="utf-8")
        samples = check_prometheus(self, text)
        steps = self.journal("step")
        # Only the newest session counts: the test that resumes may have run before.
        newest = [line for line in steps if line["step"] >= 6] or steps
        self.assertEqual(samples["qanat_steps_total", None], len(newest))
        self.assertAlmostEqual(samples["qanat_phase_seconds_total", '{phase="forward"}'],
                               sum(line["phases"]["forward"] for line in newest), delta=1e-6)
        try:
            from prometheus_client.parser import text_string_to_metric_families
        except ImportError:
            return
        names = [family.name for family in text_string_to_metric_families(text)]
        self.assertIn("qanat_step_duration_seconds", names)

    def test_a_page_is_beside_the_checkpoints(self):
        page = (self.run_folder / "report.html").read_text(encoding="utf-8")
        self.assertIn('id="ledger-plot"', page)
        self.assertNotIn("://", page)

    def test_prometheus_tells_of_gpus_host_and_findings(self):
        journal, file = self.folder / "known.jsonl", self.folder / "known.prom"
        write_journal(journal, 200)
        with open(journal, "a", encoding="utf-8") as lines:
            lines.write(json.dumps({"kind": "host", "t": 1.0, "counters": {
                "io_full": 0.25, "cpu_some": 1.5, "throttled": 0.5}}) + "\n")
        result = qanat("report", journal, "--prometheus", file, "--json", "--fail-on", "never")
        report = json.loads(result.stdout)
        samples = check_prometheus(self, file.read_text(encoding="utf-8"))
        gpu = '{gpu="GPU-5a1b2c3d"'
        self.assertEqual(samples["qanat_gpu_kernel_resident_ratio", gpu + "}"], 0.5)
        self.assertEqual(samples["qanat_gpu_energy_joules_total", gpu + "}"], 400)
        self.assertEqual(samples["qanat_gpu_clock_hertz", gpu + ',domain="sm"}'], 1.5e9)
        self.assertEqual(samples["qanat_gpu_clock_limited_seconds_total",
                                 gpu + ',reason="power_limit"}'], 2)
        self.assertEqual(samples["qanat_psi_stall_seconds_total",
                                 '{resource="io",kind="full"}'], 0.25)
        self.assertEqual(samples["qanat_cgroup_throttled_seconds_total", None], 0.5)
        self.assertNotIn("qanat_gpu_temperature_celsius", {name for name, _ in samples})
        active = {labels for (name, labels), value in samples.items()
                  if name == "qanat_finding_active" and value == 1}
        self.assertEqual(active, {f'{{id="{one["id"]}",severity="{one["severity"]}"}}'
                                  for one in report["findings"]})
        self.assertAlmostEqual(samples["qanat_phase_seconds_total", '{phase="wait_data"}'],
                               200 * 0.02, delta=1e-6)

    def test_ci_gets_a_test_case_for_every_rule(self):
        file = self.folder / "junit.xml"
        result = qanat("report", self.run_folder, "--junit", file, "--annotations", "github",
                       "--json")
        report = json.loads(result.stdout)
        suite = xml.parse(file).getroot()
        rules = len(report["findings"]) + len(report["passed"]) + len(report["skipped"])
        self.assertEqual(len(suite.findall("testcase")), 1 + rules)
        self.assertEqual(int(suite.get("tests")), 1 + rules)
        self.assertEqual(len(suite.findall("testcase/skipped")), len(report["skipped"]))
        annotations = [line for line in result.stderr.splitlines() if line.startswith("::")]
        self.assertEqual(len(annotations), 1 + len(report["findings"]))

    def test_a_trace_that_cannot_be_written_is_refused_before_training(self):
        result = qanat(*self.arguments, "--trace", self.folder / "nowhere" / "trace")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no such folder", result.stderr)


if __name__ == "__main__":
    unittest.main()
