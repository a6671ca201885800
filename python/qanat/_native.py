"""libqanat.so, the loader's own library, by ctypes: what crosses, and which exception a failure is.

The library comes with the wheel. QANAT_LIBRARY names another one, for those who build Qanat."""
from __future__ import annotations

import ctypes
import functools
import json
import os
import weakref
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_void_p
from typing import Any, Callable, Dict, List, NoReturn, Optional, Tuple

from qanat import _memory
from qanat._memory import CAllocator
from qanat._rows import CRow, RowArray

ABI = 4
OK, TIMEOUT, FAILED, INVALID = range(4)
# A wait is this long, so that Python looks at signals (Ctrl-C) in between.
WAIT_SECONDS = 0.1

FIELDS = ("mel", "audio", "tokens", "mel_lengths", "audio_lengths", "token_lengths", "speakers",
          "items")
TYPES = ("float32", "int16", "int32")


class LoaderError(RuntimeError):
    """The loader cannot go on, or was used as it cannot be. The message says which and what helps."""


def error_of(status: int, text: str) -> Exception:
    return (ValueError if status == INVALID else LoaderError)(text or f"status {status}")


def library_path() -> str:
    return os.environ.get("QANAT_LIBRARY") or os.path.join(os.path.dirname(__file__), "libqanat.so")


TEXT = POINTER(c_void_p)
SIGNATURES: Dict[str, Tuple[Any, List[Any]]] = {
    "qanat_abi": (c_int, []),
    "qanat_version": (c_char_p, []),
    "qanat_free_text": (None, [c_void_p]),
    "qanat_mel_presets": (c_int, [TEXT, TEXT]),
    "qanat_normalize": (c_int, [c_char_p, c_char_p, TEXT, TEXT]),
    "qanat_loader_open": (c_int, [c_char_p, POINTER(CAllocator), POINTER(c_void_p), TEXT]),
    "qanat_loader_open_rows": (c_int, [c_char_p, POINTER(CRow), c_size_t, POINTER(CAllocator),
                                       POINTER(c_void_p), TEXT]),
    "qanat_read_rows": (c_int, [c_char_p, TEXT, TEXT]),
    "qanat_loader_damaged": (c_int, [c_void_p, TEXT, TEXT]),
    "qanat_text_open": (c_int, [c_char_p, POINTER(c_void_p), TEXT]),
    "qanat_loader_text": (c_int, [c_void_p, POINTER(c_void_p), TEXT]),
    "qanat_text_free": (None, [c_void_p]),
    "qanat_text_read": (c_int, [c_void_p, c_char_p, c_char_p, TEXT, TEXT]),
    "qanat_text_symbols": (c_int, [c_void_p, TEXT, TEXT]),
    "qanat_loader_wait": (c_int, [c_void_p, c_double, TEXT]),
    "qanat_loader_close": (None, [c_void_p]),
    "qanat_loader_free": (None, [c_void_p]),
    "qanat_loader_seek": (c_int, [c_void_p, c_int64, c_int64, TEXT]),
    "qanat_loader_cut_for": (c_int, [c_void_p, c_int32, TEXT]),
    "qanat_loader_facts": (c_int, [c_void_p, TEXT, TEXT]),
    "qanat_loader_stats": (c_int, [c_void_p, TEXT, TEXT]),
    "qanat_loader_utterance": (c_int, [c_void_p, c_int64, TEXT, TEXT]),
    "qanat_loader_python": (ctypes.py_object, [c_void_p]),
}


class Library:
    """The functions twice: `waiting` lets other Python threads run meanwhile; `quick` does not, for
    calls that take microseconds, since a busy thread gives Python's lock back only every 5 ms."""

    def __init__(self, path: str) -> None:
        try:
            self.waiting = ctypes.CDLL(path)
        except OSError as error:
            raise LoaderError(
                f"the loader's library cannot be loaded: {error}; expected it in a wheel of qanat for "
                "Linux on x86_64; try ./dev wheel, or QANAT_LIBRARY=build/release/lib/libqanat.so"
            ) from None
        self.quick = ctypes.PyDLL(path)
        for loaded in (self.waiting, self.quick):
            for name, (result, arguments) in SIGNATURES.items():
                function = getattr(loaded, name)
                function.restype, function.argtypes = result, arguments
        if self.quick.qanat_abi() != ABI:
            raise LoaderError(f"{path}: its interface is {self.quick.qanat_abi()}; expected {ABI}: "
                              "library and package are of different versions")

    def text(self, pointer: c_void_p) -> str:
        """What a pointer that was handed out holds; frees it."""
        if not pointer.value:
            return ""
        text = ctypes.string_at(pointer.value).decode("utf-8", "replace")
        self.quick.qanat_free_text(pointer)
        return text

    def check(self, status: int, why: c_void_p) -> None:
        if status != OK:
            raise error_of(status, self.text(why))

    def json(self, function: Callable[..., int], *arguments: Any) -> Any:
        result, why = c_void_p(), c_void_p()
        self.check(function(*arguments, byref(result), byref(why)), why)
        return json.loads(self.text(result))


@functools.lru_cache(maxsize=None)
def library(path: str) -> Library:
    return Library(path)


