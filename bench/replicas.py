"""Two processes of one thread each against one: utterances/s of nano, in interleaved turns.

The one is bound to a core. The two divide two cores and exchange gradients over the loopback
interface. Two that know nothing of each other, a core each, show what the machine itself allows:
cores share caches and memory. Ratios are taken within a round.
"""
import json
import os
import shutil
import statistics
import subprocess

from harness import ProgramFailed, Spread, say
from ring import ring_corpus

ROWS = 8
WARM_UP = 4  # steps that are not counted: shapes are seen for the first time, the order of slices is found


def start(options, corpus, folder, processes, cores, steps):
    shutil.rmtree(folder, ignore_errors=True)
    command = [options.bin / "qanat", "train", "--train-data", corpus, "--model-size", "nano",
               "--max-steps", str(steps), "--batch-size", str(ROWS), "--render-every", "0",
               "--save-every", str(10 * steps), "--processes", str(processes), "--checkpoint-dir", folder]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            preexec_fn=lambda: os.sched_setaffinity(0, cores))


def steps_of(folder):
    with open(folder / "journal.jsonl", encoding="utf-8") as lines:
        return [line for line in map(json.loads, lines) if line["kind"] == "step"][WARM_UP:]


def rate_of(steps):
    return sum(step["shape"][0] for step in steps) / sum(step["wall"] for step in steps)


def measured(options, corpus, processes, runs, steps):
    """Utterances/s of `runs` beside each other, of so many processes each; exposed share of the exchange."""
    cores = sorted(os.sched_getaffinity(0))[:processes * runs]
    folders = [options.work / f"replicas-{run}" for run in range(runs)]
    started = [start(options, corpus, folder, processes, cores[run * processes:(run + 1) * processes], steps)
               for run, folder in enumerate(folders)]
    if any([process.wait() != 0 for process in started]):
        raise ProgramFailed(f"qanat train --processes {processes} failed")
    done = [steps_of(folder) for folder in folders]
    exposed = sum(step["phases"].get("exchange", 0) for step in done[0]) / sum(step["wall"] for step in done[0])
    return processes * sum(map(rate_of, done)), exposed


def run_replicas(options):
    """(figures, raw)."""
    rounds, steps = (1, 8) if options.quick else (5, 30)
    corpus = ring_corpus(options)
    kinds = {"one": (1, 1), "two": (2, 1), "apart": (1, 2)}  # processes of a run, runs
    seen = {kind: [] for kind in kinds}
    shares = []
    for number in range(rounds):
        for kind in list(kinds) if number % 2 == 0 else reversed(kinds):
            say(f"nano, processes of one thread: {kind}")
            rate, share = measured(options, corpus, *kinds[kind], steps)
            seen[kind].append(rate)
            if kind == "two":
                shares.append(share)
    for kind, rates in seen.items():
        print(f"  nano, {kind}, {ROWS} rows a process: {Spread(rates).text(1)} utterances/s")

    def ratio(kind, to):
        return statistics.median(a / b for a, b in zip(seen[kind], seen[to]))

    figures = {"replicas_over_one": ratio("two", "one"),
               "replicas_apart_over_one": ratio("apart", "one"),
               "replicas_over_apart": ratio("two", "apart"),
               "replicas_exposed": statistics.median(shares)}
    return figures, {"replicas": {kind: Spread(rates).as_json() for kind, rates in seen.items()}}
