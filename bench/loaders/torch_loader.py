#!/usr/bin/env python3
"""PyTorch's DataLoader as an expert tunes it: a worker process makes a whole batch per call, in the shared
memory that carries it to the trainer, and goes on over the end of an epoch."""
import time

START = time.monotonic()

import torch  # noqa: E402
from torch.utils.data import DataLoader, Dataset  # noqa: E402

import job  # noqa: E402
from torch_mel import TorchMel  # noqa: E402


def shared(*shape):
    """Memory that another process gets without a copy."""
    floats = shape[0] * shape[1] * shape[2]
    return torch.empty(0).set_(torch.UntypedStorage._new_shared(4 * floats), 0, shape)


class Batches(Dataset):
    """Item: a list of positions."""

    def __init__(self, corpus):
        self.files = corpus.files
        self.mel = TorchMel()

    def __getitem__(self, positions):
        return positions, *self.mel.batch([self.files[i] for i in positions], shared)


class Endless:
    def __init__(self, corpus, size):
        self.corpus, self.size = corpus, size

    def __iter__(self):
        return self.corpus.batches(self.size)


def as_it_is(batch):
    return batch


def one_thread(_):
    torch.set_num_threads(1)


def main():
    options = job.options_of("PyTorch's DataLoader on an LJSpeech folder", ("--prefetch", 2, None))
    job.keep_freed_memory()
    torch.set_num_threads(1)
    corpus = job.Corpus(options.corpus)
    loader = DataLoader(Batches(corpus), batch_size=None, sampler=Endless(corpus, options.batch),
                        num_workers=options.workers, prefetch_factor=options.prefetch,
                        collate_fn=as_it_is, worker_init_fn=one_thread)
    iterator = iter(loader)
    job.run(options, corpus, iterator, START)
    iterator._shutdown_workers()


if __name__ == "__main__":
    main()
