#!/usr/bin/env python3
"""A plain PyTorch loop that qanat.watch measures. Then: qanat report runs/example

    PYTHONPATH=python python3 examples/watch_training.py [runs/example]
"""
import sys

import qanat
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Tones(Dataset):
    """Pairs of a noisy and a clean sine: made on the fly, as audio features often are."""

    def __len__(self):
        return 4096

    def __getitem__(self, index):
        clean = torch.sin(torch.arange(1024) * (0.01 + index / 40960))
        return clean + 0.1 * torch.randn(1024), clean


def main(folder):
    model = nn.Sequential(nn.Linear(1024, 512), nn.ReLU(), nn.Linear(512, 1024))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = DataLoader(Tones(), batch_size=32, shuffle=True)  # num_workers=0, PyTorch's default
    with qanat.watch(folder, device="cpu") as run:
        for noisy, clean in run.loader(loader):
            with run.step(batch_size=len(noisy)) as step:
                with run.phase("forward"):
                    loss = nn.functional.mse_loss(model(noisy), clean)
                with run.phase("backward"):
                    optimizer.zero_grad()
                    loss.backward()
                with run.phase("optimizer"):
                    optimizer.step()
                step.loss = loss.item()
    print(f"{run.steps} steps; try: qanat report {folder}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "runs/example")
