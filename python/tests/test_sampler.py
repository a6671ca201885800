"""Which line of a loop runs, and whether workers wait for a lock."""
import fcntl
import os
import subprocess
import sys
import tempfile
import threading
import types
import unittest
from array import array
from unittest import mock

import qanat
from qanat import _sampler, _workers
from qanat._sampler import Sampler, Stack
from tests import fake_torch
from tests.journals import Clock, WatchTest, read_lines


class Lines(WatchTest):
    def sample_in(self, run, part, function):
        """One sample, taken while `function` runs in the loop's thread."""
        run._clock.switch(part)

        def look():
            run._sampler.sample()

        function(look)

    def test_the_script_s_line_is_named_and_not_the_library_s(self):
        with qanat.watch(self.folder) as run:
            run._sampler.close()

            def write_metrics(look):
                sorted([1], key=lambda _: run_in_thread(look))

            self.sample_in(run, "residual:after_update", write_metrics)
            line = run._sampler.line({"residual:after_update": 1.5})

        self.assertEqual(line["places"], {"residual:after_update": 1.5})
        self.assertEqual(line["lines"][0]["part"], "residual:after_update")
        self.assertTrue(line["lines"][0]["line"].startswith("test_sampler.py:"))

    def test_a_wait_says_whether_the_loop_works_itself(self):
        def _next_index():
            return Stack(sys._getframe(), ())

        def _try_get_data(then):
            return then()

        def poll():
            return Stack(sys._getframe(), ())

        def rebuild():
            return Stack(sys._getframe(), ())

        self.assertEqual(_next_index().wait(), "wait:index")
        self.assertEqual(_try_get_data(poll).wait(), "wait:queue")
        self.assertEqual(_try_get_data(rebuild).wait(), "wait:receive")
        self.assertEqual(rebuild().wait(), "wait:load")

    def test_it_can_be_left_out(self):
        with qanat.watch(self.folder, lines=False) as run:
            with run.step():
                pass
            self.assertNotIn("qanat-lines", [thread.name for thread in threading.enumerate()])

        self.assertEqual(read_lines(self.folder, "loop"), [])

    def test_lines_are_bounded(self):
        with qanat.watch(self.folder) as run:
            run._sampler.close()
            for i in range(1000):
                run._sampler._add("residual", "train.py", i, "f")
            self.assertEqual(len(run._sampler._lines), _sampler.MAX_LINES)
            self.assertEqual(len(run._sampler.line({})["lines"]), _sampler.MAX_SAID)


def run_in_thread(look):
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()


class Locks(unittest.TestCase):
    @unittest.skipUnless(_sampler.LOCKS, "calls of this processor are not known")
    def test_a_worker_that_waits_for_a_lock_is_seen(self):
        with tempfile.NamedTemporaryFile() as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            waits = subprocess.Popen(
                [sys.executable, "-c", "import fcntl, sys\nprint('here', flush=True)\n"
                 "fcntl.flock(open(sys.argv[1]), fcntl.LOCK_EX)", file.name], stdout=subprocess.PIPE)
            self.addCleanup(waits.stdout.close)
            self.addCleanup(waits.wait)
            self.addCleanup(waits.kill)
            waits.stdout.readline()
            slot = memoryview(array("d", bytes(8 * _workers.SLOT)))
            slot[_workers.PID], slot[_workers.FETCHING] = waits.pid, 1
            run = types.SimpleNamespace(_stats=types.SimpleNamespace(live_slots=lambda: [slot]))
            sampler = Sampler.__new__(Sampler)
            sampler._run = run
            if not os.access(f"/proc/{waits.pid}/syscall", os.R_OK):
                self.skipTest("calls of other processes cannot be read")
            for _ in range(2000):  # until it has come to the lock
                sampler._look_at_workers(0.05)
                if slot[_workers.LOCKED] > 0:
                    break
            self.assertGreater(slot[_workers.LOCKED], 0)


