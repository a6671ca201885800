"""The tools that measure: is what the sweep recommends the best there is, and what does measuring cost?

A sweep is short. So everything it could have recommended is measured again, longer and in turn, and
its choice is held against the best of that.
"""
import json

from harness import Spread, output, run_report, say, start
from loader import full_setup, make_corpus, quick_setup, warm_page_cache

ROUNDS = 5
BATCHES = 400
EQUAL = 0.97  # of the best: what counts as equal to it


def profile(options, corpus, *arguments):
    return run_report([options.bin / "qanat", "profile", "data", "--data", corpus, "--json",
                       "--fail-on", "never", *arguments])


def measure_again(options, corpus, cells):
    """{(batch, workers): Spread of seconds of speech per second}, in turns."""
    rounds, batches = (1, 20) if options.quick else (ROUNDS, BATCHES)
    rates = {(cell["batch"], cell["workers"]): [] for cell in cells}
    for _ in range(rounds):
        for batch, workers in rates:
            one = profile(options, corpus, "--batch-size", batch, "--num-workers", workers,
                          "--num-batches", batches, "--set", "pipeline.feature_cache=0")
            rates[batch, workers].append(one["throughput"]["speech_s_per_s"])
    return {cell: Spread(values) for cell, values in rates.items()}


def run_sweep(options):
    """(figures, raw) of `profile data --benchmark`."""
    setup = (quick_setup if options.quick else full_setup)(options.bin, options.work)
    make_corpus(setup)
    warm_page_cache(setup)
    say("sweep: what is recommended")
    sweep = profile(options, setup.corpus, "--benchmark", "--budget", 6 if options.quick else 60)
    choice = sweep["recommended"]
    if choice is None:  # too little was measured for one
        return {}, {"sweep": sweep}
    say("sweep: every cell again")
    rates = measure_again(options, setup.corpus, sweep["cells"])
    same_batch = {workers: rate for (batch, workers), rate in rates.items()
                  if batch == choice["batch"]}
    best = max(rate.median for rate in same_batch.values())
    enough = min(workers for workers, rate in same_batch.items() if rate.median >= EQUAL * best)
    for (batch, workers), rate in rates.items():
        chosen = " <- recommended" if (batch, workers) == (choice["batch"], choice["workers"]) else ""
        print(f"  batch {batch:3}, workers {workers}: {rate.text(0)} s of speech per s{chosen}")
    figures = {"sweep_of_best": same_batch[choice["workers"]].median / best,
               "sweep_spare_workers": choice["workers"] - enough}
    return figures, {"sweep": {"report": sweep, "again": [
        {"batch": batch, "workers": workers, **rate.as_json()}
        for (batch, workers), rate in rates.items()]}}


def run_telemetry(options):
    """(figures, raw) of qanat_telemetry_bench."""
    say("what the journal and the live verdict cost")
    command = [options.bin / "qanat_telemetry_bench",
               *(["--rounds", 1, "--steps", 30] if options.quick else [])]
    cost = json.loads(output(start(command), command))
    return {"telemetry_of_step": cost["overhead_of_step"]}, {"telemetry": cost}


def run_tools(options):
    """(figures, raw) of both."""
    figures, raw = run_sweep(options)
    more_figures, more_raw = run_telemetry(options)
    return {**figures, **more_figures}, {**raw, **more_raw}
