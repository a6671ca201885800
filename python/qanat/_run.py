"""`qanat.watch`: where the time of a training loop goes, written as a journal that `qanat report`,
`qanat top` and the page read."""
from __future__ import annotations

import atexit
import math
import os
import signal
import socket
import sys
import threading
from time import perf_counter
from types import TracebackType
from typing import Any, Dict, Iterable, List, Optional, Tuple, Type

from qanat import _host
from qanat._clock import (AFTER_UPDATE, INSIDE, PARTS, WITHOUT_CORE, Part, Parts, StepClock, known_parts,
                           settled)
from qanat._journal import FolderLock, Journal, WatchError
from qanat._loader import WatchedLoader
from qanat._loader_stats import CoreWaits, LoaderStats
from qanat._rank import journal_name, rank_of
from qanat._recap import StepValues
from qanat._sampler import Sampler
from qanat._shapes import StepShape

FLUSH_SECONDS = 1.0  # what a killed script loses at most
HOST_SECONDS = 2.0
SPENT_STEPS = 16  # one of which says what writing takes
PHASES = ("transfer", "forward", "loss", "backward", "optimizer")


def _without_graph(value: Any) -> Any:
    return value.detach() if hasattr(value, "detach") else value


def _number(value: Any) -> Optional[float]:
    """None for what is unknown or not finite."""
    if value is None:
        return None
    number = float(value)
    return number if math.isfinite(number) else None


class Step:
    """One update of the weights; `with run.step() as step`. What is known of it can be set before it
    ends: `step.loss = 1.5`. Numbers; a tensor on a GPU is waited for."""

    __slots__ = ("batch_size", "length", "frames", "loss", "learning_rate", "gradient_norm", "_run", "_counts",
                 "_seconds")

    def __init__(self, run: "Run", batch_size: Optional[int], length: int, frames: int) -> None:
        self.batch_size = batch_size
        self.length = length
        self.frames = frames
        self.loss: Any = None
        self.learning_rate: Any = None
        self.gradient_norm: Any = None
        self._run = run

    def __enter__(self) -> "Step":
        self._run._begin_step(self)
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self._run._end_step(self, failed=kind is not None)

    def ended(self, counts: Tuple[Any, ...], loss: Any) -> None:
        """What is known when it has ended; its parts may come later, from a GPU."""
        self._counts, self.loss = counts, loss

    def settle(self, parts: Parts) -> None:
        """Its parts are known. Numbers are read now: a tensor's may change."""
        self._seconds = known_parts(parts)
        if self.loss is not None:
            self.loss = _number(self.loss)
        if self.learning_rate is not None:
            self.learning_rate = _number(self.learning_rate)
        if self.gradient_norm is not None:
            self.gradient_norm = _number(self.gradient_norm)
        self._run._journal.add_step(self)

    def values(self) -> StepValues:
        """Once, when its line is written."""
        at, *counts = self._counts
        run = self._run
        return StepValues._make((run._journal.time(at), *counts, self.loss, self.learning_rate,
                                 self.gradient_norm, settled(self._seconds, run._places)))


class _Part:
    """A part of the step that runs inside a `with`."""

    __slots__ = ("_run", "_name", "_before")

    def __init__(self, run: "Run", name: str) -> None:
        self._run = run
        self._name = name
        self._before: Optional[Part] = None

    def __enter__(self) -> None:
        self._before = self._run._enter_part(self._name)

    def __exit__(self, *error: Any) -> None:
        if self._before is not None:
            self._run._clock.switch(self._before)
            self._before = None


