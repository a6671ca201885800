"""Two processes of one thread each against one: utterances/s of nano, in interleaved turns.

The one is bound to a core. The two divide two cores and exchange gradients over the loopback
interface. Two that know nothing of each other, a core each, show what the machine itself allows:
cores share caches and memory. Every rank's own rows count. Ratios are taken within a round.
"""
import json
import os
import shutil
import statistics
import subprocess

from harness import ProgramFailed, Spread, run_lines, say

ROWS = 8
WARM_UP = 4  # steps that are not counted: shapes are seen for the first time, the order of slices is found


def start(options, corpus, folder, processes, cores, steps):
    shutil.rmtree(folder, ignore_errors=True)
    command = [options.bin / "qanat", "train", "--data", corpus, "--model-size", "nano",
               "--max-steps", str(steps), "--batch-size", str(ROWS), "--render-every", "0",
               "--save-every", str(10 * steps), "--processes", str(processes), "--checkpoint-dir", folder]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            preexec_fn=lambda: os.sched_setaffinity(0, cores))


def journals_of(folder):
    """The steps behind the warm-up, by rank."""
    paths = [folder / "journal.jsonl", *sorted(folder.glob("journal.rank*.jsonl"))]
    return [[line for line in map(json.loads, path.open(encoding="utf-8")) if line["kind"] == "step"][WARM_UP:]
            for path in paths]


def share_of(steps, phase):
    return sum(step["phases"].get(phase, 0) for step in steps) / sum(step["wall"] for step in steps)


class Runs:
    """What one kind of run has shown: frames/s of all its ranks, what waits for the exchange, rows and frames."""

    def __init__(self):
        self.rates, self.exposed, self.even, self.rows, self.frames = [], [], [], 0, 0

    def add(self, options, corpus, processes, runs, steps):
        cores = sorted(os.sched_getaffinity(0))[:processes * runs]
        folders = [options.work / f"replicas-{run}" for run in range(runs)]
        started = [start(options, corpus, folder, processes, cores[run * processes:(run + 1) * processes], steps)
                   for run, folder in enumerate(folders)]
        if any([process.wait() != 0 for process in started]):
            raise ProgramFailed(f"qanat train --processes {processes} failed")
        rate = 0
        for folder in folders:
            ranks = journals_of(folder)
            frames = sum(step["frames"] for steps in ranks for step in steps)
            rate += frames / sum(step["wall"] for step in ranks[0])
            self.frames += frames
            self.rows += sum(step["shape"][0] for steps in ranks for step in steps)
        self.rates.append(rate)
        self.exposed.append(statistics.mean(share_of(steps, "exchange") for steps in ranks))
        # One of two ranks waits for the other; what both wait is the exchange itself.
        self.even.append(sum(min(step["phases"].get("exchange", 0) for step in together) for together in zip(*ranks)) /
                         sum(step["wall"] for step in ranks[0]))


def replica_corpus(options):
    """Speech of every length, so much that few batches are the rest of their length."""
    corpus = options.work / "replica-corpus"
    run_lines([options.bin / "qanat", "data", "make-demo", corpus, "--utterances", 300 if options.quick else 1500,
               "--built-in"])
    return corpus


def run_replicas(options):
    """(figures, raw)."""
    rounds, steps = (1, 8) if options.quick else (5, 40)
    corpus = replica_corpus(options)
    kinds = {"one": (1, 1), "two": (2, 1), "apart": (1, 2)}  # processes of a run, runs
    seen = {kind: Runs() for kind in kinds}
    for number in range(rounds):
        for kind in list(kinds) if number % 2 == 0 else reversed(kinds):
            say(f"nano, processes of one thread: {kind}")
            seen[kind].add(options, corpus, *kinds[kind], steps)
    # Runs see other utterances, so what counts is speech; a mean utterance is the unit.
    mean = sum(runs.frames for runs in seen.values()) / sum(runs.rows for runs in seen.values())
    rates = {kind: [rate / mean for rate in runs.rates] for kind, runs in seen.items()}
    for kind, of_kind in rates.items():
        print(f"  nano, {kind}, {ROWS} rows a process: {Spread(of_kind).text(1)} utterances/s")

    def ratio(kind, to):
        return statistics.median(a / b for a, b in zip(rates[kind], rates[to]))

    figures = {"replicas_over_one": ratio("two", "one"),
               "replicas_apart_over_one": ratio("apart", "one"),
               "replicas_over_apart": ratio("two", "apart"),
               "replicas_exposed": statistics.median(seen["two"].exposed),
               "replicas_exchange": statistics.median(seen["two"].even)}
    return figures, {"replicas": {kind: Spread(of_kind).as_json() for kind, of_kind in rates.items()}}
