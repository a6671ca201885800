#!/usr/bin/env python3
"""qanat.Loader, which is our loader as Python has it; QANAT_LIBRARY names its library.

--hold 0.9: beside it a thread that holds Python's lock 90 % of the time, 4.5 of 5 ms, asleep: it costs the
loader no core, so that what is seen is the lock. 5 ms is how long Python lets a thread have it."""
import time

START = time.monotonic()

import ctypes  # noqa: E402
import os  # noqa: E402
import pathlib  # noqa: E402
import sys  # noqa: E402
import threading  # noqa: E402

import numpy  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
import qanat  # noqa: E402

import job  # noqa: E402

PERIOD_US = 5000


def hold_lock(share, stop):
    sleep = ctypes.PyDLL(None).usleep  # a PyDLL keeps the lock while it calls
    while not stop.is_set():
        sleep(int(share * PERIOD_US))
        time.sleep((1 - share) * PERIOD_US / 1e6)


def batches_of(loader):
    while True:
        for batch in loader:
            yield batch.items.tolist(), batch.mel_lengths.tolist(), numpy.asarray(batch.mel)


def main():
    options = job.options_of("qanat.Loader on an LJSpeech folder", ("--hold", 0.0, None))
    corpus = job.Corpus(options.corpus)
    stop = threading.Event()
    holder = threading.Thread(target=hold_lock, args=(options.hold, stop))
    with qanat.Loader(options.corpus, options.batch, num_workers=options.workers, cache_mb=0,
                      cache_dir=os.path.join(options.corpus, "index")) as loader:
        if options.hold:
            holder.start()
        job.run(options, corpus, batches_of(loader), START, lambda item: loader.utterance(item)["id"])
    stop.set()


if __name__ == "__main__":
    main()