def to_json(settings: Any) -> bytes:
    try:
        return json.dumps(settings, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("a path or name is not Unicode text") from None


class Session:
    """A loader of the library. Freed with the last reference to it; batches refer to it, too.

    What every batch needs are functions of the library itself (`qanat.h` describes them): a call by ctypes
    costs many times as much between two workers that fill the caches."""

    def __init__(self, settings: Dict[str, Any], allocate: Optional[Callable[[int], Any]] = None,
                 rows: Optional[RowArray] = None) -> None:
        self._handle = c_void_p()
        self.memory: Optional[_memory.Memory] = None
        self._getpid = os.getpid  # at the end of Python modules are empty
        self._pid = os.getpid()
        self.library = library(library_path())
        self._free = self.library.waiting.qanat_loader_free
        why = c_void_p()
        text = to_json(settings)
        functions = None
        if allocate is not None:
            number, self.memory, functions = _memory.register(allocate)
            weakref.finalize(self, _memory.forget, number)  # after the loader is freed
        memory = byref(functions) if functions else None
        if rows is None:
            status = self.library.waiting.qanat_loader_open(text, memory, byref(self._handle), byref(why))
        else:
            status = self.library.waiting.qanat_loader_open_rows(
                text, rows.rows, len(rows.rows), memory, byref(self._handle), byref(why))
            self._buffers = rows.buffers  # until the loader is freed
        self.library.check(status, why)
        self.has_tokens = settings.get("text", "tokens") == "tokens"
        self.has_texts = settings.get("text", "tokens") != "none"
        try:
            self.take, self.layout, self.values, self.tensor, self.array_struct, self.texts = (
                self.library.quick.qanat_loader_python(self._handle))
        except ValueError:  # ctypes got no object
            raise LoaderError("the loader needs CPython, whose functions other programs can find") from None

    def __del__(self) -> None:
        # Another process has no threads of the loader's, so they cannot be waited for.
        if getattr(self, "_handle", None) and self._getpid() == self._pid:
            self._free(self._handle)

    def handle(self) -> c_void_p:
        if self._getpid() != self._pid:
            raise LoaderError(f"this loader belongs to process {self._pid} and does not work after a "
                              "fork; make one in each process, with rank= and world=")
        return self._handle

    def wait_until_open(self) -> None:
        why = c_void_p()
        status = TIMEOUT
        while status == TIMEOUT:
            status = self.library.waiting.qanat_loader_wait(self.handle(), WAIT_SECONDS, byref(why))
        if status != OK:
            self.fail(status, self.library.text(why).encode())

    def fail(self, status: int, text: Optional[bytes]) -> NoReturn:
        self.handle()  # raises after a fork
        said = (text or b"").decode("utf-8", "replace")
        raise error_of(status, said) from (self.memory.failure if self.memory else None)

    def next(self) -> Tuple[Any, Tuple[int, int], int]:
        """The lease of a batch, which is given back with the last reference to it; epoch and index; how many
        of its rows hold others than planned."""
        taken: Any = None
        while taken is None:  # Python looks at signals (Ctrl-C) in between
            taken = self.take()
        if taken[0] is None:
            self.fail(*taken[1])
        return taken  # type: ignore[no-any-return]

    def seek(self, epoch: int, batch: int) -> None:
        why = c_void_p()
        self.library.check(self.library.waiting.qanat_loader_seek(self.handle(), epoch, batch,
                                                                  byref(why)), why)

    def cut_for(self, processes: int) -> None:
        why = c_void_p()
        self.library.check(self.library.waiting.qanat_loader_cut_for(self.handle(), processes,
                                                                     byref(why)), why)

    def facts(self) -> Dict[str, Any]:
        facts: Dict[str, Any] = self.library.json(self.library.waiting.qanat_loader_facts, self.handle())
        return facts

    def stats(self) -> Dict[str, Any]:
        stats: Dict[str, Any] = self.library.json(self.library.waiting.qanat_loader_stats, self.handle())
        return stats

    def text(self) -> c_void_p:
        """What made the tokens, for whoever frees it."""
        text, why = c_void_p(), c_void_p()
        self.library.check(self.library.quick.qanat_loader_text(self.handle(), byref(text), byref(why)), why)
        return text

    def utterance(self, item: int) -> Dict[str, Any]:
        found: Dict[str, Any] = self.library.json(self.library.quick.qanat_loader_utterance,
                                                  self.handle(), item)
        return found

    def damaged(self) -> Dict[str, List[Dict[str, Any]]]:
        rows: Dict[str, List[Dict[str, Any]]] = self.library.json(
            self.library.waiting.qanat_loader_damaged, self.handle())
        return rows

    def close(self) -> None:
        if self._getpid() == self._pid:
            self.library.waiting.qanat_loader_close(self._handle)


def read_rows(settings: Dict[str, Any]) -> List[Dict[str, Any]]:
    """Those of a data set on disk."""
    loaded = library(library_path())
    rows: List[Dict[str, Any]] = loaded.json(loaded.waiting.qanat_read_rows, to_json(settings))
    return rows


def mel_presets() -> Dict[str, Dict[str, Any]]:
    """Settings of the mel spectrograms that have a name; `Loader(mel=...)` takes both."""
    loaded = library(library_path())
    presets: Dict[str, Dict[str, Any]] = loaded.json(loaded.quick.qanat_mel_presets)
    return presets
