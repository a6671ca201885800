#!/usr/bin/env python3
"""A PyTorch training fed by qanat.Loader: it resumes after being killed.

    pip install dist/*.whl
    qanat data make-demo demo && python3 examples/train_with_loader.py demo
"""
import os
import sys

import qanat
import torch
from torch import nn

CHECKPOINT = "autoencoder.pt"


def main(folder, epochs=2):
    model = nn.Sequential(nn.Linear(80, 32), nn.GELU(), nn.Linear(32, 80))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with qanat.Loader(folder, batch_size=16, spare_cores=1) as loader:
        if os.path.exists(CHECKPOINT):
            saved = torch.load(CHECKPOINT)
            model.load_state_dict(saved["model"])
            optimizer.load_state_dict(saved["optimizer"])
            loader.load_state_dict(saved["loader"])
        while loader.epoch < epochs:
            for batch in loader:
                mel = torch.from_dlpack(batch.mel)  # [rows, frames, 80], the loader's own memory
                lengths = torch.from_dlpack(batch.mel_lengths)
                spoken = torch.arange(mel.shape[1]) < lengths[:, None]
                loss = nn.functional.mse_loss(model(mel)[spoken], mel[spoken])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                if batch.index % 10 == 0:
                    print(f"epoch {batch.epoch}, batch {batch.index} of {len(loader)}: {loss.item():.3f}")
                    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(),
                                "loader": loader.state_dict()}, CHECKPOINT)
        waited = loader.stats()["ready"]["waited"]
        print(f"waited {waited:.2f} s for data")


if __name__ == "__main__":
    main(*sys.argv[1:])
