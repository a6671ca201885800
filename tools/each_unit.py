"""Runs one command per unit of a build, as many at once as asked for, with one line of progress."""

import concurrent.futures
import json
import subprocess
import sys


def compile_commands(folder):
    """The units of ours that a folder compiles; precompiled prefixes are none."""
    entries = json.loads((folder / "compile_commands.json").read_text(encoding="utf-8"))
    return [entry for entry in entries if "cmake_pch" not in entry["file"] and "/prefix/" not in entry["file"]]


def run_each(title, commands, jobs, folder=None):
    """Yields (name, exit code, what was printed) of every command, in the order of `commands`, which has
    (name, arguments)."""

    def run(item):
        name, arguments = item
        done = subprocess.run(
            arguments, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        return name, done.returncode, done.stdout

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for count, result in enumerate(pool.map(run, commands), 1):
            yield result
            if sys.stderr.isatty():
                sys.stderr.write(f"\r\033[K{title}: {count} of {len(commands)}")
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")
