"""Unmodified clients against `qanat serve`: OpenAI's library, LiveKit's plugin, Wyoming's, curl.

QANAT_CLIENTS_PYTHON: a Python that has openai, livekit-plugins-openai and wyoming; what it lacks is skipped.
"""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from voice import Server, make_voice

PYTHON = os.environ.get("QANAT_CLIENTS_PYTHON", "")

OPENAI = """
import sys
from openai import OpenAI
client = OpenAI(base_url=f"http://127.0.0.1:{sys.argv[1]}/v1", api_key="none", max_retries=0)
names = [model.id for model in client.models.list()]
assert len(names) == 1, names
for form, magic in (("mp3", None), ("opus", b"OggS"), ("flac", b"fLaC"), ("wav", b"RIFF"), ("pcm", None)):
    whole = client.audio.speech.create(model=names[0], voice="alloy", input="Hello there.", response_format=form)
    sound = whole.read()
    assert len(sound) > 500 and (magic is None or sound.startswith(magic)), (form, len(sound))
parts = []
with client.audio.speech.with_streaming_response.create(
        model="gpt-4o-mini-tts", voice="alloy", input="One. Two. Three. Four.", response_format="pcm", speed=0.5) as answer:
    for part in answer.iter_bytes():
        parts.append(len(part))
assert len(parts) > 1, parts
with client.audio.speech.with_streaming_response.create(
        model="x", voice="alloy", input="سلام دنیا.", stream_format="sse") as answer:
    events = answer.read().decode()
assert events.startswith("data: ") and "speech.audio.done" in events, events[:200]
try:
    client.audio.speech.create(model="x", voice="alloy", input="Hello.", response_format="aac")
    raise SystemExit("aac was not refused")
except Exception as refused:
    assert "aac cannot be encoded" in str(refused), refused
print("ok")
"""

LIVEKIT = """
import asyncio, sys
from livekit.plugins import openai

async def main():
    for model in ("tts-1", "gpt-4o-mini-tts"):  # chunks of sound, then events
        voice = openai.TTS(model=model, voice="ash", base_url=f"http://127.0.0.1:{sys.argv[1]}/v1", api_key="none")
        stream = voice.synthesize("The water comes down from the hills. It is cold.")
        seconds = 0.0
        async for event in stream:
            seconds += event.frame.samples_per_channel / event.frame.sample_rate
        await stream.aclose()
        await voice.aclose()
        assert seconds > 0.1, seconds
        print(model, round(seconds, 2))

asyncio.run(main())
print("ok")
"""

WYOMING = """
import asyncio, sys
from wyoming.client import AsyncTcpClient
from wyoming.info import Describe, Info
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop, SynthesizeStopped, SynthesizeVoice
from wyoming.audio import AudioChunk, AudioStart, AudioStop

async def main():
    async with AsyncTcpClient("127.0.0.1", int(sys.argv[1])) as client:
        await client.write_event(Describe().event())
        info = Info.from_event(await client.read_event())
        voice = info.tts[0].voices[0].name
        assert info.tts[0].supports_synthesize_streaming
        await client.write_event(Synthesize("Hello there.", voice=SynthesizeVoice(name=voice)).event())
        start = AudioStart.from_event(await client.read_event())
        assert (start.rate, start.width, start.channels) == (22050, 2, 1), start
        sound = 0
        while not AudioStop.is_type((event := await client.read_event()).type):
            sound += len(AudioChunk.from_event(event).audio)
        assert sound > 1000, sound
    async with AsyncTcpClient("127.0.0.1", int(sys.argv[1])) as client:
        await client.write_event(SynthesizeStart(voice=SynthesizeVoice(name=voice)).event())
        await client.write_event(SynthesizeChunk("One sentence. And an").event())
        first = await client.read_event()  # before the text is complete
        assert AudioStart.is_type(first.type), first
        await client.write_event(SynthesizeChunk("other one.").event())
        await client.write_event(Synthesize("One sentence. And another one.").event())
        await client.write_event(SynthesizeStop().event())
        types = []
        while not SynthesizeStopped.is_type((event := await client.read_event()).type):
            types.append(event.type)
        assert types[-1] == "audio-stop" and types.count("audio-stop") == 1, types

asyncio.run(main())
print("ok")
"""


class Clients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="qanat clients ")
        given = os.environ.get("QANAT_SERVE_VOICE")
        cls.server = Server(pathlib.Path(given) if given else make_voice(pathlib.Path(cls.folder.name)))

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.folder.cleanup()

    def run_client(self, module, program, port):
        if not PYTHON:
            self.skipTest("QANAT_CLIENTS_PYTHON names no Python with the clients")
        if subprocess.run([PYTHON, "-c", f"import {module}"], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest(f"{PYTHON} has no {module}")
        result = subprocess.run([PYTHON, "-c", program, str(port)], text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, timeout=300)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertTrue(result.stdout.endswith("ok\n"), result.stdout)

    def test_openai(self):
        self.run_client("openai", OPENAI, self.server.port)

    def test_livekit(self):
        self.run_client("livekit.plugins.openai", LIVEKIT, self.server.port)

    def test_wyoming(self):
        self.run_client("wyoming", WYOMING, self.server.wyoming)

    @unittest.skipUnless(shutil.which("curl"), "curl is not installed")
    def test_curl(self):
        address = f"http://127.0.0.1:{self.server.port}/v1/audio/speech"
        body = json.dumps({"input": "Hello there.", "voice": "alloy", "response_format": "wav"})
        for more in ([], ["-H", "Content-Type: application/json"], ["--http1.0"], ["-H", "Expect: 100-continue"]):
            result = subprocess.run(["curl", "-sS", "--fail-with-body", address, "-d", body, *more],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.assertTrue(result.stdout.startswith(b"RIFF"))


if __name__ == "__main__":
    unittest.main()
