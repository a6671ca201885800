"""Two processes of one thread each against one: utterances/s of nano, in interleaved turns.

The one is bound to a core. The two divide two cores and exchange gradients over the loopback
interface. Ratios are taken within a round.
"""
import json
import os
import shutil
import statistics
import subprocess

from harness import Spread, say
from ring import ring_corpus

ROWS = 8
WARM_UP = 4  # steps that are not counted: shapes are seen for the first time, the order of slices is found


def measured(options, corpus, processes, steps):
    """Utterances/s, and the exposed share of the exchange, by the journal of rank 0."""
    folder = options.work / "replicas"
    shutil.rmtree(folder, ignore_errors=True)
    cores = sorted(os.sched_getaffinity(0))[:processes]
    subprocess.run([options.bin / "qanat", "train", "--train-data", corpus, "--model-size", "nano",
                    "--max-steps", str(steps), "--batch-size", str(ROWS), "--render-every", "0",
                    "--save-every", str(10 * steps), "--processes", str(processes),
                    "--checkpoint-dir", folder],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   preexec_fn=lambda: os.sched_setaffinity(0, cores))
    with open(folder / "journal.jsonl", encoding="utf-8") as lines:
        done = [line for line in map(json.loads, lines) if line["kind"] == "step"][WARM_UP:]
    wall = sum(step["wall"] for step in done)
    exposed = sum(step["phases"].get("exchange", 0) for step in done)
    return sum(step["shape"][0] for step in done) * processes / wall, exposed / wall


def run_replicas(options):
    """(figures, raw)."""
    rounds, steps = (1, 8) if options.quick else (5, 30)
    corpus = ring_corpus(options)
    seen = {1: [], 2: []}
    shares = []
    for number in range(rounds):
        for processes in (1, 2) if number % 2 == 0 else (2, 1):
            say(f"nano, processes of one thread: {processes}")
            rate, share = measured(options, corpus, processes, steps)
            seen[processes].append(rate)
            if processes == 2:
                shares.append(share)
    for processes, rates in seen.items():
        print(f"  nano, {processes} x {ROWS} {Spread(rates).text(1)} utterances/s")
    figures = {
        "replicas_over_one": statistics.median(two / one for two, one in zip(seen[2], seen[1])),
        "replicas_exposed": statistics.median(shares),
    }
    return figures, {"replicas": {f"{processes}": Spread(rates).as_json()
                                  for processes, rates in seen.items()}}
