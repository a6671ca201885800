#!/usr/bin/env python3
"""SPDL: a pipeline over a pool of threads, WAV by SPDL's own parser, mel in PyTorch.

--per batch: a task makes a whole batch, which keeps SPDL's event loop idle; --per clip: a task per clip,
then aggregation and a task that pads, as in SPDL's examples."""
import time

START = time.monotonic()

import numpy  # noqa: E402
import spdl.io  # noqa: E402
import torch  # noqa: E402
from spdl.pipeline import PipelineBuilder  # noqa: E402

import job  # noqa: E402
from torch_mel import TorchMel  # noqa: E402


class Work:
    def __init__(self, corpus):
        self.files = corpus.files
        self.mel = TorchMel()

    def clip(self, position):
        with open(self.files[position], "rb") as file:
            samples = numpy.asarray(spdl.io.load_wav(bytearray(file.read())))[:, 0]
        mel = torch.empty(len(samples) // job.HOP, job.BANDS)
        self.mel.write(torch.from_numpy(samples), mel)
        return position, mel

    def pad(self, clips):
        positions, mels = zip(*clips)
        return positions, [len(mel) for mel in mels], torch.nn.utils.rnn.pad_sequence(mels, True)

    def batch(self, positions):
        return self.pad([self.clip(position) for position in positions])


def build(options, corpus):
    work, batches = Work(corpus), corpus.batches(options.batch)
    many = {"concurrency": options.workers, "output_order": "input"}  # epochs do not mix
    if options.per == "batch":
        builder = PipelineBuilder().add_source(batches).pipe(work.batch, **many)
    else:
        builder = (PipelineBuilder().add_source(i for batch in batches for i in batch)
                   .pipe(work.clip, **many).aggregate(options.batch).pipe(work.pad))
    return builder.add_sink(4).build(num_threads=options.workers)


def main():
    options = job.options_of("SPDL on an LJSpeech folder", ("--per", "batch", ["batch", "clip"]))
    job.keep_freed_memory()
    torch.set_num_threads(1)
    corpus = job.Corpus(options.corpus)
    pipeline = build(options, corpus)
    with pipeline.auto_stop():
        job.run(options, corpus, pipeline.get_iterator(), START)


if __name__ == "__main__":
    main()
