"""Where the time of a step goes. At every moment one part is running; `switch()` charges the time
since the last switch to it. So the parts of a step add up to its wall time, by construction."""
from __future__ import annotations

import sys
from time import perf_counter
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

# The parts of the journal (src/core/metrics/step_record.h), and one that is settled when a step ends.
PARTS = ("wait", "transfer", "forward", "loss", "backward", "retry", "optimizer", "checkpoint",
         "residual")
INSIDE = "inside"  # a step, but no phase of it
# Parts of parts, "part:place": where in the loop the time lies that nobody owned.
AFTER_UPDATE = "residual:after_update"
AFTER_VALIDATION = "residual:after_validation"
BETWEEN_BATCHES = "residual:between_batches"  # of one update
BEFORE_UPDATE = "optimizer:before_update"  # behind the backward pass: clipping, or anything else
UNFED = "forward:no_loader"  # between two updates, where no loader feeds the loop
WITHOUT_CORE = "wait:without_core"  # the loop's thread could have gone on, and had no core

FIND_GPU_SECONDS = 0.1  # then it is asked again whether CUDA is used


class Maybe:
    """A part that is known later: of training, or of a validation."""

    __slots__ = ("part", "_of")

    def __init__(self, part: str, of: Any) -> None:
        self.part, self._of = part, of

    @property
    def is_over(self) -> bool:
        return bool(self._of.is_over)

    def settled(self) -> str:
        return self.part if self._of.trains else "checkpoint"


Part = Union[str, Maybe]
Parts = Dict[Part, float]


class CudaTimeline:
    """The same parts as the GPU saw them: an event at every switch. What the host did while the GPU
    was busy then costs nothing, and a wait is time in which the GPU was idle. All events are on the
    device that was the current one first: those of two devices have no time between them.

    Steps are settled once their last event has happened, without waiting for it. While a graph is
    captured, nothing is recorded."""

    def __init__(self, torch: Any) -> None:
        cuda = torch.cuda
        self._new_event: Callable[[], Any] = lambda: cuda.Event(enable_timing=True)
        self._is_capturing = getattr(cuda, "is_current_stream_capturing", bool)
        device = cuda.current_device()
        self._stream: Callable[[], Any] = lambda: cuda.current_stream(device)
        self._spare: List[Any] = []
        self._marks: List[Tuple[Part, Any]] = []
        self._pending: List[Tuple[Any, List[Tuple[Part, Any]], Parts, Callable[[Parts], None]]] = []
        self._base = self._record()

    def _record(self) -> Any:
        event = self._spare.pop() if self._spare else self._new_event()
        event.record(self._stream())
        return event

    def mark(self, part: Part) -> None:
        if not self._is_capturing():
            self._marks.append((part, self._record()))

    def end_step(self, parts: Parts, settle: Callable[[Parts], None]) -> None:
        """The last switch ended a step; `settle` gets its parts, at once or later. `parts` are those
        that the host saw."""
        marks, self._marks = self._marks, []
        self._pending.append((self._base, marks, parts, settle))
        if marks:
            self._base = marks[-1][1]
        if not self._is_capturing():
            self.settle_finished()

    def settle_finished(self, wait: bool = False) -> None:
        while self._pending:
            before, marks, parts, settle = self._pending[0]
            if marks and wait:
                marks[-1][1].synchronize()
            elif marks and not marks[-1][1].query():
                return
            if marks:
                parts = {}
            spare = []
            for part, event in marks:
                seconds = max(0.0, before.elapsed_time(event) / 1000)
                parts[part] = parts.get(part, 0.0) + seconds
                spare.append(before)
                before = event
            del self._pending[0]
            self._spare += spare
            settle(parts)

    def give_up(self) -> None:
        """Steps that are not settled get what the host saw."""
        pending, self._pending = self._pending, []
        for _, _, parts, settle in pending:
            settle(parts)


class StepClock:
    """One thread's. `note` is told what ends the view of the GPU."""

    def __init__(self, note: Callable[[str], None] = lambda what: None) -> None:
        self.part: Part = "residual"
        self.parts: Parts = {}
        self.since: Optional[float] = None  # the last switch; None: before the first one
        self._looked_for_gpu = -FIND_GPU_SECONDS
        self._cuda: Optional[CudaTimeline] = None
        self._has_failed = False
        self._note = note

    def switch(self, part: Part) -> Part:
        """`part` runs from now on; returns the one that ran until now."""
        now = perf_counter()
        before, since, parts = self.part, self.since, self.parts
        if since is not None:  # what came before the first step belongs to none
            parts[before] = parts.get(before, 0.0) + now - since
            if self._cuda is not None:
                self._with_gpu(lambda cuda: cuda.mark(before))
        self.since = now
        self.part = part
        return before

    @property
    def is_running(self) -> bool:
        return self.since is not None

    def stop(self) -> None:
        """Until the next switch, time belongs to no part."""
        self.since = None

    def rename_running(self, part: Part) -> None:
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
            self._with_gpu(lambda cuda: cuda.end_step(parts, settle))
        else:
            settle(parts)
            now = self.since or 0.0
            if now - self._looked_for_gpu >= FIND_GPU_SECONDS:
                self._looked_for_gpu = now
                self._find_gpu()

    def finish(self) -> None:
        """Settles what the GPU has not finished."""
        if self._cuda is not None:
            self._with_gpu(lambda cuda: cuda.settle_finished(wait=True))

    def _with_gpu(self, act: Callable[[CudaTimeline], None]) -> None:
        """Whatever CUDA refuses is no business of the script's: the host's times go on alone."""
        cuda = self._cuda
        assert cuda is not None
        try:
            act(cuda)
        except Exception as error:  # pylint: disable=broad-except
            self._cuda, self._has_failed = None, True
            cuda.give_up()
            self._note(f"CUDA events ended: {type(error).__name__}: {error}; steps have the host's times")

    def _find_gpu(self) -> None:
        cuda = getattr(sys.modules.get("torch"), "cuda", None)
        # An event of ours would initialize CUDA, which breaks workers that are forked afterwards.
        if self._has_failed or cuda is None or not cuda.is_initialized() or not cuda.is_available():
            return
        try:
            self._cuda = CudaTimeline(sys.modules["torch"])
        except Exception as error:  # pylint: disable=broad-except
            self._has_failed = True
            self._note(f"no CUDA events: {type(error).__name__}: {error}; steps have the host's times")


def known_parts(parts: Parts) -> Dict[str, float]:
    """With what is known by now of those that depend on what comes later."""
    for part in parts:
        if type(part) is not str:
            break
    else:
        return parts  # type: ignore[return-value]
    known: Dict[str, float] = {}
    for key, seconds in parts.items():
        name = key if isinstance(key, str) else key.settled()
        known[name] = known.get(name, 0.0) + seconds
    return known


def settled(parts: Dict[str, float], places: Optional[Dict[str, float]] = None) -> List[float]:
    """In the order of PARTS. A step without phases is work as a whole; with phases, what is in
    none of them is residual. `places` gets what each part of a part took."""
    known: Dict[str, float] = {}
    for name, seconds in parts.items():
        if ":" in name:
            if places is not None:
                places[name] = places.get(name, 0.0) + seconds
            name = name[:name.index(":")]
        known[name] = known.get(name, 0.0) + seconds
    inside = known.pop(INSIDE, 0.0)
    has_phases = any(name in known for name in ("forward", "loss", "backward", "optimizer"))
    rest = "residual" if has_phases else "forward"
    known[rest] = known.get(rest, 0.0) + inside
    return [known.get(name, 0.0) for name in PARTS]
