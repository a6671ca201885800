"""What `qanat gpu-acceptance` makes of a trace of CUDA's own profiler and of a journal: made up, no GPU."""
import contextlib
import io
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python" / "qanat"))
from gpu_acceptance import Acceptance, host_waits  # noqa: E402

TRAINER, AUTOGRAD, CALLBACKS = 11, 12, 13


def call(name, at, thread=TRAINER, correlation=0):
    return {"ph": "X", "cat": "cuda_runtime", "name": name, "ts": at, "dur": 1, "tid": thread,
            "args": {"correlation": correlation}}


def launches(thread=TRAINER):
    """A hundred, one per microsecond."""
    return [call("cudaLaunchKernelExC_v11060", at, thread) for at in range(100)]


class HostWaits(unittest.TestCase):
    def count(self, *events):
        return host_waits({"traceEvents": [{"ph": "M", "name": "process_name"}, *events]})[1]

    def test_a_step_that_only_launches_waits_for_nothing(self):
        self.assertEqual(host_waits({"traceEvents": launches()}), (25, {}))

    def test_waits_of_every_thread_that_launches_are_counted(self):
        self.assertEqual(self.count(*launches(), *launches(AUTOGRAD), call("cudaStreamSynchronize", 80, AUTOGRAD),
                                    call("cudaStreamSynchronize_v3020", 81), call("cudaFree", 82)),
                         {"cudaStreamSynchronize": 2, "cudaFree": 1})

    def test_callback_threads_may_wait(self):
        self.assertEqual(self.count(*launches(), call("cudaEventSynchronize", 80, CALLBACKS)), {})

    def test_waits_while_shapes_are_recorded_and_at_the_end_do_not_count(self):
        self.assertEqual(self.count(*launches(), call("cudaDeviceSynchronize", 20),
                                    call("cudaDeviceSynchronize", 99)), {})

    def test_a_copy_of_pageable_memory_is_a_wait(self):
        copies = [{"ph": "X", "cat": "gpu_memcpy", "name": f"Memcpy HtoD ({kind} -> Device)", "ts": 90, "tid": 7,
                   "args": {"correlation": correlation}} for correlation, kind in ((1, "Pageable"), (2, "Pinned"))]
        self.assertEqual(self.count(*launches(), *copies, call("cudaMemcpyAsync", 80, correlation=1),
                                    call("cudaMemcpyAsync", 81, correlation=2)), {"cudaMemcpyAsync (pageable)": 1})

    def test_without_launches_nothing_is_claimed(self):
        self.assertEqual(host_waits({"traceEvents": [call("cudaFree", 1)]}), (0, {}))


class JudgeHost(unittest.TestCase):
    def outcome(self, waits):
        """Of a journal with one step per second, and after each a reading of how often the host has waited."""
        acceptance = Acceptance("qanat", pathlib.Path(), None, len(waits))
        acceptance.last, acceptance.lines = {}, []
        for second, count in enumerate(waits):
            acceptance.lines += [
                {"kind": "step", "t": second, "wall": 1.0, "phases": {"forward": 1.0}},
                {"kind": "pipeline", "t": second + 0.5, "ring": {"slots": 3},
                 "devices": [{"role": "model", "host_waits": count}]}]
        with contextlib.redirect_stdout(io.StringIO()):
            acceptance.judge_host("made up")
        return {result["check"]: result["outcome"] for result in acceptance.results}["host waits, made up"]

    def test_the_wait_at_the_end_of_a_run_is_not_one_of_a_step(self):
        self.assertEqual(self.outcome([1, 2, 3] + [4] * 7 + [5, 5]), "PASS")

    def test_a_wait_between_steps_is_seen(self):
        self.assertEqual(self.outcome([1, 2, 3] + [4] * 3 + [5] * 6), "FAIL")

    def test_a_run_too_short_for_two_readings_passes_nothing(self):
        self.assertEqual(self.outcome([1] * 5), "FAIL")


if __name__ == "__main__":
    unittest.main()
