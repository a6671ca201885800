"""How much steps of equal work vary in training, beside how much the machine itself varies.

A machine that is shared is now fast and now slow. So each round measures it doing one fixed thing,
with as many threads as the model has, right before each training; what training adds is counted as
independent of it.
"""
import json
import math
import shutil
import subprocess

from harness import Spread, run_lines, say
from ring import ring_corpus

# Threads of the model, and the flags.
MODES = {
    "single": (2, []),
    "multi": (1, ["--virtual-gpus", "2", "--data-gpu", "0", "--model-gpu", "1"]),
}

MACHINE = {1: "variation_machine_one_thread", 2: "variation_machine_two_threads"}


def train_variation(options, corpus, mode, steps):
    folder = options.work / f"variation-{mode}"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([options.bin / "qanat", "train", "--data", corpus, "--model-size", "nano",
                    "--max-steps", str(steps), "--batch-size", "8", "--render-every", "0",
                    "--save-every", str(10 * steps), "--checkpoint-dir", folder, *MODES[mode][1]],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    report = subprocess.run([options.bin / "qanat", "report", folder, "--json", "--fail-on", "never"],
                            check=True, stdout=subprocess.PIPE)
    return json.loads(report.stdout)["step_s"]["robust_cv"]


def run_variation(options):
    """(figures, raw)."""
    rounds, steps = (1, 30) if options.quick else (5, 60)
    corpus = ring_corpus(options)
    seen = {mode: {"machine": [], "training": [], "added": []} for mode in MODES}
    for _ in range(rounds):
        for mode, (threads, _) in MODES.items():
            say(f"variation of steps: {mode}")
            machine = run_lines([options.bin / "qanat_ring_bench", "machine", "--threads", threads,
                                 *(["--quick"] if options.quick else [])])[-1]["variation"]
            training = train_variation(options, corpus, mode, steps)
            seen[mode]["machine"].append(machine)
            seen[mode]["training"].append(training)
            seen[mode]["added"].append(math.sqrt(max(0.0, training ** 2 - machine ** 2)))
    spreads = {mode: {name: Spread(values) for name, values in parts.items()}
               for mode, parts in seen.items()}
    for mode, parts in spreads.items():
        print(f"  variation, {mode:8} machine {parts['machine'].text(3)}, training "
              f"{parts['training'].text(3)}, added {parts['added'].text(3)}")
    figures = {}
    for mode, parts in spreads.items():
        figures[MACHINE[MODES[mode][0]]] = parts["machine"].median
        figures[f"variation_{mode}"] = parts["training"].median
        figures[f"variation_added_{mode}"] = parts["added"].median
    return figures, {"variation": {mode: {name: x.as_json() for name, x in parts.items()}
                                   for mode, parts in spreads.items()}}
