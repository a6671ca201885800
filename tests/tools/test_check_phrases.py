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

    def test_a_comment_that_begins_with_of_lacks_its_verb(self):
        source = "// Of every row.\nint a = 0;  // of all; Of course\n/* Of one call. */\n// Offsets, Of\nint Of;\n"
        self.assertEqual([line.split(":")[1] for line in found("src/a/a.h", source)], ["1", "3"])
        for path in ("tests/a.py", "bench/a.py", "tools/a.py", "python/a.py", "examples/a.py"):
            self.assertEqual([line.split(":")[1] for line in found(path, 'x = "# Of it"\n# Of the rows.\ny = 1  # Of it\n')],
                             ["2", "3"], path)

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


    def test_string_literals_that_are_sentences_are_read(self):
        self.assertEqual(found("src/a/a.cpp", 'throw Error("the gain that can be won is zero");\n'),
                         ['src/a/a.cpp:1: "can be won": say saved, gained'])
        self.assertEqual(found("src/a/a.cpp", 'visit("ledger"); key("anew");\n'), [])
        self.assertEqual(found("src/a/a_test.cpp", 'EXPECT_EQ(x, "what can be won is zero");\n'), [])

    def test_gaps_of_messages_are_names(self):
        self.assertEqual(found("locale/en.po", 'msgid "{normalised} of all"\n'), [])
        self.assertEqual(len(found("locale/en.po", 'msgid "normalised for length"\n')), 1)

    def test_python_is_read_in_comments_and_texts(self):
        source = 'anew = {"ledger": 1}  # made anew\n"""Runs go\nin turns."""\nprint(f"in turns, {one}")\n'
        self.assertEqual([line.split(":")[1] for line in found("python/qanat/a.py", source)], ["1", "3", "4"])

    def test_scripts_are_read_in_comments_and_in_what_they_print(self):
        source = "anew=1  # by turns, anew\ncat <<'HELP'\n  demo   train in turns\nHELP\nrun anew\n"
        self.assertEqual([line.split(":")[1] for line in found("dev", source)], ["1", "3"])
        self.assertEqual(len(found("configs/a.yaml", "anew: 1  # anew\n")), 1)

    def test_notebooks_are_read_in_their_text(self):
        cells = ('{"cells": [{"cell_type": "markdown", "source": ["made anew"]},'
                 ' {"cell_type": "code", "source": ["anew = 1"]}]}')
        self.assertEqual(len(found("examples/a.ipynb", cells)), 1)

    def test_habits_of_newer_pages_are_found(self):
        for words in ("runs in turns", "round turn by turn", "scores made speech", "whether two GPUs pay", "it goes on with step 3",
                      "it leaves with 3", "a file beside it", "the weights are those of rank 0", "on the processor",
                      "which vocoder spoke", "normalised mel", "light colours", "its licence"):
            self.assertEqual(len(found("docs/en/a.md", f"It {words}.\n")), 1, words)
        for words in ("two GPUs pay off", "TWO DEVICES PAY", "in turn", "next to it", "Intel(R) Xeon(R) Processor"):
            self.assertEqual(found("docs/en/a.md", f"It {words}.\n"), [], words)

    def test_persian_has_one_word_for_one_thing(self):
        for words in ("چند پروسه", "پردازهٔ دیگر", "ژورنال اجرا", "همهٔ رتبه‌ها", "روی چند ماشین", "با همین آرگومان", "یک ردیف batch",
                      "رمزگشایی صوت", "طیف‌نگاشت mel", "سه نویسه", "خطای واژه", "دو تانسور", "سهم بهینه‌ساز", "اجرای نوبتی",
                      "وقتی می‌صرفد", "پس از گرم شدن", "سرآیند فایل", "پیوند PCIe", "دقت ساده", "داده رایگان", "نشانی سرور",
                      "اینجا", "اینکه", "بی‌کار", "ایدئال", "مثلا این", "۳ م‌ث"):
            self.assertEqual(len(found("docs/fa/a.md", f"{words}\n")), 1, words)
        for words in ("ماشین مجازی", "رتبه‌بندی یافته‌ها", "گذرواژه", "واژه‌نامه", "کم‌ثبات‌تر", "مثلاً این", "بی‌کاربرد", "بهینه‌سازی"):
            self.assertEqual(found("docs/fa/a.md", f"{words}\n"), [], words)


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
        names = ["src/a/a.h", "tests/b.cpp", "bench/c.cpp", "docs/en/d.md", "README.md", "CHANGELOG.md",
                 "src/README.md", "bench/README.md", "examples/README.md", "python/README.md", "locale/en.po",
                 "examples/g.py", "examples/h.sh", "python/qanat/i.py", "configs/j.yaml", "dev"]
        for name in names:
            is_script = name.endswith((".py", ".sh", ".yaml")) or name == "dev"
            self.write(name, 'msgid "anew"\n' if name.endswith(".po") else "# anew\n" if is_script else "// anew\n")
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
