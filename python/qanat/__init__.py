"""Load speech for training, and find out what slows a training loop down: see `qanat.Loader` and
`qanat.watch`.

Standard library only; torch is used when the script has imported it, and never imported here.
`qanat.Voice` speaks with an exported voice, and alone needs onnxruntime.
"""
from __future__ import annotations

from qanat._batch import Array, Batch
from qanat._journal import WatchError
from qanat._native import LoaderError, mel_presets
from qanat._run import Run, Step, watch
from qanat._text import normalize
from qanat.loader import DataWarning, Loader
from qanat.tokenizer import Tokenizer
from qanat.voice import Speech, Voice, VoiceError

__all__ = ["Array", "Batch", "DataWarning", "Loader", "LoaderError", "Run", "Speech", "Step", "Tokenizer", "Voice",
           "VoiceError", "WatchError", "mel_presets", "normalize", "watch"]
__version__ = "0.2.0"
