"""Load speech for training, and find out what slows a training loop down: see `qanat.Loader` and
`qanat.watch`.

Standard library only; torch is used when the script has imported it, and never imported here.
"""
from __future__ import annotations

from qanat._batch import Array, Batch
from qanat._journal import WatchError
from qanat._native import LoaderError, mel_presets
from qanat._run import Run, Step, watch
from qanat.loader import DataWarning, Loader
from qanat.tokenizer import Tokenizer

__all__ = ["Array", "Batch", "DataWarning", "Loader", "LoaderError", "Run", "Step", "Tokenizer", "WatchError",
           "mel_presets", "watch"]
__version__ = "0.1.0"
