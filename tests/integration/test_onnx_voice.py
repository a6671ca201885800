"""`qanat export`: what it writes, what it refuses, and whether others say with it what `qanat synth` says."""
import json
import math
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

from program import QANAT, SOURCE, environment, qanat, write_tone

# A Python with onnx, onnxruntime, piper-tts and sherpa-onnx.
PYTHON = os.environ.get("QANAT_ONNX_PYTHON", sys.executable)
PEERS = subprocess.run([PYTHON, "-c", "import numpy, onnx, onnxruntime, piper, sherpa_onnx"], check=False,
                       stderr=subprocess.DEVNULL).returncode == 0
peers = unittest.skipUnless(PEERS, "no onnx, onnxruntime, piper-tts and sherpa-onnx here; QANAT_ONNX_PYTHON may name a "
                                   "Python that has them")


# The same sentence in the ids of different callers: samples and frames per id of each, to standard output.
LAYOUTS = """
import json, sys, unicodedata
import numpy, onnxruntime
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
ids_of = json.load(open(sys.argv[1] + ".json", encoding="utf-8"))["phoneme_id_map"]
text = "آن مسئول، می‌آید."
plain = [id for symbol in text for id in ids_of[symbol]]
blanks = [1, 0]
for symbol in unicodedata.normalize("NFD", text):
    blanks += [*ids_of[symbol], 0]
space = ids_of[" "]
layouts = {"plain": [1, *plain, 1], "piper": blanks + [1], "no end": [1, *plain], "neither": plain,
           "spaces": [1, *space, *plain, *space, *space, 1], "unknown": [1, 999, -7, *plain, 10**12, 1],
           "nothing": [1, 1], "blanks": [0, 0]}
first = None
for name, ids in layouts.items():
    samples, frames = session.run(None, {"input": numpy.array([ids]), "input_lengths": numpy.array([len(ids)]),
                                         "scales": numpy.array([0.6, 1, 0.8], dtype="float32"),
                                         "sid": numpy.array([1])})
    first = samples if first is None else first
    print(json.dumps({"name": name, "same": samples.shape == first.shape and bool((samples == first).all()),
                      "ids": len(ids), "durations": frames.size, "samples": samples.size,
                      "frames": float(frames.sum())}))
"""


