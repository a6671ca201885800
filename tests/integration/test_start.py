"""The start weights that come with the program: they speak without a training, and a training begins with them."""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest
import wave

from program import QANAT, environment

RATE = 22050
QUIET = 300  # of 32768: below it nobody speaks


def samples_of(path):
    with wave.open(str(path)) as sound:
        assert sound.getframerate() == RATE, path
        return struct.unpack(f"<{sound.getnframes()}h", sound.readframes(sound.getnframes()))


def spoken_share(samples, frame=RATE // 50):
    """How much of a sound is louder than silence."""
    frames = [samples[at:at + frame] for at in range(0, len(samples), frame)]
    loud = [part for part in frames if (sum(value * value for value in part) / len(part)) ** 0.5 > QUIET]
    return len(loud) / len(frames)


@unittest.skipUnless(shutil.which("espeak-ng"), "espeak-ng is not installed: phonemes come from it")
class StartWeights(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="qanat start ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def qanat(self, *arguments, program=QANAT):
        return subprocess.run([program, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              timeout=300, env=environment(), check=False)

    def speak(self, text, *flags):
        result = self.qanat("synth", text, "--out", "said.wav", *flags)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("the start weights of the program speak", result.stderr)
        self.assertEqual(result.stderr.count("note: "), 1, "nothing else that a newcomer could do something about")
        return samples_of(self.folder / "said.wav")

    def check(self, samples, least, most):
        self.assertGreater(len(samples) / RATE, least)
        self.assertLess(len(samples) / RATE, most)
        self.assertGreater(spoken_share(samples), 0.35)

    def test_english_is_spoken_without_a_checkpoint(self):
        word = self.speak("hello")
        self.check(word, 0.25, 2)
        sentence = self.speak("The old canal carries water without a pump.")
        self.check(sentence, 1.5, 5)
        self.assertGreater(len(sentence), 1.5 * len(word))

    def test_persian_is_spoken_without_a_checkpoint(self):
        self.check(self.speak("سلام", "--language", "fa"), 0.25, 2)
        self.check(self.speak("آب از کوه پایین می‌آید و کسی منتظر آن نمی‌ماند."), 1.5, 6)

    def test_every_voice_can_be_asked_for(self):
        said = {name: self.speak("hello", "--speaker", name) for name in ("slt", "rms", "awb")}
        self.assertEqual(said["slt"], self.speak("hello"))  # who speaks English unless asked otherwise
        self.assertNotEqual(said["slt"], said["rms"])
        self.assertNotEqual(said["rms"], said["awb"])

    def test_a_training_begins_with_them(self):
        made = self.qanat("data", "make-demo", "corpus", "--utterances", 12, "--built-in")
        self.assertEqual(made.returncode, 0, made.stderr)
        common = ["train", "--train-data", "corpus", "--model-size", "nano", "--max-steps", 2, "--batch-size", 2,
                  "--init-from", "start"]
        trained = self.qanat(*common, "--set", "data.use_phonemes=true", "--checkpoint-dir", "mine", "--json")
        self.assertEqual(trained.returncode, 0, trained.stderr)
        self.assertIn("share/qanat/start", json.loads(trained.stdout)["init_from"]["folder"])
        vocoder = self.qanat(*common, "--task", "vocoder", "--checkpoint-dir", "mine/vocoder")
        self.assertEqual(vocoder.returncode, 1)
        self.assertIn("the start weights have no vocoder", vocoder.stderr)

    def test_another_size_is_refused_with_the_size_they_have(self):
        made = self.qanat("data", "make-demo", "corpus", "--utterances", 12, "--built-in")
        self.assertEqual(made.returncode, 0, made.stderr)
        result = self.qanat("train", "--train-data", "corpus", "--model-size", "small", "--init-from", "start")
        self.assertEqual(result.returncode, 1)
        self.assertIn("--model-size nano", result.stderr)

    def moved_program(self):
        """The program somewhere else, with nothing beside it."""
        place = self.folder / "elsewhere" / "bin"
        place.mkdir(parents=True)
        for name in ("qanat", "qanat-torch"):
            shutil.copy(pathlib.Path(QANAT).parent / name, place / name)
        return place / "qanat"

    def test_a_program_without_them_says_where_they_belong(self):
        program = self.moved_program()
        result = self.qanat("synth", "hello", program=program)
        self.assertEqual(result.returncode, 1)
        self.assertIn("elsewhere/share/qanat/start: the start weights of this program are not here", result.stderr)
        self.assertFalse((self.folder / "speech.wav").exists())

    def test_damaged_ones_are_named(self):
        program = self.moved_program()
        start = program.parent.parent / "share/qanat/start"
        shutil.copytree(pathlib.Path(QANAT).parent.parent / "share/qanat/start", start)
        os.truncate(start / "ema.safetensors", 1000)
        result = self.qanat("synth", "hello", program=program)
        self.assertEqual(result.returncode, 1)
        self.assertIn("start weights: ", result.stderr)
        self.assertIn("ema.safetensors", result.stderr)
        self.assertFalse((self.folder / "speech.wav").exists())


if __name__ == "__main__":
    unittest.main()
