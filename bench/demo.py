#!/usr/bin/env python3
"""The demo of ./dev: a small corpus, checked, fed to a paced consumer beside PyTorch's loader."""
import argparse
import importlib.util
import pathlib
import subprocess
import sys

PACE = 22  # batches per second, as a trainer with steps of 45 ms takes them
BATCH = 32
SECONDS = 15
FINDINGS = 10  # `data check` says so when something would be dropped


def say(text):
    print(f"demo: {text}", file=sys.stderr, flush=True)


def run(command, accepted=(0,)):
    code = subprocess.run([str(part) for part in command], check=False).returncode
    if code not in accepted:
        sys.exit(code)


def read_theirs(corpus, target):
    """The arguments that put PyTorch's reading beside ours; none where there is no PyTorch."""
    if not all(importlib.util.find_spec(name) for name in ("torch", "torchaudio")):
        say("python3-torch and python3-torchaudio are not installed: our side alone")
        return []
    say(f"PyTorch's DataLoader, 2 worker processes, {SECONDS} s at {PACE} batches/s of {BATCH}")
    program = pathlib.Path(__file__).with_name("torch_dataloader.py")
    theirs = subprocess.run(
        [sys.executable, str(program), "--corpus", str(corpus), "--workers", "2",
         "--batch", str(BATCH), "--pace", str(PACE), "--seconds", str(SECONDS)],
        check=False, stdout=subprocess.PIPE)
    if theirs.returncode != 0:
        say("PyTorch's loader failed (see above): our side alone")
        return []
    target.write_bytes(theirs.stdout)
    return ["--beside", target]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--qanat", required=True, help="the program")
    parser.add_argument("--work", required=True, type=pathlib.Path, help="folder for the corpus")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    corpus = options.work / "corpus"
    say(f"1 of 3: a corpus of English and Persian speech in {corpus}")
    run([options.qanat, "data", "make-demo", corpus])
    say("2 of 3: what a check says of it")
    run([options.qanat, "data", "check", corpus], accepted=(0, FINDINGS))
    say("3 of 3: a consumer that wants its batches at a trainer's pace")
    beside = read_theirs(corpus, options.work / "torch.json")
    run([options.qanat, "demo", "--data", corpus, "--pace", PACE, "--batch-size", BATCH,
         "--seconds", SECONDS, *beside])


if __name__ == "__main__":
    main()
