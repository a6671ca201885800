"""A loader that is watched: how long the loop waits for its batches."""
from __future__ import annotations

from threading import get_ident
from time import perf_counter
from typing import TYPE_CHECKING, Any, Iterator, List, Optional, Tuple

from qanat._clock import Maybe, Part
from qanat._loader_stats import LoaderRecord, length_of
from qanat._shapes import Shape, ShapeReader

if TYPE_CHECKING:
    from qanat._run import Run


class Iteration:
    """One pass over a loader. Whether it trains is known when a backward pass follows a fetch."""

    __slots__ = ("trains", "is_over", "record", "wait", "use", "evaluate", "fetched_at_update", "_run", "_length",
                 "_began", "_waits", "_waited", "batches", "_shapes", "_reader")

    def __init__(self, run: "Run", record: LoaderRecord, length: Optional[int]) -> None:
        self.trains = False
        self.is_over = False
        self.record = record
        self.wait = Maybe("wait", self)
        self.use = Maybe("forward", self)
        self.evaluate = Maybe("checkpoint", self)
        self.fetched_at_update = -1  # how many updates there had been at its last fetch
        self._run = run
        self._length = length
        self._began = perf_counter()
        self._waits = self.batches = 0
        self._waited = 0.0
        self._shapes: List[Shape] = []
        self._reader = ShapeReader()

    def now_trains(self) -> None:
        """What was kept back until now counts."""
        if self.trains:
            return
        self.trains = True
        stats = self._run._stats
        stats.begin_epoch(self.record, self._length, self._began)
        stats.waits += self._waits
        stats.waited += self._waited
        stats.batch = self.batches - 1
        stats.batches += self.batches
        stats.taken += self.batches
        for shape in self._shapes:
            self._run._shape.take(shape)
        self._run._say_run()

    def count(self, seconds: float, batch: Any) -> None:
        """A batch, and how long the loop waited for it."""
        self.batches += 1
        if not self.trains:
            self._waits += 1
            self._waited += seconds
            self._shapes = [*self._shapes[-15:], self._reader.read(batch)]
        else:
            stats = self._run._stats
            stats.waits += 1
            stats.waited += seconds
            stats.batch += 1
            stats.batches += 1
            stats.taken += 1
            self._run._shape.take(self._reader.read(batch))

    def end(self) -> None:
        self.is_over = True
        if self.trains:
            self._run._stats.end_epoch(perf_counter())


class Fetches:
    """What a fetch is charged to. This one: of a loader that the loop says to be its own."""

    def __init__(self, run: "Run") -> None:
        self.run = run

    def began(self, iteration: Iteration) -> None:
        iteration.now_trains()

    def parts(self, iteration: Iteration) -> Tuple[Part, Part]:
        """The part a fetch is charged to, and the one that runs after it."""
        return "wait", self.run._clock.part


class WatchedIterator:
    """The iterator of a loader, which is there from the start: workers and random numbers are those of
    a run that nobody watches. Its attributes are those of the loader's own."""

    def __init__(self, fetches: Fetches, loader: Any, record: LoaderRecord) -> None:
        self._fetches = fetches
        self._run = fetches.run
        self._iteration = Iteration(fetches.run, record, length_of(loader))
        fetches.began(self._iteration)
        clock = self._run._clock
        was_running = clock.is_running
        begin = perf_counter()
        before = clock.switch(fetches.parts(self._iteration)[0])
        self._run._is_fetching = True
        try:
            self._inner = record.start_iterator(loader)
        finally:
            self._run._is_fetching = False
            clock.switch(before)
            if not was_running:
                clock.stop()  # what lies between this and the first batch is no step's
            self._started = perf_counter() - begin  # belongs to the first batch

    def __iter__(self) -> "WatchedIterator":
        return self

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_inner"], name)

    def __len__(self) -> int:
        return len(self._inner)  # type: ignore[arg-type]

    def __next__(self) -> Any:
        run = self._run
        if run.closed or run._is_fetching or get_ident() != run._thread:
            return next(self._inner)
        clock, core_waits = run._clock, run._core_waits
        during, after = self._fetches.parts(self._iteration)
        clock.switch(during)
        begin = clock.since or 0.0
        if begin >= core_waits.due and during == "wait":
            core_waits.begin()
        run._is_fetching = True
        try:
            batch = next(self._inner)
        except BaseException:
            run._is_fetching = core_waits.is_open = False
            self._iteration.end()
            clock.switch(after)  # of a validation: what follows is its metrics, as a rule
            raise
        run._is_fetching = False
        clock.switch(after)
        waited = (clock.since or 0.0) - begin
        if core_waits.is_open:
            core_waits.end(waited, begin + waited)
        if self._started:
            waited, self._started = waited + self._started, 0.0
        self._iteration.count(waited, batch)
        return batch


class WatchedLoader:
    """Iterates as the loader does. A thread other than the run's is not timed: what it fetches ahead
    is nothing the loop waits for."""

    def __init__(self, run: "Run", loader: Any) -> None:
        self._run = run
        self._loader = loader

    def __len__(self) -> int:
        return len(self._loader)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_loader"], name)

    def __iter__(self) -> Iterator[Any]:
        run = self._run
        run._check_open()
        if get_ident() != run._thread:
            return iter(self._loader)
        return WatchedIterator(Fetches(run), self._loader, run._stats.record_of(self._loader))
