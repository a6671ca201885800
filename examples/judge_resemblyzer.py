#!/usr/bin/env python3
"""Compares speakers for `qanat evaluate --speaker-similarity`: cosine of two embeddings, 1 is the same.

    pip install Resemblyzer==0.1.4 'setuptools<81'   (its webrtcvad imports pkg_resources)
"""
from judge_lines import read_mono, serve
from resemblyzer import VoiceEncoder, preprocess_wav

RATE = 16000
encoder = VoiceEncoder("cpu", verbose=False)


def embedding(path):
    return encoder.embed_utterance(preprocess_wav(read_mono(path, RATE), source_sr=RATE))


def compare(request):
    return {"value": float(embedding(request["audio"]) @ embedding(request["reference"]))}


serve(compare)
