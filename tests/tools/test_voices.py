#!/usr/bin/env python3
"""examples/voices: what is held out is never trained on, and what was interrupted goes on."""
import gzip
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
import wave

VOICES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "voices"
sys.path.insert(0, str(VOICES))
import corpora  # noqa: E402


def write_clip(path, length):
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(bytes(int(length * 8000) * 2))


def rows_of(path):
    return [line.split("|") for line in path.read_text(encoding="utf-8").splitlines()[1:]]


class HeldOut(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        (self.folder / "wavs").mkdir()

    def divide(self, texts, held_out):
        rows = [(f"clip{number:02d}", text, "someone", "en") for number, text in enumerate(texts)]
        for name, *_ in rows:
            if not (self.folder / "wavs" / f"{name}.wav").exists():
                write_clip(self.folder / "wavs" / f"{name}.wav", 1)
        corpora.write_lists(self.folder, rows, types.SimpleNamespace(held_out=held_out), "en")
        return rows_of(self.folder / "heldout" / "metadata.csv"), rows_of(self.folder / "metadata.csv")

    def test_no_text_that_is_held_out_is_trained_on(self):
        texts = [f"this is the sentence number {number} of them" for number in range(20)]
        first, _ = self.divide(texts, 5)
        held = first[0][1]
        texts += [held.upper() + "!", f"Listen, {held}, and more.", "short"]

        again, kept = self.divide(texts, 5)

        self.assertEqual(len(again), 5)
        said = [f" {' '.join(corpora.words(row[1]))} " for row in kept]
        for row in again:
            self.assertFalse([text for text in said if f" {' '.join(corpora.words(row[1]))} " in text])
        self.assertIn("short", [row[1] for row in kept])

    def test_held_out_sentences_follow_from_names(self):
        texts = [f"this is the sentence number {number} of them" for number in range(20)]

        before, _ = self.divide(texts, 5)
        after, _ = self.divide(texts, 5)

        self.assertEqual([row[0] for row in before], ["clip00", "clip04", "clip07", "clip11", "clip16"])
        self.assertEqual(before, after)

    def test_recordings_of_held_out_sentences_are_beside_their_list(self):
        held, _ = self.divide([f"this is the sentence number {number} of them" for number in range(9)], 3)

        found = {path.stem for path in (self.folder / "heldout" / "wavs").iterdir()}

        self.assertEqual(found, {row[0] for row in held})


class Clips(unittest.TestCase):
    def test_a_command_that_fails_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as place:
            target = pathlib.Path(place) / "a.wav"

            with self.assertRaises(subprocess.CalledProcessError):
                corpora.run_to(target, ["sh", "-c", 'echo half >"$0"; exit 3'])

            self.assertEqual(list(pathlib.Path(place).iterdir()), [])

    def test_a_program_that_is_missing_is_named_with_the_package_that_has_it(self):
        with tempfile.TemporaryDirectory() as place, \
                self.assertRaisesRegex(ValueError, "no-such-program is not installed; try: sudo apt-get install"):
            corpora.run_to(pathlib.Path(place) / "a.wav", ["no-such-program"])

    def test_a_clip_that_is_there_is_kept(self):
        with tempfile.TemporaryDirectory() as place:
            target = pathlib.Path(place) / "a.wav"
            target.write_text("before")

            corpora.run_to(target, ["false"])

            self.assertEqual(target.read_text(), "before")


class Texts(unittest.TestCase):
    def test_prompts_without_words_are_left_out(self):
        with tempfile.TemporaryDirectory() as place:
            listed = pathlib.Path(place) / "texts.gz"
            with gzip.open(listed, "wt", encoding="utf-8") as out:
                out.write("; a comment: none\nbeep: [a tone]\ndigits/1: one\nmenu: ...press * to  leave.\nempty:\n")

            self.assertEqual(list(corpora.prompt_texts(listed)), [("digits/1", "one"), ("menu", "press star to leave.")])

    def test_persian_sentences_are_persian(self):
        sentences = corpora.persian_sentences()

        self.assertGreater(len(sentences), 200)
        self.assertFalse([text for text in sentences if any(letter.isascii() and letter.isalpha() for letter in text)])


# Stands in for the program: notes how it was called, and exits with what the test wants of a command.
PROGRAM = """#!/usr/bin/env bash
echo "$*" >>"$CALLS"
case "$1 $2" in
  "data check") exit "${CHECK_EXIT:-0}" ;;
  "train --task") exit "${VOCODER_EXIT:-0}" ;;
esac
"""


class Scripts(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = pathlib.Path(place.name)
        self.program = self.place / "qanat"
        self.program.write_text(PROGRAM)
        self.program.chmod(0o755)

    def run_script(self, *steps, **environment):
        """The commands of the program that the script gave, and what it exited with."""
        calls = self.place / "calls"
        calls.write_text("")
        done = subprocess.run([VOICES / "persian.sh", self.place / "folder", *steps], capture_output=True, text=True,
                              timeout=60, check=False,
                              env={**os.environ, "QANAT": str(self.program), "CALLS": str(calls), **environment})
        return calls.read_text().splitlines(), done

    def test_what_is_done_is_not_done_again(self):
        steps = ("check", "precompute", "speech", "vocoder", "tune", "evaluate")

        first, done = self.run_script(*steps)
        second, again = self.run_script(*steps)

        self.assertEqual([done.returncode, again.returncode], [0, 0], done.stderr)
        self.assertEqual([call.split()[0] for call in first],
                         ["data", "precompute", "train", "train", "train", "evaluate"])
        self.assertIn("--phonemes", first[0])
        self.assertIn("--mel-from", first[4])
        self.assertEqual(second, [])

    def test_a_step_that_fails_ends_the_script_and_is_done_the_next_time(self):
        first, failed = self.run_script("speech", "vocoder", "tune", VOCODER_EXIT="137")
        second, done = self.run_script("speech", "vocoder", "tune")

        self.assertEqual(failed.returncode, 137)
        self.assertEqual(len(first), 2)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(second), 2)
        self.assertTrue(all("--task vocoder" in call for call in second))

    def test_warnings_about_the_data_set_do_not_end_the_script_but_errors_do(self):
        _, warned = self.run_script("check", CHECK_EXIT="10")
        self.assertEqual(warned.returncode, 0, warned.stderr)

        (self.place / "folder" / ".done-check").unlink()
        _, refused = self.run_script("check", CHECK_EXIT="1")
        self.assertEqual(refused.returncode, 1)

    def test_usage_names_licence_and_cost(self):
        for script in sorted(VOICES.glob("*.sh")):
            if script.name == "voice.sh":
                continue
            shown = subprocess.run([script, "--help"], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(shown.returncode, 2)
            self.assertRegex(shown.stderr, r"Recordings: (.+\n)+It takes: .+ on disk")

    def test_an_unknown_step_is_refused(self):
        calls, done = self.run_script("sing")

        self.assertEqual((done.returncode, calls), (2, []))


if __name__ == "__main__":
    unittest.main()
