"""Find out what slows a training loop down: see `qanat.watch`.

Standard library only; torch is used when the script has imported it, and never imported here.
"""
from __future__ import annotations

from qanat._run import Run, Step, WatchError, watch

__all__ = ["Run", "Step", "WatchError", "watch"]
__version__ = "0.1.0"
