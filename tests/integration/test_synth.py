"""`qanat train` for two steps, then what its checkpoints are for: `synth`, `align`, other readers."""
import json
import math
import pathlib
import re
import signal
import struct
import subprocess
import tempfile
import time
import unittest
import wave

import schema
from program import QANAT, SOURCE, environment, qanat


def documented_reader():
    """load_safetensors() as docs/en/checkpoint_format.md prints it."""
    page = (SOURCE / "docs/en/checkpoint_format.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", page, re.DOTALL)[1]
    names = {}
    exec(code, names)  # our own documentation
    return names["load_safetensors"]


class Arguments(unittest.TestCase):
    """What is refused, or taken, before a checkpoint is looked for."""

    def synth(self, *arguments, said=""):
        return subprocess.run([QANAT, "synth", *arguments, "--checkpoint", "/nowhere"], input=said,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                              env=environment())

    def test_only_wav_is_written(self):
        result = self.synth("Hello.", "--out", "hello.mp3")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("hello.mp3; expected a name that ends in .wav", result.stderr)
        self.assertIn("no complete checkpoint", self.synth("Hello.", "--out", "x.WAV").stderr)

    def test_text_comes_from_a_pipe(self):
        for arguments in ((), ("-",)):
            result = self.synth(*arguments, said="Hello\nthere.\n")
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn("no complete checkpoint", result.stderr)
            result = self.synth(*arguments, said=" \n")
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn("no text", result.stderr)


    def test_lines_come_from_standard_input(self):
        for name in ("-", "/dev/stdin"):
            result = self.synth("--file", name, said="Hello there.\nAnd again.\n")
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn("no complete checkpoint", result.stderr)
            self.assertIn("has no text", self.synth("--file", name, said=" \n").stderr)


