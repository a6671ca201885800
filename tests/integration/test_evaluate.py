"""qanat evaluate as a user runs it: two folders, another system, commands that judge, a page."""
import json
import pathlib
import tempfile
import unittest

import schema
from browser import CHROMIUM, Browser
from program import qanat, write_tone

# Answers every request in turn; says of one clip that it cannot tell.
JUDGE = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["task"] == "transcribe":
        answer = {"text": "One two, FOUR!"}
    elif "refused" in request["audio"]:
        answer = {"error": "no speech"}
    else:
        answer = {"value": 3.0 if "made" in request["audio"] else 2.0}
    print(json.dumps({"id": request["id"], **answer}), flush=True)
"""


class Evaluate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for kind, factor in (("wavs", 1.0), ("made", 1.01), ("before", 1.3)):
            (self.root / kind).mkdir()
            for i in range(8):
                write_tone(self.root / kind / f"clip{i}.wav", (180 + 10 * i) * factor, 0.6)
        rows = (f"clip{i}|one two three|one two three" for i in range(8))
        (self.root / "metadata.csv").write_text("\n".join(rows) + "\n")
        (self.root / "judge.py").write_text(JUDGE)

    def run_it(self, *more, made="made"):
        return qanat("evaluate", "--reference", self.root / "wavs", "--made", self.root / made, *more)

    def report(self, *more, code=0, made="made"):
        done = self.run_it("--json", *more, made=made)
        self.assertEqual(done.returncode, code, done.stderr)
        report = json.loads(done.stdout)
        schema.validate(report)
        return report

    def judge(self):
        return f"python3 {self.root}/judge.py"

    def test_a_copy_is_no_distance_away(self):
        report = self.report(made="wavs")

        self.assertEqual(report["clips"], 8)
        means = {one["measure"]: one["made"]["mean"] for one in report["measures"]}
        self.assertEqual(means["mcd_db"], 0)
        self.assertEqual(means["f0_rmse_cents"], 0)
        self.assertEqual(means["duration_error"], 0)

    def test_the_better_system_is_found(self):
        report = self.report("--baseline", self.root / "before")

        pitch = next(one for one in report["measures"] if one["measure"] == "f0_rmse_cents")
        self.assertAlmostEqual(pitch["made"]["mean"], 17.2, delta=6)
        self.assertLess(pitch["difference"]["p_value"], 0.01)
        self.assertEqual(pitch["outcome"], "better")

    def test_files_that_cannot_be_compared_are_named_and_the_exit_code_says_so(self):
        (self.root / "made" / "clip3.wav").write_bytes(b"RIFF")
        (self.root / "made" / "clip4.wav").unlink()

        report = self.report(code=10)

        self.assertEqual([one["name"] for one in report["problems"]], ["clip3", "clip4"])
        self.assertEqual(report["clips"], 6)
        self.assertIn("clip4", self.run_it().stdout)

    def test_nothing_to_compare_is_exit_code_3(self):
        (self.root / "other").mkdir()
        write_tone(self.root / "other" / "another.wav", 200, 0.5)

        self.assertEqual(self.run_it(made="other").returncode, 3)

    def test_commands_are_asked(self):
        report = self.report("--texts", self.root, "--word-errors", self.judge(), "--quality", self.judge(),
                             "--speaker-similarity", self.judge())

        by_name = {one["measure"]: one for one in report["measures"]}
        self.assertAlmostEqual(by_name["word_error_rate"]["made"]["mean"], 1 / 3)
        self.assertEqual(by_name["quality"]["made"]["mean"], 3)
        self.assertEqual(by_name["quality"]["reference"]["mean"], 2)
        self.assertEqual(by_name["speaker_similarity"]["reference"], None)

    def test_a_command_that_dies_is_an_error_that_names_it(self):
        done = self.run_it("--quality", "echo broken >&2; exit 7")

        self.assertEqual(done.returncode, 1)
        self.assertIn("exit 7: the command failed: the program ended without an answer", done.stderr)
        self.assertIn("broken", done.stderr)

    def test_a_command_that_is_too_slow_is_an_error(self):
        done = self.run_it("--quality", "sleep 60", "--command-timeout", "0.2")

        self.assertEqual(done.returncode, 1)
        self.assertIn("no answer in time", done.stderr)

    def test_word_errors_without_sentences_are_a_usage_error(self):
        self.assertEqual(self.run_it("--word-errors", "cat").returncode, 2)

    def test_the_page_has_players_for_every_clip(self):
        page = self.root / "pages" / "page.html"
        page.parent.mkdir()

        done = self.run_it("--baseline", self.root / "before", "--html", page, "--lang", "fa")

        self.assertEqual(done.returncode, 0, done.stderr)
        html = page.read_text()
        self.assertEqual(html.count("<audio "), 24)
        self.assertIn('src="../wavs/clip0.wav"', html)
        self.assertIn('dir="rtl"', html)
        if CHROMIUM:
            with Browser(width=420) as browser:
                browser.open(page.as_uri())
                sounds = browser.playable()
                self.assertEqual(len(sounds), 24)
                self.assertTrue(all(isinstance(one, float) for one in sounds), sounds)
                self.assertLessEqual(browser.run("document.documentElement.scrollWidth"), 420)
                # A table that is cut says so: a shadow at the edge.
                cut = "[...document.querySelectorAll('.scroll')].filter(p => p.scrollWidth > p.clientWidth)"
                self.assertGreater(browser.run(f"{cut}.length"), 0)
                self.assertEqual(browser.run(
                    f"{cut}.filter(p => !getComputedStyle(p).backgroundAttachment.includes('local')).length"), 0)


if __name__ == "__main__":
    unittest.main()
