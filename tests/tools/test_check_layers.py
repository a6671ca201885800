"""tools/check_layers.py finds two types of one name, and files that know what they should not."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from check_layers import known_problems, twice_defined  # noqa: E402

HEADER = """#pragma once

namespace qanat {

struct Facts {
  int a;
};

}  // namespace qanat
"""


class TwiceDefinedTest(unittest.TestCase):
    def test_two_types_of_one_name_are_named(self):
        found = list(twice_defined([("a.h", HEADER), ("b.h", HEADER.replace("struct", "class"))]))
        self.assertEqual(found, ["b.h:5: Facts is another type in a.h:5"])

    def test_a_declaration_is_no_definition(self):
        self.assertFalse(list(twice_defined([("a.h", HEADER), ("b.h", "namespace qanat {\nstruct Facts;\n}  // namespace qanat\n")])))

    def test_other_namespaces_are_other_places(self):
        inner = HEADER.replace("namespace qanat {", "namespace qanat::c {")
        own = HEADER.replace("struct Facts", "namespace {\nstruct Facts").replace("};", "};\n}  // namespace")
        self.assertFalse(list(twice_defined([("a.h", HEADER), ("b.h", inner), ("c.h", own)])))


class KnownElsewhereTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.src = pathlib.Path(folder.name)
        self.write("run/app/a.cpp", "void plan(const RunConfig& config);")
        self.write("run/app/a_test.cpp", "RunConfig config;")
        self.write("core/config/run_config.h", "struct RunConfig {};")
        self.write("learn/train/b.h", "void train(const TrainingConfig& training);")

    def write(self, name, text):
        path = self.src / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def problems(self, listed):
        return list(known_problems(self.src, listed))

    def test_what_is_listed_is_fine(self):
        self.assertEqual(self.problems("# x\nconfig app 1\nconfig train 1\n"), [])

    def test_a_file_more_is_named_with_its_module(self):
        self.write("run/app/c.h", "struct LoadedConfig;")
        self.assertIn("2 files of app/ know of config", self.problems("config app 1\nconfig train 1\n")[0])

    def test_a_module_that_is_not_listed_knows_nothing(self):
        self.assertIn("1 files of train/ know of config", self.problems("config app 1\n")[0])

    def test_an_error_with_words_in_it_is_to_be_said_by_a_sentence(self):
        self.write("data/text/c.cpp", 'throw Error(\n    "no such {}", name);')
        self.write("data/batch/d.cpp", 'return Failure{fmt::format("{}: too long", name)};')
        self.write("data/audio/e.cpp", 'throw MessageError(msg::no{.name = "a name"}); throw Error(failure); Failure{"{}: {}"};')
        found = self.problems("config app 1\nconfig train 1\n")
        self.assertEqual([line.split(" of ")[1].split("/")[0] for line in found], ["batch", "text"])
        self.assertIn("say them by a sentence", found[0])

    def test_a_number_only_goes_down(self):
        self.assertIn("write the lower number there", self.problems("config app 2\nconfig train 1\n")[0])


if __name__ == "__main__":
    unittest.main()
