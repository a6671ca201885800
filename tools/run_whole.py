#!/usr/bin/env python3
"""Runs the suite of a build program by program instead of case by case.

A process of libtorch takes a fraction of a second to start, seconds under a sanitizer, and the suite has thousands
of cases. What ctest runs case by case is one process per test program here; everything else runs as ctest would run
it. A program that dies goes on with the cases behind the one it died in. Failures are told with what was printed,
sanitizers' reports included; all output is in <folder>/whole/.

Usage: run_whole.py --dir build/asan [--label fast] [--jobs 2] [words...]; with words, only programs and tests whose
name has one of them.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

from progress_line import ProgressLine

BEGUN = re.compile(r"^\[ RUN      \] (\S+)", re.MULTILINE)
FAILED = re.compile(r"^\[  FAILED  \] (\w\S*\.[^ ,\n]+)", re.MULTILINE)
REPORT = re.compile(r"(?:WARNING|ERROR): \w+Sanitizer|runtime error:")
TOLD_LINES = 60  # of what a failure printed
TIMES_SLOWER = 10  # than the limits that ctest has for a release build
MAX_DEATHS = 20  # of one program: then something is wrong with all of it


@dataclasses.dataclass
class Job:
    name: str
    command: list
    environment: dict
    folder: str  # it runs in
    timeout: float  # seconds
    cases: list  # of a test program; none where ctest runs one command


@dataclasses.dataclass
class Outcome:
    job: Job
    seconds: float
    num_run: int
    failures: list  # (name, what was printed)


def properties_of(test):
    return {one["name"]: one["value"] for one in test.get("properties", [])}


def environment_of(properties):
    settings = dict(one.split("=", 1) for one in properties.get("ENVIRONMENT", []))
    for one in properties.get("ENVIRONMENT_MODIFICATION", []):
        name, _, operation = one.partition("=")
        kind, _, value = operation.partition(":")
        if kind != "set":
            raise SystemExit(f"run_whole: {one}: expected set; others are not known here")
        settings[name] = value
    return settings


def jobs_of(tests):
    """Commands first, then the programs with most cases: the last one decides when all are done."""
    jobs = {}
    for test in tests:
        command = test["command"]
        filters = [word for word in command if word.startswith("--gtest_filter=")]
        properties = properties_of(test)
        if properties.get("DISABLED"):
            continue
        name = pathlib.Path(command[0]).name if filters else test["name"]
        job = jobs.setdefault(name, Job(name, command[:1] if filters else command, environment_of(properties),
                                        properties.get("WORKING_DIRECTORY"), 0, []))
        job.timeout += float(properties.get("TIMEOUT", 120)) * TIMES_SLOWER
        job.cases += [word.partition("=")[2] for word in filters]
    return sorted(jobs.values(), key=lambda job: (len(job.cases) > 0, -len(job.cases), -job.timeout))


def around_reports(text):
    """The first report of a sanitizer, or the end of the text."""
    lines = text.splitlines()
    found = next((i for i, line in enumerate(lines) if REPORT.search(line)), None)
    return "\n".join(lines[found:found + TOLD_LINES] if found is not None else lines[-TOLD_LINES:])


def parts_by_case(text):
    """{case: what was printed from its begin on}."""
    starts = [(one[1], one.start()) for one in BEGUN.finditer(text)]
    ends = [start for _, start in starts[1:]] + [len(text)]
    return {name: text[start:end] for (name, start), end in zip(starts, ends)}


def run_process(job, arguments, log):
    """Exit status (None: out of time) and what was printed."""
    with open(log, "ab") as out:
        begin = out.tell()
        try:
            status = subprocess.run([*job.command, *arguments], stdin=subprocess.DEVNULL, stdout=out,
                                    stderr=subprocess.STDOUT, env={**os.environ, **job.environment},
                                    cwd=job.folder, timeout=job.timeout, check=False).returncode
        except subprocess.TimeoutExpired:
            status = None
    return status, log.read_bytes()[begin:].decode(errors="replace")


def run_cases(job, log):
    left, failures, num_run = list(job.cases), [], 0
    for _ in range(MAX_DEATHS):
        flags = [f"--gtest_filter={':'.join(left)}"] if len(left) < len(job.cases) else []
        status, text = run_process(job, flags, log)
        parts = parts_by_case(text)
        num_run += len(parts)
        bad = {name for name in parts if REPORT.search(parts[name])} | set(FAILED.findall(text))
        whole = re.search(r"^\[==========\] .* ran\.", text, re.MULTILINE) is not None
        if not whole and parts:
            bad.add(list(parts)[-1])
        failures += [(f"{job.name} {name}", around_reports(parts.get(name, text))) for name in sorted(bad)]
        if status != 0 and not bad:
            failures.append((job.name, around_reports(text)))
        left = [name for name in left if name not in parts]
        if whole or not left or not parts:
            return failures, num_run
    failures.append((job.name, f"died {MAX_DEATHS} times; {len(left)} cases did not run"))
    return failures, num_run


def run_job(job, folder):
    begin = time.monotonic()
    log = folder / f"{job.name}.log"
    log.unlink(missing_ok=True)
    if job.cases:
        failures, num_run = run_cases(job, log)
    else:
        status, text = run_process(job, [], log)
        failures, num_run = ([] if status == 0 else [(job.name, around_reports(text))]), 1
    return Outcome(job, time.monotonic() - begin, num_run, failures)


def how_again(job, name):
    case = name.partition(" ")[2]
    return shlex.join([*(f"{key}={value}" for key, value in job.environment.items()), *map(str, job.command),
                       *([f"--gtest_filter={case}"] if case else [])])


def run_all(jobs, folder, at_once):
    line, outcomes, begin = ProgressLine(), [], time.monotonic()
    total = sum(max(1, len(job.cases)) for job in jobs)
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        for done in concurrent.futures.as_completed([pool.submit(run_job, job, folder) for job in jobs]):
            outcomes.append(done.result())
            line.clear()
            for name, text in outcomes[-1].failures:
                print(f"--- failed: {name}\n{text}\n--- again: {how_again(outcomes[-1].job, name)}", flush=True)
            line.show(lambda: f"run_whole: {sum(one.num_run for one in outcomes)} of {total} tests, "
                              f"{time.monotonic() - begin:.0f} s")
    line.clear()
    return outcomes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", type=pathlib.Path, required=True, help="of the build")
    parser.add_argument("--label", default="fast", help="of the tests")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="at once")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    listed = subprocess.run(["ctest", "--test-dir", options.dir, "-L", options.label, "--show-only=json-v1"],
                            stdout=subprocess.PIPE, check=True).stdout
    jobs = [job for job in jobs_of(json.loads(listed)["tests"])
            if not options.words or any(word in job.name for word in options.words)]
    if not jobs:
        raise SystemExit("run_whole: no test has such a name")
    folder = options.dir / "whole"
    folder.mkdir(exist_ok=True)
    begin = time.monotonic()
    outcomes = run_all(jobs, folder, options.jobs)
    expected = sum(max(1, len(job.cases)) for job in jobs)
    num_run, num_failed = sum(one.num_run for one in outcomes), sum(len(one.failures) for one in outcomes)
    print(f"{len(jobs)} programs and commands, {num_run} of {expected} tests run in "
          f"{time.monotonic() - begin:.0f} s; output: {folder}")
    print(f"{num_run - num_failed} passed, {num_failed} failed")
    return 0 if num_failed == 0 and num_run == expected else 1


if __name__ == "__main__":
    sys.exit(main())
