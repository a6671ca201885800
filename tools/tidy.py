#!/usr/bin/env python3
"""clang-tidy over every unit that knows no libtorch; clang-tidy 14 cannot read libtorch's headers.

Units are those of the release build, a dozen sources each: their headers are read once. Those that passed and have
not changed since are not read again.

Usage: tidy.py --dir build/release --jobs 2 [words...]; with words, only units whose path has one of them.
"""

import argparse
import json
import pathlib
import re
import shlex
import subprocess
import sys

from each_unit import Passed, Unit, compile_commands, run_each

ROOT = pathlib.Path(__file__).resolve().parents[1]
PREFIX = re.compile(r"-include (\S+/(\w+)\.dir/cmake_pch\.hxx)")
# The table of all sentences is made at compile time; clang stops after a million steps, GCC does not.
STEPS = "-fconstexpr-steps=100000000"
OF_GCC = "-Wno-unknown-warning-option"  # the build's are GCC's
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
    return out, {entry["file"]: entry["command"] for entry in entries}


def reads_of(command):
    """What the compiler says the unit reads."""
    words = [word for word in shlex.split(command) if not word.endswith("ccache")]
    at = words.index("-o")
    done = subprocess.run([*words[:at], *words[at + 2 :], "-M"], capture_output=True, text=True, check=True)
    return done.stdout


def what_judges():
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True, check=True).stdout
    return version + (ROOT / ".clang-tidy").read_text(encoding="utf-8")


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
    folder, commands = write_commands(options.dir.resolve())
    tidy = ["clang-tidy", "--quiet", f"--extra-arg={STEPS}", f"--extra-arg={OF_GCC}", "-p", str(folder)]
    units = [
        Unit(name, [*tidy, name], lambda command=command: reads_of(command), settings=command)
        for name, command in sorted(commands.items())
        if not options.words or any(word in name for word in options.words)
    ]
    if not units:
        print("tidy: no units", file=sys.stderr)
        return 2
    failed = 0
    seen = set()
    for outcome in run_each("tidy", units, options.jobs, Passed(folder / "passed", what_judges())):
        if outcome.code != 0:
            failed += 1
            told = new_findings(outcome.text, seen)
            print("\n".join(told) if told or seen else f"{outcome.name}: clang-tidy failed\n{outcome.text}", flush=True)
    print(f"tidy: {len(units)} units, {failed} with findings", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
