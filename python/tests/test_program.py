"""`qanat watch -- python train.py`: the command of the wheel's program that is Python's own."""
import os
import subprocess
import sys
import tempfile
import unittest

from qanat._program import watch_command
from tests.journals import PYTHON, WatchTest, read_lines

SCRIPT = """
import sys
print(sys.argv[1:], __name__)
sys.exit(3)
"""


class Command(unittest.TestCase):
    def test_a_script_is_run_by_the_python_that_is_named(self):
        self.assertEqual(watch_command(["--", "python3.9", "train.py", "--out", "x"]),
                         ["python3.9", "-m", "qanat.watch", "train.py", "--out", "x"])

    def test_options_of_python_stay_before_the_module(self):
        self.assertEqual(watch_command(["--out", "runs/a", "--", "python", "-u", "-X", "dev", "-m", "a.b"]),
                         ["python", "-u", "-X", "dev", "-m", "qanat.watch", "--out", "runs/a", "-m", "a.b"])

    def test_without_a_python_it_is_this_one(self):
        self.assertEqual(watch_command(["--out=runs/a", "train.py"]),
                         [sys.executable, "-m", "qanat.watch", "--out=runs/a", "train.py"])

    def test_nothing_to_run_is_no_command(self):
        for arguments in ([], ["--"], ["--out", "runs/a"], ["--", "python"], ["--", "python", "-m"]):
            self.assertEqual(watch_command(arguments), [], arguments)


class Launcher(unittest.TestCase):
    """The program is what it would be without Python before it."""

    def run_launcher(self, program, *arguments, **more):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program")
            with open(path, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n" + program)
            os.chmod(path, 0o755)
            return subprocess.run([sys.executable, "-m", "qanat", *arguments], text=True, capture_output=True, check=False,
                                  env={**os.environ, "PYTHONPATH": PYTHON, "QANAT_BIN": path, "ONE": "1 2"}, **more)

    def test_arguments_environment_standard_input_and_exit_code_are_handed_on(self):
        done = self.run_launcher('cat; printf "%s|" "$ONE" "$@"; exit 12\n', "train", "a b", "", input="in\n")

        self.assertEqual((done.stdout, done.returncode), ("in\n1 2|train|a b||", 12))

    def test_no_signal_is_ignored_that_was_not_before(self):
        own = subprocess.run(["grep", "SigIgn", "/proc/self/status"], text=True, capture_output=True, check=True)
        done = self.run_launcher("grep SigIgn /proc/self/status\n", "devices")

        self.assertEqual(done.stdout, own.stdout)

    def test_it_is_one_process_so_that_a_signal_ends_it_as_one(self):
        done = self.run_launcher("kill -TERM $$\n", "train")

        self.assertEqual(done.returncode, -15)


class Program(WatchTest):
    def run_program(self, *arguments):
        return subprocess.run([sys.executable, "-m", "qanat", "watch", *arguments], text=True,
                              env={**os.environ, "PYTHONPATH": PYTHON}, capture_output=True, check=False)

    def test_the_script_has_its_arguments_and_its_exit_code(self):
        script = self.folder + ".py"
        with open(script, "w", encoding="utf-8") as file:
            file.write(SCRIPT)

        done = self.run_program("--out", self.folder, "--", sys.executable, script, "--epochs", "3")

        self.assertEqual((done.stdout, done.returncode), ("['--epochs', '3'] __main__\n", 3))
        self.assertEqual(read_lines(self.folder)[0]["command"], "watch")

    def test_without_a_script_it_says_how_it_is_used(self):
        done = self.run_program("--")

        self.assertEqual(done.returncode, 2)
        self.assertIn("qanat watch [--out DIR] [--no-lines] -- python train.py", done.stderr)

    def test_a_python_that_is_not_there_is_said(self):
        done = self.run_program("--", "/nowhere/python3", "train.py")

        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere/python3: No such file", done.stderr)


if __name__ == "__main__":
    unittest.main()
