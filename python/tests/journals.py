"""For tests: reading a journal, a clock that a test turns, folders of their own."""
import json
import os
import tempfile
import unittest
from unittest import mock

from qanat._clock import PARTS

PYTHON = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def read_lines(folder, kind=None, name="journal.jsonl"):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        lines = [json.loads(line) for line in file if line.endswith("\n")]
    return [line for line in lines if kind is None or line["kind"] == kind]


def read_steps(folder):
    """With what a line leaves out because it is zero."""
    steps = read_lines(folder, "step")
    for step in steps:
        step["phases"] = {name: step["phases"].get(name, 0.0) for name in PARTS}
        step.setdefault("batches", 1)
        step["wall"] = sum(step["phases"].values())
    return steps


class Clock:
    """Seconds, as far as the test says."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now

    def run(self, seconds):
        self.now += seconds


class WatchTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = os.path.join(scratch.name, "run")

    def turn_clock(self):
        clock = Clock()
        for module in ("_clock", "_loader", "_loader_stats", "_run"):
            patch = mock.patch(f"qanat.{module}.perf_counter", clock)
            patch.start()
            self.addCleanup(patch.stop)
        return clock

    def assert_parts(self, step, **expected):
        """All parts, those that are not named being 0; and their sum."""
        for name, seconds in step["phases"].items():
            self.assertAlmostEqual(seconds, expected.get(name, 0.0), places=6, msg=name)
        self.assertAlmostEqual(step["wall"], sum(expected.values()), places=6)
