#!/usr/bin/env python3
"""Lightning with qanat.Loader in place of a DataLoader. A checkpoint holds where the loader stands: a run
that was stopped continues with the batch after it.

    pip install dist/qanat-*.whl lightning
    qanat data make-demo demo --utterances 200
    python3 examples/lightning_with_loader.py demo [runs/lightning]
"""
import pathlib
import sys

import lightning
import qanat
import qanat.callbacks
import torch
from torch import nn


def to_tensors(batch):
    """What Lightning moves to the device: plain tensors, here without a copy."""
    return {name: torch.from_dlpack(getattr(batch, name)) for name in ("mel", "mel_lengths", "tokens")}


class Denoiser(lightning.LightningModule):
    """Finds the clean spectrogram in a noisy one: small, so that the loader is what one sees."""

    def __init__(self, bands=80):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(bands, 256), nn.ReLU(), nn.Linear(256, bands))

    def training_step(self, batch, index):
        mel = batch["mel"]
        spoken = torch.arange(mel.shape[1], device=mel.device) < batch["mel_lengths"][:, None]
        guess = self.layers(mel + torch.randn_like(mel))
        return nn.functional.mse_loss(guess[spoken], mel[spoken])

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


def main(data, folder="runs/lightning"):
    latest = pathlib.Path(folder, "last.ckpt")
    saved = lightning.pytorch.callbacks.ModelCheckpoint(folder, save_last=True, save_top_k=0,
                                                        every_n_train_steps=10)
    with qanat.Loader(data, batch_size=16, transform=to_tensors) as loader, \
            qanat.watch(folder) as run:
        trainer = lightning.Trainer(max_epochs=2, logger=False, enable_progress_bar=False,
                                    callbacks=[saved, qanat.callbacks.lightning(run)])
        trainer.fit(Denoiser(loader.mel["mel_bins"]), loader,
                    ckpt_path=str(latest) if latest.exists() else None)
        print(f"{trainer.global_step} steps; waited {loader.stats()['ready']['waited']:.2f} s for data; "
              f"try: qanat report {folder}")


if __name__ == "__main__":
    main(*sys.argv[1:])
