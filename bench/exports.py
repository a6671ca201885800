"""What the dashboard, --tensorboard and --trace cost: steps of nano without, with, and with clients
that connect to the live page and never read. Taken in turn.

Steps of a machine whose speed wanders do not tell one percent. The processor time of the threads
that a run has only with exports does, as a share of all of its threads in the same run.

    python3 bench/exports.py --qanat build/release/bin/qanat [--steps 300] [--rounds 3] [--clients 200]
"""
import argparse
import json
import pathlib
import socket
import statistics
import subprocess
import tempfile
import threading
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


class ThreadTimes:
    """Processor seconds of a process by the names of its threads, those that ended included."""

    def __init__(self, process):
        self.process = process
        self.seconds = {}
        self.watcher = threading.Thread(target=self.watch)
        self.watcher.start()

    def watch(self):
        while self.process.poll() is None:
            for task in pathlib.Path(f"/proc/{self.process.pid}/task").glob("*"):
                try:
                    name = (task / "comm").read_text().strip()
                    spent = int((task / "schedstat").read_text().split()[0]) / 1e9
                except (OSError, IndexError):  # it has just ended
                    continue
                self.seconds[task.name, name] = spent
            try:
                self.process.wait(timeout=0.2)
            except subprocess.TimeoutExpired:
                pass

    def by_name(self):
        self.watcher.join()
        names = {}
        for (_, name), spent in self.seconds.items():
            names[name] = names.get(name, 0.0) + spent
        return names


def train(options, corpus, folder, arm):
    """(seconds of every step, processor seconds by thread name)"""
    command = [options.qanat, "train", "--data", corpus, "--checkpoint-dir", folder,
               "--model-size", options.model_size, "--batch-size", "8", "--max-steps", options.steps,
               "--render-every", "0", "--save-every", "1000000", "--validate-every", "1000000",
               "--set", f"data.cache_dir={corpus}"]
    if arm != "off":
        command += ["--tensorboard", "--trace", folder.with_suffix(".perfetto-trace"),
                    "--dashboard", "0"]
    run = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    threads = ThreadTimes(run)
    clients = []
    for line in run.stderr:
        if line.startswith("dashboard: "):
            clients = crowd(line.split()[1], options.clients if arm == "crowded" else 1)
    if run.wait() != 0:
        raise SystemExit(f"{arm}: qanat train ended with {run.returncode}")
    for client in clients:
        client.close()
    return step_times(folder, options.steps // 5), threads.by_name()


def best_of(rounds):
    """Seconds of all steps, each as fast as it was in its best round: every round has the same
    batches, and what else a machine does only adds."""
    return sum(min(times) for times in zip(*rounds))


def added_share(threads, without):
    """Of a run's processor time, that of threads which a run without exports does not have."""
    added = {name: spent for name, spent in threads.items() if name not in without}
    return sum(added.values()) / sum(threads.values()), added


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--qanat", type=pathlib.Path, default="build/release/bin/qanat")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--model-size", default="nano")
    options = parser.parse_args()
    times = {arm: [] for arm in ARMS}
    threads = {arm: [] for arm in ARMS}
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
                steps, spent = train(options, corpus, run, arm)
                times[arm].append(steps)
                threads[arm].append(spent)
    shares = {arm: [added_share(on, off) for on, off in zip(threads[arm], threads["off"])]
              for arm in ARMS[1:]}
    print(json.dumps({"added_processor_share": {arm: max(share for share, _ in shares[arm])
                                                for arm in shares},
                      "added_threads": {arm: shares[arm][-1][1] for arm in shares},
                      "ratio_of_best": {arm: best_of(times[arm]) / best_of(times["off"])
                                        for arm in ARMS[1:]},
                      "median_ms": {arm: [1e3 * statistics.median(steps) for steps in times[arm]]
                                    for arm in ARMS}}, indent=2))


if __name__ == "__main__":
    main()
