"""What --tensorboard and --trace cost: steps of nano with and without, taken in turn.

    python3 bench/exports.py --qanat build/release/bin/qanat [--steps 300] [--rounds 3]
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile


def step_times(folder, skip):
    """Seconds of the steps of a run after its warm-up."""
    lines = map(json.loads, open(folder / "journal.jsonl", encoding="utf-8"))
    return [line["wall"] for line in lines if line["kind"] == "step"][skip:]


def train(options, corpus, folder, exports):
    command = [options.qanat, "train", "--train-data", corpus, "--checkpoint-dir", folder,
               "--model-size", "nano", "--batch-size", "8", "--max-steps", options.steps,
               "--render-every", "0", "--save-every", "1000000", "--validate-every", "1000000",
               "--set", f"data.cache_dir={corpus}"]
    if exports:
        command += ["--tensorboard", "--trace", folder.with_suffix(".perfetto-trace")]
    subprocess.run([str(word) for word in command], check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return step_times(folder, options.steps // 5)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--qanat", type=pathlib.Path, default="build/release/bin/qanat")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    times = {False: [], True: []}
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        corpus = folder / "corpus"
        subprocess.run([options.qanat, "data", "make-demo", corpus, "--utterances", "64"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for round_number in range(options.rounds):
            # Each goes first as often as the other: a machine that slows down favours neither.
            for exports in (False, True) if round_number % 2 == 0 else (True, False):
                name = f"{'on' if exports else 'off'}-{round_number}"
                times[exports].append(statistics.median(
                    train(options, corpus, folder / name, exports)))
    off, on = (statistics.median(times[exports]) for exports in (False, True))
    print(json.dumps({"step_ms_off": 1e3 * off, "step_ms_on": 1e3 * on, "ratio": on / off,
                      "rounds_off": times[False], "rounds_on": times[True]}, indent=2))


if __name__ == "__main__":
    main()
