#!/usr/bin/env python3
"""Runs ninja with one line of progress and the time left; what the compilers say goes into a log.

Usage: build.py --dir build/release --jobs 2 [targets...]

Says at the start how much there is to do and about how long it takes. The guess begins with what
an object took last time, or with the size of its sources, and follows the pace of this machine.
A failure shows what the compiler said, and where the rest is. Exit code: ninja's.
"""

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from progress_line import ProgressLine, in_words

# Seconds of one core, fitted to a build on 2 cores without a compiler cache; a guess to begin with.
HEADERS_SECONDS = {"plain": 5, "torch": 12}
PREFIX_SECONDS = {"plain": 8, "torch": 28}
SECONDS_PER_BYTE = 15e-5
OTHER_SECONDS = 0.5  # an archive, a program
TRUST_AFTER = 15  # seconds of work, before the pace of this machine counts

STATUS = re.compile(r"^@(\d+)/(\d+)@ (.*)$")
OUTPUT = re.compile(r"(?:Building CXX object|Linking CXX \w+ \w+|Linking CXX \w+) (\S+)")


def last_times(folder):
    """Seconds that each output took when it was made last."""
    times = {}
    try:
        for line in (folder / ".ninja_log").read_text(encoding="utf-8").splitlines():
            parts = line.split("\t")
            if len(parts) == 5:
                times[parts[3]] = (int(parts[1]) - int(parts[0])) / 1000
    except (OSError, ValueError):
        return {}
    return times


def source_bytes(source):
    """The size of a source, or of the files that a unity source includes."""
    try:
        if "Unity" not in source.parts:
            return source.stat().st_size
        included = re.findall(r'^#include "(.*)"$', source.read_text(encoding="utf-8"), re.M)
        return sum(os.path.getsize(name) for name in included)
    except OSError:
        return 0


class Costs:
    """About how long each output takes."""

    def __init__(self, folder):
        self.folder = folder
        self.known = last_times(folder)
        rules = (folder / "build.ninja").read_text(encoding="utf-8", errors="replace")
        self.torch = set(re.findall(r"^build (\S+\.o): CXX_COMPILER__\S+ [^\n]*qanat_torch_prefix", rules, re.M))

    def of(self, output):
        if output in self.known:
            return self.known[output]
        kind = "torch" if output in self.torch or "torch_prefix" in output else "plain"
        if output.endswith(".gch"):
            return PREFIX_SECONDS[kind]
        if output.endswith(".o"):
            return HEADERS_SECONDS[kind] + SECONDS_PER_BYTE * source_bytes(self.folder / output[:-2])
        return OTHER_SECONDS


def output_of(description):
    found = OUTPUT.search(description)
    return found.group(1) if found else description


def planned(ninja):
    """Descriptions of all that ninja would do now; None when it cannot tell."""
    dry = subprocess.run(ninja + ["-n"], capture_output=True, text=True, env=ninja_environment(), check=False)
    if dry.returncode != 0:
        return None
    return [match.group(3) for line in dry.stdout.splitlines() if (match := STATUS.match(line))]


def ninja_environment():
    return dict(os.environ, NINJA_STATUS="@%f/%t@ ")


class Progress:
    """What is done and what is left of a build."""

    def __init__(self, costs, descriptions, jobs):
        self.left = {output_of(text): costs.of(output_of(text)) for text in descriptions}
        self.total = sum(self.left.values())
        self.jobs = jobs
        self.begin = time.monotonic()
        self.line = ProgressLine()
        self.finished = 0
        self.steps = len(descriptions)

    def seconds_left(self):
        rest = sum(self.left.values())
        done = self.total - rest
        guess = rest / self.jobs
        if done > TRUST_AFTER:
            guess = rest * (time.monotonic() - self.begin) / done
        return guess

    def done(self, finished, steps, description):
        self.finished, self.steps = finished, steps
        self.left.pop(output_of(description), None)

    def words(self):
        share = 1 - sum(self.left.values()) / self.total if self.total else 1
        return f"dev: building {share:4.0%}, {self.finished} of {self.steps}, {in_words(self.seconds_left())} left"


def show_failure(lines, log):
    first = next((i for i, line in enumerate(lines) if line.startswith("FAILED:")), max(0, len(lines) - 40))
    shown = [line for line in lines[first:] if not STATUS.match(line)]
    sys.stderr.write("\n".join(line[:2000] for line in shown[:60]) + "\n")
    sys.stderr.write(f"dev: the build failed; the whole log is in {log}\n")


def run(ninja, progress, log):
    """Ninja's exit code. Its output goes to `log`; on a failure also to the terminal."""
    lines = []
    with open(log, "w", encoding="utf-8") as file:
        process = subprocess.Popen(ninja, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   errors="replace", env=ninja_environment())
        for line in process.stdout:
            file.write(line)
            line = line.rstrip("\n")
            lines.append(line)
            if match := STATUS.match(line):
                progress.done(int(match.group(1)), int(match.group(2)), match.group(3))
            progress.line.show(progress.words)
        code = process.wait()
    progress.line.clear()
    if code != 0:
        show_failure(lines, log)
    return code


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", type=pathlib.Path, required=True, help="folder that CMake configured")
    parser.add_argument("--jobs", type=int, required=True, help="compilers at once")
    parser.add_argument("targets", nargs="*")
    options = parser.parse_args()
    ninja = ["ninja", "-C", str(options.dir), "-j", str(options.jobs), *options.targets]
    log = options.dir / "build.log"
    descriptions = planned(ninja)
    if descriptions is not None and not descriptions:
        print("dev: nothing to build", file=sys.stderr)
        return 0
    progress = Progress(Costs(options.dir), descriptions or [], options.jobs)
    print(f"dev: {len(progress.left)} to build, about {in_words(progress.seconds_left())} with {options.jobs} "
          f"{'compiler' if options.jobs == 1 else 'compilers'} and an empty cache; log: {log}", file=sys.stderr)
    begin = time.monotonic()
    # Ctrl-C reaches ninja by itself, which ends its compilers; we wait for it and say where the log is.
    signal.signal(signal.SIGINT, lambda *_: None)
    code = run(ninja, progress, log)
    if code == 0:
        print(f"dev: built in {time.monotonic() - begin:.0f} s", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
