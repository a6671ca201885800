#!/usr/bin/env python3
"""Whether every source compiles by itself, with what it includes itself; the release build reads a dozen together.

The compiler stops before it makes code, which halves the time.

Usage: check_alone.py --dir build/dev --jobs 2 [words...]; with words, only files whose path has one of them.
"""

import argparse
import pathlib
import shlex
import subprocess
import sys

from each_unit import compile_commands, run_each

ROOT = pathlib.Path(__file__).resolve().parents[1]


def make_what_is_included(folder):
    """Headers that the build makes, and libtorch's precompiled ones."""
    listed = subprocess.run(["ninja", "-t", "targets", "all"], cwd=folder, capture_output=True, text=True, check=True)
    names = [line.split(":")[0] for line in listed.stdout.splitlines()]
    wanted = [name for name in names if name.startswith(("made/", "embedded/")) or name.endswith("cmake_pch.hxx.gch")]
    done = subprocess.run(["ninja", *wanted], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"alone: what sources include could not be made\n{done.stdout}")


def syntax_only(command):
    """A command of the build without its cache and its output."""
    arguments = [word for word in shlex.split(command) if not word.endswith("ccache")]
    at = arguments.index("-o")
    return [*arguments[:at], *arguments[at + 2 :], "-fsyntax-only"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", type=pathlib.Path, required=True, help="folder that CMake configured, file by file")
    parser.add_argument("--jobs", type=int, required=True)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    folder = options.dir.resolve()
    make_what_is_included(folder)
    commands = {entry["file"]: syntax_only(entry["command"]) for entry in compile_commands(folder)}
    chosen = [item for item in sorted(commands.items()) if not options.words or any(w in item[0] for w in options.words)]
    if not chosen:
        print("alone: no files", file=sys.stderr)
        return 2
    failed = 0
    for name, code, text in run_each("alone", chosen, options.jobs, folder):
        if code != 0:
            failed += 1
            print(f"{name}\n{text}".replace(f"{ROOT}/", ""), flush=True)
    print(f"alone: {len(chosen)} files, {failed} failed", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
