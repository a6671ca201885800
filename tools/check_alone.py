#!/usr/bin/env python3
"""Whether every source compiles by itself, with what it includes itself; the release build reads a dozen together.

The compiler stops before it makes code, which halves the time. Files that passed and have not changed since, nor what
they include, are not read again.

Usage: check_alone.py --dir build/dev --jobs 2 [words...]; with words, only files whose path has one of them.
"""

import argparse
import pathlib
import shlex
import subprocess
import sys

from each_unit import Passed, Unit, compile_commands, run_each

ROOT = pathlib.Path(__file__).resolve().parents[1]


def make_what_is_included(folder):
    """Headers that the build makes, and libtorch's precompiled ones."""
    listed = subprocess.run(["ninja", "-t", "targets", "all"], cwd=folder, capture_output=True, text=True, check=True)
    names = [line.split(":")[0] for line in listed.stdout.splitlines()]
    wanted = [name for name in names if name.startswith(("made/", "embedded/")) or name.endswith("cmake_pch.hxx.gch")]
    done = subprocess.run(["ninja", *wanted], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"alone: what sources include could not be made\n{done.stdout}")


def make_unit(entry, out):
    """A command of the build without its cache and its output; what it reads goes into a file of its own."""
    arguments = [word for word in shlex.split(entry["command"]) if not word.endswith("ccache")]
    at = arguments.index("-o")
    rule = out / (arguments[at + 1].replace("/", "_") + ".d")
    return Unit(entry["file"], [*arguments[:at], *arguments[at + 2 :], "-fsyntax-only", "-MD", "-MF", str(rule)],
                lambda: rule.read_text(encoding="utf-8"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", type=pathlib.Path, required=True, help="folder that CMake configured, file by file")
    parser.add_argument("--jobs", type=int, required=True)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    folder = options.dir.resolve()
    make_what_is_included(folder)
    out = folder / "alone"
    out.mkdir(exist_ok=True)
    units = {entry["file"]: make_unit(entry, out) for entry in compile_commands(folder)}
    chosen = [units[name] for name in sorted(units) if not options.words or any(w in name for w in options.words)]
    if not chosen:
        print("alone: no files", file=sys.stderr)
        return 2
    compiler = subprocess.run([chosen[0].arguments[0], "--version"], capture_output=True, text=True, check=True).stdout
    failed = 0
    for outcome in run_each("alone", chosen, options.jobs, Passed(out / "passed", compiler), folder):
        if outcome.code != 0:
            failed += 1
            print(f"{outcome.name}\n{outcome.text}".replace(f"{ROOT}/", ""), flush=True)
    print(f"alone: {len(chosen)} files, {failed} failed", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
