"""Runs one command per unit of a build, as many at once as asked for, with one line of progress. A unit that passed is
remembered with every file that was read for it, and runs again when one of them, its command or its tool changes."""

import concurrent.futures
import dataclasses
import functools
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time
from typing import Callable, List

from progress_line import ProgressLine, in_words


CLOCK_MARGIN = 1.0  # seconds: a file system dates a change by a clock that lags behind


@dataclasses.dataclass(frozen=True)
class Unit:
    name: str
    arguments: List[str]
    reads: Callable[[], str]  # called when it passed: what it reads, as a rule of make
    settings: str = ""  # whatever else its verdict depends on


@dataclasses.dataclass(frozen=True)
class Outcome:
    name: str
    code: int
    text: str  # what was printed


def compile_commands(folder):
    """The units of ours that a folder compiles; precompiled prefixes are none."""
    entries = json.loads((folder / "compile_commands.json").read_text(encoding="utf-8"))
    return [entry for entry in entries if "cmake_pch" not in entry["file"] and "/prefix/" not in entry["file"]]


def files_of_rule(text):
    """The files a rule of make names behind its colon; a space in a name has a backslash before it."""
    _, _, files = text.replace("\\\n", " ").partition(":")
    return [name.replace("\0", " ") for name in files.replace("\\ ", "\0").split()]


@functools.lru_cache(maxsize=None)
def digest_of_file(path):
    try:
        return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
    except OSError:
        return "missing"


class Passed:
    """What has passed: a file per unit in `folder`. `tool` is whatever else a verdict depends on."""

    def __init__(self, folder, tool):
        self._folder = folder
        self._tool = tool
        folder.mkdir(parents=True, exist_ok=True)

    def holds(self, unit):
        try:
            known = json.loads(self._file(unit).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        return known["command"] == self._command(unit) and all(
            digest_of_file(path) == digest for path, digest in known["files"].items())

    def add(self, unit, folder, began):
        """Nothing is remembered when a file was changed since the unit began: it may have read either."""
        paths = {os.path.realpath(os.path.join(folder or ".", name)) for name in files_of_rule(unit.reads())}
        if any(not os.path.exists(path) or os.path.getmtime(path) >= began for path in paths):
            return
        known = {"command": self._command(unit), "files": {path: digest_of_file(path) for path in sorted(paths)}}
        part = self._file(unit).with_suffix(".part")
        part.write_text(json.dumps(known), encoding="utf-8")
        part.replace(self._file(unit))

    def _file(self, unit):
        return self._folder / f"{hashlib.sha256(unit.name.encode()).hexdigest()}.json"

    def _command(self, unit):
        return hashlib.sha256(json.dumps([self._tool, unit.settings, *unit.arguments]).encode()).hexdigest()


def run_each(title, units, jobs, passed, folder=None):
    """Yields the Outcome of every unit that has not passed before, in the order of `units`."""
    waiting = [unit for unit in units if not passed.holds(unit)]
    if len(waiting) < len(units):
        print(f"{title}: {len(units) - len(waiting)} of {len(units)} passed before and are as they were",
              file=sys.stderr)

    def run(unit):
        began = time.time() - CLOCK_MARGIN
        done = subprocess.run(unit.arguments, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        if done.returncode == 0:
            passed.add(unit, folder, began)
        return Outcome(unit.name, done.returncode, done.stdout)

    line, begin = ProgressLine(), time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for count, outcome in enumerate(pool.map(run, waiting), 1):
            yield outcome
            if left := len(waiting) - count:
                seconds = left * (time.monotonic() - begin) / count
                line.show(lambda: f"{title}: {count} of {len(waiting)}, {in_words(seconds)} left")
    line.clear()
