"""tools/check_docs.py finds what it is for."""
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import check_docs  # noqa: E402
import doc_blocks  # noqa: E402
import tables  # noqa: E402
from make_reference import command_section, marked  # noqa: E402

ENGLISH = "# A\n\n## B\n\n```console\n$ true\n```\n\n| `speed` | how fast | 3.5 |\n"
PERSIAN = ('<div dir="rtl">\n\n# آ\n\n## ب\n\n<div dir="ltr">\n\n```console\n$ true\n```\n\n</div>\n\n'
           "| `speed` | تندی | 3.5 |\n\n</div>\n")


class CheckDocsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(setattr, check_docs, "ROOT", check_docs.ROOT)
        self.addCleanup(setattr, check_docs, "DOCS", check_docs.DOCS)
        check_docs.ROOT = pathlib.Path(folder.name)
        check_docs.DOCS = check_docs.ROOT / "docs"
        self.write("en/a.md", ENGLISH)
        self.write("fa/a.md", PERSIAN)

    def write(self, name, text):
        path = check_docs.DOCS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def chapters(self):
        return "\n".join(check_docs.chapter_problems())

    def test_equal_chapters_are_fine(self):
        self.assertEqual(self.chapters(), "")

    def test_a_chapter_in_one_language_only(self):
        self.write("en/b.md", "# B\n")
        self.assertIn("docs/fa/b.md: missing", self.chapters())

    def test_a_heading_that_is_missing(self):
        self.write("fa/a.md", PERSIAN.replace("## ب\n\n", ""))
        self.assertIn("1 headings, docs/en has 2", self.chapters())

    def test_commands_that_differ(self):
        self.write("fa/a.md", PERSIAN.replace("$ true", "$ false"))
        self.assertIn("blocks of commands differ", self.chapters())

    def test_tables_that_differ(self):
        self.write("fa/a.md", PERSIAN.replace("| 3.5 |\n", "| 3.5 |\n| `size` | بزرگی | 1 |\n"))
        self.assertIn("table 1 has 2 rows of 4 bars, docs/en 1 of 4", self.chapters())
        self.write("fa/a.md", PERSIAN.replace("| `speed` | تندی | 3.5 |\n", ""))
        self.assertIn("0 tables, docs/en has 1", self.chapters())

    def test_what_the_sources_know_is_named(self):
        source = check_docs.ROOT / "src/a/a.h"
        source.parent.mkdir(parents=True)
        source.write_text('kKind = "step"; kKind = "slot"; std::getenv("HOME"); environment("NO_COLOR"); getenv("PATH");\n')
        (source.parent / "fake_a.cpp").write_text('getenv("FAKE");\n')
        for language in ("en", "fa"):
            self.write(f"{language}/journal.md", "| `step`, `slot` |\n")
            self.write(f"{language}/environment.md", "| `HOME` | `NO_COLOR=1` |\n")
        self.assertEqual(list(check_docs.source_problems()), [])
        self.write("en/journal.md", "| `step` |\n")
        self.write("fa/environment.md", "| `HOME` |\n")
        self.assertEqual(list(check_docs.source_problems()), ["docs/en/journal.md: slot is missing",
                                                              "docs/fa/environment.md: NO_COLOR is missing"])

    def test_numbers_of_formats_are_those_of_the_sources(self):
        self.addCleanup(setattr, check_docs, "FORMATS", check_docs.FORMATS)
        check_docs.FORMATS = {"a.md": ("a.h", r"kFormat = (\d+)")}
        (check_docs.ROOT / "a.h").write_text("kFormat = 3;\n")
        for language, number in (("en", 3), ("fa", 2)):
            self.write(f"{language}/compatibility.md", f"| [a](a.md) | {number} |\n")
        self.assertEqual([problem.split(":")[0] for problem in check_docs.format_problems()], ["docs/fa/compatibility.md"])

    def test_figures_that_differ(self):
        self.write("fa/a.md", PERSIAN.replace("3.5", "3.6"))
        self.assertIn("speed is 3.6, docs/en says 3.5", self.chapters())

    def test_facts_that_differ(self):
        row = "| `--lr` | 3 of 12,000 |\n"
        persian = PERSIAN.replace("| `speed` |", "| " + marked("`--lr`") + " | ۳ از ۱۲٬۰۰۰ |\n\n| `speed` |")
        self.write("en/a.md", ENGLISH.replace("| `speed` |", row + "\n| `speed` |"))
        self.write("fa/a.md", persian)
        self.assertEqual(self.chapters(), "")
        self.write("fa/a.md", persian.replace("۳", "۴"))
        self.assertIn("has the figures ['12000', '4'], docs/en ['12000', '3']", self.chapters())
        self.write("fa/a.md", persian.replace("--lr", "--seed"))
        self.assertIn("has the code ['--seed'], docs/en ['--lr']", self.chapters())

    def test_links_that_differ(self):
        self.write("en/a.md", ENGLISH + "\n[b](b.md#x)\n")
        self.assertIn("no link to b.md", self.chapters())

    def walks(self, **texts):
        self.addCleanup(setattr, check_docs, "WALKS", check_docs.WALKS)
        check_docs.WALKS = (2,)
        for language, files in texts.items():
            rows = [f"| {i} | [`{name}`](../../src/{name}) | x |\n" for i, name in enumerate(files, 1)]
            self.write(f"{language}/architecture.md", "# A\n\n" + "".join(rows))
        return "\n".join(check_docs.walk_problems())

    def test_a_walk_of_the_same_files_is_fine(self):
        self.assertEqual(self.walks(en=["a.cpp", "b.cpp"], fa=["a.cpp", "b.cpp"]), "")

    def test_a_walk_that_is_too_long(self):
        self.assertIn("docs/en/architecture.md: a walk of 3 files; expected at most 2",
                      self.walks(en=["a.cpp", "b.cpp", "c.cpp"], fa=["a.cpp"]))

    def test_a_walk_of_other_files(self):
        self.assertIn("docs/fa/architecture.md: its walks name other files",
                      self.walks(en=["a.cpp", "b.cpp"], fa=["a.cpp", "c.cpp"]))

    def test_a_walk_that_is_missing(self):
        self.assertIn("docs/fa/architecture.md: 0 walks; expected 1",
                      self.walks(en=["a.cpp"], fa=[]))

    def test_a_walk_that_names_what_a_file_does_not_do(self):
        (check_docs.ROOT / "src").mkdir()
        (check_docs.ROOT / "src" / "a.cpp").write_text("void run() {}", encoding="utf-8")
        for language in ("en", "fa"):
            self.write(f"{language}/architecture.md", "| 1 | [`a`](../../src/a.cpp) | calls `run()` and `stop()` |\n")
        self.addCleanup(setattr, check_docs, "WALKS", check_docs.WALKS)
        check_docs.WALKS = (1,)
        self.assertEqual(list(check_docs.walk_problems()), [f"docs/{language}/architecture.md: stop() is not in "
                                                            "../../src/a.cpp" for language in ("en", "fa")])

    def recipes(self, english, persian, source="a.cpp"):
        self.addCleanup(setattr, check_docs, "RECIPES", check_docs.RECIPES)
        check_docs.RECIPES = (("precedent", 1, ("user.cpp",)),)
        (check_docs.ROOT / "locale").mkdir()
        (check_docs.ROOT / "src").mkdir()
        for name in (source, "user.cpp", "a_test.cpp"):
            (check_docs.ROOT / "src" / name).write_text("precedent", encoding="utf-8")
        for language, files in (("en", english), ("fa", persian)):
            rows = "".join(f"| [`{name}`](../../src/{name}) | x |\n" for name in files)
            self.write(f"{language}/extending.md", f"# E\n\n## R\n\n| file | x |\n|---|---|\n{rows}")
        return "\n".join(check_docs.recipe_problems())

    def test_a_recipe_that_names_every_file(self):
        self.assertEqual(self.recipes(["a.cpp"], ["a.cpp"]), "")

    def test_a_recipe_that_is_too_long(self):
        self.assertIn("R: 2 files; expected at most 1", self.recipes(["a.cpp", "b.cpp"], ["a.cpp", "b.cpp"]))

    def test_a_recipe_of_other_files(self):
        self.assertIn("docs/fa/extending.md: its recipes name other files", self.recipes(["a.cpp"], ["b.cpp"]))

    def test_a_recipe_that_forgets_a_file(self):
        self.assertIn("R: precedent stands in src/b.cpp too", self.recipes(["a.cpp"], ["a.cpp"], source="b.cpp"))

    def test_code_that_would_run_the_wrong_way(self):
        self.write("fa/a.md", PERSIAN.replace('<div dir="ltr">\n\n', ""))
        self.assertIn('1 blocks of code, 0 inside <div dir="ltr">', self.chapters())

    def test_a_flag_that_would_lose_its_dashes(self):
        self.write("en/a.md", ENGLISH.replace("how fast", "flag `--speed`"))
        self.write("fa/a.md", PERSIAN.replace("تندی", "پرچم `--speed`"))
        self.assertIn("lacks its left-to-right marks", self.chapters())
        self.write("fa/a.md", PERSIAN.replace("تندی", marked("پرچم `--speed`")))
        self.assertEqual(self.chapters(), "")

    def test_a_page_may_speak_its_own_language(self):
        english, persian = check_docs.facts("| `qanat synth 'Hello.'` |\n")[1], check_docs.facts(
            "| `qanat synth 'سلام' --language fa` |\n")[1]

        self.assertEqual(english, persian)
        self.assertNotEqual(english, check_docs.facts("| `qanat synth 'Hello.' --language de` |\n")[1])

    def test_links_and_anchors_that_lead_nowhere(self):
        self.write("en/a.md", "# A\n\n[x](b.md) [y](#a) [z](#c)\n")
        self.assertEqual(len(list(check_docs.link_problems())), 2)

    def test_commands_and_flags_that_do_not_exist(self):
        flags = {"data check": {"--json"}}
        self.assertEqual(list(check_docs.call_problems("a.md", "data check D --json", flags)), [])
        self.assertEqual(list(check_docs.call_problems("a.md", "data check D -- other --xml", flags)), [])
        self.assertTrue(list(check_docs.call_problems("a.md", "data check D --xml", flags)))
        self.assertTrue(list(check_docs.call_problems("a.md", "fly away", flags)))
        old = {"data check": {"--json": "--as-json"}}
        self.assertTrue(list(check_docs.call_problems("a.md", "data check D --json", flags, old)))
        self.assertEqual(list(check_docs.call_problems("docs/en/migration.md", "data check D --json", flags, old)), [])

    def page_problems(self, text, slow=False, timeout=30):
        with tempfile.TemporaryDirectory() as folder:
            shell = doc_blocks.Shell(folder, os.environ)
            try:
                return "\n".join(doc_blocks.run_page("a.md", text, shell, folder, slow, timeout))
            finally:
                shell.close()

    def test_a_command_that_fails(self):
        self.assertEqual(self.page_problems("```console\n$ (exit 3)  # exit 3\n```\n"), "")
        self.assertIn("exit code 3, expected 0", self.page_problems("```console\n$ (exit 3)\n```\n"))

    def test_a_page_has_one_shell_from_an_empty_folder_and_keeps_its_order(self):
        self.assertEqual(self.page_problems("```console\n$ ls\n$ mkdir in; cd in; word=it\n```\n\n```console\n"
                                            "$ basename \"$PWD\"; echo $word\nin\nit\n```\n"), "")
        self.assertIn("exit code", self.page_problems("```console\n$ cat made\n$ touch made\n```\n"))

    def test_what_a_command_prints_is_what_the_page_shows(self):
        page = "```console\n$ printf 'a  12.5 ms\\nleft out\\nb 3\\n'\na 9 ms\n...\n%s\n```\n"
        self.assertEqual(self.page_problems(page % "b 4"), "")
        self.assertIn("does not print `c 4`", self.page_problems(page % "c 4"))
        self.assertIn("does not print `a 1 ms`", self.page_problems(page % "b 4\na 1 ms"))  # not in this order
        self.assertEqual(self.page_problems((page % "c 4").replace("console", "console varies")), "")

    def test_a_command_of_several_lines_is_one(self):
        self.assertEqual(self.page_problems("```console\n$ echo one \\\n  two\none two\n```\n"), "")

    def test_files_of_a_page_are_there_for_its_commands(self):
        self.assertEqual(self.page_problems("```python train.py\nprint(3)\n```\n\n```console\n$ cat train.py\n"
                                            "print(3)\n```\n"), "")

    def test_a_command_runs_in_place_of_a_block_that_cannot(self):
        page = "<!-- tests run: echo > loaded -->\n```sh installs\nfetch it\n```\n\n```console\n$ cat loaded\n```\n"
        self.assertEqual(self.page_problems(page), "")

    def test_what_runs_in_place_of_a_block_waits_for_slow_ones_before_it(self):
        page = "```console slow\n$ touch made\n```\n\n<!-- tests run: test -e made -->\n```sh stays\nserve it\n```\n"
        self.assertEqual(self.page_problems(page), "")
        self.assertEqual(self.page_problems(page, slow=True), "")
        self.assertIn("exit code 1", self.page_problems(page.replace("touch made", "true"), slow=True))

    def test_a_command_that_never_ends(self):
        self.assertIn("took too long", self.page_problems("```console\n$ sleep 60\n```\n", timeout=0.5))

    def test_a_block_that_does_not_run_says_why(self):
        self.assertEqual(list(doc_blocks.reason_problems("a.md", "```sh gpus\nrun\n```\n")), [])
        self.assertTrue(list(doc_blocks.reason_problems("a.md", "```sh\nrun\n```\n")))
        self.assertTrue(list(doc_blocks.reason_problems("a.md", "```sh whatever\nrun\n```\n")))

    def test_figures_are_refreshed_and_words_are_not(self):
        self.assertEqual(doc_blocks.compared(["a 1", "...", "b 2", "c 3"], ["a 7", "x", "b  8"]),
                         (["a 7", "...", "b  8", "c 3"], "c 3"))

    def test_slow_commands_wait_for_the_slow_suite(self):
        page = "```console slow\n$ false\n```\n"
        self.assertEqual(self.page_problems(page), "")
        self.assertIn("exit code 1", self.page_problems(page, slow=True))

    def test_files_that_differ_between_the_languages(self):
        self.write("en/a.md", ENGLISH + "\n```python a.py\n1\n```\n")
        self.write("fa/a.md", PERSIAN.replace("\n</div>\n\n|", "\n```python a.py\n2\n```\n\n</div>\n\n|"))
        self.assertIn("blocks of commands differ", self.chapters())


