"""Where the time of a step goes. At every moment one part is running; `switch()` charges the time
since the last switch to it. So the parts of a step add up to its wall time, by construction."""
from __future__ import annotations

import sys
from time import perf_counter
from typing import Any, Callable, Dict, List, Optional, Tuple

Parts = Dict[str, float]

# The parts of the journal (src/metrics/step_record.h), and one that is settled when a step ends.
PARTS = ("wait", "transfer", "forward", "loss", "backward", "retry", "optimizer", "checkpoint",
         "residual")
INSIDE = "inside"  # a step, but no phase of it


class CudaTimeline:
    """The same parts as the GPU saw them: an event at every switch. What the host did while the GPU
    was busy then costs nothing, and a wait is time in which the GPU was idle.

    Steps are settled once their last event has happened, without waiting for it."""

    def __init__(self, torch: Any) -> None:
        self._new_event: Callable[[], Any] = lambda: torch.cuda.Event(enable_timing=True)
        self._spare: List[Any] = []
        self._marks: List[Tuple[str, Any]] = []
        self._pending: List[Tuple[Any, List[Tuple[str, Any]], Callable[[Parts], None]]] = []
        self._base = self._record()

    def _record(self) -> Any:
        event = self._spare.pop() if self._spare else self._new_event()
        event.record()
        return event

    def mark(self, part: str) -> None:
        self._marks.append((part, self._record()))

    def end_step(self, settle: Callable[[Parts], None]) -> None:
        """The last switch ended a step; `settle` gets its parts, at once or later."""
        marks, self._marks = self._marks, []
        self._pending.append((self._base, marks, settle))
        self._base = marks[-1][1]
        self.settle_finished()

    def settle_finished(self, wait: bool = False) -> None:
        while self._pending:
            before, marks, settle = self._pending[0]
            if wait:
                marks[-1][1].synchronize()
            elif not marks[-1][1].query():
                return
            del self._pending[0]
            parts: Parts = {}
            for part, event in marks:
                seconds = max(0.0, before.elapsed_time(event) / 1000)
                parts[part] = parts.get(part, 0.0) + seconds
                self._spare.append(before)
                before = event
            settle(parts)


class StepClock:
    """One thread's."""

    def __init__(self) -> None:
        self.part = "residual"
        self.parts: Parts = {}
        self._since: Optional[float] = None
        self._cuda: Optional[CudaTimeline] = None

    def switch(self, part: str) -> str:
        """`part` runs from now on; returns the one that ran until now."""
        now = perf_counter()
        before = self.part
        if self._since is not None:  # what came before the first step belongs to none
            self.parts[before] = self.parts.get(before, 0.0) + now - self._since
            if self._cuda is not None:
                self._cuda.mark(before)
        self._since = now
        self.part = part
        return before

    def rename_running(self, part: str) -> None:
        """The time since the last switch goes to another part than was thought."""
        self.part = part

    def to_retry(self) -> None:
        """What was done since the last step has to be done again."""
        for part in ("forward", "loss", "backward", "optimizer", INSIDE):
            self.parts["retry"] = self.parts.get("retry", 0.0) + self.parts.pop(part, 0.0)

    def end_step(self, settle: Callable[[Parts], None]) -> None:
        """Call after a switch: the step ends with it."""
        parts, self.parts = self.parts, {}
        if self._cuda is not None:
            self._cuda.end_step(settle)
        else:
            settle(parts)
            self._cuda = self._find_gpu()

    def finish(self) -> None:
        """Settles what the GPU has not finished."""
        if self._cuda is not None:
            self._cuda.settle_finished(wait=True)

    def _find_gpu(self) -> Optional[CudaTimeline]:
        torch = sys.modules.get("torch")
        cuda = getattr(torch, "cuda", None)
        # An event of ours would initialise CUDA, which breaks workers that are forked afterwards.
        if cuda is None or not cuda.is_available() or not cuda.is_initialized():
            return None
        return CudaTimeline(torch)


def settled(parts: Parts) -> List[float]:
    """In the order of PARTS. A step without phases is work as a whole; beside phases, what is in
    none of them is residual."""
    inside = parts.pop(INSIDE, 0.0)
    has_phases = any(name in parts for name in ("forward", "loss", "backward", "optimizer"))
    rest = "residual" if has_phases else "forward"
    parts[rest] = parts.get(rest, 0.0) + inside
    return [parts.get(name, 0.0) for name in PARTS]
