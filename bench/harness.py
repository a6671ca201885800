"""Running programs for a benchmark: their JSON lines, their memory, medians with spread."""
import dataclasses
import json
import os
import statistics
import subprocess
import sys
import threading

# One thread per worker: otherwise the math libraries of the workers fight for the cores.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}

PYTHON = "/usr/bin/python3"  # Debian's own: python3-torch belongs to it


class ProgramFailed(Exception):
    """A program of the benchmark ended badly; the message has what it said."""


def say(message):
    print(f"bench: {message}", file=sys.stderr, flush=True)


@dataclasses.dataclass
class Spread:
    """A median and what it is the median of."""

    values: list

    @property
    def median(self):
        return statistics.median(self.values)

    def as_json(self):
        return {"median": self.median, "min": min(self.values), "max": max(self.values),
                "n": len(self.values)}

    def text(self, digits=0):
        low, high = min(self.values), max(self.values)
        return f"{self.median:.{digits}f} ({low:.{digits}f}-{high:.{digits}f})"


def missing_modules(*modules):
    """Why programs in Python that import these cannot run here; None when they can."""
    tried = subprocess.run([PYTHON, "-c", f"import {', '.join(modules)}"], capture_output=True,
                           check=False) if os.path.exists(PYTHON) else None
    if tried is not None and tried.returncode == 0:
        return None
    return "no " + " and ".join(f"python3-{name}" for name in modules)


def start(command, threads=ONE_THREAD):
    return subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env={**os.environ, **threads})


def output(process, command):
    out, err = process.communicate()
    if process.returncode != 0:
        raise ProgramFailed(f"{command[0]} ended with {process.returncode}: {err.strip()[-2000:]}")
    return out


def finish(process, command):
    """The JSON objects the program printed, one per line."""
    return [json.loads(line) for line in output(process, command).splitlines() if line.startswith("{")]


def run_lines(command):
    return finish(start(command), command)


def run_report(command):
    """The one JSON object of a program that chooses its threads itself."""
    return json.loads(output(start(command, threads={}), command))


def process_tree(root):
    """Ids of a process and its descendants; those that just ended are left out."""
    found, waiting = [], [root]
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        try:
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as children:
                    waiting += [int(child) for child in children.read().split()]
        except OSError:
            continue
    return found


def tree_pss_mb(root):
    """Proportional set size in MB: a page shared by n processes counts 1/n in each."""
    kilobytes = 0
    for pid in process_tree(root):
        try:
            with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as lines:
                kilobytes += sum(int(x.split()[1]) for x in lines if x.startswith("Pss:"))
        except OSError:
            continue
    return kilobytes / 1024


def peak_memory_mb(command):
    """Runs the program once, looking at its memory 20 times a second."""
    process = start(command)
    peak = 0.0
    ended = threading.Event()

    def watch():
        nonlocal peak
        while not ended.wait(0.05):
            peak = max(peak, tree_pss_mb(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        finish(process, command)
    finally:
        ended.set()
        watcher.join()
    return peak