def write_hifigan(folder):
    """A HiFi-GAN of random weights: nothing in it lets rounding grow."""
    sizes = {"resblock": "1", "upsample_initial_channel": 16, "upsample_rates": [16, 16],
             "upsample_kernel_sizes": [32, 32], "resblock_kernel_sizes": [3, 5], "resblock_dilation_sizes": [[1, 3], [1, 2]],
             "num_mels": 80, "n_fft": 1024, "hop_size": 256, "win_size": 1024, "sampling_rate": 22050, "fmin": 0,
             "fmax": 8000}
    draw = random.Random(1)
    tensors = {}

    def convolution(name, shape, out):
        scale = 1.2 / math.sqrt(shape[1] * shape[2])
        tensors[name + ".weight"] = shape, [draw.gauss(0, scale) for _ in range(math.prod(shape))]
        tensors[name + ".bias"] = [out], [draw.gauss(0, 0.05) for _ in range(out)]

    width = sizes["upsample_initial_channel"]
    convolution("conv_pre", [width, 80, 7], width)
    for stage, kernel in enumerate(sizes["upsample_kernel_sizes"]):
        convolution(f"ups.{stage}", [width, width // 2, kernel], width // 2)
        width //= 2
        for block, size in enumerate(sizes["resblock_kernel_sizes"]):
            for layer in range(2):
                for part in ("convs1", "convs2"):
                    convolution(f"resblocks.{stage * 2 + block}.{part}.{layer}", [width, width, size], width)
    convolution("conv_post", [1, width, 7], 1)
    header, values = {}, b""
    for name, (shape, numbers) in sorted(tensors.items()):
        packed = struct.pack(f"<{len(numbers)}f", *numbers)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(values), len(values) + len(packed)]}
        values += packed
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(sizes))
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    (folder / "generator.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + values)


class Arguments(unittest.TestCase):
    def refused(self, *arguments):
        result = qanat("export", *arguments)
        self.assertEqual(result.returncode, 2, result.stderr)
        return result.stderr

    def test_out_is_an_onnx_file(self):
        self.assertIn("expected a name that ends in `.onnx`", self.refused("--out", "voice.bin"))
        self.assertIn("--out", self.refused())

    def test_a_voice_has_a_file_and_a_name(self):
        for given in ("me.wav", "=me", "me.wav="):
            self.assertIn("as in `me.wav=me`", self.refused("--out", "voice.onnx", "--voice", given))

    def test_a_checkpoint_is_needed(self):
        result = qanat("export", "--checkpoint", "/nowhere", "--out", "/nowhere/voice.onnx")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("no complete checkpoint", result.stderr)


class Exported(unittest.TestCase):
    """A voice of two speakers and two languages, of a few steps."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="qanat export ")
        cls.root = pathlib.Path(cls.folder.name)
        cls.corpus = cls.root / "corpus"
        cls.checkpoints = cls.root / "checkpoints"
        cls.vocoder = cls.checkpoints / "vocoder"
        made = qanat("data", "make-demo", cls.corpus, "--utterances", 16, "--voices", 1, "--mean-seconds", 2,
                     "--built-in")
        assert made.returncode == 0, made.stderr
        for more in (["--speaker-table", "--checkpoint-dir", cls.checkpoints],
                     ["--task", "vocoder", "--checkpoint-dir", cls.vocoder]):
            trained = qanat("train", "--train-data", cls.corpus, "--model-size", "nano", "--max-steps", 4,
                            "--batch-size", 2, "--validate-every", 0, *more, timeout=200)
            assert trained.returncode == 0, trained.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        self.out = self.root / self.id().rpartition(".")[2] / "voice.onnx"

    def export(self, *arguments, checkpoint=None):
        return qanat("export", "--checkpoint", checkpoint or self.checkpoints, "--out", self.out, "--json", *arguments,
                     timeout=120)

    def exported(self, *arguments):
        result = self.export(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def refused(self, *arguments, checkpoint=None):
        """The reason; nothing is left behind."""
        result = self.export(*arguments, checkpoint=checkpoint)
        self.assertEqual(result.returncode, 1, result.stderr)
        left = list(self.out.parent.iterdir()) if self.out.parent.exists() else []
        self.assertEqual(left, [])
        return result.stderr

    def test_writes_what_each_program_needs(self):
        report = self.exported()
        names = sorted(path.name for path in self.out.parent.iterdir())
        self.assertEqual(names, ["voice.md", "voice.onnx", "voice.onnx.json", "voice.tokens.txt"])
        self.assertEqual(sorted(pathlib.Path(file).name for file in report["files"]), names)
        self.assertEqual(len(report["voices"]), 2)
        self.assertEqual(self.out.stat().st_size, report["bytes"])
        config = json.loads((self.out.parent / "voice.onnx.json").read_text(encoding="utf-8"))
        self.assertEqual(config["num_speakers"], 2)
        self.assertEqual(list(config["speaker_id_map"]), report["voices"])
        card = (self.out.parent / "voice.md").read_text(encoding="utf-8")
        self.assertIn("| trained on | corpus |", card)
        self.assertIn("nano, step 4", card)
        self.assertNotIn(str(self.root), card)

    def test_the_same_checkpoint_gives_the_same_bytes(self):
        self.exported()
        first = self.out.read_bytes()
        self.exported()
        self.assertEqual(first, self.out.read_bytes())

    def test_sixteen_bits_are_about_half_and_their_difference_is_said(self):
        whole = self.exported()
        half = self.exported("--fp16")
        self.assertLess(half["bytes"], 0.75 * whole["bytes"])
        self.assertGreater(half["mel_difference"]["max"], 0)
        self.assertLess(half["mel_difference"]["mean"], 0.01)
        self.assertNotIn("mel_difference", whole)

    def test_recordings_become_speakers(self):
        tone = self.root / "a=b.wav"
        write_tone(tone, 200, 1.5)
        report = self.exported("--voice", f"{tone}=hum")
        self.assertEqual(report["voices"][-1], "hum")
        self.assertIn("two speakers called hum", self.export("--voice", f"{tone}=hum", "--voice", f"{tone}=hum").stderr)

    def test_griffin_lim_is_refused_with_the_command_that_helps(self):
        self.assertIn("qanat train --task vocoder", self.refused("--vocoder", "griffin-lim"))

    def test_a_vocoder_is_no_speech_model_and_the_other_way_round(self):
        self.assertIn("state.json", self.refused(checkpoint=self.vocoder))
        self.assertIn("checkpoints", self.refused("--vocoder", self.checkpoints))

    def test_damaged_checkpoints_are_refused(self):
        for name in ("ema.safetensors", "state.json"):
            copy = self.root / ("damaged " + name)
            shutil.copytree(self.checkpoints, copy)
            file = sorted(copy.glob("step-*"))[-1] / name
            data = bytearray(file.read_bytes())
            data[len(data) // 2] ^= 0x20
            file.write_bytes(data)
            self.assertIn(name, self.refused(checkpoint=file.parent))

    def test_an_unreadable_recording_is_refused(self):
        self.assertIn("nothing.wav", self.refused("--voice", f"{self.root}/nothing.wav=me"))

    def compared(self, *arguments):
        result = subprocess.run([PYTHON, SOURCE / "bench/exported_voice.py", "--checkpoint", self.checkpoints, "--qanat",
                                 QANAT, "--each", "4", "--keep", self.out.parent, *arguments], env=environment(),
                                text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600, check=False)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual(report["onnx_checker"], "passed")
        self.assertEqual([peer["package"] for peer in report["peers"]], ["onnxruntime", "piper-tts", "sherpa-onnx"])
        for peer in report["peers"]:
            self.assertEqual((peer["sentences"], peer["other_lengths"]), (8, 0), peer)
            self.assertIn(peer["unaligned"], (None, 0), peer)
        return report["peers"]

    @peers
    def test_others_say_what_synth_says(self):
        write_hifigan(self.root / "hifigan")
        for peer in self.compared("--vocoder", self.root / "hifigan"):
            self.assertEqual(peer["sentences_above"], 0, peer)

    @peers
    def test_others_say_what_synth_says_with_refined_phases(self):
        # After four steps phases are next to random: refining them lets rounding grow up to a few percent.
        for peer in self.compared():
            self.assertLess(peer["median_difference"], 0.02, peer)

    @peers
    def test_ids_of_any_caller_are_the_same_sentence(self):
        self.exported()
        result = subprocess.run([PYTHON, "-c", LAYOUTS, self.out], text=True, timeout=120, check=False, env=environment(),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(result.returncode, 0, result.stderr)
        spoken = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual([one["name"] for one in spoken if one["same"]],
                         ["plain", "piper", "no end", "neither", "spaces", "unknown"])
        for one in spoken:
            self.assertEqual(one["durations"], one["ids"], one)
            self.assertEqual(one["frames"] * 256, one["samples"], one)

    @peers
    def test_the_python_package_speaks(self):
        voices = self.exported()["voices"]
        code = ("import sys, qanat; voice = qanat.Voice(sys.argv[1]); said = voice.speak('hello there 7.', sys.argv[2]); "
                "said.write(sys.argv[3]); print(voice.speakers, len(said.samples), said.unknown)")
        wav = self.out.parent / "said.wav"
        result = subprocess.run([PYTHON, "-c", code, self.out, voices[1], wav], text=True, timeout=120, check=False,
                                env=environment(PYTHONPATH=str(SOURCE / "python")), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(result.stdout.strip().endswith("7"), result.stdout)
        self.assertGreater(wav.stat().st_size, 1000)


if __name__ == "__main__":
    unittest.main()
