"""The loop that commands for `qanat evaluate` share: JSON lines in, JSON lines out.

A request is {"id": 1, "task": "quality", "audio": "/abs/a.wav"}; `similarity` has "reference", too, and
`transcribe` a "language". The answer has the same id and "text" or "value"; or "error", which is about
this clip only. Whatever a library prints goes to standard error, so that it is no answer.
"""
import json
import os
import sys


def serve(answer):
    """Answers each request with answer(request): a dictionary with `text` or `value`."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            reply = answer(request)
        except Exception as error:  # one clip that a model refuses must not end the others
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"id": request["id"], **reply}), file=replies, flush=True)


def read_mono(path, rate):
    """The samples of a file as one channel of float32 at `rate` Hz."""
    import librosa

    return librosa.load(path, sr=rate, mono=True)[0]
