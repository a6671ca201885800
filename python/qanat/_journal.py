"""The journal of a run: JSON Lines, the same that `qanat train` writes (src/metrics/journal.h)."""
from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
import threading
import time
import warnings
from collections import deque
from typing import Any, Deque, Dict, Optional

FORMAT = 1
LIMIT = 256 << 20  # bytes of a file; a journal takes at most twice as much
MAX_WAITING = 64 << 20  # bytes that wait for a disk that is full
CONTEXT_KINDS = ("run", "host")  # a file that goes on repeats the latest of each


class WatchError(RuntimeError):
    """Wrong use of a run, or a folder that it cannot have."""


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


class FolderLock:
    """One writer per folder: `training.lock`, held by the kernel, as `qanat train` does it."""

    def __init__(self, folder: str, rank: int = 0) -> None:
        self.path = os.path.join(folder, f"training.rank{rank}.lock" if rank else "training.lock")
        while True:
            self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.pread(self._fd, 1024, 0).decode("utf-8", "replace").strip()
                os.close(self._fd)
                raise WatchError(
                    f"{folder}: another run writes here: {holder or 'unknown'}; expected one run "
                    "per folder; try another folder, or wait for it to end") from None
            except OSError:
                pass  # a file system without locks
            if self._is_still_named():
                break
            os.close(self._fd)
        owner = {"pid": os.getpid(), "host": socket.gethostname(), "since": _now()}
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, (json.dumps(owner) + "\n").encode(), 0)

    def _is_still_named(self) -> bool:
        try:
            return os.path.samestat(os.fstat(self._fd), os.stat(self.path))
        except FileNotFoundError:
            return False

    def release(self) -> None:
        try:
            os.unlink(self.path)
        except OSError:
            pass
        os.close(self._fd)


class Journal:
    """Appends lines, which reach the file with `flush()`. Any thread may call any method.

    A disk that is full, or a file that cannot be written, costs lines and a warning, never the run.
    """

    def __init__(self, path: str, header: Dict[str, Any], limit: int = LIMIT) -> None:
        self.path = path
        self._header = dict(header, format=FORMAT, started=_now())
        self._limit = limit
        self._pid = os.getpid()
        self._start = time.perf_counter()
        self._context: Dict[str, str] = {}
        self._waiting: Deque[str] = deque()
        self._lock = threading.Lock()  # guards the file
        self._warned = False
        self._open()
        torn = self._written > 0 and os.pread(self._fd, 1, self._written - 1) != b"\n"
        self._write(("\n" if torn else "") + self._header_line())

    def _open(self) -> None:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        self._fd = os.open(self.path, flags, 0o644)
        self._written = os.fstat(self._fd).st_size

    def _header_line(self, **more: Any) -> str:
        return json.dumps({"kind": "journal", "t": 0.0, **self._header, **more}) + "\n"

    def time(self, at: Optional[float] = None) -> float:
        """Seconds since the header."""
        return (time.perf_counter() if at is None else at) - self._start

    def add(self, kind: str, fields: Dict[str, Any]) -> None:
        line = json.dumps({"kind": kind, "t": round(self.time(), 6), **fields}) + "\n"
        if kind in CONTEXT_KINDS:
            self._context[kind] = line
        self.add_line(line)

    def add_line(self, line: str) -> None:
        self._waiting.append(line)

    def flush(self) -> None:
        """Writes what waits, unless this is a process that was forked off."""
        if os.getpid() != self._pid:
            return
        with self._lock:
            lines = []
            while self._waiting:  # other threads may append meanwhile
                lines.append(self._waiting.popleft())
            if not lines:
                return
            if self._written >= self._limit:
                self._go_on_in_a_new_file()
            self._write("".join(lines))

    def _go_on_in_a_new_file(self) -> None:
        try:
            os.rename(self.path, self.path + ".1")
        except OSError:
            self._limit = 1 << 62  # too long is better than lost
            return
        os.close(self._fd)
        self._open()
        self._write(self._header_line(**{"continues": True}) + "".join(self._context.values()))

    def _write(self, text: str) -> None:
        rest = memoryview(text.encode("utf-8", "replace"))
        while rest:
            try:
                put = os.write(self._fd, rest)
            except OSError as error:
                self._keep(bytes(rest), error)
                return
            self._written += put
            rest = rest[put:]

    def _keep(self, rest: bytes, error: OSError) -> None:
        waits = error.errno in (errno.ENOSPC, errno.EDQUOT) and len(rest) <= MAX_WAITING
        if waits:
            self._waiting.appendleft(rest.decode("utf-8", "replace"))
        if not self._warned:
            self._warned = True
            warnings.warn(f"{self.path}: cannot write the journal: {error.strerror}; "
                          + ("its lines wait in memory" if waits else "lines are lost"),
                          RuntimeWarning, stacklevel=2)

    def close(self) -> None:
        self.flush()
        os.close(self._fd)
