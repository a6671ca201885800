#!/usr/bin/env python3
"""What TraceML says of the loops of fault_matrix.py: the same loaders and pauses in a loop of torch modules.

    pip install traceml-ai torch
    python3 python/bench/traceml_faults.py [--rounds 1] [--kinds slow_storage,...] [--json FILE]

TraceML names the part of a step that is too long; it says neither a setting nor a gain. So a verdict is
right here when it names the part in which the fault is. `--loop KIND SEED` is one loop, for `traceml run`.

TraceML gives its own aggregator 15 s to start, which no option changes; on a busy machine that is too short for
the imports it does, and the run has no verdict. Such a run says nothing of TraceML and is made again.
"""
import argparse
import importlib.metadata
import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from fault_matrix import HEALTHY, KINDS, STEPS, make_loader, rest  # noqa: E402

INPUT, RESIDUAL, COMPUTE = "INPUT", "RESIDUAL", "COMPUTE"
# Where the fault is. A sound loop of paced work computes, and nothing else.
PARTS = {"slow_storage": INPUT, "loads_in_main": INPUT, "collate_in_main": INPUT,
         "workers_start_every_epoch": INPUT, "uneven_batches": INPUT, "saves_often": RESIDUAL,
         "saves_long": RESIDUAL, "stall_every_12": COMPUTE, "slower_and_slower": COMPUTE,
         "slower_from_a_moment": COMPUTE, "rare_long_steps": COMPUTE,
         "copies_wait": RESIDUAL,  # without a GPU it knows no copies
         "healthy": COMPUTE}
TRIES = 5
LOOPS = {**{kind.name: kind.faulty for kind in KINDS if not kind.burns}, "healthy": HEALTHY}


def train(loop, seed):
    """The loop of fault_matrix.train(), of modules that pause."""
    import torch
    import traceml_ai

    traceml_ai.init(mode="auto")
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
    loader = make_loader(loop, seed)
    while step < STEPS:
        for rows in loader:
            with traceml_ai.trace_step(model):
                optimizer.zero_grad()
                rest(loop.transfer(step))
                model(torch.ones(len(rows), 1)).sum().backward()
                optimizer.step()
            step += 1
            if loop.save[0] and step % loop.save[0] == 0:
                rest(loop.save[1])
            if step == STEPS:
                break


def verdict_of(name, seed):
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(
            [pathlib.Path(sys.executable).parent / "traceml", "run", "--logs-dir", scratch, "--run-name",
             "run", "--no-save-training-output", __file__, "--args", "--loop", name, str(seed)],
            capture_output=True, text=True, check=False)
        try:
            summary = json.loads((pathlib.Path(scratch) / "run" / "final_summary.json").read_text())
        except OSError:
            print((done.stderr or done.stdout).strip()[-2000:], file=sys.stderr)
            return None
    return summary["primary_diagnosis"]["status"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--kinds", help="only these, with commas between")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", help="write every verdict to this file")
    parser.add_argument("--loop", nargs=2, metavar=("KIND", "SEED"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.loop:
        train(LOOPS[options.loop[0]], int(options.loop[1]))
        return
    results = []
    for turn in range(options.rounds):
        for name in options.kinds.split(",") if options.kinds else LOOPS:
            seed = 1000 * options.seed + turn
            said = next(filter(None, (verdict_of(name, seed) for _ in range(TRIES))), "no verdict")
            results.append({"kind": name, "said": said, "right": PARTS[name] in said})
            print(json.dumps(results[-1]), file=sys.stderr, flush=True)
    for name in dict.fromkeys(result["kind"] for result in results):
        own = [result for result in results if result["kind"] == name]
        print(f"{name:28}{sum(result['right'] for result in own):>4}/{len(own):<3}"
              + ", ".join(sorted({result["said"] for result in own})))
    faults = [result for result in results if result["kind"] != "healthy"]
    print(f"TraceML {importlib.metadata.version('traceml-ai')}, torch {importlib.metadata.version('torch')}")
    print(f"part of the fault named: {sum(result['right'] for result in faults)} of {len(faults)}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
