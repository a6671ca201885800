"""tools/check_layers.py finds two types of one name."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from check_layers import twice_defined  # noqa: E402

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


if __name__ == "__main__":
    unittest.main()
