"""What the dashboard, --tensorboard and --trace cost: steps of nano without, with, and with clients
that connect to the live page and never read. Taken in turn.

    python3 bench/exports.py --qanat build/release/bin/qanat [--steps 300] [--rounds 3] [--clients 200]
"""
import argparse
import json
import pathlib
import socket
import statistics
import subprocess
import tempfile
from urllib.parse import urlparse

ARMS = ("off", "on", "crowded")


def step_times(folder, skip):
    """Seconds of the steps of a run after its warm-up."""
    lines = map(json.loads, open(folder / "journal.jsonl", encoding="utf-8"))
    return [line["wall"] for line in lines if line["kind"] == "step"][skip:]


def crowd(url, clients):
    """Sockets that ask for the stream of the live page and read nothing of it."""
    place = urlparse(url)
    sockets = []
    for _ in range(clients):
        client = socket.create_connection((place.hostname, place.port), timeout=10)
        client.sendall(f"GET /events HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n".encode())
        sockets.append(client)
    return sockets


def train(options, corpus, folder, arm):
    command = [options.qanat, "train", "--train-data", corpus, "--checkpoint-dir", folder,
               "--model-size", options.model_size, "--batch-size", "8", "--max-steps", options.steps,
               "--render-every", "0", "--save-every", "1000000", "--validate-every", "1000000",
               "--set", f"data.cache_dir={corpus}"]
    if arm != "off":
        command += ["--tensorboard", "--trace", folder.with_suffix(".perfetto-trace"),
                    "--dashboard", "0"]
    run = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    clients = []
    for line in run.stderr:
        if line.startswith("dashboard: "):
            clients = crowd(line.split()[1], options.clients if arm == "crowded" else 1)
    if run.wait() != 0:
        raise SystemExit(f"{arm}: qanat train ended with {run.returncode}")
    for client in clients:
        client.close()
    return step_times(folder, options.steps // 5)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--qanat", type=pathlib.Path, default="build/release/bin/qanat")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--model-size", default="nano")
    options = parser.parse_args()
    times = {arm: [] for arm in ARMS}
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        corpus = folder / "corpus"
        subprocess.run([options.qanat, "data", "make-demo", corpus, "--utterances", "64"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for number in range(options.rounds):
            # Each goes first as often as the others: a machine that slows down favours none.
            order = ARMS[number % 3:] + ARMS[:number % 3]
            for arm in order:
                run = folder / f"{arm}-{number}"
                times[arm].append(statistics.median(train(options, corpus, run, arm)))
    medians = {arm: statistics.median(times[arm]) for arm in ARMS}
    # Round by round, so that what a machine does slowly does not count.
    ratios = {arm: [a / b for a, b in zip(times[arm], times["off"])] for arm in ARMS[1:]}
    print(json.dumps({"step_ms": {arm: 1e3 * medians[arm] for arm in ARMS},
                      "ratio": {arm: statistics.median(ratios[arm]) for arm in ratios},
                      "rounds": times}, indent=2))


if __name__ == "__main__":
    main()
