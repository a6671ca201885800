"""What the workers of a torch DataLoader do, measured inside them: a slot of shared memory for each.

The worker's fetcher (private in torch, and the same since 1.2) is wrapped when the worker starts.
Where a torch is built otherwise, nothing is known of the workers, and nothing is said."""
from __future__ import annotations

import mmap
import os
import resource
import sys
import tempfile
from array import array
from bisect import bisect_right
from time import perf_counter, thread_time
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

from qanat import _host

BUCKETS = 44  # of row times: from 16 us on, each wider by the square root of two
FIRST_BUCKET = 16e-6
BUCKET_ENDS = [FIRST_BUCKET * 2 ** ((i + 1) / 2) for i in range(BUCKETS - 1)]
TABLE_ROWS = 8  # that were slow, of each worker
SLOW = 6.0  # times the mean row
FIRST_ROWS = 8  # before which nothing is slow
LOOK_ROWS = 32  # between two samples of the rows that others found slow
QUICK_ROW = 20e-6  # s: rows that take less are looked at in some fetches only
QUICK_FETCHES = 15  # whose rows are not
# Places in a slot, all doubles that only grow, but for PID and FETCHING (1: it fills a batch). The
# histogram of row times comes after them, and a table of slow rows: row, longest, slow reads, reads.
(BATCHES, ROWS, BUSY, CPU, RUN_DELAY, FAULTS, PID, FETCHING, ROW_TIME, PROCESS_RAN, PROCESS_WAITED,
 LOCKED, HISTOGRAM) = range(13)
TABLE = HISTOGRAM + BUCKETS
ENTRY = 4
SLOT = TABLE + ENTRY * TABLE_ROWS
MAX_WORKERS = 256
USAGE_SECONDS = 0.02  # between two fetches whose CPU time is read
MOST_OF_FETCHES = 0.005  # of the time, that reading it once may take
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
        slots = map_slots(fd, self._count)
        slot = slots[worker * SLOT:(worker + 1) * SLOT]
        os.close(fd)
        slot[PID] = os.getpid()
        slot[FETCHING] = 0
        table = RowTable(slot, slots)
        kind = sys.modules["torch.utils.data"]._DatasetKind
        create = kind.create_fetcher

        def create_fetcher(*args: Any, **kwargs: Any) -> Any:
            return measure_fetcher(create(*args, **kwargs), slot, table, ProcessClock(slot))

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


