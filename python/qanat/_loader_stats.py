"""What is known of the loaders that feed a training loop: arguments, waits, and what their workers do."""
from __future__ import annotations

import sys
import weakref
from array import array
from time import perf_counter
from typing import Any, Callable, Dict, Iterator, List, Optional

from qanat import _workers
from qanat._workers import SLOT, RowTable, StartWorker, WorkerSlots

Slot = Any  # of doubles: a memoryview, or an array


def is_torch_loader(loader: Any) -> bool:
    data = sys.modules.get("torch.utils.data")
    kind = getattr(data, "DataLoader", None)
    return kind is not None and isinstance(loader, kind)


def settings_of(loader: Any) -> Dict[str, Any]:
    """The arguments of a torch DataLoader that matter for its speed."""
    settings = {name: getattr(loader, name)
                for name in ("num_workers", "pin_memory", "persistent_workers", "prefetch_factor",
                             "batch_size", "in_order")
                if isinstance(getattr(loader, name, None), (bool, int))}
    if settings.get("num_workers") == 0:
        settings["collate_in_main_process"] = True
    data = sys.modules.get("torch.utils.data")
    if isinstance(getattr(loader, "dataset", None), getattr(data, "IterableDataset", ())):
        settings["iterable"] = True
    return settings


def length_of(loader: Any) -> Optional[int]:
    try:
        return len(loader)
    except (TypeError, NotImplementedError, AttributeError):
        return None


class CoreWaits:
    """How long the loop's thread had no core while it waited for a batch, as far as one fetch every so often
    says: on a busy machine that is what keeps it inside of any line."""

    def __init__(self) -> None:
        self.due = 0.0
        self.is_open = False
        self._looked_at = self._without_core = 0.0  # s of waiting
        self._delay: Optional[Callable[[], float]] = None
        self._before = self._cost = 0.0

    def begin(self) -> None:
        begin = perf_counter()
        self._delay = self._delay or _workers.run_delay()  # this thread's
        self._before = self._delay()
        self._cost = perf_counter() - begin
        self.is_open = True

    def end(self, waited: float, now: float) -> None:
        self.is_open = False
        without = self._delay() - self._before if self._delay is not None else 0.0
        if without == without:
            self._looked_at += waited
            self._without_core += min(without, waited)
        self.due = now + max(_workers.USAGE_SECONDS, self._cost / _workers.MOST_OF_FETCHES)

    def share(self) -> float:
        return self._without_core / self._looked_at if self._looked_at > 0 else 0.0


class LoaderRecord:
    """One loader, and the slots of its workers, which no other loader's share."""

    def __init__(self, loader: Any) -> None:
        self.trains = False
        self._shared: Optional[WorkerSlots] = None
        self._own: Optional[Slot] = None  # where the main process loads
        self._is_torch = is_torch_loader(loader)
        self.settings = settings_of(loader) if self._is_torch else None
        try:
            self._loader: Callable[[], Any] = weakref.ref(loader)
        except TypeError:
            self._loader = lambda: loader

    def is_of(self, loader: Any) -> bool:
        return self._loader() is loader

    @property
    def is_gone(self) -> bool:
        return self._loader() is None

    def start_iterator(self, loader: Any) -> Iterator[Any]:
        """iter(loader), with its workers measured where it has some."""
        workers = (self.settings or {}).get("num_workers")
        if workers:
            return self._start_with_workers(loader, workers)
        iterator: Iterator[Any] = iter(loader)
        fetcher = getattr(iterator, "_dataset_fetcher", None) if workers == 0 else None
        if fetcher is not None and hasattr(fetcher, "fetch"):
            if self._own is None:
                self._own = array("d", bytes(8 * SLOT))
            _workers.measure_fetcher(fetcher, self._own, RowTable(self._own))
        return iterator

    def _start_with_workers(self, loader: Any, workers: int) -> Iterator[Any]:
        if self._shared is None:
            try:
                self._shared = WorkerSlots(workers)
            except OSError:
                return iter(loader)
        init = loader.worker_init_fn
        loader.worker_init_fn = StartWorker(self._shared, init)
        try:
            return iter(loader)
        finally:
            loader.worker_init_fn = init

    def slots(self) -> List[Slot]:
        if self._shared is not None:
            return [self._shared.slot(i) for i in range(self._shared.count)]
        return [self._own] if self._own is not None else []

    def close(self) -> None:
        if self._shared is not None:
            self._shared.remove()


