"""tools/run_whole.py with programs that only look like tests."""
import os
import pathlib
import stat
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import run_whole  # noqa: E402

# Prints what a test program prints; `dies` ends it in the middle, `bad` fails, `raced` has a report of a sanitizer.
PROGRAM = """#!{python}
import os, sys
cases = ["A.one", "A.dies", "A.bad", "A.raced", "A.two"]
chosen = [word.partition("=")[2].split(":") for word in sys.argv if word.startswith("--gtest_filter=")]
cases = [case for case in cases if not chosen or case in chosen[0]]
if os.environ["WHICH"] == "clean":
    cases = [case for case in cases if case in ("A.one", "A.two")]
for case in cases:
    print("[ RUN      ] " + case, flush=True)
    if case == "A.dies":
        os.abort()
    if case == "A.raced":
        print("WARNING: ThreadSanitizer: data race", flush=True)
    print(("[  FAILED  ] " if case == "A.bad" else "[       OK ] ") + case + " (0 ms)", flush=True)
print("[==========] 2 tests from 1 test suite ran. (0 ms total)")
sys.exit("A.bad" in cases)
"""


class RunWhole(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.program = self.folder / "a_test"
        self.program.write_text(PROGRAM.format(python=sys.executable), encoding="utf-8")
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)

    def listed(self, which, cases):
        properties = [{"name": "ENVIRONMENT", "value": [f"WHICH={which}"]},
                      {"name": "ENVIRONMENT_MODIFICATION", "value": ["SPIN=set:1"]}, {"name": "TIMEOUT", "value": 5.0},
                      {"name": "WORKING_DIRECTORY", "value": str(self.folder)}]
        return [{"name": f"a.{case}", "command": [str(self.program), f"--gtest_filter={case}"], "properties": properties}
                for case in cases]

    def run_jobs(self, tests):
        outcomes = run_whole.run_all(run_whole.jobs_of(tests), self.folder, 2)
        return {name: text for one in outcomes for name, text in one.failures}, sum(one.num_run for one in outcomes)

    def test_a_program_is_started_once_for_all_its_cases(self):
        jobs = run_whole.jobs_of(self.listed("clean", ["A.one", "A.two"]))

        self.assertEqual([(job.name, job.cases) for job in jobs], [("a_test", ["A.one", "A.two"])])
        self.assertEqual(jobs[0].environment, {"WHICH": "clean", "SPIN": "1"})
        self.assertEqual((jobs[0].timeout, jobs[0].folder), (100, str(self.folder)))
        self.assertEqual(self.run_jobs(self.listed("clean", ["A.one", "A.two"])), ({}, 2))

    def test_what_stands_behind_a_case_that_dies_is_run(self):
        failures, num_run = self.run_jobs(self.listed("all", ["A.one", "A.dies", "A.bad", "A.raced", "A.two"]))

        self.assertEqual(num_run, 5)
        self.assertEqual(sorted(failures), ["a_test A.bad", "a_test A.dies", "a_test A.raced"])
        self.assertIn("data race", failures["a_test A.raced"])

    def test_another_command_runs_as_it_is_and_a_disabled_test_does_not(self):
        tests = [{"name": "script", "command": [sys.executable, "-c", "print('broken'); raise SystemExit(3)"]},
                 {"name": "off", "command": ["false"], "properties": [{"name": "DISABLED", "value": True}]}]

        failures, num_run = self.run_jobs(tests)

        self.assertEqual((failures, num_run), ({"script": "broken"}, 1))


if __name__ == "__main__":
    os.environ.pop("WHICH", None)
    unittest.main()
