"""The journal of a run: JSON Lines, the same that `qanat train` writes (src/core/metrics/journal.h)."""
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
from typing import Any, Deque, Dict, Optional, Tuple, Union

from qanat._recap import EndedStep, Recap, line_of, step_line

FORMAT = 2
LIMIT = 128 << 20  # bytes of a file; a journal takes at most twice as much, and a recap
MAX_WAITING = 64 << 20  # bytes that wait for a disk that is full

# A step, a line with its place in the recap, or text that a full disk did not take.
Waiting = Union[EndedStep, Tuple[str, str], str]


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
        self._waiting: Deque[Waiting] = deque()
        self._lock = threading.Lock()  # guards the file and what it is to repeat
        self._recap = Recap()
        self._warned = False
        self._finish_cut()
        self._recall()
        self._open()
        torn = self._written > 0 and os.pread(self._fd, 1, self._written - 1) != b"\n"
        self._write(("\n" if torn else "") + self._header_line())
        self._recap.add("journal", self._header_line())

    def _open(self) -> None:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        self._fd = os.open(self.path, flags, 0o644)
        self._written = os.fstat(self._fd).st_size

    def _finish_cut(self) -> None:
        """A writer that was killed between two renames left the file that is to go on."""
        if not os.path.exists(self.path) and os.path.exists(self.path + ".next"):
            os.rename(self.path + ".next", self.path)

    def _recall(self) -> None:
        """The steps of sessions before this one."""
        try:
            with open(self.path, encoding="utf-8", errors="replace") as file:
                continues = '"continues":true' in file.readline().replace(" ", "")
        except OSError:
            return
        if continues and os.path.exists(self.path + ".1"):
            self._recap.read(self.path + ".1")
        self._recap.read(self.path)

    def _header_line(self, **more: Any) -> str:
        return json.dumps({"kind": "journal", "t": 0.0, **self._header, **more}) + "\n"

    def time(self, at: Optional[float] = None) -> float:
        """Seconds since the header."""
        return (time.perf_counter() if at is None else at) - self._start

    def add(self, kind: str, fields: Dict[str, Any]) -> None:
        series = f"{kind}, setup" if "setup" in fields else kind
        self._waiting.append((series, line_of(kind, self.time(), fields)))

    def add_step(self, step: EndedStep) -> None:
        """Tells its values, and becomes a line, with flush(): not in the loop's time."""
        self._waiting.append(step)

    def flush(self) -> None:
        """Writes what waits, unless this is a process that was forked off."""
        if os.getpid() != self._pid:
            return
        with self._lock:
            if self._waiting and self._written >= self._limit:
                self._go_on_in_a_new_file()
            lines = []
            while self._waiting:  # other threads may append meanwhile
                lines.append(self._line(self._waiting.popleft()))
            if lines:
                self._write("".join(lines))

    def _line(self, waiting: Waiting) -> str:
        if isinstance(waiting, str):
            return waiting
        if type(waiting) is tuple:
            series, line = waiting
            self._recap.add(series, line)
            return line
        step = waiting.values()  # type: ignore[union-attr]
        self._recap.add_step(step)
        return step_line(step)

    def _go_on_in_a_new_file(self) -> None:
        """Next to its place and whole, then renamed; what is refused is tried again later."""
        after = self.path + ".next"
        lines = self._recap.lines()
        text = self._header_line(**{"continues": True, "recap": len(lines)}) + "".join(lines)
        try:
            with open(after, "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
            os.rename(self.path, self.path + ".1")
            try:
                os.rename(after, self.path)
            except OSError:
                os.rename(self.path + ".1", self.path)
                raise
        except OSError:
            self._limit += self._limit // 8  # too long is better than lost
            return
        os.close(self._fd)
        self._open()
        self._written = 0

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
