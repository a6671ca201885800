#!/usr/bin/env python3
"""Trains the same steps in every mode and prints what each got out of the machine.

    tools/compare_modes.py --qanat build/release/bin/qanat --data DIR --work FOLDER [--steps 60]
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys

MODES = {
    "serial": ["--num-workers", "1", "--buffer-size", "1", "--prefetch-buffer-size", "1"],
    "Single-GPU Buffered": [],
    "Multi-GPU, 2 virtual": ["--virtual-gpus", "2", "--data-gpu", "0", "--model-gpu", "1"],
}


def train(options, name, flags):
    folder = pathlib.Path(options.work) / name.split(",")[0].replace(" ", "_").lower()
    shutil.rmtree(folder, ignore_errors=True)
    print(f"training nano for {options.steps} steps, {name}", file=sys.stderr, flush=True)
    command = [options.qanat, "train", "--train-data", options.data, "--model-size", "nano",
               "--max-steps", str(options.steps), "--batch-size", "8", "--render-every", "0",
               "--checkpoint-dir", str(folder), "--json", *flags]
    summary = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    reading = subprocess.run([options.qanat, "report", str(folder), "--json", "--fail-on", "never"],
                             check=False, stdout=subprocess.PIPE)
    return summary, json.loads(reading.stdout)


def row(name, summary, report):
    wall = summary["wall"]
    seconds = summary["seconds"]
    busy = sum(seconds[part] for part in ("forward", "loss", "backward", "retry", "optimizer"))
    steady = report["step_s"]
    return (f"{name:<22} {summary['steps'] / wall:>8.2f} {100 * seconds['wait'] / wall:>10.2f} % "
            f"{100 * busy / wall:>10.1f} % {100 * steady['robust_cv']:>10.1f} % "
            f"{summary['loss']:>10.4f}   {report['verdict']['kind']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--qanat", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--steps", type=int, default=60)
    options = parser.parse_args()
    rows = [row(name, *train(options, name, flags)) for name, flags in MODES.items()]
    print(f"\n{'mode':<22} {'steps/s':>8} {'data wait':>12} {'model busy':>12} {'variation':>12} "
          f"{'last loss':>10}   verdict")
    print("\n".join(rows))
    print("\nVirtual GPUs are an emulation on this machine's cores: two of them share what one has.\n"
          f"What to type next:  {options.qanat} report {options.work}/single-gpu_buffered")


if __name__ == "__main__":
    main()
