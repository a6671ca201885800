#!/usr/bin/env python3
"""Makes what a fuzzer of text begins with from the cases of a TSV file: one file per text, and a dictionary of their words.

usage: make_fuzz_inputs.py CASES.tsv OUT_FOLDER
"""
import pathlib
import sys

LONGEST_WORD = 24  # bytes; longer ones are not worth inserting


def texts_of(cases):
    for line in cases.read_text(encoding="utf-8").splitlines():
        if "\t" in line and not line.startswith("#"):
            yield line.split("\t")[0].encode("utf-8")


def quoted(word):
    """As libFuzzer reads it: every byte that is not plain ASCII escaped."""
    return '"' + "".join(chr(byte) if chr(byte).isascii() and chr(byte).isalnum() else f"\\x{byte:02x}" for byte in word) + '"'


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    texts = list(texts_of(pathlib.Path(sys.argv[1])))
    seeds = pathlib.Path(sys.argv[2]) / "seeds"
    seeds.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(texts):
        (seeds / f"{number:04}").write_bytes(text)
    words = sorted({word for text in texts for word in text.split() if len(word) <= LONGEST_WORD})
    dictionary = pathlib.Path(sys.argv[2]) / "words.dict"
    dictionary.write_text("".join(quoted(word) + "\n" for word in words), encoding="ascii")


if __name__ == "__main__":
    main()