class RowTable:
    """The rows of a worker: how long they take, and which of those that were slow are so again. `slots`
    are those of all workers: the next time, another one may read the row."""

    def __init__(self, slot: Any, slots: Any = None) -> None:
        self._slot = slot
        self._slots = slot if slots is None else slots
        self._count = int(sum(slot[HISTOGRAM:TABLE]))
        self._known = {row: at for at, row in _entries(slot)}
        self._elsewhere: Set[int] = set()
        self._looked = 0
        self.quick(0.0)

    def add(self, seconds: float, index: Any = None, rows: int = 1) -> None:
        slot = self._slot
        slot[HISTOGRAM + bisect_right(BUCKET_ENDS, seconds)] += rows
        is_slow = self._count >= FIRST_ROWS and seconds * self._count > SLOW * slot[ROW_TIME]
        self._count += rows
        slot[ROW_TIME] += rows * seconds
        if not isinstance(index, int):
            return
        if self._count - self._looked >= LOOK_ROWS:
            self._look_at_others()
        if is_slow or index in self._known or index in self._elsewhere:
            self._enter(index, seconds, is_slow)

    def add_each(self, begin: float, ends: Sequence[float], indices: Sequence[Any]) -> None:
        """Rows that were read one behind the other."""
        slot, count, spent = self._slot, self._count, self._slot[ROW_TIME]
        if count - self._looked >= LOOK_ROWS:
            self._look_at_others()
        known = self._known or self._elsewhere
        for index, end in zip(indices, ends):
            seconds = end - begin
            begin = end
            slot[HISTOGRAM + bisect_right(BUCKET_ENDS, seconds)] += 1
            is_slow = count >= FIRST_ROWS and seconds * count > SLOW * spent
            count += 1
            spent += seconds
            if (is_slow or known) and isinstance(index, int) and (
                    is_slow or index in self._known or index in self._elsewhere):
                self._enter(index, seconds, is_slow)
                known = self._known
        self._count, slot[ROW_TIME] = count, spent

    def quick(self, seconds: float) -> None:
        """How long rows take that add_quick() adds."""
        self._quick = seconds
        self._quick_bucket = HISTOGRAM + bisect_right(BUCKET_ENDS, seconds)

    def add_quick(self, rows: int) -> None:
        self._slot[self._quick_bucket] += rows
        self._slot[ROW_TIME] += rows * self._quick
        self._count += rows

    def _enter(self, row: int, seconds: float, is_slow: bool) -> None:
        slot, at = self._slot, self._known.get(row)
        if at is None:
            at = self._place(seconds)
            if at is None:
                return
            self._known[row] = at
            slot[at:at + ENTRY] = array("d", (row, 0.0, 0.0, 0.0))
        slot[at + 1] = max(slot[at + 1], seconds)
        slot[at + 2] += is_slow
        slot[at + 3] += 1

    def _place(self, seconds: float) -> Optional[int]:
        """A free one, or that of a row that was never as slow."""
        if len(self._known) < TABLE_ROWS:
            return TABLE + ENTRY * len(self._known)
        row, at = min(self._known.items(), key=lambda known: self._slot[known[1] + 1])
        if self._slot[at + 1] >= seconds:
            return None
        del self._known[row]
        return at

    def _look_at_others(self) -> None:
        self._looked = self._count
        if self._slots is self._slot:
            return
        self._elsewhere = {row for first in range(0, len(self._slots), SLOT)
                           for _, row in _entries(self._slots[first:first + SLOT])}


def _entries(slot: "memoryview[float]") -> List[Tuple[int, int]]:
    """[where, row] of the table."""
    return [(at, int(slot[at])) for at in range(TABLE, SLOT, ENTRY) if slot[at + 3] > 0]


class _TimedDataset:
    """dataset[i], with the moment at which every row was there."""

    def __init__(self, dataset: Any, ends: List[float]) -> None:
        self._dataset, self._ends = dataset, ends

    def __getitem__(self, index: Any) -> Any:
        row = self._dataset[index]
        self._ends.append(perf_counter())
        return row


class _TimedBatches:
    """A dataset that reads several rows at once: each takes the mean."""

    def __init__(self, dataset: Any, table: RowTable) -> None:
        self._dataset, self._table = dataset, table

    def __getitem__(self, index: Any) -> Any:
        begin = perf_counter()
        row = self._dataset[index]
        self._table.add(perf_counter() - begin, index)
        return row

    def __getitems__(self, indices: Any) -> Any:
        begin = perf_counter()
        rows = self._dataset.__getitems__(indices)
        if len(indices) > 0:
            self._table.add((perf_counter() - begin) / len(indices), rows=len(indices))
        return rows


class _TimedIterator:
    """Of an IterableDataset."""

    def __init__(self, rows: Any, ends: List[float]) -> None:
        self._rows, self._ends = rows, ends

    def __iter__(self) -> "_TimedIterator":
        return self

    def __next__(self) -> Any:
        row = next(self._rows)
        self._ends.append(perf_counter())
        return row


def run_delay() -> Callable[[], float]:
    """Seconds that the calling thread was ready to run and had no core; nan when unknown."""
    try:
        fd = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return lambda: float("nan")
    return lambda: int(os.pread(fd, 96, 0).split()[1]) * 1e-9


def _faults() -> int:
    return resource.getrusage(resource.RUSAGE_THREAD).ru_majflt


