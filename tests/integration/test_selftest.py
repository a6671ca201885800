"""qanat selftest as a user runs it."""
import json
import unittest

from program import qanat


class Selftest(unittest.TestCase):
    def test_a_planted_fault_is_named_and_cured(self):
        run = qanat("selftest", "--fault", "lock convoy", "--json", timeout=120)
        report = json.loads(run.stdout)
        self.assertEqual([row["fault"] for row in report["runs"]], ["lock convoy"])
        self.assertEqual(report["runs"][0]["found"], "DL004", run.stdout)
        self.assertLess(report["runs"][0]["realised_seconds"], report["runs"][0]["step_seconds"])
        judged = 3 if report["busy_machine"] else 0
        self.assertEqual(run.returncode, judged if report["passed"] else 1)

    def test_an_unknown_fault_is_a_usage_error_that_lists_them(self):
        run = qanat("selftest", "--fault", "gremlins")
        self.assertEqual(run.returncode, 2)
        self.assertIn("slow storage", run.stderr)

    def test_quick_and_full_exclude_each_other(self):
        self.assertEqual(qanat("selftest", "--quick", "--full").returncode, 2)


if __name__ == "__main__":
    unittest.main()
