"""What a journal that continues in a new file repeats of everything before, as src/core/metrics/journal_recap.h
has it: the steps joined to a few hundred lines, and of every other kind the first line, the newest and
some of those between."""
from __future__ import annotations

import json
import math
from typing import Any, Dict, List, NamedTuple, Optional, Protocol, Sequence, Tuple

from qanat._clock import PARTS

MAX_LINES = 64  # of each kind; even numbers
MAX_BINS = 400


class StepValues(NamedTuple):
    """A step as its line has it; None is unknown."""

    at: float
    step: int
    epoch: int
    batch: int
    batches: int
    rows: int
    length: int
    frames: int
    padded: int  # frames of all rows with their padding; 0: unknown
    loss: Optional[float]
    learning_rate: Optional[float]
    gradient_norm: Optional[float]
    seconds: Sequence[float]  # in the order of PARTS

    def values(self) -> "StepValues":
        return self


class EndedStep(Protocol):
    """A step whose line is to be written."""

    def values(self) -> StepValues:
        ...


def shortened(value: Any) -> Any:
    """Numbers to a microsecond, or six digits: more is noise."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        short = round(value, 6) if abs(value) >= 0.1 else float(f"{value:.6g}")
        return int(short) if short == int(short) and abs(short) < 1e15 else short
    if isinstance(value, dict):
        return {name: shortened(inside) for name, inside in value.items()}
    if isinstance(value, (list, tuple)):
        return [shortened(inside) for inside in value]
    return value


def line_of(kind: str, at: float, fields: Dict[str, Any]) -> str:
    return json.dumps({"kind": kind, "t": round(at, 6), **shortened(fields)},
                      separators=(",", ":")) + "\n"


def step_line(step: StepValues) -> str:
    """What is not there is zero, or unknown, or one batch."""
    parts = ",".join(f'"{name}":{seconds:.4g}' for name, seconds in zip(PARTS, step.seconds)
                     if seconds >= 5e-8)
    return "".join((
        f'{{"kind":"step","t":{step.at:.6f},"step":{step.step},"epoch":{step.epoch},'
        f'"batch":{step.batch}',
        "" if step.batches == 1 else f',"batches":{step.batches}',
        f',"shape":[{step.rows},{step.length},0]',
        f',"frames":{step.frames}' if step.frames else "",
        f',"padded":{step.padded}' if step.padded else "",
        ',"losses":{"total":', "null" if step.loss is None else f"{step.loss:.7g}", "}",
        "" if step.learning_rate is None else f',"lr":{step.learning_rate:.6g}',
        "" if step.gradient_norm is None else f',"grad_norm":{step.gradient_norm:.6g}',
        ',"phases":{', parts, "}}\n"))


class _Thinned:
    """The first value, the newest, and every second, fourth, ... of those between."""

    def __init__(self) -> None:
        self._kept: List[Tuple[int, str]] = []
        self._newest: Optional[Tuple[int, str]] = None
        self._stride = 1
        self._seen = 0

    def add(self, value: Tuple[int, str]) -> None:
        self._newest = value
        if self._seen % self._stride == 0:
            self._kept.append(value)
            self._newest = None
        self._seen += 1
        if len(self._kept) > MAX_LINES:
            self._kept = self._kept[::2]
            self._stride *= 2

    def values(self) -> List[Tuple[int, str]]:
        return self._kept + ([] if self._newest is None else [self._newest])


def _join_range(to: List[float], values: Sequence[float]) -> None:
    """Number, least, greatest and sum."""
    if values[0] > 0:
        to[1] = values[1] if to[0] == 0 else min(to[1], values[1])
        to[2] = values[2] if to[0] == 0 else max(to[2], values[2])
        to[0] += values[0]
        to[3] += values[3]


def _range_of(value: Optional[float]) -> List[float]:
    return [0, 0.0, 0.0, 0.0] if value is None else [1, value, value, value]


class _Bin:
    """Steps that became one line."""

    __slots__ = ("number", "at", "first", "last", "count", "frames", "loss", "norm", "wall", "rate",
                 "seconds")

    def __init__(self, number: int, step: StepValues) -> None:
        self.number = number
        self.at = step.at
        self.first = self.last = step.step
        self.count = 1
        self.frames = step.frames
        self.loss = _range_of(step.loss)
        self.norm = _range_of(step.gradient_norm)
        self.wall = _range_of(sum(step.seconds))
        self.rate = step.learning_rate
        self.seconds = list(step.seconds)

    def join(self, later: "_Bin") -> None:
        self.number, self.at, self.last, self.rate = later.number, later.at, later.last, later.rate
        self.count += later.count
        self.frames += later.frames
        for mine, theirs in ((self.loss, later.loss), (self.norm, later.norm), (self.wall, later.wall)):
            _join_range(mine, theirs)
        self.seconds = [mine + theirs for mine, theirs in zip(self.seconds, later.seconds)]

    def line(self) -> str:
        phases = {name: seconds for name, seconds in zip(PARTS, self.seconds) if seconds > 0}
        return line_of("steps", self.at, {
            "first": self.first, "last": self.last, "count": self.count, "frames": self.frames,
            "loss": self.loss, "losses": {"total": self.loss[3]}, "grad_norm": self.norm,
            "wall": self.wall, "phases": phases, "lr": self.rate})


def _number(value: Any) -> Optional[float]:
    return float(value) if isinstance(value, (int, float)) else None


class Recap:
    """One thread's."""

    def __init__(self) -> None:
        self._number = 0
        self._bins: List[_Bin] = []
        self._per_bin = 1
        self._lines: Dict[str, _Thinned] = {}

    def add(self, series: str, line: str) -> None:
        """Lines of a series are thinned out together."""
        self._number += 1
        if series == "journal":  # a session begins: of those before only steps are kept
            self._lines.clear()
        self._lines.setdefault(series, _Thinned()).add((self._number, line))

    def add_step(self, step: StepValues) -> None:
        self._number += 1
        self._add_bin(_Bin(self._number, step))

    def _add_bin(self, added: _Bin) -> None:
        bins = self._bins
        while bins and bins[-1].first >= added.first:  # a session that went back
            bins.pop()
        self._per_bin = max(self._per_bin, added.count)
        if bins and bins[-1].count < self._per_bin:
            bins[-1].join(added)
            return
        if len(bins) >= MAX_BINS:
            for left, right in zip(bins[::2], bins[1::2]):
                left.join(right)
            del bins[1::2]
            self._per_bin *= 2
        bins.append(added)

    def lines(self) -> List[str]:
        """In the order of the run."""
        kept = [value for thinned in self._lines.values() for value in thinned.values()]
        kept += [(one.number, one.line()) for one in self._bins]
        return [line for _, line in sorted(kept)]

    def read(self, path: str) -> None:
        """Earlier sessions in a file; what cannot be read is passed over."""
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                for line in file:
                    if line.startswith('{"kind":"step'):  # one, or a line of a recap
                        self._read_steps(line)
        except OSError:
            pass

    def _read_steps(self, line: str) -> None:
        try:
            fields = json.loads(line)
            self._number += 1
            if fields["kind"] == "step":
                phases = fields["phases"]
                self._add_bin(_Bin(self._number, StepValues(
                    fields["t"], fields["step"], 0, 0, 1, 0, 0, fields.get("frames", 0), 0,
                    _number(fields["losses"]["total"]), _number(fields.get("lr")),
                    _number(fields.get("grad_norm")), [phases.get(name, 0.0) for name in PARTS])))
            elif fields["kind"] == "steps":
                self._add_bin(_read_bin(self._number, fields))
        except (ValueError, TypeError, KeyError, AttributeError):
            pass  # torn, or not ours


def _read_bin(number: int, fields: Dict[str, Any]) -> _Bin:
    phases = fields["phases"]
    made = _Bin(number, StepValues(
        fields["t"], fields["first"], 0, 0, 1, 0, 0, fields["frames"], 0, None, _number(fields.get("lr")),
        None, [phases.get(name, 0.0) for name in PARTS]))
    made.last, made.count = fields["last"], fields["count"]
    made.loss, made.norm, made.wall = fields["loss"], fields["grad_norm"], fields["wall"]
    return made
