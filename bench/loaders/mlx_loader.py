#!/usr/bin/env python3
"""MLX Data: its buffers, reader of audio, batching and prefetching threads; mel in PyTorch, because its own
is another definition. The order of all epochs is one list: its threads would wait at the end of each."""
import time

START = time.monotonic()

import itertools  # noqa: E402

import mlx.data  # noqa: E402
import numpy  # noqa: E402
import torch  # noqa: E402

import job  # noqa: E402
from torch_mel import TorchMel  # noqa: E402


def build(options, corpus):
    mel = TorchMel(full_scale=1.0)

    def log_mel(samples):
        made = numpy.empty((len(samples) // job.HOP, job.BANDS), numpy.float32)
        mel.write(torch.from_numpy(samples), torch.from_numpy(made))
        return made

    # One epoch more than is asked for: the last one is no shorter than the others.
    batches = list(itertools.islice(corpus.batches(options.batch),
                                    (options.epochs + 1) * -(-len(corpus) // options.batch)))
    clips = [{"position": i, "file": file.encode()} for i, file in enumerate(corpus.files)]
    return (mlx.data.buffer_from_vector(clips).perm([i for batch in batches for i in batch])
            .load_audio("file", output_key="mel").squeeze("mel").key_transform("mel", log_mel)
            .shape("mel", "frames", 0).filter_key("file", True)
            .batch([len(batch) for batch in batches], pad={"mel": 0})
            .ordered_prefetch(2 * options.workers, options.workers))


def main():
    options = job.options_of("MLX Data on an LJSpeech folder")
    job.keep_freed_memory()
    torch.set_num_threads(1)
    corpus = job.Corpus(options.corpus)
    job.run(options, corpus, ((one["position"], one["frames"], one["mel"])
                              for one in build(options, corpus)), START)


if __name__ == "__main__":
    main()