class FetchUsage:
    """What the kernel says of fetches: of one every so often, which stands for those since the last.
    Its clocks are expensive compared with a batch that is quick to make."""

    def __init__(self, slot: "memoryview[float]") -> None:
        self._slot = slot
        self._delay = run_delay()
        self._faults = _faults()
        self.due = 0.0
        self._cost = 0.0  # s of reading the clocks once
        self.busy = 0.0  # since the last one that was looked at
        self.is_open = False
        self._before = 0.0, 0.0

    def begin(self) -> None:
        """Of a fetch that is looked at."""
        begin = perf_counter()
        self._before = thread_time(), self._delay()
        self.is_open = True
        self._cost = perf_counter() - begin

    def end(self, busy: float, now: float) -> None:
        """Which took `busy`, and is in `self.busy` already."""
        cpu, queued = self._before
        times = self.busy / busy if busy > 0 else 1.0
        slot, faults = self._slot, _faults()
        slot[CPU] += times * (thread_time() - cpu)
        slot[RUN_DELAY] += times * (self._delay() - queued)
        slot[FAULTS] += faults - self._faults
        self._faults, self.busy, self.is_open = faults, 0.0, False
        self.due = now + max(USAGE_SECONDS, self._cost / MOST_OF_FETCHES)


class FetchMeter:
    """Times fetcher.fetch() and its rows, one by one; of rows that are quicker than a look at the clock is
    worth, one fetch stands for those that follow, until one of these takes longer."""

    def __init__(self, fetcher: Any, slot: Any, table: RowTable, process: Optional[ProcessClock]) -> None:
        self._fetcher, self._slot, self._table, self._process = fetcher, slot, table, process
        self._fetch = fetcher.fetch
        self._usage = FetchUsage(slot)
        self._ends: List[float] = []  # of rows of this fetch
        self._untimed = 0  # fetches to come
        self._row = self._longest = 0.0  # s, of the fetch that stands for them
        self._name, self._plain = "dataset", getattr(fetcher, "dataset", None)
        self._timed: Any = None
        if hasattr(fetcher, "dataset_iter"):
            self._name, self._plain = "dataset_iter", fetcher.dataset_iter
            self._timed = _TimedIterator(self._plain, self._ends)
        elif getattr(self._plain, "__getitems__", None) is not None:
            fetcher.dataset = _TimedBatches(self._plain, table)
        elif hasattr(self._plain, "__getitem__"):
            self._timed = _TimedDataset(self._plain, self._ends)
        if self._timed is not None:
            setattr(fetcher, self._name, self._timed)

    def fetch(self, rows: Any) -> Any:
        usage, slot = self._usage, self._slot
        begin = perf_counter()
        if begin >= usage.due:
            usage.begin()
        slot[FETCHING] = 1
        try:
            batch = self._fetch(rows)
        except BaseException:
            self._ends.clear()
            raise
        finally:
            slot[FETCHING] = 0
        end = perf_counter()
        seconds, count = end - begin, len(rows) if isinstance(rows, (list, tuple)) else 1
        slot[BATCHES] += 1
        slot[ROWS] += count
        slot[BUSY] += seconds
        if self._untimed > 0:
            self._untimed -= 1
            if seconds > self._longest or self._untimed == 0:
                self._end_untimed(seconds, count)
            else:
                self._table.add_quick(count)
        elif self._ends:
            self._end_timed(begin, seconds, rows)
        usage.busy += seconds
        if usage.is_open:
            usage.end(seconds, end)
        if self._process is not None:
            self._process.update(begin)
        return batch

    def _end_timed(self, begin: float, seconds: float, rows: Any) -> None:
        ends = self._ends
        self._table.add_each(begin, ends, rows if isinstance(rows, (list, tuple)) else (rows,))
        self._row = (ends[-1] - begin) / len(ends)
        ends.clear()
        if self._row < QUICK_ROW:
            self._longest = 2 * seconds + 10 * QUICK_ROW
            self._untimed = QUICK_FETCHES
            self._table.quick(self._row)
            setattr(self._fetcher, self._name, self._plain)

    def _end_untimed(self, seconds: float, count: int) -> None:
        is_long = seconds > self._longest
        self._table.add_quick(count - is_long)
        if is_long:  # one of its rows was
            self._table.add(seconds - (count - 1) * self._row)
        self._untimed = 0
        setattr(self._fetcher, self._name, self._timed)


