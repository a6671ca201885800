#!/usr/bin/env python3
"""clang-tidy over every source that knows no libtorch; clang-tidy 14 cannot read libtorch's headers.

Usage: tidy.py --dir build/dev --jobs 2 [words...]; with words, only files whose path has one of them.
"""

import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys


def sources(folder, words):
    """Files of ours that are compiled without libtorch's folders."""
    root = pathlib.Path(__file__).resolve().parents[1]
    entries = json.loads((folder / "compile_commands.json").read_text(encoding="utf-8"))
    names = {
        entry["file"]
        for entry in entries
        if "torch/csrc" not in entry["command"] and entry["file"].startswith(f"{root}/src/")
    }
    return sorted(name for name in names if not words or any(word in name for word in words))


def check(folder, name):
    done = subprocess.run(["clang-tidy", "--quiet", "-p", str(folder), name], capture_output=True, text=True, check=False)
    return name, done.returncode, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", type=pathlib.Path, required=True, help="folder that CMake configured, file by file")
    parser.add_argument("--jobs", type=int, required=True)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    names = sources(options.dir, options.words)
    if not names:
        print("tidy: no files", file=sys.stderr)
        return 2
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done, (name, code, text) in enumerate(pool.map(lambda name: check(options.dir, name), names), 1):
            if code != 0:
                failed += 1
                print(text)
            if sys.stderr.isatty():
                sys.stderr.write(f"\r\033[Ktidy: {done} of {len(names)}")
    print(f"tidy: {len(names)} files, {failed} with findings", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
