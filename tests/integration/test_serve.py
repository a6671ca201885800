"""`qanat serve` with a real model: what it says, to whom, and what it survives.

QANAT_SERVE_SECONDS: how long many clients call at once (5); QANAT_SERVE_CLIENTS: how many (8);
QANAT_SERVE_MALFORMED: requests that are none (2000); QANAT_SERVE_VOICE: a trained voice to use instead.
"""
import array
import concurrent.futures
import contextlib
import json
import os
import pathlib
import random
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import unittest

from program import QANAT, environment, qanat
from voice import Server, make_voice

SECONDS = float(os.environ.get("QANAT_SERVE_SECONDS", "5"))
CLIENTS = int(os.environ.get("QANAT_SERVE_CLIENTS", "8"))
MALFORMED = int(os.environ.get("QANAT_SERVE_MALFORMED", "2000"))
ENGLISH = "The water comes down from the hills by itself. Dr. Smith paid 3.50 for it."
PERSIAN = "آب از کوه آرام به شهر می‌رسد. «سلام!» گفت و رفت."


def samples_of(wav):
    """16-bit samples behind the header of a stream."""
    assert wav[:4] == b"RIFF" and wav[36:40] == b"data", wav[:44]
    return array.array("h", wav[44:])


class Served(unittest.TestCase):
    flags = ()

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="qanat serve ")
        cls.root = pathlib.Path(cls.folder.name)
        given = os.environ.get("QANAT_SERVE_VOICE")
        if not hasattr(Served, "made"):
            Served.place = tempfile.TemporaryDirectory(prefix="qanat voice ")
            Served.made = pathlib.Path(given) if given else make_voice(pathlib.Path(Served.place.name))
        cls.voice = Served.made
        cls.server = Server(cls.voice, *cls.flags)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.folder.cleanup()


