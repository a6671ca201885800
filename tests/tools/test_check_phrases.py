"""tools/check_phrases.py finds what it is for, and nothing else."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import check_phrases  # noqa: E402


def found(path, text):
    return list(check_phrases.file_problems(path, text))


class NamesTest(unittest.TestCase):
    def test_a_banned_name_is_found_with_its_line_and_what_to_say(self):
        self.assertEqual(found("src/a/a.cpp", "int x = 0;\nconstexpr int kMostRows = 3;\n"),
                         ['src/a/a.cpp:2: "kMostRows": say kMax..., kMin...'])

    def test_part_of_a_longer_word_is_another_name(self):
        self.assertEqual(found("src/a/a.cpp", "int kMinute, kLeaster, wonder, RunTracer;\n"), [])

    def test_a_name_may_be_banned_in_some_folders_only(self):
        self.assertEqual(len(found("src/train/a.h", "struct Piece {};\n")), 1)
        self.assertEqual(found("src/text/a.h", "struct Piece {};\n"), [])

    def test_strings_and_includes_are_formats_and_not_names(self):
        self.assertEqual(found("src/a/a.cpp", '#include "a/ledger.h"\nvisit("ledger", \'"\', "rhythm");\n'
                                              'auto x = R"(kMostRows "won")";\n'), [])

    def test_a_separator_inside_a_number_does_not_open_a_character(self):
        self.assertEqual(len(found("src/a/a.cpp", "int a = 1'000, kMostRows, b = 2'000;\n")), 1)

    def test_a_timeout_is_not_called_longest(self):
        self.assertEqual(len(found("src/a/a.h", "bool wait(Seconds longest);\n")), 1)
        self.assertEqual(len(found("src/a/a.h", "Seconds longest{4};\n")), 1)
        self.assertEqual(found("src/a/a.h", "Seconds longest{0};  // of all clips\n"), [])

    def test_a_word_of_containers_is_a_name_elsewhere(self):
        self.assertEqual(len(found("src/transfer/ring_tuner.h", "Seconds reserve{0};\n")), 1)
        self.assertEqual(found("src/transfer/ring_tuner.cpp", "all.reserve(3);\n"), [])
        self.assertEqual(found("src/pipeline/a.cpp", "arena.reserve = 3;\n"), [])


class ProseTest(unittest.TestCase):
    def test_a_banned_phrase_in_a_comment_is_found(self):
        self.assertEqual(found("src/a/a.h", "// Page-locked memory.\nint a;  /* made\nanew */\n"),
                         ['src/a/a.h:1: "Page-locked": say pinned',
                          'src/a/a.h:3: "anew": say again, from the start'])

    def test_what_a_comment_quotes_is_a_key(self):
        self.assertEqual(found("src/a/a.h", '// The field "ledger", see `rhythm`.\n'), [])

    def test_pages_are_read_outside_of_code(self):
        page = "A fault that is mended.\n\n```\n$ mend anew\n```\n\n[a](ledger.md) `anew`\n"
        self.assertEqual(found("docs/en/a.md", page), ['docs/en/a.md:1: "mended": say fix'])

    def test_persian_pages_have_their_own_words(self):
        self.assertEqual(found("docs/fa/a.md", "یک\nدو کارگرها و شمارهٔ ۳ `کارگر`\n"),
                         ['docs/fa/a.md:2: "کارگر": say worker'])
        self.assertEqual(found("docs/en/a.md", "کارگر\n"), [])
        self.assertEqual(len(found("docs/fa/a.md", "سهمیهٔ ظرف\n")), 1)
        self.assertEqual(found("docs/fa/a.md", "ظرف چند ثانیه ظرفیت پر می‌شود\n"), [])

    def test_sentences_of_messages_are_read_and_ids_are_not(self):
        english = 'msgctxt "ledger_title"\nmsgid ""\n"the closed "\n"ledger"\nmsgstr "rhythm"\n'
        self.assertEqual(found("locale/en.po", english),
                         ['locale/en.po:4: "ledger": say step time breakdown'])
        persian = 'msgctxt "a"\nmsgid "ledger"\nmsgstr "دو کارگر"\n'
        self.assertEqual(found("locale/fa.po", persian), ['locale/fa.po:3: "کارگر": say worker'])


class TreeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def test_every_kind_of_file_is_read(self):
        names = ["src/a/a.h", "tests/b.cpp", "bench/c.cpp", "docs/en/d.md", "README.md",
                 "src/README.md", "locale/en.po"]
        for name in names:
            self.write(name, 'msgid "anew"\n' if name.endswith(".po") else "// anew\n")
        self.write("docs/fa/e.md", "کارگر\n")
        self.write("tools/f.py", "# anew\n")
        lines = list(check_phrases.problems(self.root))
        self.assertEqual(sorted(line.split(":")[0] for line in lines), sorted([*names, "docs/fa/e.md"]))

    def test_a_word_that_is_right_in_its_place_is_allowed(self):
        self.write("src/text/a.h", "// cured, halved\n")
        self.write("src/train/a.h", "// cured\n")
        self.assertEqual(list(check_phrases.problems(self.root)),
                         ['src/train/a.h:1: "cured": say fix, remedy'])

    def test_exceptions_carry_their_reason(self):
        for *_, reason in check_phrases.ALLOWED:
            self.assertIn(" ", reason)


if __name__ == "__main__":
    unittest.main()
