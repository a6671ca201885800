"""The training step of the nano model against the same network in Python.

Both begin with the same weights and inputs, and their first losses are compared before anything
is believed. The programs run in turn, round after round, with equal threads.
"""
import pathlib

from harness import PYTHON, ProgramFailed, Spread, missing_modules, run_lines, say

HERE = pathlib.Path(__file__).resolve().parent
TOLERANCE = 1e-4  # of the loss: float32 sums in another order


def run_step(options):
    """(figures, raw)."""
    rounds, steps = (1, 2) if options.quick else (7, 6)
    case = options.work / "step.safetensors"
    ours = [options.bin / "qanat_step_bench", "--case", case]
    theirs = [PYTHON, HERE / "torch_step.py", "--case", case]
    say("training step of nano against the same network in Python")
    if reason := missing_modules("torch"):
        say(f"skipped: {reason}")
        return {}, {"step": {"skipped": reason}}
    run_lines(ours + ["--make"])
    times = {"ours": [], "theirs": []}
    ratios = []
    for _ in range(rounds):
        result = {}
        for name, command in (("ours", ours), ("theirs", theirs)):
            result[name] = run_lines(command + ["--threads", "1", "--steps", str(steps)])[-1]
            times[name] += result[name]["seconds"]
        difference = abs(result["ours"]["loss"] - result["theirs"]["loss"])
        if difference > TOLERANCE * abs(result["theirs"]["loss"]):
            raise ProgramFailed(f"the losses differ: {result['ours']['loss']} here, "
                                f"{result['theirs']['loss']} in Python")
        ratios.append(Spread(result["ours"]["seconds"]).median /
                      Spread(result["theirs"]["seconds"]).median)
    spreads = {name: Spread([1000 * x for x in values]) for name, values in times.items()}
    print_table(spreads, Spread(ratios))
    return ({"nano_step_ratio": Spread(ratios).median},
            {"step": {**{f"{name}_ms": x.as_json() for name, x in spreads.items()},
                      "ratio": Spread(ratios).as_json(), "threads": 1}})


def print_table(spreads, ratios):
    print(f"\n  {'training step of nano, 1 thread':40}{'ms (least-most)':>26}")
    print(f"  {'ours':40}{spreads['ours'].text(1):>26}")
    print(f"  {'PyTorch in Python':40}{spreads['theirs'].text(1):>26}")
    print(f"  {'ratio, by rounds':40}{ratios.text(3):>26}")
