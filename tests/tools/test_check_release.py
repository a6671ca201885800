"""tools/check_release.py finds what it is for."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import check_release  # noqa: E402

CHANGELOG = "# Changelog\n\n## 0.2.0 (2026-01-31)\n\n### New\n\n- It flies.\n\n## 0.1.0\n\n- It is there.\n"


class CheckReleaseTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("CMakeLists.txt", "project(qanat VERSION 0.2.0 LANGUAGES CXX)\n")
        self.write("python/pyproject.toml", 'version = "0.2.0"\n')
        self.write("python/qanat/__init__.py", '__version__ = "0.2.0"\n')
        self.write("CHANGELOG.md", CHANGELOG)
        self.write("README.md", "Status: 0.2.0\n")
        self.write("README.fa.md", "وضعیت: 0.2.0\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def problems(self):
        return "\n".join(check_release.problems(self.root))

    def test_a_tree_that_is_ready(self):
        self.assertEqual(self.problems(), "")

    def test_versions_that_differ(self):
        self.write("python/pyproject.toml", 'version = "0.2.1"\n')
        self.assertIn("python/pyproject.toml has 0.2.1", self.problems())

    def test_a_changelog_without_a_day(self):
        self.write("CHANGELOG.md", CHANGELOG.replace("2026-01-31", "unreleased"))
        self.assertIn("expected the day of the release", self.problems())

    def test_a_changelog_of_another_version(self):
        self.write("CHANGELOG.md", CHANGELOG.replace("0.2.0", "0.3.0"))
        self.assertIn("begins with 0.3.0", self.problems())

    def test_a_version_that_is_not_above_the_last(self):
        self.write("CHANGELOG.md", CHANGELOG.replace("## 0.1.0", "## 0.10.0"))
        self.assertIn("not above", self.problems())

    def test_groups(self):
        self.write("CHANGELOG.md", CHANGELOG.replace("### New", "### Stuff"))
        self.assertIn("group Stuff", self.problems())
        self.write("CHANGELOG.md", CHANGELOG.replace("### New\n", "### Fixed\n\n### New\n"))
        self.assertIn("in the order", self.problems())
        self.assertIn("a group without a line", self.problems())

    def test_a_status_of_another_version(self):
        self.write("README.fa.md", "وضعیت: 0.1.0\n")
        self.assertIn("README.fa.md", self.problems())


if __name__ == "__main__":
    unittest.main()
