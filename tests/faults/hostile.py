#!/usr/bin/env python3
"""Random damage and hostile input against the program, by the thousand; each kind knows what a silent wrong result is.

  hostile.py --bin build/release/bin --work DIR [--seed N] [--scale 1.0] [--only texts,journals]

checkpoints, shards: damaged files are refused, or what is read is what was written (tests of these modules, more cases)
texts: the same text is read the same alone and among others, in either order; normalized text has only known symbols
journals: a damaged journal is reported or refused, and damaged lines are counted
configs: a mutated value is refused, or shown as it was written
requests: whatever is sent, the page stays the same, and nothing outside of it is served
clips: a damaged recording is refused, or has the length that its header says
"""
import argparse
import collections
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import time
import wave

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from campaign import write_clip  # noqa: E402

TIMEOUT = 60
PLAIN = {"LC_ALL": "C.UTF-8", "TERM": "dumb", "COLUMNS": "80"}


class Campaign:
    def __init__(self, options):
        self.options, self.random = options, random.Random(options.seed)
        self.counts, self.wrong = collections.Counter(), []
        self.work = options.work
        self.work.mkdir(parents=True, exist_ok=True)

    def run(self, name, *arguments, **more):
        try:
            return subprocess.run([str(self.options.bin / name), *map(str, arguments)], capture_output=True, timeout=TIMEOUT,
                                  env={**os.environ, **PLAIN, **more.pop("env", {})}, **more)
        except subprocess.TimeoutExpired:
            return None

    def count(self, kind, number=1):
        self.counts[kind] += number

    def blame(self, kind, what):
        self.wrong.append(f"{kind}: {what}")
        print(f"WRONG {kind}: {what}", flush=True)

    def ended(self, kind, result, what):
        """Whether it ended by itself, with an exit code of ours."""
        if result is None:
            self.blame(kind, f"hangs: {what}")
        elif result.returncode < 0 or result.returncode > 127:
            self.blame(kind, f"exit {result.returncode}: {what}: {result.stderr[-300:]}")
        else:
            return True
        return False

    def damaged(self, data):
        """As src/core/base/damage_testing.h does it."""
        data, at = bytearray(data), self.random.randrange(max(1, len(data)))
        count = self.random.randint(1, 64)
        way = self.random.randrange(6)
        if way == 0:
            del data[at:]
        elif way == 1:
            del data[at:at + count]
        elif way == 2:
            data[at:at + count] = bytes(count)
        elif way == 3:
            data[at:at] = data[at:at + count]
        elif data:
            data[at] ^= 1 << self.random.randrange(8)
        return bytes(data)

    def module_tests(self, kind, program, test, number):
        result = self.run(program, f"--gtest_filter={test}",
                          env={"QANAT_FAULTS": str(number), "QANAT_FAULT_SEED": str(self.options.seed), "TMPDIR": str(self.work)})
        self.count(kind, number)
        if result is None or result.returncode != 0 or b"1 test." not in result.stdout.rpartition(b"PASSED")[2]:
            self.blame(kind, "hangs" if result is None else result.stdout[-800:].decode(errors="replace"))

    def checkpoints(self, number):
        self.module_tests("checkpoints", "qanat_checkpoint_test", "CheckpointTest.RandomDamageIsNeverTakenForWhatWasSaved", number)

    def shards(self, number):
        self.module_tests("shards", "qanat_features_test", "FeatureStoreTest.RandomDamageIsNeverHandedOut", number)

    def random_text(self):
        ranges = [(32, 126), (0x600, 0x6FF), (0x200B, 0x200F), (0xFB50, 0xFDFF), (0x1F300, 0x1F64F), (0xC0, 0x24F), (0x300, 0x36F)]
        pieces = ["12,345.67", "۱۲۳۴", "٪", "$5m", "Dr.", "http://a.b/c?d=1", "می‌خواهم", "1/2", "3rd", "kHz", "ك", "\u202e", "-", "«", "'s"]
        text = ""
        for _ in range(self.random.randint(0, 30)):
            if self.random.random() < 0.4:
                text += self.random.choice(pieces)
            else:
                text += chr(self.random.randint(*self.random.choice(ranges)))
            text += " " * (self.random.random() < 0.3)
        return text.replace("\n", " ").replace("\r", " ")

    def read_texts(self, texts):
        """One answer for each; none where it refuses."""
        result = self.run("qanat", "data", "text", "-", "--json", input="".join(f"{text}\n" for text in texts).encode())
        if not self.ended("texts", result, texts[:2]):
            return None
        answers = {}
        for line in result.stdout.decode().splitlines():
            answer = json.loads(line)
            answers[answer["text"]] = (answer["normalised"], [token["id"] for token in answer["tokens"]])
        return answers

    def texts(self, number):
        texts = [self.random_text() for _ in range(number)]
        whole = self.read_texts(texts)
        other = self.read_texts(texts[::-1])
        self.count("texts", number)
        if whole != other:
            self.blame("texts", [text for text in texts if whole.get(text) != other.get(text)][:3])
        for text in self.random.sample(texts, min(number, 20)):
            if self.read_texts([text]).get(text) != whole.get(text):
                self.blame("texts", f"otherwise alone: {text!r}")

    def journals(self, number):
        sample = (pathlib.Path(__file__).resolve().parents[1] / "golden" / "first_version.jsonl").read_bytes()
        for _ in range(number):
            data = self.damaged(self.damaged(sample))
            file = self.work / "damaged.jsonl"
            file.write_bytes(data)
            result = self.run("qanat", "report", file, "--json", "--fail-on", "never")
            self.count("journals")
            if not self.ended("journals", result, data[:80]):
                (self.work / f"journal-{self.counts['journals']}").write_bytes(data)
                continue
            broken = 0
            for line in data.split(b"\n")[:-1]:
                try:
                    broken += bool(line) and not isinstance(json.loads(line.decode("utf-8", "replace")), dict)
                except ValueError:
                    broken += 1
            if result.returncode == 0 and broken and b"damaged" not in result.stderr + result.stdout:
                self.blame("journals", f"{broken} broken lines and no word: {result.stderr[-200:]}")

    def configs(self, number):
        shown = self.run("qanat", "config", "show", "--json")
        keys = [f"{section}.{key}" for section, fields in json.loads(shown.stdout)["config"].items() for key in fields]
        values = ["-1", "0", "1", "1e999", "nan", "99999999999999999999", "", "true", "no", "[]", "{}", "auto", "none", "0x10", "1_000",
                  "../..", "٣", "'", '"', "\x01", "3.5", "cuda:99", "fa", "~", "&a", "*a", "!!python/object", "-0", "1e3", "١٢"]
        for _ in range(number):
            key, value = self.random.choice(keys), self.random.choice(values)
            result = self.run("qanat", "config", "show", "--json", "--set", f"{key}={value}")
            self.count("configs")
            if not self.ended("configs", result, f"{key}={value!r}"):
                continue
            if result.returncode == 0:
                section, _, field = key.partition(".")
                answer = json.loads(result.stdout)
                if key not in answer["origins"] and field not in json.dumps(answer["origins"]):
                    self.blame("configs", f"{key}={value!r} is accepted and has no effect")
                got = answer["config"][section][field]
                if isinstance(got, (int, float)) and not isinstance(got, bool):
                    try:
                        if float(value) != float(got):
                            self.blame("configs", f"{key}={value!r} became {got}")
                    except ValueError:
                        pass
            elif key.encode() not in result.stderr and key.partition(".")[2].encode() not in result.stderr:
                self.blame("configs", f"{key}={value!r} is refused without its name: {result.stderr[-200:]}")

    def clips(self, number):
        """Many files for one command."""
        folder = self.work / "clips"
        (folder / "wavs").mkdir(parents=True, exist_ok=True)
        write_clip(self.work / "whole.wav", 220, 0.7)
        whole = (self.work / "whole.wav").read_bytes()
        with wave.open(str(self.work / "whole.wav")) as file:
            seconds = file.getnframes() / file.getframerate()
        (folder / "metadata.csv").write_text("".join(f"c{i}|some words here\n" for i in range(number)))
        for i in range(number):
            (folder / "wavs" / f"c{i}.wav").write_bytes(self.damaged(whole))
        result = self.run("qanat", "data", "check", folder, "--json")
        self.count("clips", number)
        if self.ended("clips", result, "data check") and b'"' not in result.stdout:
            self.blame("clips", result.stderr[-300:])
        if result is not None and seconds * number * 4 < json.loads(result.stdout or b"{}").get("hours", 0) * 3600:
            self.blame("clips", "longer than all of their bytes")

    def ask(self, port, data):
        with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
            try:
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
                answer = b""
                while part := connection.recv(65536):
                    answer += part
                return answer
            except ConnectionError:
                return b""

    def requests(self, number):
        run = self.work / "served"
        run.mkdir(exist_ok=True)
        (run / "journal.jsonl").write_bytes((pathlib.Path(__file__).resolve().parents[1] / "golden" / "first_version.jsonl").read_bytes())
        (self.work / "secret.txt").write_text("not for everybody")
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        server = subprocess.Popen([str(self.options.bin / "qanat"), "top", str(run), "--dashboard", str(port)],
                                  env={**os.environ, **PLAIN}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            good = f"GET /metrics HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n".encode()
            end = time.monotonic() + 30
            while time.monotonic() < end:
                try:
                    if self.ask(port, good).startswith(b"HTTP/1.1 200"):
                        break
                except OSError:
                    time.sleep(0.1)
            paths = ["/", "/metrics", "/../secret.txt", "/renders/../../secret.txt", "/%2e%2e/secret.txt", "//", "/" + "a" * 9000, "/\x00", "/renders/"]
            for i in range(number):
                request = (f"{self.random.choice(['GET', 'POST', 'HEAD', 'PUT', 'get', ''])} {self.random.choice(paths)} HTTP/1.1\r\n"
                           f"Host: {self.random.choice([f'localhost:{port}', 'evil.example', ''])}\r\n"
                           f"Content-Length: {self.random.choice(['0', '-1', '99999999999', 'x'])}\r\n\r\n").encode("latin-1")
                answer = self.ask(port, self.damaged(request) if self.random.random() < 0.7 else request)
                self.count("requests")
                if b"not for everybody" in answer:
                    self.blame("requests", f"served: {request}")
                if i % 100 == 0 and not self.ask(port, good).startswith(b"HTTP/1.1 200"):
                    self.blame("requests", f"no answer after {request}")
            if server.poll() is not None:
                self.blame("requests", f"ended with {server.returncode}")
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=30)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--work", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", type=float, default=1, help="1: ten thousand faults")
    parser.add_argument("--only", default="checkpoints,shards,texts,journals,configs,requests,clips")
    options = parser.parse_args()
    campaign = Campaign(options)
    usual = {"checkpoints": 2500, "shards": 2500, "texts": 2500, "journals": 500, "configs": 500, "requests": 1000, "clips": 500}
    for kind in options.only.split(","):
        begin = time.monotonic()
        getattr(campaign, kind)(max(1, int(usual[kind] * options.scale)))
        print(f"{kind}: {campaign.counts[kind]} in {time.monotonic() - begin:.1f} s", flush=True)
    print(f"{sum(campaign.counts.values())} faults, {len(campaign.wrong)} wrong")
    sys.exit(1 if campaign.wrong else 0)


if __name__ == "__main__":
    main()
