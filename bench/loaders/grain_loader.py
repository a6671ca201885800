#!/usr/bin/env python3
"""Grain: positions shuffled, batched and repeated, then a map that makes the batch with PyTorch's mel.

--by threads: reading threads, while torch lets go of Python's lock; --by processes: workers that write
into Grain's shared memory."""
import time

START = time.monotonic()

import grain  # noqa: E402
import numpy  # noqa: E402
import torch  # noqa: E402

import job  # noqa: E402
from torch_mel import TorchMel  # noqa: E402


class MakeBatch:
    """The tables of the mel are made once in each process, and not sent."""

    def __init__(self, files, shares):
        self.files, self.shares, self.mel = files, shares, None

    def __call__(self, positions):
        self.mel = self.mel or TorchMel()
        files = [self.files[i] for i in positions]
        if not self.shares:
            lengths, mels = self.mel.batch(files)
            return {"positions": positions, "lengths": numpy.asarray(lengths), "mels": mels.numpy()}
        made = []

        def shared(*shape):
            made.append(grain.multiprocessing.SharedMemoryArray(shape, numpy.float32))
            return torch.from_numpy(made[0].view(numpy.ndarray))

        lengths, _ = self.mel.batch(files, shared)
        return {"positions": positions, "lengths": numpy.asarray(lengths), "mels": made[0]}


def prepare(*_):
    torch.set_num_threads(1)
    job.keep_freed_memory()


def build(options, corpus):
    shares = options.by == "processes"
    batches = (grain.MapDataset.range(len(corpus)).shuffle(seed=1)
               .batch(options.batch, drop_remainder=False).repeat(None)
               .map(MakeBatch(corpus.files, shares)))
    if shares:
        return batches.to_iter_dataset(grain.ReadOptions(num_threads=0, prefetch_buffer_size=0)).mp_prefetch(
            grain.MultiprocessingOptions(num_workers=options.workers, per_worker_buffer_size=2),
            worker_init_fn=prepare)
    return batches.to_iter_dataset(grain.ReadOptions(num_threads=options.workers,
                                                     prefetch_buffer_size=2 * options.workers))


def main():
    options = job.options_of("Grain on an LJSpeech folder", ("--by", "threads", ["threads", "processes"]))
    prepare()
    corpus = job.Corpus(options.corpus)
    iterator = iter(build(options, corpus))
    job.run(options, corpus, ((one["positions"], one["lengths"], one["mels"]) for one in iterator), START)
    getattr(iterator, "close", lambda: None)()


if __name__ == "__main__":
    main()
