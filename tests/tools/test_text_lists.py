#!/usr/bin/env python3
"""Words that the text library knows are rows of src/data/text/*.tsv, not arrays of its code."""
import pathlib
import re
import unittest

TEXT = pathlib.Path(__file__).resolve().parents[2] / "src" / "data" / "text"
MOST = 12
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
WORD = re.compile(r"\w{3,}")  # shorter ones are units, numerals and letters
ESCAPE = re.compile(r"\\[uU][0-9A-Fa-f]+")
LIST = re.compile(r"word_list<(\d+)>")


def closing(code, begin):
    """Where the brace at `begin` is closed."""
    depth = 0
    for at in range(begin, len(code)):
        depth += {"{": 1, "}": -1}.get(code[at], 0)
        if depth == 0:
            return at
    return len(code)


def long_lists(code):
    """(line, words) of arrays that hold more than MOST words. Blocks of statements are none."""
    for match in re.finditer(r"\{", code):
        body = code[match.start():closing(code, match.start()) + 1]
        words = [word for word in LITERAL.findall(body) if WORD.search(ESCAPE.sub(" ", word))]
        if ";" not in LITERAL.sub("", body) and len(words) > MOST:
            yield code.count("\n", 0, match.start()) + 1, words
    for match in LIST.finditer(code):
        if int(match[1]) > MOST:
            yield code.count("\n", 0, match.start()) + 1, []


class TextLists(unittest.TestCase):
    def test_no_file_has_a_long_one(self):
        found = [f"{path.name}:{line}: {len(words)} words"
                 for path in sorted(TEXT.glob("*.cpp")) if not path.name.endswith("_test.cpp")
                 for line, words in long_lists(path.read_text(encoding="utf-8"))]
        self.assertEqual(found, [])

    def test_one_is_found_where_it_is(self):
        many = ", ".join(f'"word{n}"' for n in range(MOST + 1))
        few = ", ".join(f'"word{n}"' for n in range(MOST))
        pairs = ", ".join(f'Pair{{"word{n}", "other{n}"}}' for n in range(MOST // 2 + 1))
        self.assertEqual([line for line, _ in long_lists(f"\nconstexpr std::array kWords = {{{many}}};")], [2])
        self.assertEqual(len(list(long_lists(f"constexpr std::array kPairs = {{{pairs}}};"))), 1)
        self.assertEqual(len(list(long_lists('word_list<20>("a b")'))), 1)
        self.assertEqual(list(long_lists(f"constexpr std::array kWords = {{{few}}};")), [])
        self.assertEqual(list(long_lists(f"void f() {{ g({many}); }}")), [])


if __name__ == "__main__":
    unittest.main()
