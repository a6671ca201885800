"""Training beside another program: steps/s of nano alone and with one core kept busy by a neighbour.

Both with threads of libtorch that wait as the program adapts them (src/run/session/adaptive_waits.h) and
with libgomp's own waiting, in interleaved turns: a machine that gets slower does so for all of them.
Ratios are taken within a round.
"""
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys

from harness import Spread, say
from ring import ring_corpus

LIBGOMP_DEFAULT = "300000"  # iterations that libgomp spins where nobody says otherwise
WAITING = {"adaptive": None, "libgomp": LIBGOMP_DEFAULT}
WARM_UP = 2  # steps that are not counted: shapes are seen for the first time


@contextlib.contextmanager
def neighbour():
    """A process that keeps one core busy."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def environment(spin_count):
    plain = {name: value for name, value in os.environ.items()
             if name not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
    return plain if spin_count is None else {**plain, "GOMP_SPINCOUNT": spin_count}


def steps_per_second(options, corpus, spin_count, steps):
    """Of nano, by the journal."""
    folder = options.work / "company"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([options.bin / "qanat", "train", "--data", corpus, "--model-size", "nano",
                    "--max-steps", str(steps), "--batch-size", "8", "--render-every", "0",
                    "--save-every", str(10 * steps), "--checkpoint-dir", folder],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env=environment(spin_count))
    with open(folder / "journal.jsonl", encoding="utf-8") as lines:
        walls = [line["wall"] for line in map(json.loads, lines) if line["kind"] == "step"][WARM_UP:]
    return len(walls) / sum(walls)


def run_company(options):
    """(figures, raw)."""
    rounds, steps = (1, 6) if options.quick else (5, 20)
    corpus = ring_corpus(options)
    turns = [(waiting, company) for waiting in WAITING for company in ("alone", "beside one")]
    seen = {turn: [] for turn in turns}
    for number in range(rounds):
        for waiting, company in turns if number % 2 == 0 else turns[::-1]:
            say(f"nano {company}, threads wait as {waiting}")
            with neighbour() if company == "beside one" else contextlib.nullcontext():
                rate = steps_per_second(options, corpus, WAITING[waiting], steps)
            seen[waiting, company].append(rate)
    spreads = {turn: Spread(rates) for turn, rates in seen.items()}
    for (waiting, company), spread in spreads.items():
        print(f"  nano, {waiting:8} {company:11} {spread.text(2)} steps/s")

    def ratio(over, under):
        return statistics.median(a / b for a, b in zip(seen[over], seen[under]))

    figures = {
        "company_share": ratio(("adaptive", "beside one"), ("adaptive", "alone")),
        "company_idle_over_libgomp": ratio(("adaptive", "alone"), ("libgomp", "alone")),
        "company_share_libgomp": ratio(("libgomp", "beside one"), ("libgomp", "alone")),
    }
    return figures, {"company": {f"{waiting}, {company}": spread.as_json()
                                 for (waiting, company), spread in spreads.items()}}
