"""Which line of the script runs: the stack of the loop's thread, a few times a second. So the time that no
part of a step owns has a name; and so has a wait in which the loop's own process works."""
from __future__ import annotations

import os
import platform
import sys
import sysconfig
import threading
from time import perf_counter
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from qanat import _host, _workers

if TYPE_CHECKING:
    from qanat._run import Run

INTERVAL = 0.05  # s
MOST_OF_INTERVAL = 0.005  # that a sample may take, on average: a slower one makes the next one later
MAX_LINES = 256  # that are told apart
MAX_SAID = 24  # that are written
MAX_DEPTH = 100
MAX_WORKERS = 16  # that are looked at
# Calls in which a thread waits for another one: flock, futex, fcntl, semop, semtimedop.
LOCKS = {"x86_64": {73, 202, 72, 65, 220}, "aarch64": {32, 98, 25, 193, 192}}.get(platform.machine(), set())
POLLS = {"select", "wait", "_poll", "poll"}  # of the pipe from the workers

Key = Tuple[str, str, str]  # part, "train.py:31", function


def _foreign_folders() -> Tuple[str, ...]:
    paths = sysconfig.get_paths()
    folders = {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    folders |= {path for path in sys.path if path.endswith(("site-packages", "dist-packages"))}
    return (os.path.dirname(__file__) + os.sep, *(folder + os.sep for folder in folders), "<frozen")


class Stack:
    """From the innermost call on; what is the script's own, and what that calls."""

    def __init__(self, frame: Any, foreign: Tuple[str, ...]) -> None:
        self.inner = frame.f_code.co_name
        self.functions = set()
        self.own: Optional[Any] = None
        depth = 0
        while frame is not None and depth < MAX_DEPTH:
            code = frame.f_code
            self.functions.add(code.co_name)
            if self.own is None and not code.co_filename.startswith(foreign):
                self.own = (code.co_filename, frame.f_lineno, code.co_name)
            frame, depth = frame.f_back, depth + 1

    @property
    def is_in_model(self) -> bool:
        """A module of torch is called."""
        return "_call_impl" in self.functions

    def wait(self) -> str:
        """What the loop does inside next(): waits for workers, or works itself."""
        if "_next_index" in self.functions:
            return "wait:index"  # asks a sampler for rows
        if "_try_get_data" in self.functions or "_get_data" in self.functions:
            return "wait:queue" if self.inner in POLLS else "wait:receive"
        return "wait:load"


class Sampler:
    """A thread of its own while the run is open."""

    def __init__(self, run: "Run") -> None:
        self._run = run
        self._foreign = _foreign_folders()
        self._lines: Dict[Key, int] = {}
        self._waits: Dict[str, int] = {}
        self._samples = 0
        self._cost = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="qanat-lines", daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        interval, last = INTERVAL, perf_counter()
        while not self._stop.wait(interval):
            begin = perf_counter()
            self.sample()
            self._look_at_workers(begin - last)
            last = begin
            took = perf_counter() - begin
            self._cost += took
            interval = max(INTERVAL, took / MOST_OF_INTERVAL)

    def sample(self) -> None:
        clock = self._run._clock
        frame = sys._current_frames().get(self._run._thread)
        if frame is None or not clock.is_running:
            return
        part = clock.part if isinstance(clock.part, str) else clock.part.settled()
        stack = Stack(frame, self._foreign)
        self._samples += 1
        if part == "wait" or self._run._is_fetching:
            part = stack.wait()
            self._waits[part] = self._waits.get(part, 0) + 1
        elif stack.is_in_model and part != "checkpoint":
            part = "model"
        if stack.own is not None:
            self._add(part, *stack.own)

    def _add(self, part: str, file: str, line: int, function: str) -> None:
        key = part, f"{os.path.basename(file)}:{line}", function
        if key in self._lines or len(self._lines) < MAX_LINES:
            self._lines[key] = self._lines.get(key, 0) + 1

    def _look_at_workers(self, seconds: float) -> None:
        """Whether they wait for a lock while they fill a batch."""
        slots = self._run._stats.live_slots()[:MAX_WORKERS] if LOCKS else []
        for slot in slots:
            if slot[_workers.FETCHING] and slot[_workers.PID] > 0:
                number = _host.read(f"/proc/{int(slot[_workers.PID])}/syscall").partition(" ")[0]
                if number.isdigit() and int(number) in LOCKS:
                    slot[_workers.LOCKED] += seconds

    def line(self, places: Dict[str, float]) -> Dict[str, Any]:
        """A line of kind "loop"; all that it counts only grows."""
        lines: List[Tuple[Key, int]] = sorted(list(self._lines.items()), key=lambda item: -item[1])
        return {"places": dict(places), "samples": self._samples, "waits": dict(self._waits),
                "lines": [{"part": part, "line": line, "function": function, "samples": count}
                          for (part, line, function), count in lines[:MAX_SAID]],
                "cost": self._cost}

    def close(self) -> None:
        self._stop.set()
        self._thread.join(timeout=1.0)
