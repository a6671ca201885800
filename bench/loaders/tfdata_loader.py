#!/usr/bin/env python3
"""tf.data: decoding, framing, FFT, bands and padding by TensorFlow's operators in a pool of threads.

--per clip: a map per clip and padded_batch; --per batch: a map per batch that goes through its clips.
--parallel 0: AUTOTUNE; otherwise so many calls at once."""
import os
import time

START = time.monotonic()
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy  # noqa: E402
import tensorflow as tf  # noqa: E402

import job  # noqa: E402

WINDOW = job.window().astype(numpy.float32)
TABLE = job.bands().astype(numpy.float32)


def log_mel(file):
    """[frames, 80]"""
    audio, _ = tf.audio.decode_wav(tf.io.read_file(file), desired_channels=1)
    padded = tf.pad(audio[:, 0], [[job.REACH, job.REACH]], "REFLECT")
    spectrum = tf.signal.rfft(tf.signal.frame(padded, job.FFT, job.HOP) * WINDOW)[:, :len(TABLE)]
    power = tf.math.real(spectrum) ** 2 + tf.math.imag(spectrum) ** 2
    return tf.math.log(tf.maximum(tf.sqrt(power + job.POWER_FLOOR) @ TABLE, job.MEL_FLOOR))


def by_clip(positions, files, options, parallel):
    def one(position):
        mel = log_mel(files[position])
        return position, tf.shape(mel)[0], mel

    if len(files) % options.batch:
        raise SystemExit("--per clip needs whole batches: otherwise clips of two epochs mix")
    return positions.repeat().map(one, num_parallel_calls=parallel).padded_batch(
        options.batch, padded_shapes=([], [], [None, job.BANDS]))


def by_batch(positions, files, options, parallel):
    def whole(batch):
        rows = tf.map_fn(lambda position: tf.RaggedTensor.from_tensor(log_mel(files[position])[None])[0],
                         batch, parallel_iterations=1,
                         fn_output_signature=tf.RaggedTensorSpec([None, job.BANDS], tf.float32, 0))
        return batch, rows.row_lengths(), rows.to_tensor()

    return positions.batch(options.batch).repeat().map(whole, num_parallel_calls=parallel)


def build(options, corpus):
    parallel = options.parallel or tf.data.AUTOTUNE
    positions = tf.data.Dataset.range(len(corpus)).shuffle(len(corpus), seed=1)
    make = by_clip if options.per == "clip" else by_batch
    settings = tf.data.Options()
    settings.threading.private_threadpool_size = options.workers
    settings.threading.max_intra_op_parallelism = 1
    settings.autotune.enabled = options.parallel == 0
    settings.autotune.cpu_budget = options.workers
    return make(positions, tf.constant(corpus.files), options, parallel).prefetch(4).with_options(settings)


def main():
    options = job.options_of("tf.data on an LJSpeech folder", ("--per", "clip", ["clip", "batch"]),
                             ("--parallel", 2, None))
    job.keep_freed_memory()
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(options.workers)
    corpus = job.Corpus(options.corpus)
    stream = (tuple(part.numpy() for part in batch) for batch in build(options, corpus))
    job.run(options, corpus, stream, START)


if __name__ == "__main__":
    main()