class Speech(Served):
    def assert_same(self, chunks, whole):
        """Within 1e-4: three steps of 16 bits, and one that rounding to them adds."""
        self.assertEqual(len(chunks), len(whole))
        self.assertLessEqual(max(abs(a - b) for a, b in zip(chunks, whole)), 4)

    def test_says_what_synth_says(self):
        for text in (ENGLISH, PERSIAN):
            status, _, sound = self.server.speak(text)
            self.assertEqual(status, 200, sound)
            out = self.root / "whole.wav"
            whole = qanat("synth", text, "--checkpoint", self.voice, "--out", out, timeout=120)
            self.assertEqual(whole.returncode, 0, whole.stderr)
            self.assert_same(samples_of(sound), samples_of(out.read_bytes()))

    def test_streams_to_standard_output_in_chunks_that_are_the_whole(self):
        out = self.root / "whole.wav"
        self.assertEqual(qanat("synth", ENGLISH, "--checkpoint", self.voice, "--out", out).returncode, 0)
        streamed = subprocess.run([QANAT, "synth", ENGLISH, "--checkpoint", self.voice, "--out", "-"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                                  env=environment())
        self.assertEqual(streamed.returncode, 0, streamed.stderr)
        self.assert_same(samples_of(streamed.stdout), samples_of(out.read_bytes()))

    def test_every_format_is_what_it_says(self):
        begins = {"mp3": (b"\xff", b"ID3"), "opus": (b"OggS",), "flac": (b"fLaC",), "wav": (b"RIFF",)}
        for form, magic in begins.items():
            status, headers, sound = self.server.speak("Hello there.", form)
            self.assertEqual(status, 200, sound)
            self.assertTrue(sound.startswith(magic), (form, sound[:8]))
            self.assertTrue(headers["Content-Type"].startswith("audio/"))
        _, _, pcm = self.server.speak("Hello there.", "pcm")
        _, _, wav = self.server.speak("Hello there.", "wav")
        self.assertAlmostEqual(len(pcm) / 48000, len(samples_of(wav)) / 22050, places=3)

    def test_speed_changes_the_length(self):
        slow = len(self.server.speak(ENGLISH, speed=0.5)[2])
        fast = len(self.server.speak(ENGLISH, speed=2)[2])
        self.assertGreater(slow, fast)

    def test_a_recording_can_be_a_voice(self):
        wav = self.root / "anna.wav"
        sound = self.server.speak(ENGLISH)[2]
        values = samples_of(sound)
        head = struct.pack("<4sI8sIHHIIHH4sI", b"RIFF", 36 + 2 * len(values), b"WAVEfmt ", 16, 1, 1, 22050,
                           44100, 2, 16, b"data", 2 * len(values))
        wav.write_bytes(head + values.tobytes())
        with Server(self.voice, "--voice", f"{wav}=anna") as server:
            names = [one["id"] for one in json.loads(server.ask("GET", "/v1/audio/voices")[2])["voices"]]
            self.assertIn("anna", names)
            self.assertEqual(server.speak("Hello.", voice={"id": "anna"})[0], 200)

    def test_a_text_that_cannot_be_read_is_explained(self):
        status, _, body = self.server.speak("🙂🙂")
        self.assertEqual(status, 400)
        self.assertTrue(json.loads(body)["error"]["message"])

    def test_ctrl_c_ends_it(self):
        with Server(self.voice) as server:
            self.assertEqual(server.speak("Hello.")[0], 200)
            self.assertEqual(server.stop(), 130)


class Flags(Served):
    def test_mistakes_are_explained(self):
        for flags, said in ((["--voice", "anna.wav"], "expected FILE=NAME"),
                            (["--voice", "nowhere.wav=anna"], "nowhere.wav"),
                            (["--address", "example.com", "--token", "x"], "not an address")):
            result = qanat("serve", "--checkpoint", self.voice, *flags)
            self.assertIn(result.returncode, (1, 2))
            self.assertIn(said, result.stderr)
        nowhere = qanat("serve", "--checkpoint", "/nowhere")
        self.assertEqual(nowhere.returncode, 1)
        self.assertIn("no complete checkpoint", nowhere.stderr)

    def test_another_address_gets_a_token(self):
        with Server(self.voice, "--address", "0.0.0.0") as server:
            token = server.said.partition("?token=")[2].split()[0]
            self.assertEqual(server.speak("Hello.")[0], 401)
            body = {"input": "Hello.", "voice": "alloy"}
            self.assertEqual(server.ask("POST", "/v1/audio/speech", body,
                                        Authorization=f"Bearer {token}")[0], 200)


def malformed(chance):
    """Bytes that are nearly a request, of HTTP or of Wyoming."""
    heads = [b"GET / HTTP/1.1\r\n", b"POST /v1/audio/speech HTTP/1.1\r\n", b"POST / HTTP/9\r\n", b"\x16\x03\x01",
             b'{"type":"synthesize"', b'{"type":"describe"}\n', b"PUT /x HTTP/1.1\r\n", b"GET " + b"a" * 2000]
    parts = [b"Content-Length: -1\r\n", b"Content-Length: 99999999999\r\n", b"Host: evil\r\n", b"\r\n\r\n",
             b'{"input":' + b"[" * 500, b'{"input":"\\ud800"}', b'"data_length":4e9}\n', b'"payload_length":-5}\n',
             b"\x00" * 50, b"Transfer-Encoding: chunked\r\n", b"Expect: 100-continue\r\n", b"\n\n", b"}" * 20,
             bytes(chance.randrange(256) for _ in range(chance.randrange(200)))]
    return chance.choice(heads) + b"".join(chance.choices(parts, k=chance.randrange(6)))


class Storm(Served):
    def test_many_clients_at_once_are_served_fairly(self):
        end = time.monotonic() + SECONDS

        def call(number):
            chance, times = random.Random(number), []
            while time.monotonic() < end:
                text = chance.choice((ENGLISH, PERSIAN))
                begin = time.monotonic()
                status, _, sound = self.server.speak(text, chance.choice(("wav", "pcm", "mp3", "opus")))
                times.append(time.monotonic() - begin)
                assert status == 200, (status, sound[:300])
                assert len(sound) > 1000
            return times

        self.server.speak(ENGLISH)
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            calls = [pool.submit(call, number) for number in range(CLIENTS)]
            time.sleep(min(SECONDS / 3, 30))  # everything that grows once has grown
            begin, _ = self.server.memory()
            times = [call.result() for call in calls]
        after, _ = self.server.memory()
        means = sorted(statistics.mean(one) for one in times if one)
        print(f"\n{CLIENTS} clients for {SECONDS:.0f} s: {sum(map(len, times))} answers, median "
              f"{statistics.median(means):.2f} s, slowest {means[-1]:.2f} s; memory {begin >> 20} to "
              f"{after >> 20} MiB", file=sys.stderr)
        self.assertLessEqual(means[-1], 3 * statistics.median(means))
        self.assertLess(after, 1.1 * begin + (32 << 20))

    def test_what_is_no_request_does_no_harm(self):
        chance = random.Random(7)

        def send(count):
            for _ in range(count):
                port = self.server.port if chance.random() < 0.5 else self.server.wyoming
                with socket.create_connection(("127.0.0.1", port), timeout=20) as client, \
                        contextlib.suppress(ConnectionError):  # who makes no sense may be cut off
                    client.sendall(malformed(chance))
                    if chance.random() < 0.1:
                        client.shutdown(socket.SHUT_WR)
                        client.recv(100)

        send(min(500, MALFORMED))
        begin, descriptors = self.server.memory()
        send(MALFORMED)
        self.assertEqual(self.server.speak("Still there.")[0], 200)
        deadline = time.monotonic() + 30
        while self.server.metric("qanat_voice_clients") > 1 and time.monotonic() < deadline:
            time.sleep(0.05)
        after, left = self.server.memory()
        print(f"\n{MALFORMED} malformed requests: memory {begin >> 20} to {after >> 20} MiB", file=sys.stderr)
        self.assertLess(after, begin + (24 << 20))
        self.assertLessEqual(left, descriptors + 4)

    def test_clients_that_are_killed_leave_nothing_behind(self):
        _, descriptors = self.server.memory()
        program = ("import json, socket, sys, time\n"
                   "s = socket.create_connection(('127.0.0.1', int(sys.argv[1])))\n"
                   "b = json.dumps({'input': sys.argv[2], 'response_format': 'wav'}).encode()\n"
                   "s.sendall(b'POST /v1/audio/speech HTTP/1.1\\r\\nHost: 127.0.0.1:%s\\r\\nContent-Length: %d\\r\\n\\r\\n'"
                   " % (sys.argv[1].encode(), len(b)) + b)\n"
                   "s.recv(10)\nprint('heard', flush=True)\ntime.sleep(100)\n")
        clients = [subprocess.Popen([sys.executable, "-c", program, str(self.server.port), ENGLISH * 40],
                                    stdout=subprocess.PIPE) for _ in range(6)]
        for client in clients:
            client.stdout.readline()
            client.send_signal(signal.SIGKILL)
            client.wait()
            client.stdout.close()
        deadline = time.monotonic() + 30
        while (self.server.metric("qanat_voice_jobs") or self.server.metric("qanat_voice_clients") > 1) \
                and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(self.server.metric("qanat_voice_jobs"), 0)
        self.assertLessEqual(self.server.memory()[1], descriptors + 2)


if __name__ == "__main__":
    unittest.main()
