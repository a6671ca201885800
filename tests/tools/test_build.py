"""tools/build.py says what there is to do, shows what failed, and keeps the rest in a log."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(__file__).resolve().parents[2] / "tools" / "build.py"
RULES = """
rule CXX_COMPILER__a
  command = $do
  description = Building CXX object $out
build good.o: CXX_COMPILER__a
  do = touch good.o
build bad.o: CXX_COMPILER__a
  do = echo what the compiler said; exit 1
build all: phony good.o
"""


class BuildTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "build.ninja").write_text(RULES, encoding="utf-8")

    def build(self, *targets):
        return subprocess.run([sys.executable, BUILD, "--dir", self.folder, "--jobs", "1", *targets],
                              capture_output=True, text=True, timeout=60, check=False)

    def test_says_what_there_is_to_do_and_how_long_it_takes(self):
        done = self.build("all")

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"dev: 1 to build, about \d+ (s|min) with 1 compilers?")
        self.assertIn("dev: built in", done.stderr)
        self.assertTrue((self.folder / "good.o").exists())

    def test_a_second_build_has_nothing_to_do(self):
        self.build("all")

        done = self.build("all")

        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr, "dev: nothing to build\n")

    def test_a_failure_shows_what_the_compiler_said_and_where_the_log_is(self):
        done = self.build("bad.o")

        self.assertEqual(done.returncode, 1)
        self.assertIn("what the compiler said", done.stderr)
        self.assertIn("build.log", done.stderr)
        self.assertIn("what the compiler said", (self.folder / "build.log").read_text(encoding="utf-8"))

    def test_an_unknown_target_is_an_error_with_ninjas_words(self):
        done = self.build("nonsense")

        self.assertNotEqual(done.returncode, 0)
        self.assertIn("unknown target 'nonsense'", done.stderr)


if __name__ == "__main__":
    unittest.main()