class Run:
    """A training loop that is watched; make it with `qanat.watch()`. One thread's: the one that made
    it. A second step inside a step, a phase outside one, and use after `close()` are a WatchError."""

    def __init__(self, folder: Any, *, device: Optional[str] = None,
                 command: Optional[str] = None, lines: bool = True) -> None:
        self.folder = os.fspath(folder)
        self._rank, self._world = rank_of(os.environ)
        os.makedirs(self.folder, exist_ok=True)
        self._lock = FolderLock(self.folder, self._rank)
        header: Dict[str, Any] = {"command": "watch", "trainer": "torch", "config": {},
                                  "name": os.path.basename(os.path.abspath(self.folder)),
                                  "script": command or " ".join(sys.argv)}
        if device is not None:
            header["device"] = device
        try:
            self._journal = Journal(os.path.join(self.folder, journal_name(self._rank)), header)
        except OSError:
            self._lock.release()
            raise
        self.closed = False
        self.steps = 0
        self._device = device
        self._pid = os.getpid()
        self._thread = threading.get_ident()
        self._native_thread = threading.get_native_id()
        self._clock = StepClock(self._note)
        self._places: Dict[str, float] = {}  # s of parts of parts
        self._shape = StepShape()
        self._is_fetching = False
        self._core_waits = CoreWaits()
        self._stats = LoaderStats()
        self._step: Optional[Step] = None
        self._parts = {name: _Part(self, name) for name in PHASES}
        self._spent = 0.0  # s that writing took the loop
        self._cost = 0.0  # s that looking at the host took
        self._said: Optional[Dict[str, Any]] = None
        self._sampler: Optional[Sampler] = None
        self._host_setup: Optional[Dict[str, Any]] = _host.setup()
        self._look_at_host()
        self._journal.flush()
        self._stop = threading.Event()
        self._monitor = threading.Thread(target=self._watch_host, name="qanat-watch", daemon=True)
        self._monitor.start()
        self._sampler = Sampler(self) if lines else None
        atexit.register(self._close_at_exit)
        self._old_sigterm = self._catch_sigterm()

    # What a loop uses.

    def loader(self, loader: Iterable[Any]) -> WatchedLoader:
        """The same batches, with the time that the loop waits for each. For the loader that feeds the
        training; a torch DataLoader's settings and workers are recorded as well."""
        self._check_open()
        return WatchedLoader(self, loader)

    def step(self, batch_size: Optional[int] = None, *, length: int = 0, frames: int = 0) -> Step:
        """One update of the weights. `length` is the length of a padded row, `frames` the sum of all rows
        without padding: with both, the report says what padding costs."""
        return Step(self, batch_size, length, frames)

    def phase(self, name: str) -> _Part:
        """A part of the step: transfer, forward, loss, backward or optimizer. In a step without any,
        all is counted as forward; with them, the rest is residual."""
        part = self._parts.get(name)
        if part is None:
            raise WatchError(f"phase: {name!r}; expected one of {', '.join(PHASES)}")
        return part

    def saving(self) -> _Part:
        """Checkpoints, validation, logging: what is no training. Inside a step or between two."""
        return _Part(self, "checkpoint")

    def close(self, ending: str = "completed") -> None:
        """Writes the rest. A run that was closed stays so."""
        if self.closed or os.getpid() != self._pid:
            return
        self.closed = True
        self._stop.set()
        self._monitor.join(timeout=1.0)
        if self._sampler is not None:
            self._sampler.close()
        self._clock.finish()
        self._say_run()
        self._journal.flush()  # steps add to the places
        self._look_at_host()
        self._journal.add("telemetry", {"journal_s": self._spent})
        self._journal.add("ended", {"ending": ending, "step": self.steps})
        self._journal.close()
        self._stats.close()
        self._lock.release()
        atexit.unregister(self._close_at_exit)
        if self._old_sigterm is not None and signal.getsignal(signal.SIGTERM) == self._on_sigterm:
            signal.signal(signal.SIGTERM, self._old_sigterm)

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close(ending_of(error))

    # Steps and their parts.

    def _check_open(self) -> None:
        if self.closed:
            raise WatchError(f"{self.folder}: the run is closed; expected use inside its `with`")

    def _check_use(self) -> None:
        self._check_open()
        if threading.get_ident() != self._thread:
            raise WatchError("run: used from another thread; expected the one that called watch()")

    def _begin_step(self, step: Step) -> None:
        self._check_use()
        if self._step is not None:
            raise WatchError("step: inside another step; expected the first one to end before")
        self._step = step
        self._clock.switch(INSIDE)

    def _enter_part(self, name: str) -> Part:
        self._check_use()
        if name != "checkpoint" and self._step is None:
            raise WatchError(f"phase: {name!r} outside a step; expected `with run.step():` around it")
        if self._clock.part in PHASES:
            raise WatchError(f"phase: {name!r} inside {self._clock.part!r}; expected one at a time")
        return self._clock.switch(name)

    def _end_step(self, step: Step, failed: bool = False) -> None:
        self._clock.switch(AFTER_UPDATE)
        self._step = None
        if failed:
            self._clock.to_retry()
            return
        stats, number, at = self._stats, self.steps, self._clock.since or 0.0
        self.steps += 1
        batches, stats.taken = stats.taken or 1, 0
        rows, length, frames, padded = self._shape.read()
        rows = step.batch_size or rows or int((stats.settings or {}).get("batch_size") or 0)
        if step.length:
            length, frames, padded = step.length, step.frames, batches * rows * step.length
        # The GPU may be many steps behind, and a tensor would keep its graph till then.
        step.learning_rate, step.gradient_norm = map(_without_graph, (step.learning_rate, step.gradient_norm))
        step.ended((at, number, max(0, stats.epoch), max(0, stats.batch), batches, rows, length, frames, padded),
                   _without_graph(step.loss))
        self._clock.end_step(step.settle)
        if self._said is None:
            self._say_run()
        if number % SPENT_STEPS == 0:
            self._spent += SPENT_STEPS * (perf_counter() - at)

    # What describes the run, and the machine.

    def _note(self, what: str) -> None:
        self._journal.add("note", {"what": what})

    def _say_run(self) -> None:
        """A line of kind "run", whenever it has become another one."""
        torch = sys.modules.get("torch")
        line: Dict[str, Any] = {"mode": "watch", "allowed_cores": _host.allowed_cores(),
                                "uses_of_batch": 1}
        if self._device is not None:
            line["device"] = self._device
        if torch is not None and hasattr(torch, "__version__"):
            line["torch"] = str(torch.__version__)
        if self._world > 1:
            line.update(rank=self._rank, world=self._world, host=socket.gethostname())
        if self._stats.length is not None:
            line["cadences"] = {"batches of an epoch": self._stats.length}
        if self._stats.settings is not None:
            line["loader"] = self._stats.settings
            if "pin_memory" in self._stats.settings:
                line["pinned"] = self._stats.settings["pin_memory"]
        if line != self._said:
            self._said = line
            self._journal.add("run", line)

    def _look_at_host(self) -> None:
        begin = perf_counter()
        counters = _host.counters(self._stats.worker_pids())
        threads = self._thread_clocks()
        if threads:
            counters["threads"] = threads
        self._cost += perf_counter() - begin
        line: Dict[str, Any] = {"cost": self._cost, "counters": counters}
        if self._host_setup is not None:
            line["setup"], self._host_setup = self._host_setup, None
        self._journal.add("host", line)
        if self._sampler is not None:
            self._journal.add("loop", self._sampler.line(self._places_now()))
        pipeline = self._stats.line(counters)
        if pipeline is not None:
            self._journal.add("pipeline", pipeline)

    def _places_now(self) -> Dict[str, float]:
        """Of steps that are written."""
        return {**self._places, WITHOUT_CORE: self._core_waits.share() * self._stats.waited}

    def _thread_clocks(self) -> Dict[str, List[float]]:
        """By the names that the diagnosis knows: "train" for the loop, "load" for who fills batches."""
        python = (thread.native_id for thread in threading.enumerate())
        clocks = _host.thread_clocks(self._native_thread, (tid for tid in python if tid is not None))
        workers = self._stats.worker_clock()
        if workers is not None:
            own = clocks.get("load", [0, 0.0, 0.0])  # qanat.Loader's
            clocks["load"] = [mine + theirs for mine, theirs in zip(own, workers)]
        return clocks

    def _watch_host(self) -> None:
        looked = perf_counter()
        while not self._stop.wait(FLUSH_SECONDS):
            if perf_counter() - looked >= HOST_SECONDS:
                looked = perf_counter()
                self._journal.flush()
                self._look_at_host()
            if not self.closed:
                self._journal.flush()

    # Ends that no `with` sees.

    def _close_at_exit(self) -> None:
        self.close("stopped")

    def _catch_sigterm(self) -> Any:
        """Only where nobody else wants it: a script's own handler stays."""
        if (threading.current_thread() is not threading.main_thread()
                or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL):
            return None
        return signal.signal(signal.SIGTERM, self._on_sigterm)

    def _on_sigterm(self, number: int, frame: Any) -> None:
        self.close("stopped")
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


def ending_of(error: Optional[BaseException]) -> str:
    if error is None or (isinstance(error, SystemExit) and error.code in (None, 0)):
        return "completed"
    return "stopped" if isinstance(error, (KeyboardInterrupt, SystemExit)) else "failed"


def watch(folder: Any, *, device: Optional[str] = None, lines: bool = True) -> Run:
    """Watches a training loop and writes `folder`/journal.jsonl for `qanat report folder`.

        with qanat.watch("runs/a") as run:
            for batch in run.loader(my_loader):
                with run.step(batch_size=32):
                    with run.phase("forward"): ...

    A folder in which another run is writing is a WatchError; one that has a journal gets another
    session. `device` is a name for reports, such as "cuda:0". Without `lines`, nobody looks twenty times
    a second which line of the loop runs, and time that no part owns has no name."""
    return Run(folder, device=device, lines=lines)
