#!/usr/bin/env python3
"""NVIDIA DALI without a GPU: reader, decoder, spectrogram, bands and padding in DALI's own threads.

DALI pads a signal by half a window or not at all, so the 384 samples at each end are mirrored by slicing
and flipping. Its magnitude knows no floor, so the root of the power is taken by arithmetic operators.
--executor: DALI has two."""
import time

START = time.monotonic()

import numpy  # noqa: E402
import nvidia.dali.fn as fn  # noqa: E402
import nvidia.dali.math as maths  # noqa: E402
import nvidia.dali.types as types  # noqa: E402
from nvidia.dali import pipeline_def  # noqa: E402

import job  # noqa: E402


def backwards(samples):
    """Only images can be flipped: one of a single row."""
    row = fn.reshape(samples, shape=[1, job.REACH, 1], layout="HWC")
    return fn.reshape(fn.flip(row, horizontal=1), shape=[job.REACH], layout="")


def mirrored(audio):
    length = audio.shape(dtype=types.INT32)
    before = fn.slice(audio, start=[1], shape=[job.REACH], axes=[0])
    after = fn.slice(audio, start=length - (job.REACH + 1), shape=[job.REACH], axes=[0])
    return fn.cat(backwards(before), audio, backwards(after))


def build(options, corpus):
    order = next(corpus.batches(len(corpus)))

    @pipeline_def(batch_size=options.batch, num_threads=options.workers, device_id=None, seed=1,
                  prefetch_queue_depth=2, exec_dynamic=options.executor == "dynamic")
    def pipeline():
        file, position = fn.readers.file(files=[corpus.files[i] for i in order], labels=order,
                                         shuffle_after_epoch=True, name="files")
        audio, _ = fn.decoders.audio(file, dtype=types.FLOAT, downmix=True)
        power = fn.spectrogram(mirrored(audio), nfft=job.FFT, window_length=job.FFT, window_step=job.HOP,
                               window_fn=job.window().tolist(), center_windows=False, power=2,
                               layout="tf")
        mel = fn.mel_filter_bank(maths.sqrt(power + numpy.float32(job.POWER_FLOOR)), nfilter=job.BANDS,
                                 sample_rate=job.RATE, freq_high=job.TOP_HZ, mel_formula="slaney",
                                 normalize=True)
        logs = maths.log(maths.max(mel, numpy.float32(job.MEL_FLOOR)))
        return position, logs.shape(dtype=types.INT32), fn.pad(logs, axes=[0])

    made = pipeline()
    made.build()
    return made


def batches_of(pipeline):
    while True:
        positions, shapes, mels = pipeline.run()
        yield (numpy.asarray(positions.as_array()).ravel(), numpy.asarray(shapes.as_array())[:, 0],
               numpy.asarray(mels.as_tensor()))


def main():
    options = job.options_of("NVIDIA DALI on an LJSpeech folder, by the CPU",
                             ("--executor", "dynamic", ["dynamic", "classic"]))
    job.keep_freed_memory()
    corpus = job.Corpus(options.corpus)
    if len(corpus) % options.batch:
        raise SystemExit("DALI's reader fills the last batch from the next epoch; expected whole batches")
    job.run(options, corpus, batches_of(build(options, corpus)), START)


if __name__ == "__main__":
    main()