class MakeReferenceTest(unittest.TestCase):
    FACTS = {"name": "qanat it", "summary": "do it", "commands": [], "footer": "Uses `--seed`.",
             "arguments": [{"names": ["DIR"], "placeholder": "", "help": "a|b", "group": "", "default": "",
                            "required": True}],
             "flags": [{"names": ["--seed"], "placeholder": "N", "help": "seed", "group": "Options", "default": "1"},
                       {"names": ["--lr"], "placeholder": "N", "help": "rate", "group": "Training", "default": ""}],
             "examples": ["qanat it here"]}

    def test_a_section_has_flags_footer_and_examples(self):
        text = command_section("it", self.FACTS, "en", {"Training"})
        self.assertIn("```text\nqanat it [OPTIONS] DIR\n```", text)
        self.assertIn("| `DIR` | a\\|b |  |\n", text)
        optional = {**self.FACTS, "arguments": [{**self.FACTS["arguments"][0], "required": False}]}
        self.assertIn("qanat it [OPTIONS] [DIR]\n", command_section("it", optional, "en", set()))
        self.assertIn("| `--seed N` | seed | `1` |\n", text)
        self.assertIn("[configuration](configuration.md): `--lr`\n", text)
        self.assertIn("\nUses `--seed`.\n\n```sh examples\nqanat it here\n```\n", text)


