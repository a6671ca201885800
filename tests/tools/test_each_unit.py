"""tools/each_unit.py runs what has not passed, or has changed since, and nothing else."""
import contextlib
import io
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import each_unit  # noqa: E402
import progress_line  # noqa: E402
from each_unit import Passed, Unit, files_of_rule, run_each  # noqa: E402


class EachUnitTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "a.cpp").write_text("source", encoding="utf-8")
        (self.folder / "a b.h").write_text("header", encoding="utf-8")

        for file in self.folder.iterdir():  # as if they had been there for long
            os.utime(file, (1, 1))

    def names_run(self, *command, tool="1.0", settings=""):
        """The units that a new run of the tool reads."""
        each_unit.digest_of_file.cache_clear()
        unit = Unit("a.cpp", list(command) or ["true"], lambda: "a.o: a.cpp \\\n a\\ b.h\n", settings)
        passed = Passed(self.folder / "passed", tool)
        return [outcome.name for outcome in run_each("test", [unit], 1, passed, self.folder)]

    def test_what_passed_is_not_run_again(self):
        self.assertEqual(self.names_run(), ["a.cpp"])
        self.assertEqual(self.names_run(), [])

    def test_what_failed_is(self):
        self.assertEqual(self.names_run("false"), ["a.cpp"])
        self.assertEqual(self.names_run("false"), ["a.cpp"])

    def test_a_changed_header_is_read_again(self):
        self.names_run()

        (self.folder / "a b.h").write_text("changed", encoding="utf-8")

        self.assertEqual(self.names_run(), ["a.cpp"])

    def test_a_header_that_is_gone_is_noticed(self):
        self.names_run()

        (self.folder / "a b.h").unlink()

        self.assertEqual(self.names_run(), ["a.cpp"])

    def test_what_was_changed_while_it_was_read_is_read_again(self):
        self.assertEqual(self.names_run("touch", "a.cpp"), ["a.cpp"])
        self.assertEqual(self.names_run("touch", "a.cpp"), ["a.cpp"])

    def test_another_command_or_tool_judges_anew(self):
        self.names_run()

        self.assertEqual(self.names_run("/bin/true"), ["a.cpp"])
        self.assertEqual(self.names_run("/bin/true", tool="2.0"), ["a.cpp"])
        self.assertEqual(self.names_run("/bin/true", tool="2.0", settings="-O2"), ["a.cpp"])

    def test_a_damaged_file_of_what_passed_counts_as_none(self):
        self.names_run()

        for file in (self.folder / "passed").iterdir():
            file.write_text("{", encoding="utf-8")

        self.assertEqual(self.names_run(), ["a.cpp"])

    def test_rules_of_make_name_files_over_several_lines(self):
        self.assertEqual(files_of_rule("x.o: /a/x.cpp \\\n /a/with\\ space.h y.h\n"),
                         ["/a/x.cpp", "/a/with space.h", "y.h"])


    def test_a_log_is_told_how_much_is_left(self):
        units = [Unit(name, ["true"], lambda: "a.o: a.cpp\n") for name in ("a", "b", "c")]
        said = io.StringIO()
        with mock.patch.object(progress_line, "LOG_EVERY", 0), contextlib.redirect_stderr(said):
            list(run_each("test", units, 1, Passed(self.folder / "passed", "1.0"), self.folder))

        self.assertEqual(said.getvalue().splitlines(), ["test: 1 of 3, 5 s left", "test: 2 of 3, 5 s left"])


if __name__ == "__main__":
    unittest.main()
