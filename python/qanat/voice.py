"""Speak with a file that `qanat export` has written, through onnxruntime, which is imported when a voice is opened."""
from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import typing
import wave


class VoiceError(RuntimeError):
    """What is wrong with a voice or a text, and what to do about it."""


@dataclasses.dataclass(frozen=True)
class Speech:
    """What was said: `samples` is a float32 array of numpy, full scale 1."""

    samples: typing.Any
    sample_rate: int
    unknown: str  # characters that were left out

    def write(self, path: str | os.PathLike[str]) -> None:
        """As a WAV file of 16 bits; louder than full scale is clipped."""
        with wave.open(os.fspath(path), "wb") as file:
            file.setparams((1, 2, self.sample_rate, 0, "NONE", ""))
            file.writeframes((self.samples.clip(-1, 1) * 32767).round().astype("<i2").tobytes())


class Voice:
    """One exported voice: `qanat.Voice("voice.onnx").speak("hello there.").write("hello.wav")`.

    It reads letters and punctuation; numbers and abbreviations have to be written out. `threads` 0: as many as
    onnxruntime likes. Needs the package onnxruntime.
    """

    def __init__(self, path: str | os.PathLike[str], threads: int = 1) -> None:
        try:
            import onnxruntime
        except ImportError as error:
            raise VoiceError("qanat.Voice needs onnxruntime; try: pip install onnxruntime") from error
        facts = pathlib.Path(os.fspath(path) + ".json")
        try:
            self._config = json.loads(facts.read_text(encoding="utf-8"))
            self._ids = self._config["phoneme_id_map"]
            self.sample_rate = int(self._config["audio"]["sample_rate"])
            names = self._config["speaker_id_map"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise VoiceError(f"{facts}: cannot be read as the file that qanat export writes: {error!r}") from error
        if self._config.get("phoneme_type") != "text":
            raise VoiceError(f"{facts}: a voice of phonemes; expected one of characters; Piper speaks this one")
        self.speakers = sorted(names, key=names.get)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self._session = onnxruntime.InferenceSession(os.fspath(path), options, providers=["CPUExecutionProvider"])

    def speak(self, text: str, speaker: str | None = None, length_scale: float = 1.0) -> Speech:
        """`speaker` is one of `speakers`, by default the first; a `length_scale` above 1 is slower."""
        import numpy
        if speaker is not None and speaker not in self.speakers:
            raise VoiceError(f"unknown speaker {speaker!r}; expected one of {self.speakers}")
        unknown = "".join(dict.fromkeys(symbol for symbol in text if symbol not in self._ids))
        ids = [one for symbol in ("^", *text, "$") for one in self._ids.get(symbol, [])]
        inputs = {"input": numpy.array([ids], dtype=numpy.int64),
                  "input_lengths": numpy.array([len(ids)], dtype=numpy.int64),
                  "scales": numpy.array([0, length_scale, 0], dtype=numpy.float32)}
        if self.speakers:
            inputs["sid"] = numpy.array([self.speakers.index(speaker) if speaker else 0], dtype=numpy.int64)
        return Speech(self._session.run(["output"], inputs)[0].ravel(), self.sample_rate, unknown)