class Trained(unittest.TestCase):
    """A checkpoint of two steps."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="qanat synth ")
        cls.root = pathlib.Path(cls.folder.name)
        cls.corpus = cls.root / "corpus"
        cls.checkpoints = cls.root / "checkpoints"
        made = qanat("data", "make-demo", cls.corpus, "--utterances", 12, "--built-in")
        assert made.returncode == 0, made.stderr
        trained = qanat("train", "--train-data", cls.corpus, "--model-size", "nano", "--max-steps", 2,
                        "--batch-size", 2, "--checkpoint-dir", cls.checkpoints, timeout=110)
        assert trained.returncode == 0, trained.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()


class Synth(Trained):
    def synth(self, *arguments):
        return qanat("synth", "--checkpoint", self.checkpoints, *arguments)

    def test_a_long_text_without_a_full_stop_is_stopped_by_ctrl_c(self):
        out = self.root / "long.wav"
        lines = self.root / "long.txt"
        lines.write_text("Short.\n" + "and so it goes on " * 2000 + "\n", encoding="utf-8")
        with subprocess.Popen([QANAT, "synth", "--file", lines, "--checkpoint", self.checkpoints, "--out", out],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=environment()) as process:
            short = self.root / "long-001.wav"
            while process.poll() is None and not short.exists():
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, said)
        self.assertIn("stopped; 1 of 2 texts are complete", said)
        self.assertFalse((self.root / "long-002.wav").exists())

    def test_a_vocoder_that_has_no_checkpoint_yet_is_noted(self):
        (self.checkpoints / "vocoder").mkdir()
        self.addCleanup((self.checkpoints / "vocoder").rmdir)
        result = self.synth("Hello.", "--out", self.root / "early.wav")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("no vocoder yet; Griffin-Lim is used", result.stderr)

    def assert_sound(self, path, seconds):
        with wave.open(str(path)) as sound:
            self.assertEqual((sound.getframerate(), sound.getnchannels()), (22050, 1))
            self.assertAlmostEqual(sound.getnframes() / 22050, seconds, places=6)

    def test_says_a_text_and_how_fast(self):
        out = self.root / "hello.wav"
        result = self.synth("Hello, 2 worlds.", "--out", out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("hello, two worlds.", result.stdout)
        self.assertRegex(result.stdout, r"real-time factor \d+\.\d{3}: ")
        self.assertTrue(out.exists())

    def test_json_tells_of_every_line_of_a_file(self):
        lines = self.root / "lines.txt"
        lines.write_text("Good morning.\n\nسلام دنیا\n", encoding="utf-8")
        result = self.synth("--file", lines, "--out", self.root / "line.wav", "--mel",
                            self.root / "line.npy", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual(report["step"], 2)
        self.assertEqual([text["language"] for text in report["texts"]], ["en", "fa"])
        for number, text in enumerate(report["texts"], 1):
            self.assertTrue(text["out"].endswith(f"line-{number:03}.wav"))
            self.assert_sound(text["out"], text["audio_s"])
            self.assertTrue(pathlib.Path(text["mel"]).exists())

    def test_speaks_with_the_voice_of_a_recording(self):
        reference = next((self.corpus / "wavs").glob("*.wav"))
        result = self.synth("Hello.", "--reference", reference, "--length-scale", 1.5,
                            "--out", self.root / "voice.wav")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_mistakes_are_explained(self):
        nowhere = self.root / "nowhere"
        result = qanat("synth", "Hello.", "--checkpoint", nowhere)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(f"{nowhere}: no complete checkpoint here", result.stderr)
        cases = [
            (("☃",), 1, "☃"),
            (("Hello.", "--reference", nowhere), 1, str(nowhere)),
            (("Hello.", "--file", nowhere), 2, "exclude each other"),
            (("--file", nowhere), 1, str(nowhere)),
            ((), 2, "no text"),
            (("Hello.", "--length-scale", 0), 2, "--length-scale"),
        ]
        for arguments, code, words in cases:
            with self.subTest(arguments=arguments):
                result = self.synth(*arguments, "--out", self.root / "never.wav")
                self.assertEqual(result.returncode, code, result.stderr)
                self.assertIn(words, result.stderr)
                self.assertFalse((self.root / "never.wav").exists())

    def test_aligns_a_data_set(self):
        out = self.root / "alignments"
        result = qanat("align", "--checkpoint", self.checkpoints, "--data", self.corpus, "--out", out,
                       "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual((report["aligned"], report["failures"]), (12, []))
        one = json.loads(next(out.glob("*.json")).read_text(encoding="utf-8"))
        begin = 0.0
        for token in one["tokens"]:
            self.assertAlmostEqual(token["begin_s"], begin, places=9)
            self.assertGreaterEqual(token["frames"], 1)
            begin = token["end_s"]
        grid = (out / (one["id"] + ".TextGrid")).read_text(encoding="utf-8")
        self.assertTrue(grid.startswith('File type = "ooTextFile"\nObject class = "TextGrid"'))
        self.assertIn(f"xmax = {begin:.6f}", grid)

    def test_a_checkpoint_opens_with_twenty_lines_of_python(self):
        load_safetensors = documented_reader()
        checkpoint = self.checkpoints / "step-000000002"
        weights = load_safetensors(checkpoint / "model.safetensors")
        averages = load_safetensors(checkpoint / "ema.safetensors")
        self.assertEqual(set(weights), set(averages))
        for name, (dtype, shape, values) in weights.items():
            self.assertEqual(dtype, "F32", name)
            self.assertEqual(len(values), 4 * math.prod(shape), name)
            for (value,) in struct.iter_unpack("<f", values[:64]):
                self.assertTrue(math.isfinite(value), name)
        seal = json.loads((checkpoint / "DONE").read_text())
        for name, file in seal["files"].items():
            self.assertEqual((checkpoint / name).stat().st_size, file["bytes"], name)
        state = json.loads((checkpoint / "state.json").read_text(encoding="utf-8"))
        self.assertEqual(state["model"]["size"], "nano")
        self.assertEqual(state["languages"], ["en", "fa"])

    def test_a_checkpoint_opens_with_safetensors_where_it_is_installed(self):
        try:
            from safetensors import safe_open
        except ImportError:
            self.skipTest("python has no safetensors here")
        with safe_open(self.checkpoints / "step-000000002/model.safetensors", "numpy") as file:
            self.assertGreater(len(list(file.keys())), 10)


class Evaluate(Trained):
    """`qanat evaluate` on checkpoints: it speaks, then measures."""

    def report(self, *arguments, code=0):
        done = qanat("evaluate", *arguments, "--json", "--out", self.root / "evaluation", timeout=110)
        self.assertEqual(done.returncode, code, done.stderr)
        report = json.loads(done.stdout)
        schema.validate(report)
        return report

    def test_texts_without_recordings(self):
        texts = self.root / "sentences.txt"
        texts.write_text("The first sentence.\n\nAnother one.\n", encoding="utf-8")
        page = self.root / "page.html"

        report = self.report("--checkpoint", self.checkpoints, "--texts", texts, "--html", page)

        self.assertEqual([one["name"] for one in report["utterances"]], ["001", "002"])
        self.assertEqual(report["reference"], None)
        self.assertEqual(report["made_by"]["vocoder"], "griffin-lim")
        self.assertEqual(report["made_by"]["step"], 2)
        measures = {one["measure"]: one["made"]["mean"] for one in report["measures"]}
        self.assertEqual(set(measures), {"seconds", "real_time_factor"})
        self.assertGreater(measures["real_time_factor"], 0)
        self.assertEqual(page.read_text(encoding="utf-8").count("<audio "), 2)

    def test_two_checkpoints_are_compared_on_a_data_set(self):
        report = self.report("--checkpoint", self.checkpoints, "--baseline-checkpoint", self.checkpoints,
                             "--texts", self.corpus, "--limit", 3)

        self.assertEqual(report["clips"], 3)
        by_name = {one["measure"]: one for one in report["measures"]}
        self.assertGreater(by_name["mcd_db"]["made"]["mean"], 0)
        self.assertEqual(by_name["mcd_db"]["difference"]["mean"], 0)
        self.assertEqual(by_name["mcd_db"]["outcome"], "undecided")
        self.assertEqual(report["baseline_by"]["step"], 2)

    def test_wrong_flags_are_said_before_anything_is_spoken(self):
        for arguments, said in (
                (("--texts", self.corpus), "--made DIR"),
                (("--checkpoint", self.checkpoints), "needs `--texts`"),
                (("--made", self.root), "needs `--reference`"),
                (("--made", self.root, "--reference", self.root, "--baseline-checkpoint", self.root), "needs `--checkpoint`")):
            done = qanat("evaluate", *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said.replace("`", ""), done.stderr.replace("`", ""))

    def test_a_checkpoint_that_cannot_speak_is_named(self):
        texts = self.root / "one.txt"
        texts.write_text("A sentence.\n", encoding="utf-8")

        done = qanat("evaluate", "--checkpoint", self.root / "nowhere", "--texts", texts, "--out", self.root / "e")

        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("no complete checkpoint", done.stderr)
        self.assertIn("nowhere: could not speak", done.stderr)


if __name__ == "__main__":
    unittest.main()
