"""tools/make_pictures.py finds pictures that show old words."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import make_pictures  # noqa: E402

CATALOG = ('msgctxt "a"\nmsgid "{share} of the step time can be saved"\nmsgstr ""\n\n'
           'msgctxt "b"\nmsgid "{change}   {ratio} its frames per second [{low}, {high}]"\nmsgstr ""\n\n'
           'msgctxt "c"\nmsgid "{what}: {why}"\nmsgstr ""\n\nmsgctxt "d"\nmsgid "What can be gained"\nmsgstr ""\n')
LINES = ["$ qanat report runs/a", "VERDICT  INPUT-BOUND   41 % of the step time can be saved",
         "BASELINE  FASTER   2.1x its frames per second [1.9, 2.3]"]
EMPTY_PNG = b"\x89PNG\r\n\x1a\n" + bytes(25) + b"IDAT"


class MakePicturesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name in ("ROOT", "PICTURES"):
            self.addCleanup(setattr, make_pictures, name, getattr(make_pictures, name))
        make_pictures.ROOT = pathlib.Path(folder.name)
        make_pictures.PICTURES = make_pictures.ROOT
        (make_pictures.ROOT / "locale").mkdir()
        (make_pictures.ROOT / "locale/en.po").write_text(CATALOG, encoding="utf-8")

    def problems(self, lines, headings=("What can be gained",)):
        (make_pictures.PICTURES / "watch.svg").write_text(make_pictures.terminal(lines), encoding="utf-8")
        for name in ("report.png", "report_dark.png"):
            (make_pictures.PICTURES / name).write_bytes(make_pictures.with_text(EMPTY_PNG, headings))
        return "\n".join(make_pictures.check_pictures())

    def test_words_of_today_are_fine(self):
        self.assertEqual(self.problems(LINES), "")

    def test_a_sentence_that_the_program_does_not_say_any_more(self):
        self.assertIn("41 % can be won", self.problems([*LINES, "VERDICT  X   41 % can be won"]))

    def test_a_heading_of_old(self):
        self.assertIn("What can be won", self.problems(LINES, ["What can be won"]))

    def test_a_sentence_that_is_broken_is_one(self):
        long = "VERDICT  INPUT-BOUND   " + "41 and " * 12 + "a half of the step time can be saved"
        self.assertTrue(any(inside for _, inside in make_pictures.wrapped("x " * 80)))
        self.assertEqual(self.problems([*LINES, long]), "")


if __name__ == "__main__":
    unittest.main()
