#!/usr/bin/env python3
"""How fast a voice answers on one core: real-time factor, first sound of a warm server, first sound of a new process.

  voice_latency.py --qanat build/release/bin/qanat [--work FOLDER] [--steps 300] [--rounds 9] [--core N] [--json FILE]
                   [--piper MODEL.onnx --piper-python PYTHON]

Trains nano and tiny on synthetic speech and a nano vocoder, once, into FOLDER (build/voice_bench). Then in every round each
contender says the same text, one after the other, so that a busy moment meets all of them; twice each, and the second time
counts, because all others have used the core since its last turn. Figures are medians over rounds with
the middle half; what else ran is said. bench/piper_model.py makes MODEL.onnx; PYTHON has piper-tts.

real-time factor   time for all of the text / length of its sound, whole request to a warm program
first sound        from the request to its first samples; Piper hands on whole sentences
new process        from exec to the first samples on standard output
"""
import argparse
import http.client
import json
import os
import pathlib
import re
import select
import signal
import statistics
import subprocess
import sys
import time

TEXT = ("The water comes down from the hills by itself, and nobody has to carry it. In summer the channels stay cool. "
        "People have kept them clean for more than two thousand years.")
PIPER = r"""
import json, sys, time
from piper import PiperVoice
voice = PiperVoice.load(sys.argv[1])
list(voice.synthesize("Hello there."))
print("ready", flush=True)
for line in sys.stdin:
    begin, first, count = time.perf_counter(), None, 0
    for chunk in voice.synthesize(line.strip()):
        first = first if first is not None else time.perf_counter() - begin
        count += len(chunk.audio_int16_array)
    print(json.dumps({"first": first, "work": time.perf_counter() - begin, "audio": count / voice.config.sample_rate}), flush=True)
"""


def on_core(core):
    def choose():
        os.sched_setaffinity(0, {core})
    return choose


def one_thread():
    return {**os.environ, "OMP_NUM_THREADS": "1", "LC_ALL": "C.UTF-8"}


def run(*command):
    print("+", *command, file=sys.stderr)
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)


def make_voices(options):
    """Folders by name; what is there is used again."""
    corpus = options.work / "corpus"
    if not corpus.exists():
        run(options.qanat, "data", "make-demo", corpus, "--utterances", 40)
    vocoder = options.work / "vocoder"
    common = ("--data", corpus, "--batch-size", 4, "--set", "data.val_split=0")
    if not (vocoder / "report.html").exists():
        run(options.qanat, "train", "--task", "vocoder", "--model-size", "nano", "--max-steps", max(2, options.steps // 4),
            "--checkpoint-dir", vocoder, *common)
    voices = {}
    for size in ("nano", "tiny"):
        voices[size] = options.work / size
        if not (voices[size] / "report.html").exists():
            run(options.qanat, "train", "--model-size", size, "--max-steps", options.steps, "--checkpoint-dir", voices[size],
                *common)
        if not (voices[size] / "vocoder").exists():
            (voices[size] / "vocoder").symlink_to(vocoder.resolve())
    return voices


class Server:
    def __init__(self, options, voice):
        self.process = subprocess.Popen(
            [options.qanat, "serve", "--checkpoint", voice, "--port", "0", "--workers", "1"], stderr=subprocess.PIPE,
            text=True, preexec_fn=on_core(options.core), env=one_thread())
        self.port = None
        for line in self.process.stderr:
            if found := re.search(r"http://[^ ]*:(\d+)/", line):
                self.port = int(found[1])
                break
        if self.port is None:
            sys.exit("the server did not start")

    def measure(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        body = json.dumps({"input": TEXT, "response_format": "pcm"})
        begin = time.perf_counter()
        connection.request("POST", "/v1/audio/speech", body)
        answer = connection.getresponse()
        count = len(answer.read(2))
        first = time.perf_counter() - begin
        count += len(answer.read())
        work = time.perf_counter() - begin
        connection.close()
        return {"first": first, "work": work, "audio": count / 48000}

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()


class Piper:
    def __init__(self, options):
        self.process = subprocess.Popen([options.piper_python, "-c", PIPER, options.piper], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, preexec_fn=on_core(options.core), env=one_thread())
        if self.process.stdout.readline() != "ready\n":
            sys.exit("Piper did not start")

    def measure(self):
        self.process.stdin.write(TEXT + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def new_process(options, voice):
    """Seconds from exec to the first samples."""
    begin = time.perf_counter()
    process = subprocess.Popen([options.qanat, "synth", TEXT, "--checkpoint", voice, "--out", "-"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, preexec_fn=on_core(options.core), env=one_thread())
    heard = b""
    while len(heard) < 46:
        select.select([process.stdout], [], [])
        part = os.read(process.stdout.fileno(), 4096)
        if not part:
            sys.exit("qanat synth said nothing")
        heard += part
    first = time.perf_counter() - begin
    while os.read(process.stdout.fileno(), 1 << 16):
        pass
    process.wait()
    return first


def spread(values):
    low, middle, high = statistics.quantiles(values, n=4) if len(values) > 1 else values * 3
    return {"median": middle, "low": low, "high": high}


def measure(options, voices):
    """Figures by contender and kind, and how busy the machine was. Leaves no program behind."""
    contenders, figures = {}, {}
    try:
        for name, voice in voices.items():
            contenders[name] = Server(options, voice)
        if options.piper:
            contenders["Piper medium"] = Piper(options)
        figures = {name: {"factor": [], "first": [], "process": []} for name in contenders}
        load_before = os.getloadavg()[0]
        for number in range(options.rounds + 1):
            print(f"round {number} of {options.rounds}", file=sys.stderr)
            for name, contender in contenders.items():
                contender.measure()  # the others have had the caches of the core
                measured = contender.measure()
                process = new_process(options, voices[name]) if name in voices else None
                if number == 0:
                    continue  # files come into the cache
                figures[name]["factor"].append(measured["work"] / measured["audio"])
                figures[name]["first"].append(measured["first"])
                if process is not None:
                    figures[name]["process"].append(process)
        return figures, load_before
    finally:
        for contender in contenders.values():
            contender.stop()


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--qanat", required=True)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/voice_bench"))
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--piper")
    parser.add_argument("--piper-python", default=sys.executable)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    voices = make_voices(options)
    figures, load_before = measure(options, voices)
    result = {name: {key: spread(values) for key, values in parts.items() if values} for name, parts in figures.items()}
    print(f"{options.rounds} rounds on core {options.core} of {os.cpu_count()}; load average {load_before:.1f} before, "
          f"{os.getloadavg()[0]:.1f} after")
    print(f"{'':14}{'real-time factor':>26}{'first sound, ms':>26}{'new process, ms':>26}")
    for name, parts in result.items():
        cells = []
        for key, scale, digits in (("factor", 1, 4), ("first", 1000, 1), ("process", 1000, 0)):
            one = parts.get(key)
            cells.append("-" if one is None else f"{one['median'] * scale:.{digits}f} "
                         f"({one['low'] * scale:.{digits}f} to {one['high'] * scale:.{digits}f})")
        print(f"{name:14}" + "".join(f"{cell:>26}" for cell in cells))
    if options.json:
        options.json.write_text(json.dumps({"rounds": options.rounds, "core": options.core, "load": load_before,
                                            "figures": result}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
