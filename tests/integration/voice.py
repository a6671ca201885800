"""A voice to be served: a nano model and a nano vocoder of two steps, and the server over it."""
import http.client
import json
import pathlib
import re
import signal
import subprocess
import threading

from program import QANAT, environment, qanat


def make_voice(root):
    """The folder of the checkpoints, vocoder included. What it says is noise, at the pace of speech."""
    corpus, voice = root / "corpus", root / "voice"
    made = qanat("data", "make-demo", corpus, "--utterances", 12, "--built-in", timeout=300)
    assert made.returncode == 0, made.stderr
    common = ["--train-data", corpus, "--model-size", "nano", "--max-steps", 2, "--batch-size", 2]
    for more in (["--checkpoint-dir", voice],
                 ["--task", "vocoder", "--checkpoint-dir", voice / "vocoder"]):
        trained = qanat("train", *common, *more, timeout=600)
        assert trained.returncode == 0, trained.stderr
    return voice


class Server:
    """`qanat serve` on a free port; stopped by Ctrl-C at the end."""

    def __init__(self, voice, *flags):
        self.process = subprocess.Popen(
            [QANAT, "serve", "--checkpoint", str(voice), "--port", "0", "--wyoming", "0", *map(str, flags)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env=environment())
        self.said = ""
        self.port = self.wyoming = None
        for line in self.process.stderr:
            self.said += line
            if found := re.search(r"http://[^ ]*:(\d+)/", line):
                self.port = int(found[1])
            if found := re.search(r"tcp://[^ ]*:(\d+)", line):
                self.wyoming = int(found[1])
                break
        assert self.port and self.wyoming, self.said
        self._drain = threading.Thread(target=self._read, daemon=True)
        self._drain.start()

    def _read(self):
        for line in self.process.stderr:
            self.said += line

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=60)
        self._drain.join(timeout=10)
        self.process.stderr.close()
        return self.process.returncode

    def ask(self, method, path, body=None, timeout=600, **headers):
        """Status, headers and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            text = None if body is None else json.dumps(body).encode()
            connection.request(method, path, text, headers)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def speak(self, text, form="wav", **more):
        return self.ask("POST", "/v1/audio/speech", {"model": "x", "voice": "alloy", "input": text,
                                                     "response_format": form, **more})

    def memory(self):
        """Resident bytes and open descriptors."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        resident = int(re.search(r"VmRSS:\s+(\d+)", status)[1]) * 1024
        return resident, len(list(pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def metric(self, name):
        """The sum over its labels."""
        text = self.ask("GET", "/metrics")[2].decode()
        return sum(float(value) for value in re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)$", text, re.MULTILINE))
