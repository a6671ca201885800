#!/usr/bin/env python3
"""What other tools say of the loops of fault_matrix.py: the same loaders and pauses in a loop of torch modules.

    pip install traceml-ai gpuprof nvidia-dali-cuda120 nvtx torch
    python3 python/bench/other_tools.py traceml|gpuprof|dali [--rounds 1] [--kinds slow_storage,...] [--json FILE]

TraceML and gpuprof name the part of a step that is too long, neither a setting nor a gain. DALI's loader evaluator
replays batches from memory and so says what free data would save, and nothing of the rest. A verdict is right here
when it names the part in which the fault is; DALI is asked about faults of the input only. `--loop KIND SEED` is one
loop, for the tool.

TraceML gives its own aggregator 15 s to start, which no option changes; on a busy machine that is too short for
the imports it does, and the run has no verdict. Such a run says nothing of TraceML and is made again.
"""
import argparse
import contextlib
import importlib.metadata
import io
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
from time import perf_counter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from fault_matrix import HEALTHY, KINDS, STEPS, make_loader, rest  # noqa: E402

INPUT, RESIDUAL, COMPUTE = "INPUT", "RESIDUAL", "COMPUTE"
# Where the fault is. A sound loop of paced work computes, and nothing else.
PARTS = {"slow_storage": INPUT, "loads_in_main": INPUT, "collate_in_main": INPUT,
         "workers_start_every_epoch": INPUT, "uneven_batches": INPUT, "saves_often": RESIDUAL,
         "saves_long": RESIDUAL, "stall_every_12": COMPUTE, "slower_and_slower": COMPUTE,
         "slower_from_a_moment": COMPUTE, "rare_long_steps": COMPUTE,
         "copies_wait": RESIDUAL,  # without a GPU none of them knows copies
         "healthy": COMPUTE}
TRIES = 5
SAVES = 0.05  # of the time, with free data: the loader is at fault
LOOPS = {**{kind.name: kind.faulty for kind in KINDS if not kind.burns}, "healthy": HEALTHY}
# What gpuprof's findings on a machine without a GPU are about.
TITLES = (("loader", INPUT), ("Prefetch", INPUT), ("tail latency", COMPUTE))


def train(loop, seed, step_of=lambda model: contextlib.nullcontext(), wrap=lambda loader: loader):
    """The loop of fault_matrix.train(), of modules that pause."""
    import torch

    chance = random.Random(seed)
    step = 0

    class Model(torch.nn.Linear):
        def forward(self, x):
            rest(loop.forward(step, chance))
            return super().forward(x)

    class Optimizer(torch.optim.SGD):
        def step(self, closure=None):
            rest(loop.optimizer)
            return super().step(closure)

    model = Model(1, 1)
    optimizer = Optimizer(model.parameters(), lr=1e-3)
    loader = wrap(make_loader(loop, seed))
    while step < STEPS:
        for rows in loader:
            with step_of(model):
                optimizer.zero_grad()
                rest(loop.transfer(step))
                model(torch.ones(len(rows), 1)).sum().backward()
                optimizer.step()
            step += 1
            if loop.save[0] and step % loop.save[0] == 0:
                rest(loop.save[1])
            if step == STEPS:
                break


# One loop, in a process of its own.


def loop_of_traceml(loop, seed):
    import traceml_ai

    traceml_ai.init(mode="auto")
    train(loop, seed, traceml_ai.trace_step)


def loop_of_gpuprof(loop, seed):
    import gpuprof
    from gpuprof import insights

    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "gpuprof.db")
        with contextlib.redirect_stdout(io.StringIO()):
            with gpuprof.profile("run", db_path=path):
                train(loop, seed)
        said = [one["title"] for one in insights.analyze(path, 1)["insights"]]
    parts = [part for title in said for word, part in TITLES if word in title]
    print(json.dumps({"said": said, "part": parts[0] if parts else "nothing"}))


def loop_of_dali(loop, seed):
    from nvidia.dali.plugin.pytorch.loader_evaluator import LoaderEvaluator

    def seconds(mode):
        made = []

        def wrap(loader):
            made.append(LoaderEvaluator(loader, mode=mode))  # replay reads all batches now
            made.append(perf_counter())
            return made[0]

        train(loop, seed, wrap=wrap)
        return perf_counter() - made[1]

    as_it_is, free = seconds("log"), seconds("replay")
    saved = 1 - free / as_it_is
    print(json.dumps({"said": [f"{100 * saved:.0f} % less with data from memory"],
                      "part": INPUT if saved >= SAVES else COMPUTE}))


# What a tool says of a loop.


def ask_traceml(name, seed):
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(
            [pathlib.Path(sys.executable).parent / "traceml", "run", "--logs-dir", scratch, "--run-name",
             "run", "--no-save-training-output", __file__, "--args", "traceml", "--loop", name, str(seed)],
            capture_output=True, text=True, check=False)
        try:
            summary = json.loads((pathlib.Path(scratch) / "run" / "final_summary.json").read_text())
        except OSError:
            print((done.stderr or done.stdout).strip()[-2000:], file=sys.stderr)
            return None
    status = summary["primary_diagnosis"]["status"]
    return {"said": [status], "part": next((part for part in (INPUT, RESIDUAL, COMPUTE) if part in status), status)}


def ask_here(tool):
    def ask(name, seed):
        done = subprocess.run([sys.executable, __file__, tool, "--loop", name, str(seed)], capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(done.stderr[-2000:])
        return json.loads(done.stdout.splitlines()[-1])
    return ask


# The loop, who asks, and the package that has a version.
TOOLS = {"traceml": (loop_of_traceml, ask_traceml, "traceml-ai"),
         "gpuprof": (loop_of_gpuprof, ask_here("gpuprof"), "gpuprof"),
         "dali": (loop_of_dali, ask_here("dali"), "nvidia-dali-cuda120")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool", choices=TOOLS)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--kinds", help="only these, with commas between")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", help="write every verdict to this file")
    parser.add_argument("--loop", nargs=2, metavar=("KIND", "SEED"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    loop, ask, package = TOOLS[options.tool]
    if options.loop:
        loop(LOOPS[options.loop[0]], int(options.loop[1]))
        return
    kinds = [name for name in (options.kinds.split(",") if options.kinds else LOOPS)
             if options.tool != "dali" or PARTS[name] == INPUT or name == "healthy"]
    results = []
    for turn, name in itertools.product(range(options.rounds), kinds):
        seed = 1000 * options.seed + turn
        said = next(filter(None, (ask(name, seed) for _ in range(TRIES))), {"said": [], "part": "no verdict"})
        is_right = said["part"] in ((COMPUTE, "nothing") if name == "healthy" else (PARTS[name],))
        results.append({"kind": name, **said, "right": is_right, "load": os.getloadavg()[0]})
        print(json.dumps(results[-1]), file=sys.stderr, flush=True)
    for name in dict.fromkeys(result["kind"] for result in results):
        own = [result for result in results if result["kind"] == name]
        print(f"{name:28}{sum(result['right'] for result in own):>4}/{len(own):<3}"
              + ", ".join(sorted({result["part"] for result in own})))
    faults = [result for result in results if result["kind"] != "healthy"]
    loads = [result["load"] for result in results]
    print(f"{options.tool} {importlib.metadata.version(package)}, torch {importlib.metadata.version('torch')}, "
          f"load {min(loads):.1f} to {max(loads):.1f}")
    print(f"part of the fault named: {sum(result['right'] for result in faults)} of {len(faults)}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
