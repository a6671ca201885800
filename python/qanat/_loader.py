"""A loader that is watched: how long the loop waits for its batches, and what its workers do."""
from __future__ import annotations

import sys
import threading
from array import array
from time import perf_counter
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple

from qanat import _workers
from qanat._workers import SLOT, StartWorker, WorkerSlots

if TYPE_CHECKING:
    from qanat._run import Run


def is_torch_loader(loader: Any) -> bool:
    data = sys.modules.get("torch.utils.data")
    kind = getattr(data, "DataLoader", None)
    return kind is not None and isinstance(loader, kind)


def settings_of(loader: Any) -> Dict[str, Any]:
    """The arguments of a torch DataLoader that matter for its speed."""
    settings = {name: getattr(loader, name)
                for name in ("num_workers", "pin_memory", "persistent_workers", "prefetch_factor",
                             "batch_size")
                if isinstance(getattr(loader, name, None), (bool, int))}
    if settings.get("num_workers") == 0:
        settings["collate_in_main_process"] = True
    return settings


def length_of(loader: Any) -> Optional[int]:
    try:
        return len(loader)
    except (TypeError, NotImplementedError):
        return None


class LoaderStats:
    """Of all epochs of the watched loaders of a run. The loop writes, the monitor reads."""

    def __init__(self) -> None:
        self.settings: Optional[Dict[str, Any]] = None  # of a torch DataLoader
        self.epoch = -1
        self.batch = -1  # inside the epoch
        self.batches = 0
        self.taken = 0  # since the last step
        self.waits = 0
        self.waited = 0.0
        self._began: Optional[float] = None
        self._iterating = 0.0
        self._iterating_since: Optional[float] = None
        self._shared: Optional[WorkerSlots] = None
        self._own: Optional["memoryview[float]"] = None  # where the main process loads

    def begin_epoch(self, loader: Any) -> None:
        if is_torch_loader(loader):
            self.settings = settings_of(loader)
        self.epoch += 1
        self.batch = -1
        self._iterating_since = perf_counter()
        self._began = self._began or self._iterating_since

    def end_epoch(self) -> None:
        if self._iterating_since is not None:
            self._iterating += perf_counter() - self._iterating_since
            self._iterating_since = None

    def start_iterator(self, loader: Any) -> Iterator[Any]:
        """iter(loader), with its workers measured where it has some."""
        workers = (self.settings or {}).get("num_workers") if is_torch_loader(loader) else None
        if workers:
            return self._start_with_workers(loader, workers)
        iterator: Iterator[Any] = iter(loader)
        fetcher = getattr(iterator, "_dataset_fetcher", None) if workers == 0 else None
        if fetcher is not None and hasattr(fetcher, "fetch"):
            if self._own is None:
                self._own = memoryview(array("d", bytes(8 * SLOT)))
            _workers.measure_fetcher(fetcher, self._own)
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

    def slots(self) -> List["memoryview[float]"]:
        if self._shared is not None:
            return [self._shared.slot(i) for i in range(self._shared.count)]
        return [self._own] if self._own is not None else []

    def worker_pids(self) -> List[int]:
        return [int(slot[_workers.PID]) for slot in self.slots() if slot[_workers.PID] > 0]

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
        present = self._iterating + (now - self._iterating_since if self._iterating_since else 0.0)
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
            "process": {"cpu": process.get("process_cpu", 0.0),
                        "major_faults": int(process.get("major_faults", 0))},
        }

    def close(self) -> None:
        if self._shared is not None:
            self._shared.remove()


class WatchedLoader:
    """Iterates as the loader does. A thread other than the run's is not timed: what it fetches ahead
    is nothing the loop waits for."""

    def __init__(self, run: "Run", loader: Any) -> None:
        self._run = run
        self._loader = loader

    def __len__(self) -> int:
        return len(self._loader)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def __iter__(self) -> Iterator[Any]:
        run = self._run
        run._check_open()
        if threading.get_ident() != run._thread:
            yield from self._loader
            return
        yield from watch_iteration(run, self._loader, run._stats.start_iterator)


def fetch_parts(run: "Run") -> Tuple[str, str]:
    """The part a fetch is charged to, and the one that runs after it."""
    return "wait", run._clock.part


def watch_iteration(run: "Run", loader: Any, start: Any, parts: Any = fetch_parts) -> Iterator[Any]:
    """The batches of `loader`, whose iterator `start(loader)` makes."""
    clock, stats = run._clock, run._stats
    during, after = parts(run)
    trains = during == "wait"  # and does not validate
    if trains:
        stats.begin_epoch(loader)
    epoch = stats.epoch
    clock.switch(during)
    begin = perf_counter()
    fetching = True
    try:
        iterator = start(loader)
        if trains:
            run._describe(length_of(loader))
        while True:
            batch = next(iterator)
            clock.switch(after)
            fetching = False
            if trains:
                now = perf_counter()
                stats.waited += now - begin
                stats.waits += 1
                stats.batch += 1
                stats.batches += 1
                stats.taken += 1
            yield batch
            if run.closed:
                yield from iterator
                return
            during, after = parts(run)
            clock.switch(during)
            fetching = True
            begin = perf_counter()
    except StopIteration:
        pass
    finally:
        if fetching:  # otherwise the loop was left, and does something else by now
            clock.switch(after if trains else "residual")
        if trains and stats.epoch == epoch:
            stats.end_epoch()
