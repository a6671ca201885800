#!/usr/bin/env python3
"""What watching costs the loop's thread: a PyTorch loop with a DataLoader, a backward pass and an optimizer,
as it is and under the hooks of `qanat watch`; and a loop that calls qanat.watch itself.

    python3 python/bench/overhead.py [--steps 2000] [--rounds 7] [--workers 0]

Processor time of that thread, so that a busy machine changes little. Rounds interleave; the figure is the
median of the rounds, with the smallest and the largest. Without torch, only the second loop is measured."""
import argparse
import importlib.util
import os
import statistics
import sys
import tempfile
from time import thread_time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import qanat  # noqa: E402

PHASES = ("forward", "loss", "backward", "optimizer")


def size_of(folder, steps):
    return os.path.getsize(os.path.join(folder, "journal.jsonl")) / steps


class Script:
    """Knows nothing of being watched."""

    def __init__(self, workers):
        import torch

        self.torch = torch
        torch.set_num_threads(1)
        self.workers = workers

    def train(self, steps):
        torch = self.torch
        rows = torch.utils.data.TensorDataset(torch.arange(4.0 * steps).reshape(-1, 1))
        loader = torch.utils.data.DataLoader(rows, batch_size=4, num_workers=self.workers)
        model = torch.nn.Linear(1, 1)
        optimizer = torch.optim.SGD(model.parameters(), 0.0)
        begin = thread_time()
        for (batch,) in loader:
            optimizer.zero_grad()
            model(batch).mean().backward()
            optimizer.step()
        return (thread_time() - begin) / steps

    def bare(self, steps):
        return self.train(steps)

    def watched(self, steps):
        from qanat._torch import TorchHooks

        with tempfile.TemporaryDirectory() as folder, qanat.watch(folder) as run:
            hooks = TorchHooks(run, self.torch)
            seconds = self.train(steps)
            hooks.remove()
            run._journal.flush()
            return seconds, size_of(folder, steps)


class Calls:
    """A loop with a loader and four phases that says so itself."""

    def bare(self, steps):
        begin = thread_time()
        for _ in range(steps):
            for _name in PHASES:
                pass
        return (thread_time() - begin) / steps

    def watched(self, steps):
        with tempfile.TemporaryDirectory() as folder, qanat.watch(folder) as run:
            begin = thread_time()
            for _ in run.loader(range(steps)):
                with run.step(batch_size=32):
                    for name in PHASES:
                        with run.phase(name):
                            pass
            seconds = (thread_time() - begin) / steps
            run._journal.flush()
            return seconds, size_of(folder, steps)


def measure(name, loop, options):
    costs, size = [], 0.0
    loop.bare(options.steps // 10)  # warm
    for _ in range(options.rounds):
        without = loop.bare(options.steps)
        seconds, size = loop.watched(options.steps)
        costs.append(1e6 * (seconds - without))
    print(f"{name}: watching costs {statistics.median(costs):.1f} us per step "
          f"({min(costs):.1f} to {max(costs):.1f}, {options.rounds} rounds of {options.steps} steps), "
          f"{size:.0f} bytes per step", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--workers", type=int, default=0, help="of the DataLoader")
    options = parser.parse_args()
    if importlib.util.find_spec("torch") is not None:
        measure("a script", Script(options.workers), options)
    measure("a loop that calls it", Calls(), options)


if __name__ == "__main__":
    main()
