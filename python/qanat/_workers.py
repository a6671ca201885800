"""What the workers of a torch DataLoader do, measured inside them: a slot of shared memory for each.

The worker's fetcher (private in torch, and the same since 1.2) is wrapped when the worker starts.
Where a torch is built otherwise, nothing is known of the workers, and nothing is said."""
from __future__ import annotations

import mmap
import os
import resource
import sys
import tempfile
from math import log2
from time import perf_counter, thread_time
from typing import Any, Callable, Dict, List, Optional

from qanat import _host

BUCKETS = 44  # of row times: from 16 us on, each wider by the square root of two
FIRST_BUCKET = 16e-6
# Places in a slot, all doubles that only grow; the histogram of row times comes last.
(BATCHES, ROWS, BUSY, CPU, RUN_DELAY, FAULTS, PID, SLOWEST, SLOWEST_ROW, PROCESS_RAN, PROCESS_WAITED,
 HISTOGRAM) = range(12)
SLOT = HISTOGRAM + BUCKETS
MAX_WORKERS = 256
PROCESS_SECONDS = 0.25  # between two readings of all threads of a worker


class WorkerSlots:
    """A file in memory that workers map, whichever way they are started."""

    def __init__(self, count: int) -> None:
        folder = "/dev/shm" if os.path.isdir("/dev/shm") else None
        fd, self.path = tempfile.mkstemp(prefix="qanat-watch-", dir=folder)
        self.count = min(count, MAX_WORKERS)
        os.ftruncate(fd, self.count * SLOT * 8)
        self.slots = map_slots(fd, self.count)
        os.close(fd)

    def slot(self, worker: int) -> "memoryview[float]":
        return self.slots[worker * SLOT:(worker + 1) * SLOT]

    def remove(self) -> None:
        try:
            os.unlink(self.path)
        except OSError:
            pass


def map_slots(fd: int, count: int) -> "memoryview[float]":
    return memoryview(mmap.mmap(fd, count * SLOT * 8)).cast("d")


class StartWorker:
    """A worker_init_fn around the user's."""

    def __init__(self, slots: WorkerSlots, init: Optional[Callable[[int], None]]) -> None:
        self._path, self._count, self._init = slots.path, slots.count, init

    def __call__(self, worker: int) -> None:
        try:
            self._measure(worker)
        except (OSError, AttributeError, KeyError):
            pass  # nothing will be known of this worker
        if self._init is not None:
            self._init(worker)

    def _measure(self, worker: int) -> None:
        if worker >= self._count:
            return
        fd = os.open(self._path, os.O_RDWR)
        slot = map_slots(fd, self._count)[worker * SLOT:(worker + 1) * SLOT]
        os.close(fd)
        slot[PID] = os.getpid()
        kind = sys.modules["torch.utils.data"]._DatasetKind
        create = kind.create_fetcher

        def create_fetcher(*args: Any, **kwargs: Any) -> Any:
            return measure_fetcher(create(*args, **kwargs), slot, ProcessClock(slot))

        kind.create_fetcher = staticmethod(create_fetcher)


class ProcessClock:
    """All threads of a worker, also outside its rows: a batch is handed over by one that torch's queue
    has, and waits for a core as rows do."""

    def __init__(self, slot: "memoryview[float]") -> None:
        self._slot = slot
        self._ran, self._waited = slot[PROCESS_RAN], slot[PROCESS_WAITED]  # of workers before this one
        self._next = 0.0

    def update(self, now: float) -> None:
        if now < self._next:
            return
        self._next = now + PROCESS_SECONDS
        clocks = _host.thread_clocks().values()
        self._slot[PROCESS_RAN] = self._ran + sum(clock[1] for clock in clocks)
        self._slot[PROCESS_WAITED] = self._waited + sum(clock[2] for clock in clocks)


class _TimedDataset:
    """dataset[i] with the time of every row."""

    def __init__(self, dataset: Any, slot: "memoryview[float]") -> None:
        self._dataset, self._slot = dataset, slot

    def __getitem__(self, index: Any) -> Any:
        begin = perf_counter()
        row = self._dataset[index]
        add_row(self._slot, perf_counter() - begin, index)
        return row


def add_row(slot: "memoryview[float]", seconds: float, index: Any = None) -> None:
    bucket = int(2 * log2(max(seconds / FIRST_BUCKET, 1.0)))
    slot[HISTOGRAM + min(bucket, BUCKETS - 1)] += 1
    if seconds > slot[SLOWEST] and isinstance(index, int):
        slot[SLOWEST], slot[SLOWEST_ROW] = seconds, index


def _run_delay() -> Callable[[], float]:
    """Seconds that the calling thread was ready to run and had no core; nan when unknown."""
    try:
        fd = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return lambda: float("nan")
    return lambda: int(os.pread(fd, 96, 0).split()[1]) * 1e-9


def _faults() -> int:
    return resource.getrusage(resource.RUSAGE_THREAD).ru_majflt


def measure_fetcher(fetcher: Any, slot: "memoryview[float]", process: Optional[ProcessClock] = None) -> Any:
    """Times fetcher.fetch(); it adds to what the slot has, since an epoch may start new workers."""
    fetch, delay = fetcher.fetch, _run_delay()
    dataset = getattr(fetcher, "dataset", None)
    if hasattr(dataset, "__getitem__") and not hasattr(dataset, "__getitems__"):
        fetcher.dataset = _TimedDataset(dataset, slot)

    def timed_fetch(rows: Any) -> Any:
        begin, cpu, queued, faults = perf_counter(), thread_time(), delay(), _faults()
        batch = fetch(rows)
        slot[BATCHES] += 1
        slot[ROWS] += len(rows) if isinstance(rows, (list, tuple)) else 1
        slot[BUSY] += perf_counter() - begin
        slot[CPU] += thread_time() - cpu
        slot[RUN_DELAY] += delay() - queued
        slot[FAULTS] += _faults() - faults
        if process is not None:
            process.update(begin)
        return batch

    fetcher.fetch = timed_fetch
    return fetcher


def to_stats(slot: "memoryview[float]", present: float) -> Dict[str, Any]:
    """A worker as the journal has it. What it did not fill rows in, it was held back by the window:
    a DataLoader hands out no more than prefetch_factor batches to a worker."""
    stats = {"rows": int(slot[ROWS]), "busy": slot[BUSY],
             "blocked": max(0.0, present - slot[BUSY]), "starved": 0.0, "parked": 0.0,
             "cpu": slot[CPU], "major_faults": int(slot[FAULTS])}
    if slot[RUN_DELAY] == slot[RUN_DELAY]:
        stats["run_delay"] = slot[RUN_DELAY]
    return stats


def histogram(slots: List["memoryview[float]"]) -> List[int]:
    return [int(sum(slot[HISTOGRAM + i] for slot in slots)) for i in range(BUCKETS)]


def slowest(slots: List["memoryview[float]"]) -> List[Dict[str, Any]]:
    rows = sorted(((slot[SLOWEST], int(slot[SLOWEST_ROW])) for slot in slots if slot[SLOWEST] > 0),
                  reverse=True)
    return [{"file": f"dataset[{row}]", "seconds": seconds, "times": 1} for seconds, row in rows[:8]]
