#!/usr/bin/env python3
"""Draws Persian sentences at random, to be read without their English: is each what a Persian engineer would write?

    tools/draw_sentences.py --seed 7 --count 40

They come from locale/fa.po, docs/fa and README.fa.md, each with its place; the same seed draws the same ones. Pages that
are made from the program are left out, because their sentences are in the catalog.
"""
import argparse
import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MADE = ("commands.md", "configuration.md", "rules.md", "python_api.md")
WORD = re.compile(r"[\u0600-\u06ff]{2,}")
MESSAGE = re.compile(r'^msgctxt "(\w+)"\nmsgid (?:"(?:[^"\\]|\\.)*"\n)+(?:msgid_plural (?:"(?:[^"\\]|\\.)*"\n)+)?'
                     r'msgstr (?:\[0\] )?((?:"(?:[^"\\]|\\.)*"\n)+)', re.MULTILINE)
FEWEST_WORDS = 6  # a shorter one shows little


def of_pages(root):
    for page in [root / "README.fa.md", *sorted((root / "docs" / "fa").glob("*.md"))]:
        if page.name in MADE or not page.exists():
            continue
        text = re.sub(r"^```.*?^```$|<!--.*?-->", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for paragraph in re.split(r"\n\s*\n", text):
            if paragraph.startswith(("#", "<")):
                continue
            parts = re.split(r"\s*\|\s*", paragraph) if paragraph.startswith("|") else \
                re.split(r"(?<=[.؟!])\s+|\n- ", paragraph)
            for part in parts:
                yield page.relative_to(root).as_posix(), " ".join(part.strip("- ").split())


def of_catalog(root):
    for name, quoted in MESSAGE.findall((root / "locale" / "fa.po").read_text(encoding="utf-8")):
        yield f"locale/fa.po {name}", "".join(re.findall(r'"((?:[^"\\]|\\.)*)"\n', quoted))


def drawn(root, seed, count):
    whole = [(place, text) for place, text in (*of_pages(root), *of_catalog(root)) if len(WORD.findall(text)) >= FEWEST_WORDS]
    return random.Random(seed).sample(whole, min(count, len(whole)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    options = parser.parse_args()
    for number, (place, text) in enumerate(drawn(ROOT, options.seed, options.count), 1):
        print(f"{number:3}  {text}\n     {place}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
