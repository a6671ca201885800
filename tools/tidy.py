#!/usr/bin/env python3
"""clang-tidy over every unit that knows no libtorch; clang-tidy 14 cannot read libtorch's headers.

Units are those of the release build, a dozen sources each: their headers are read once.

Usage: tidy.py --dir build/release --jobs 2 [words...]; with words, only units whose path has one of them.
"""

import argparse
import json
import pathlib
import re
import sys

from each_unit import compile_commands, run_each

ROOT = pathlib.Path(__file__).resolve().parents[1]
PREFIX = re.compile(r"-include (\S+/(\w+)\.dir/cmake_pch\.hxx)")
# The table of all sentences is made at compile time; clang stops after a million steps, GCC does not.
STEPS = "-fconstexpr-steps=100000000"
FINDING = re.compile(r"^/.*: (?:error|warning): .*\[[\w.,-]+\]$")


def is_ours(entry):
    return "torch/csrc" not in entry["command"]


def write_commands(folder):
    """Commands for clang in a folder of their own: beside GCC's precompiled prefix clang refuses the header."""
    out = folder / "tidy"
    out.mkdir(exist_ok=True)
    entries = [entry for entry in compile_commands(folder) if is_ours(entry)]
    for entry in entries:
        for header, name in PREFIX.findall(entry["command"]):
            (out / f"{name}.hxx").write_text(pathlib.Path(header).read_text(encoding="utf-8"), encoding="utf-8")
        entry["command"] = PREFIX.sub(lambda found: f"-include {out}/{found[2]}.hxx", entry["command"])
    (out / "compile_commands.json").write_text(json.dumps(entries), encoding="utf-8")
    return out, sorted({entry["file"] for entry in entries})


def new_findings(text, seen):
    """Findings with what belongs to them; one of a header is told once, not once per unit."""
    told = []
    keep = False
    for line in text.splitlines():
        if FINDING.match(line):
            keep = line not in seen
            seen.add(line)
        if keep:
            told.append(line.replace(f"{ROOT}/", ""))
    return told


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", type=pathlib.Path, required=True, help="folder that CMake built for release")
    parser.add_argument("--jobs", type=int, required=True)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    folder, names = write_commands(options.dir.resolve())
    names = [name for name in names if not options.words or any(word in name for word in options.words)]
    if not names:
        print("tidy: no units", file=sys.stderr)
        return 2
    failed = 0
    seen = set()
    tidy = ["clang-tidy", "--quiet", f"--extra-arg={STEPS}", "-p", str(folder)]
    for name, code, text in run_each("tidy", [(name, [*tidy, name]) for name in names], options.jobs):
        if code != 0:
            failed += 1
            told = new_findings(text, seen)
            print("\n".join(told) if told or seen else f"{name}: clang-tidy failed\n{text}", flush=True)
    print(f"tidy: {len(names)} units, {failed} with findings", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
