#!/usr/bin/env python3
"""Batches in pinned memory, copied to the GPU in the background. Without a GPU the same loop runs with
plain memory.

    python3 examples/pinned_memory.py LJSpeech-1.1
"""
import collections
import sys

import qanat
import torch

HAS_GPU = torch.cuda.is_available()


def allocate(size):
    """The loader keeps what this returns until no batch needs it."""
    return torch.empty(size, dtype=torch.uint8, pin_memory=HAS_GPU)


class Copies:
    """Keeps each batch until its copy has ended: dropped earlier, the loader would write into it."""

    def __init__(self):
        self.under_way = collections.deque()

    def start(self, batch):
        if not HAS_GPU:
            return torch.from_dlpack(batch.mel)
        mel = torch.from_dlpack(batch.mel).to("cuda", non_blocking=True)
        done = torch.cuda.Event()
        done.record()
        self.under_way.append((done, batch))
        while self.under_way[0][0].query():
            self.under_way.popleft()
            if not self.under_way:
                break
        return mel


def main(folder):
    copies = Copies()
    with qanat.Loader(folder, batch_size=16, allocate=allocate) as loader:
        for batch in loader:
            mel = copies.start(batch)
        print(f"{len(loader)} batches, the last {tuple(mel.shape)} on {mel.device}; "
              f"{loader.stats()['allocated']['bytes'] / 1e6:.1f} MB from our allocator")


if __name__ == "__main__":
    main(*sys.argv[1:])