class TablesTest(unittest.TestCase):
    STORED = ('{"loader": {"machine": {"cpu": "x", "cores": 2, "kernel": "6.1"}, '
              '"figures": {"worker_scaling_2": 1.9}}}')

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name in ("ROOT", "STORE", "PAGES"):
            self.addCleanup(setattr, tables, name, getattr(tables, name))
        tables.ROOT = pathlib.Path(folder.name)
        tables.STORE = tables.ROOT / "figures.json"
        tables.STORE.write_text(self.STORED)
        tables.PAGES = {"en.md": "en", "fa.md": "fa"}
        for name in tables.PAGES:
            (tables.ROOT / name).write_text("<!-- figures loader -->\n<!-- end of figures -->\n")

    def test_writing_them_makes_them_right(self):
        self.assertEqual(len(list(tables.stale_tables())), 2)
        tables.write_tables()
        self.assertEqual(list(tables.stale_tables()), [])
        self.assertIn("| `worker_scaling_2` | 2 workers over 1 | >= 1.8 x | 1.9 |",
                      (tables.ROOT / "en.md").read_text())

    def test_a_figure_changed_by_hand_is_found(self):
        tables.write_tables()
        page = tables.ROOT / "fa.md"
        page.write_text(page.read_text().replace("1.9", "2.9"))
        self.assertIn("fa.md", "\n".join(tables.stale_tables()))

    def test_the_newest_figures_of_a_part_replace_its_old_ones_only(self):
        tables.keep("mel", {"mel_cost_over_fft": 0.5}, {"cpu": "y", "cores": 2, "kernel": "6.1"})
        self.assertEqual(list(tables.read_store()), ["loader", "mel"])


if __name__ == "__main__":
    unittest.main()
