#!/usr/bin/env python3
"""Transcribes for `qanat evaluate --word-errors`. English only; the wheel carries its weights.

    pip install moonshine-voice==0.0.49 librosa
"""
from judge_lines import read_mono, serve
from moonshine_voice import ModelArch
from moonshine_voice.transcriber import Transcriber
from moonshine_voice.utils import get_model_path

RATE = 16000
transcriber = Transcriber(str(get_model_path("tiny-en")), ModelArch.TINY)


def transcribe(request):
    if request.get("language", "en") != "en":
        return {"error": f"language {request['language']}: this model knows English only"}
    heard = transcriber.transcribe_without_streaming(read_mono(request["audio"], RATE).tolist(), RATE)
    return {"text": " ".join(line.text for line in heard.lines)}


serve(transcribe)