class SlowRows(unittest.TestCase):
    def read(self, slots, worker, reads):
        slot = slots[worker * _workers.SLOT:(worker + 1) * _workers.SLOT]
        table = _workers.RowTable(slot, slots)
        for row, seconds in reads:
            table.add(seconds, row)

    def two_workers(self):
        slots = memoryview(array("d", bytes(2 * 8 * _workers.SLOT)))
        return slots, [slots[:_workers.SLOT], slots[_workers.SLOT:]]

    def test_a_row_that_is_slow_again_is_told_from_a_read_that_hung_once(self):
        epoch = [(i, 0.001) for i in range(100)]
        slots, both = self.two_workers()
        self.read(slots, 0, [*epoch, (37, 0.5), *epoch[40:], (37, 0.5)])
        self.assertEqual(_workers.slow_rows(both), {"read_again": 1, "slow_again": 1})
        self.assertEqual(_workers.slowest(both)[0], {"file": "dataset[37]", "seconds": 0.5, "times": 2})

        slots, both = self.two_workers()
        self.read(slots, 0, [*epoch, (37, 0.5), (52, 0.5)])
        self.read(slots, 1, [*epoch, *epoch])  # the next time, another worker reads them
        said = _workers.slow_rows(both)
        self.assertEqual(said["slow_again"], 0)
        self.assertGreaterEqual(said["read_again"], 2)


class QuickRows(WatchTest):
    """Rows that take less than a look at the clock is worth."""

    def setUp(self):
        super().setUp()
        self.clock = Clock()
        patch = mock.patch("qanat._workers.perf_counter", self.look)
        patch.start()
        self.addCleanup(patch.stop)
        self.looks = 0
        self.slot = memoryview(array("d", bytes(8 * _workers.SLOT)))
        self.seconds = {}
        rows = fake_torch.Dataset(100, lambda row: self.clock.run(self.seconds.get(row, 5e-6)))
        self.fetcher = _workers.measure_fetcher(
            fake_torch.Fetcher(rows, list), self.slot, _workers.RowTable(self.slot))

    def look(self):
        self.looks += 1
        return self.clock.now

    def fetch(self, times):
        for _ in range(times):
            self.fetcher.fetch(list(range(10, 42)))

    def test_one_fetch_stands_for_those_that_follow(self):
        self.fetch(160)

        self.assertLess(self.looks, 160 * 4 + 32 * 11)  # of 5,120 rows
        self.assertEqual(sum(_workers.histogram([self.slot])), 160 * 32)
        self.assertAlmostEqual(self.slot[_workers.ROW_TIME], 160 * 32 * 5e-6, delta=160 * 32 * 1e-6)
        self.assertEqual(self.slot[_workers.ROWS], 160 * 32)

    def test_a_slow_row_among_them_is_found_and_named_the_next_time(self):
        self.fetch(10)
        self.seconds[37] = 0.5
        self.fetch(1)
        self.assertEqual(sum(_workers.histogram([self.slot])[25:]), 1)
        self.assertEqual(_workers.slowest([self.slot]), [])
        self.fetch(1)
        self.assertEqual(_workers.slowest([self.slot])[0]["file"], "dataset[37]")

    def test_rows_that_take_longer_are_all_timed(self):
        self.seconds = {row: 1e-3 for row in range(100)}
        self.fetch(10)

        self.assertGreaterEqual(self.looks, 10 * 32)


class WaitsWithoutACore(WatchTest):
    def test_of_one_fetch_every_so_often(self):
        clock = self.turn_clock()
        queued = [0.0]

        def batches():
            for _ in range(4):
                clock.run(0.1)
                queued[0] += 0.075  # of 0.1 s
                yield 1

        with mock.patch("qanat._workers.run_delay", lambda: lambda: queued[0]):
            with qanat.watch(self.folder) as run:
                for _ in run.loader(batches()):
                    with run.step():
                        clock.run(0.01)

        last = read_lines(self.folder, "loop")[-1]["places"]
        self.assertAlmostEqual(last["wait:without_core"], 0.3, places=6)


if __name__ == "__main__":
    unittest.main()
