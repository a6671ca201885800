#!/usr/bin/env python3
"""Rates for `qanat evaluate --quality`: DNSMOS P.835, overall, 1 to 5; the wheel carries its weights.

    pip install speechmos==0.0.1.1 onnxruntime librosa requests
"""
import numpy
from judge_lines import read_mono, serve
from speechmos import dnsmos

RATE = 16000


def rate(request):
    samples = numpy.clip(read_mono(request["audio"], RATE), -1, 1)
    return {"value": float(dnsmos.run(samples, RATE)["ovrl_mos"])}


serve(rate)
