"""Rows and lengths of a batch, as far as its tensors show them; nothing is computed on a device."""
from __future__ import annotations

from typing import Any, List, Optional, Tuple

MASKS = ("attention_mask", "input_mask", "padding_mask", "mask")
LENGTHS = ("input_lengths", "lengths", "length", "input_ids_length", "text_lengths", "mel_lengths")
MAX_VALUES = 1 << 16  # of a mask that is summed up

Shape = Tuple[int, int, int]  # rows, length of a padded row, frames of all rows without padding
UNKNOWN: Shape = (0, 0, 0)


def _size(value: Any) -> Tuple[int, ...]:
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        return shape
    try:
        return tuple(int(size) for size in shape) if shape is not None else ()
    except (TypeError, ValueError, RuntimeError):
        return ()


def _values(batch: Any) -> List[Any]:
    if isinstance(batch, dict) or hasattr(batch, "keys"):
        return [batch[key] for key in batch.keys()]
    if isinstance(batch, (list, tuple)):
        return list(batch)
    return [batch]


def _is_on_host(value: Any) -> bool:
    return getattr(getattr(value, "device", None), "type", "cpu") == "cpu"


def _total(value: Any) -> Optional[int]:
    """Of a small tensor of the host."""
    size = 1
    for extent in _size(value):
        size *= extent
    if not _size(value) or size > MAX_VALUES or not _is_on_host(value):
        return None
    return int(value.sum())


def _frames(batch: Any, rows: int, length: int) -> int:
    """0 where nothing says which frames are padding."""
    if not hasattr(batch, "keys"):
        return 0
    for names, size in ((MASKS, (rows, length)), (LENGTHS, (rows,))):
        for name in names:
            if name in batch and _size(batch[name]) == size:
                total = _total(batch[name])
                if total is not None and 0 < total <= rows * length:
                    return total
    return 0


def shape_of(batch: Any) -> Shape:
    """Of the first tensor of rows and lengths; those of pictures and features have none that is known."""
    try:
        sizes = [_size(value) for value in _values(batch)]
        size = next((size for size in sizes if len(size) == 2), ())
        if not size:
            return next(((size[0], 0, 0) for size in sizes if size), UNKNOWN)
        return size[0], size[1], _frames(batch, size[0], size[1])
    except Exception:  # pylint: disable=broad-except
        return UNKNOWN  # batches are the script's, and may do anything


class ShapeReader:
    """Of the batches of a loader: where they keep the tensor that tells is found once."""

    def __init__(self) -> None:
        self._kind: Any = None
        self._count = self._at = 0

    def read(self, batch: Any) -> Shape:
        if type(batch) is self._kind and len(batch) == self._count:
            size = getattr(batch[self._at], "shape", ())
            if isinstance(size, tuple) and len(size) == 2:
                return size[0], size[1], 0
        self._kind = None
        if isinstance(batch, (list, tuple)):
            at = next((i for i, value in enumerate(batch) if len(_size(value)) == 2), None)
            if at is not None:
                self._kind, self._count, self._at = type(batch), len(batch), at
        return shape_of(batch)


class StepShape:
    """Of all batches of a step."""

    def __init__(self) -> None:
        self._rows = self._length = self._frames = self._padded = 0

    def take(self, shape: Shape) -> None:
        rows, length, frames = shape
        self._rows = max(self._rows, rows)
        self._length = max(self._length, length)
        if frames:
            self._frames += frames
            self._padded += rows * length

    def read(self) -> Tuple[int, int, int, int]:
        """Rows, length, frames, and frames with padding; from now on it is the next step's."""
        read = self._rows, self._length, self._frames, self._padded
        self._rows = self._length = self._frames = self._padded = 0
        return read
