"""Memory for batches from the script: `Loader(allocate=...)`.

The library calls back from threads of its own. What an allocator returned is kept here until the library
gives it back, which may be after the loader is gone: tensors of its batches may live longer."""
from __future__ import annotations

import atexit
import ctypes
import itertools
from ctypes import CFUNCTYPE, POINTER, c_int32, c_size_t, c_void_p
from typing import Any, Callable, Dict, Optional, Tuple

ALIGNMENT = 64
_ALLOCATE = CFUNCTYPE(c_void_p, c_void_p, c_size_t)
_RELEASE = CFUNCTYPE(None, c_void_p, c_void_p, c_size_t)


class CAllocator(ctypes.Structure):
    _fields_ = [("context", c_void_p), ("allocate", _ALLOCATE), ("release", _RELEASE),
                ("ended", POINTER(c_int32))]


def address_and_size(memory: Any) -> Tuple[int, int]:
    """Of a tensor, an array or a writable buffer on the host."""
    if hasattr(memory, "data_ptr"):  # torch's tensors have no buffer
        if getattr(memory, "device", None) is not None and memory.device.type != "cpu":
            raise TypeError(f"memory on {memory.device}; expected memory of the host")
        if not memory.is_contiguous():
            raise TypeError("memory with gaps; expected a contiguous tensor")
        return memory.data_ptr(), memory.numel() * memory.element_size()
    view = memoryview(memory)
    if view.readonly or not view.contiguous:
        raise TypeError("memory that is read-only or has gaps; expected a writable buffer")
    return ctypes.addressof(ctypes.c_char.from_buffer(view)), view.nbytes


class Memory:
    """What one loader has of its allocator. Called with Python's lock by threads of the library."""

    def __init__(self, allocate: Callable[[int], Any]) -> None:
        self._allocate = allocate
        # By address. No lock: whoever drops the last batch may be inside any of these functions.
        self._kept: Dict[int, Tuple[Any, int]] = {}
        self.failure: Optional[BaseException] = None

    def take(self, size: int) -> int:
        """0 when it fails; `failure` says why."""
        try:
            memory = self._allocate(size + ALIGNMENT - 1)
            begin, given = address_and_size(memory)
            if given < size + ALIGNMENT - 1:
                raise ValueError(f"{given} bytes of memory; expected {size + ALIGNMENT - 1}")
        except BaseException as error:  # nothing may go up into the library
            self.failure = error
            return 0
        address = -(-begin // ALIGNMENT) * ALIGNMENT
        self._kept[address] = (memory, given)
        return address

    def give_back(self, address: int) -> None:
        self._kept.pop(address, None)

    def stats(self) -> Dict[str, int]:
        kept = list(self._kept.values())
        return {"blocks": len(kept), "bytes": sum(size for _, size in kept)}

    @property
    def is_used(self) -> bool:
        return bool(self._kept)


_memories: Dict[int, Memory] = {}  # by what the library calls back with
_numbers = itertools.count(1)
_open: Dict[int, bool] = {}  # whether a loader may still ask


def _take_of(context: int, size: int) -> int:
    return _memories[context].take(size)


def _give_back_to(context: int, address: int, size: int) -> None:
    memory = _memories.get(context)
    if memory is None:
        return
    memory.give_back(address)
    if not memory.is_used and not _open.get(context):
        _memories.pop(context, None)


# What the library calls.
_take = _ALLOCATE(_take_of)
_give_back = _RELEASE(_give_back_to)

# Other threads and tensors may end after Python: then the memory stays where it is. Never freed.
_ended = c_int32(0)
ctypes.pythonapi.Py_IncRef(ctypes.py_object(_ended))
for _thunk in (_take, _give_back):
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_thunk))


@atexit.register
def _end() -> None:
    _ended.value = 1


def register(allocate: Callable[[int], Any]) -> Tuple[int, Memory, CAllocator]:
    """A number to call `forget` with, the memory, and what the library calls."""
    number = next(_numbers)
    _memories[number] = Memory(allocate)
    _open[number] = True
    return number, _memories[number], CAllocator(number, _take, _give_back, ctypes.pointer(_ended))


def forget(number: int) -> None:
    """No loader asks any more; what is still out stays until it comes back."""
    _open.pop(number, None)
    memory = _memories.get(number)
    if memory is not None and not memory.is_used:
        _memories.pop(number, None)
