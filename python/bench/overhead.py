#!/usr/bin/env python3
"""What watching costs a step: a loop with a loader and four phases, with and without qanat.watch.

    python3 python/bench/overhead.py [--steps 20000] [--rounds 7]

Rounds interleave; the figure is the median of the rounds, with the smallest and the largest."""
import argparse
import os
import statistics
import sys
import tempfile
from time import perf_counter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import qanat  # noqa: E402

PHASES = ("forward", "loss", "backward", "optimizer")


def watched(steps):
    with tempfile.TemporaryDirectory() as folder, qanat.watch(folder) as run:
        begin = perf_counter()
        for _ in run.loader(range(steps)):
            with run.step(batch_size=32):
                for name in PHASES:
                    with run.phase(name):
                        pass
        seconds = perf_counter() - begin
        run._journal.flush()
        size = os.path.getsize(os.path.join(folder, "journal.jsonl"))
    return seconds / steps, size / steps


def bare(steps):
    begin = perf_counter()
    for _ in range(steps):
        for _name in PHASES:
            pass
    return (perf_counter() - begin) / steps


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=20000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    costs, size = [], 0.0
    for _ in range(options.rounds):
        without = bare(options.steps)
        seconds, size = watched(options.steps)
        costs.append(1e6 * (seconds - without))
    print(f"watching costs {statistics.median(costs):.1f} us per step "
          f"({min(costs):.1f} to {max(costs):.1f}, {options.rounds} rounds of {options.steps} steps), "
          f"{size:.0f} bytes per step")


if __name__ == "__main__":
    main()
