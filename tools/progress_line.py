"""One line of progress: overwritten on a terminal, a new one now and then in a log."""

import sys
import time

TERMINAL_EVERY = 0.2  # seconds
LOG_EVERY = 30


def in_words(seconds):
    if seconds < 50:
        return f"{max(5, round(seconds / 5) * 5)} s"
    return f"{max(1, round(seconds / 60))} min"


class ProgressLine:
    def __init__(self):
        self._terminal = sys.stderr.isatty()
        self._shown_at = time.monotonic()

    def show(self, make_text):
        """`make_text()` is called when it is time for a line."""
        now = time.monotonic()
        if now - self._shown_at < (TERMINAL_EVERY if self._terminal else LOG_EVERY):
            return
        self._shown_at = now
        sys.stderr.write(f"\r\033[K{make_text()}" if self._terminal else make_text() + "\n")
        sys.stderr.flush()

    def clear(self):
        if self._terminal:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
