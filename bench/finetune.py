#!/usr/bin/env python3
"""What fine-tuning saves, counted in steps, so that any machine will do.

    bench/finetune.py --qanat build/release/bin/qanat --data DIR [--work DIR] [--steps 300]

Trains nano three times: on synthetic speech (`qanat data make-demo`); on the data set DIR with random weights; and on
DIR with the weights of the first (`--init-from`), for 0.6 of the steps. The bar: the last has at most the loss that the
second ended with. A loss is the mean over the last tenth of the steps of a run.
"""
import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys

SHARE = 0.6


def train(options, name, data, steps, *more):
    folder = options.work / name
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([options.qanat, "train", "--data", data, "--model-size", "nano", "--batch-size", "8",
                    "--max-steps", str(steps), "--set", "data.val_split=0", "--render-every", "0", "--save-every",
                    str(steps), "--checkpoint-dir", folder, *more], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    losses = []
    for line in (folder / "journal.jsonl").read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        if event["kind"] == "step":
            losses.append(event["losses"]["total"])
    assert len(losses) == steps, (name, len(losses))
    return losses


def last(losses, end=None):
    count = max(1, len(losses) // 10)
    end = len(losses) if end is None else end
    return statistics.mean(losses[max(0, end - count):end])


def first_step_at(losses, bar):
    """Steps until the mean over the last tenth is at the bar; None: never."""
    return next((end for end in range(len(losses) // 10, len(losses) + 1) if last(losses, end) <= bar), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--qanat", required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("finetune"))
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--pretrain-steps", type=int, default=600)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    corpus = options.work / "synthetic"
    if not corpus.exists():
        subprocess.run([options.qanat, "data", "make-demo", corpus, "--utterances", "128"], check=True,
                       stdout=subprocess.DEVNULL)
    before = train(options, "pretrained", corpus, options.pretrain_steps)
    fresh = train(options, "fresh", options.data, options.steps)
    tuned = train(options, "tuned", options.data, round(SHARE * options.steps), "--init-from",
                  options.work / "pretrained")
    bar = last(fresh)
    figures = {"pretrained_loss": last(before), "fresh_steps": len(fresh), "fresh_loss": bar,
               "tuned_steps": len(tuned), "tuned_loss": last(tuned), "steps_at_fresh_loss": first_step_at(tuned, bar),
               "first_loss_fresh": fresh[0], "first_loss_tuned": tuned[0]}
    print(json.dumps(figures, indent=2))
    return 0 if figures["tuned_loss"] <= bar else 1


if __name__ == "__main__":
    sys.exit(main())
