"""tools/make_messages.py makes C++ of po files, and says where one is wrong."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

MAKE = pathlib.Path(__file__).resolve().parents[2] / "tools" / "make_messages.py"
HEADER = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n#. ---- some words ----\n'
WORKERS = 'msgctxt "workers"\nmsgid "{count} worker of {all}"\nmsgid_plural "{count} workers of {all}"\n'
OTHER = 'msgctxt "other"\nmsgid "c"\nmsgstr ""\n'
PERSIAN = 'msgstr[0] "از {all}، {count} worker"\n'


class MakeMessagesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def make(self, english, persian="", sections=("some_words",)):
        (self.folder / "en.po").write_text(HEADER + english, encoding="utf-8")
        (self.folder / "fa.po").write_text(HEADER + persian, encoding="utf-8")
        return self.run_tool(self.folder / "en.po", self.folder / "fa.po", self.folder / "out", *sections)

    @staticmethod
    def run_tool(*arguments):
        return subprocess.run([sys.executable, MAKE, *arguments], capture_output=True, text=True,
                              timeout=60, check=False)

    def made(self, name):
        return (self.folder / "out" / name).read_text(encoding="utf-8")

    def expect_problem(self, done, file, line, what):
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(f"{self.folder / file}:{line}: ", done.stderr)
        self.assertIn(what, done.stderr)

    def test_a_sentence_is_a_struct_with_its_gaps(self):
        done = self.make(WORKERS + 'msgstr[0] ""\nmsgstr[1] ""\n', WORKERS + PERSIAN)

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("struct workers {", self.made("messages/some_words.h"))
        self.assertIn("  MessageArg count;\n  MessageArg all;\n", self.made("messages/some_words.h"))
        self.assertIn('"{0} worker of {1}"', self.made("messages.cpp"))
        self.assertIn('"{0} workers of {1}"', self.made("messages.cpp"))
        self.assertIn('"از {1}، {0} worker"', self.made("messages.cpp"))

    def test_a_new_sentence_leaves_the_headers_of_other_sections_alone(self):
        first = 'msgctxt "a"\nmsgid "b"\nmsgstr ""\n\n#. ---- others: more ----\n'
        self.assertEqual(self.make(first + OTHER, sections=("some_words", "others_more")).returncode, 0)
        before = {name: (self.folder / "out" / "messages" / name).stat().st_mtime_ns
                  for name in ("some_words.h", "others_more.h")}

        added = 'msgctxt "added"\nmsgid "first of all"\nmsgstr ""\n\n'
        done = self.make(added + first + OTHER, sections=("some_words", "others_more"))

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("struct added {", self.made("messages/some_words.h"))
        self.assertEqual((self.folder / "out/messages/others_more.h").stat().st_mtime_ns, before["others_more.h"])
        self.assertIn('#include "locale/messages/others_more.h"', self.made("messages.cpp"))

    def test_a_section_that_the_build_does_not_know_is_refused(self):
        self.expect_problem(self.make('msgctxt "a"\nmsgid "b"\nmsgstr ""\n', sections=("others",)), "en.po", 5,
                            "section some_words")
        done = self.make('msgctxt "a"\nmsgid "b"\nmsgstr ""\n', sections=("some_words", "others"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("section others has no sentence", done.stderr)

    def test_two_ids_of_one_number_are_refused(self):
        pair = "".join(f'msgctxt "{name}"\nmsgid "b"\nmsgstr ""\n\n' for name in ("hhuhtvqzb", "soohcjtgg"))
        self.expect_problem(self.make(pair), "en.po", 9, "has the number of hhuhtvqzb")

    def test_long_sentences_stand_on_several_lines(self):
        done = self.make('msgctxt "long"\nmsgid ""\n"one "\n"\\"two\\"\\n"\nmsgstr ""\n')

        # A word that C++ reserves: said, not compiled.
        self.expect_problem(done, "en.po", 5, "reserve")
        done = self.make('msgctxt "wide"\nmsgid ""\n"one "\n"\\"two\\"\\n"\nmsgstr ""\n')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(r'"one \"two\"\n"', self.made("messages.cpp"))

    def test_a_sentence_without_persian_is_left_empty(self):
        done = self.make('msgctxt "a"\nmsgid "b"\nmsgstr ""\n')

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('Sentence{""sv,', self.made("messages.cpp"))

    def test_an_id_stands_once(self):
        self.expect_problem(self.make(2 * 'msgctxt "a"\nmsgid "b"\nmsgstr ""\n\n'), "en.po", 9, "stands already")

    def test_persian_belongs_to_an_english_sentence(self):
        english = 'msgctxt "a"\nmsgid "b {c}"\nmsgstr ""\n'

        self.expect_problem(self.make(english, 'msgctxt "z"\nmsgid "b"\nmsgstr "x"\n'), "fa.po", 5, "is not in")
        self.expect_problem(self.make(english, 'msgctxt "a"\nmsgid "B {c}"\nmsgstr "x {c}"\n'), "fa.po", 5, "differs")
        self.expect_problem(self.make(english, 'msgctxt "a"\nmsgid "b {c}"\nmsgstr "x {d}"\n'), "fa.po", 5, "gaps")

    def test_code_is_the_same_in_both_languages(self):
        english = 'msgctxt "a"\nmsgid "try `qanat rules`"\nmsgstr ""\n'
        persian = 'msgctxt "a"\nmsgid "try `qanat rules`"\nmsgstr "`qanat rule`"\n'

        self.expect_problem(self.make(english, persian), "fa.po", 5, "`code` differs")

    def test_what_is_no_po_file_is_named_with_its_line(self):
        for text, what in (("hello\n", "not the line of a po file"), ('msgid "a\n', "double quotes"),
                           ('msgctxt "a"\nmsgid "b {c"\nmsgstr ""\n', "brace"),
                           ('msgctxt "A"\nmsgid "b"\nmsgstr ""\n', "snake_case"),
                           ('msgctxt "a"\nmsgid "\\q"\nmsgstr ""\n', "escape"),
                           ('msgctxt "a"\nmsgid "{for}"\nmsgstr ""\n', "reserves"),
                           ('msgctxt "a"\nmsgid "b `c"\nmsgstr ""\n', "backtick")):
            with self.subTest(text=text):
                line = 6 if "escape" in what else 5
                self.expect_problem(self.make(text), "en.po", line, what)

    def test_finds_sentences_that_nobody_says(self):
        self.make('msgctxt "said"\nmsgid "a"\nmsgstr ""\n\nmsgctxt "silent"\nmsgid "b"\nmsgstr ""\n')
        source = self.folder / "src"
        source.mkdir()
        (source / "a.cpp").write_text("return msg::said{};", encoding="utf-8")
        (source / "a_test.cpp").write_text("return msg::silent{};", encoding="utf-8")

        done = self.run_tool("--unused", self.folder / "en.po", source)

        self.assertEqual(done.returncode, 1)
        self.assertIn("silent is said nowhere", done.stdout)
        self.assertNotIn("said is said", done.stdout)


if __name__ == "__main__":
    unittest.main()