class LoaderStats:
    """Of the loaders that feed a run, over all their epochs. The loop writes, the monitor reads."""

    def __init__(self) -> None:
        self.settings: Optional[Dict[str, Any]] = None  # of a torch DataLoader
        self.length: Optional[int] = None  # of an epoch, in batches
        self.epoch = -1
        self.batch = -1  # inside the epoch
        self.batches = 0
        self.taken = 0  # since the last step
        self.waits = 0
        self.waited = 0.0
        self._began: Optional[float] = None
        self._iterating = 0.0
        self._iterating_since: Optional[float] = None
        self._records: List[LoaderRecord] = []
        self._gone: List[Slot] = []  # what workers of loaders did that are there no more

    def record_of(self, loader: Any) -> LoaderRecord:
        for record in self._records:
            if record.is_of(loader):
                return record
        self._forget_those_gone()
        self._records.append(LoaderRecord(loader))
        return self._records[-1]

    def _forget_those_gone(self) -> None:
        gone = [record for record in self._records if record.is_gone]
        if not gone:
            return
        self._gone = _workers.added([self._gone, *(record.slots() for record in gone if record.trains)],
                                    with_pids=False)
        self._records = [record for record in self._records if record not in gone]
        for record in gone:
            record.close()

    def begin_epoch(self, record: LoaderRecord, length: Optional[int], began: float) -> None:
        """A pass over the loader is known to be one of training; it began when its iterator did."""
        record.trains = True
        if record.settings is not None:
            self.settings = record.settings
        self.length = length
        self.epoch += 1
        self.end_epoch(began)
        self._iterating_since = began
        self._began = self._began or began

    def end_epoch(self, now: float) -> None:
        if self._iterating_since is not None:
            self._iterating += max(0.0, now - self._iterating_since)
            self._iterating_since = None

    def slots(self) -> List[Slot]:
        """By worker: of all loaders that train."""
        live = [record.slots() for record in list(self._records) if record.trains]
        if len(live) == 1 and not self._gone:
            return live[0]
        return _workers.added([self._gone, *live])

    def live_slots(self) -> List[Slot]:
        """Those that workers write to now."""
        return [slot for record in list(self._records) if record.trains for slot in record.slots()]

    def worker_pids(self) -> List[int]:
        return [int(slot[_workers.PID]) for slot in self.live_slots() if slot[_workers.PID] > 0]

    def worker_clock(self) -> Optional[List[float]]:
        """Workers, seconds that all their threads ran, seconds that these were ready and had no core."""
        pids = self.worker_pids()
        slots = self.slots()
        ran = sum(slot[_workers.PROCESS_RAN] for slot in slots)
        if not pids or ran == 0:  # a kernel that does not count
            return None
        return [len(pids), ran, sum(slot[_workers.PROCESS_WAITED] for slot in slots)]

    def line(self, process: Dict[str, float]) -> Optional[Dict[str, Any]]:
        """A line of kind "pipeline"; None while nothing is known of those who fill batches."""
        slots = self.slots()
        if self._began is None or not any(slot[_workers.BATCHES] for slot in slots):
            return None
        settings = self.settings or {}
        workers = int(settings.get("num_workers", 0))
        now = perf_counter()
        age = now - self._began
        since = self._iterating_since
        present = self._iterating + (max(0.0, now - since) if since is not None else 0.0)
        window = workers * int(settings.get("prefetch_factor") or 2)
        rows = int(sum(slot[_workers.ROWS] for slot in slots))
        return {
            "age": age, "active_workers": workers, "consumer_busy": max(0.0, age - self.waited),
            "batches": self.batches, "rows": rows, "bad": 0, "from_audio": 0, "from_store": 0,
            "from_cache": 0, "frames": 0, "padded_frames": 0, "bytes": 0,
            # The buffer is empty while the loop waits.
            "ready": {"size": 0, "capacity": window, "empty": self.waited,
                      "partial": max(0.0, age - self.waited), "full": 0.0, "waits": self.waits,
                      "waited": self.waited},
            "window": {"batches": 0, "limit": window, "bytes": 0, "most_bytes": 0, "allocated": 0,
                       "budget": 0},
            "workers": [_workers.to_stats(slot, present) for slot in slots],
            "row_times": _workers.histogram(slots), "slowest": _workers.slowest(slots),
            "slow_rows": _workers.slow_rows(slots),
            "process": {"cpu": process.get("process_cpu", 0.0),
                        "major_faults": int(process.get("major_faults", 0))},
        }

    def close(self) -> None:
        for record in self._records:
            record.close()