def measure_fetcher(fetcher: Any, slot: Any, table: RowTable, process: Optional[ProcessClock] = None) -> Any:
    """Times fetcher.fetch(); it adds to what the slot has, since an epoch may start new workers."""
    fetcher.fetch = FetchMeter(fetcher, slot, table, process).fetch
    return fetcher


def to_stats(slot: "memoryview[float]", present: float) -> Dict[str, Any]:
    """A worker as the journal has it. What it did not fill rows in, it was held back by the window:
    a DataLoader hands out no more than prefetch_factor batches to a worker."""
    stats = {"rows": int(slot[ROWS]), "busy": slot[BUSY],
             "blocked": max(0.0, present - slot[BUSY]), "starved": 0.0, "parked": 0.0,
             "cpu": slot[CPU], "major_faults": int(slot[FAULTS]), "batches": int(slot[BATCHES])}
    if slot[LOCKED] > 0:
        stats["lock_wait"] = slot[LOCKED]
    if slot[RUN_DELAY] == slot[RUN_DELAY]:
        stats["run_delay"] = slot[RUN_DELAY]
    return stats


def histogram(slots: List["memoryview[float]"]) -> List[int]:
    return [int(sum(slot[HISTOGRAM + i] for slot in slots)) for i in range(BUCKETS)]


def _table_of(slots: List["memoryview[float]"]) -> Dict[int, List[float]]:
    """{row: [longest, slow reads, reads]} of all workers."""
    rows: Dict[int, List[float]] = {}
    for slot in slots:
        for at, row in _entries(slot):
            known = rows.setdefault(row, [0.0, 0.0, 0.0])
            rows[row] = [max(known[0], slot[at + 1]), known[1] + slot[at + 2], known[2] + slot[at + 3]]
    return rows


def slowest(slots: List["memoryview[float]"]) -> List[Dict[str, Any]]:
    rows = sorted(((values, row) for row, values in _table_of(slots).items() if values[1] > 0),
                  reverse=True)
    return [{"file": f"dataset[{row}]", "seconds": values[0], "times": int(values[1])}
            for values, row in rows[:TABLE_ROWS]]


def slow_rows(slots: List["memoryview[float]"]) -> Dict[str, int]:
    """How often rows that had been slow were read again, and how often they were slow then, too."""
    slow = [values for values in _table_of(slots).values() if values[1] > 0]
    return {"read_again": int(sum(values[2] - 1 for values in slow)),
            "slow_again": int(sum(values[1] - 1 for values in slow))}


def added(loaders: List[List[Any]], with_pids: bool = True) -> List[Any]:
    """The slots of several loaders as those of one, worker by worker."""
    sums = []
    for worker in range(max(map(len, loaders), default=0)):
        own = [slots[worker] for slots in loaders if worker < len(slots)]
        sum_of = array("d", bytes(8 * SLOT))
        for i in range(TABLE):
            sum_of[i] = sum(slot[i] for slot in own)
        sum_of[PID] = next((slot[PID] for slot in reversed(own) if slot[PID] > 0), 0.0) * with_pids
        sum_of[FETCHING] = 0
        slow = sorted(_table_of(own).items(), key=lambda item: item[1], reverse=True)[:TABLE_ROWS]
        for at, (row, values) in zip(range(TABLE, SLOT, ENTRY), slow):
            sum_of[at:at + ENTRY] = array("d", (row, *values))
        sums.append(memoryview(sum_of))
    return sums
