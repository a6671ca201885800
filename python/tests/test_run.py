"""A loop that calls qanat.watch itself."""
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings
from unittest import mock

import qanat
from qanat import _journal
from qanat._recap import StepValues, step_line
from tests import fake_torch
from tests.journals import PYTHON, WatchTest, read_lines, read_steps


class Breakdown(WatchTest):
    def test_the_parts_of_a_step_are_its_wall_time(self):
        clock = self.turn_clock()

        def batches():
            for _ in range(3):
                clock.run(0.5)
                yield "batch"

        with qanat.watch(self.folder) as run:
            for _ in run.loader(batches()):
                clock.run(0.01)
                with run.step(batch_size=4):
                    for name, seconds in (("forward", 1.0), ("loss", 0.1), ("backward", 2.0),
                                          ("optimizer", 0.2)):
                        with run.phase(name):
                            clock.run(seconds)
                    clock.run(0.03)
                with run.saving():
                    clock.run(0.7)

        steps = read_steps(self.folder)
        self.assertEqual([step["step"] for step in steps], [0, 1, 2])
        self.assertEqual([step["batch"] for step in steps], [0, 1, 2])
        self.assertEqual(steps[0]["shape"][0], 4)
        self.assert_parts(steps[1], wait=0.5, forward=1.0, loss=0.1, backward=2.0, optimizer=0.2,
                          checkpoint=0.7, residual=0.04)

    def test_a_step_without_phases_is_work_as_a_whole(self):
        clock = self.turn_clock()

        with qanat.watch(self.folder) as run:
            for _ in range(2):
                clock.run(0.1)
                with run.step():
                    clock.run(1.0)

        self.assert_parts(read_steps(self.folder)[1], forward=1.0, residual=0.1)

    def test_batches_fetched_inside_a_step_are_waits_of_it(self):
        clock = self.turn_clock()

        def batches():
            while True:
                clock.run(0.25)
                yield 0

        with qanat.watch(self.folder) as run:
            batch = iter(run.loader(batches()))
            for _ in range(2):
                with run.step():
                    for _ in range(2):
                        next(batch)
                        with run.phase("forward"):
                            clock.run(1.0)

        step = read_steps(self.folder)[1]
        self.assertEqual(step["batches"], 2)
        self.assert_parts(step, wait=0.5, forward=2.0)

    def test_a_step_that_failed_was_work_for_nothing(self):
        clock = self.turn_clock()

        with qanat.watch(self.folder) as run:
            with self.assertRaises(MemoryError):
                with run.step():
                    with run.phase("forward"):
                        clock.run(3.0)
                        raise MemoryError
            with run.step():
                with run.phase("forward"):
                    clock.run(1.0)

        steps = read_steps(self.folder)
        self.assertEqual(len(steps), 1)
        self.assert_parts(steps[0], retry=3.0, forward=1.0)

    def test_what_is_known_of_a_step_is_written_and_the_rest_is_null(self):
        with qanat.watch(self.folder) as run:
            with run.step(batch_size=2, length=50, frames=80) as step:
                step.loss, step.learning_rate = 1.5, 1e-3
            with run.step() as step:
                step.loss = float("nan")

        first, second = read_steps(self.folder)
        self.assertEqual((first["losses"]["total"], first["lr"]), (1.5, 1e-3))
        self.assertEqual((first["frames"], first["shape"]), (80, [2, 50, 0]))
        self.assertIsNone(second["losses"]["total"])
        self.assertNotIn("lr", second)


class OnAGpu(WatchTest):
    def test_waits_are_those_of_the_gpu(self):
        torch = fake_torch.install(self, has_gpu=True)
        clock = torch.cuda.Event.clock = self.turn_clock()
        torch.cuda.Event.device_free_at = 0.0

        def work(seconds):  # that the host only launches
            torch.cuda.Event.device_free_at = max(
                clock.now, torch.cuda.Event.device_free_at) + seconds

        def batches():
            for _ in range(4):
                clock.run(0.5)
                yield 0

        with qanat.watch(self.folder) as run:
            for _ in run.loader(batches()):
                with run.step():
                    with run.phase("forward"):
                        work(0.2)
                    with run.phase("backward"):
                        work(0.1)

        # The host waited 0.5 s for a batch; the GPU had work for 0.3 s of it.
        self.assert_parts(read_steps(self.folder)[2], wait=0.2, forward=0.2, backward=0.1)

    def test_steps_the_gpu_has_not_finished_are_written_later_and_in_order(self):
        torch = fake_torch.install(self, has_gpu=True)
        torch.cuda.Event.clock = self.turn_clock()

        with qanat.watch(self.folder) as run:
            with run.step():
                pass
            with mock.patch.object(torch.cuda.Event, "held", True):
                for _ in range(3):
                    with run.step():
                        pass
                run._journal.flush()
                self.assertEqual(len(read_steps(self.folder)), 1)

        self.assertEqual([step["step"] for step in read_steps(self.folder)], [0, 1, 2, 3])

    def test_cuda_is_not_initialised_by_watching(self):
        torch = fake_torch.install(self, has_gpu=True)
        torch.cuda.is_initialized = lambda: False
        torch.cuda.Event = mock.Mock(side_effect=AssertionError("initialises CUDA"))

        with qanat.watch(self.folder) as run:
            with run.step():
                pass

        self.assertEqual(len(read_steps(self.folder)), 1)


class Loaders(WatchTest):
    def test_settings_of_a_torch_loader_are_recorded(self):
        torch = fake_torch.install(self)
        loader = torch.utils.data.DataLoader(fake_torch.Dataset(8), batch_size=4)

        with qanat.watch(self.folder) as run:
            watched = run.loader(loader)
            self.assertEqual(len(watched), 2)
            self.assertIs(watched.dataset, loader.dataset)
            for _ in watched:
                with run.step():
                    pass

        line = read_lines(self.folder, "run")[-1]
        self.assertEqual(line["loader"], {"num_workers": 0, "pin_memory": False,
                                          "persistent_workers": False, "prefetch_factor": 2,
                                          "batch_size": 4, "collate_in_main_process": True})
        self.assertEqual(line["cadences"], {"batches of an epoch": 2})
        self.assertEqual(read_steps(self.folder)[0]["shape"][0], 4)

    def test_the_rows_of_a_loader_in_the_main_process_are_counted(self):
        torch = fake_torch.install(self)
        loader = torch.utils.data.DataLoader(fake_torch.Dataset(8), batch_size=4)

        with qanat.watch(self.folder) as run:
            for _ in run.loader(loader):
                with run.step():
                    pass

        line = read_lines(self.folder, "pipeline")[-1]
        self.assertEqual((line["active_workers"], line["window"]["limit"]), (0, 0))
        self.assertEqual((line["batches"], line["rows"], line["workers"][0]["rows"]), (2, 8, 8))
        self.assertEqual(sum(line["row_times"]), 8)
        self.assertNotIn("stages", line)

    def test_workers_are_measured_and_the_users_init_is_called(self):
        torch = fake_torch.install(self)
        created = torch.utils.data._DatasetKind.create_fetcher
        self.addCleanup(setattr, torch.utils.data._DatasetKind, "create_fetcher",
                        staticmethod(created))
        seen = []
        loader = torch.utils.data.DataLoader(fake_torch.Dataset(8), batch_size=2, num_workers=2)
        loader.worker_init_fn = seen.append

        with qanat.watch(self.folder) as run:
            for _ in run.loader(loader):
                with run.step():
                    pass
            shared = run._stats._records[0]._shared.path
            self.assertTrue(os.path.exists(shared))

        self.assertEqual(seen, [0])
        self.assertEqual(loader.worker_init_fn, seen.append)
        self.assertFalse(os.path.exists(shared))
        line = read_lines(self.folder, "pipeline")[-1]
        self.assertEqual((line["active_workers"], line["window"]["limit"]), (2, 4))
        self.assertEqual([worker["rows"] for worker in line["workers"]], [8, 0])
        self.assertGreater(line["workers"][0]["busy"], 0)

    def test_nothing_is_said_of_the_workers_of_other_iterables(self):
        with qanat.watch(self.folder) as run:
            for _ in run.loader([1, 2, 3]):
                with run.step():
                    pass

        self.assertEqual(len(read_steps(self.folder)), 3)
        self.assertEqual(read_lines(self.folder, "pipeline"), [])

    def test_epochs_are_counted_and_their_start_is_a_wait(self):
        clock = self.turn_clock()

        class SlowStart:
            def __iter__(self):
                clock.run(2.0)
                return iter([0, 1])

        with qanat.watch(self.folder) as run:
            loader = run.loader(SlowStart())
            for _ in range(2):
                for _ in loader:
                    with run.step():
                        clock.run(1.0)

        steps = read_steps(self.folder)
        self.assertEqual([(step["epoch"], step["batch"]) for step in steps],
                         [(0, 0), (0, 1), (1, 0), (1, 1)])
        self.assert_parts(steps[2], wait=2.0, forward=1.0)

    def test_what_another_thread_fetches_ahead_is_no_wait(self):
        clock = self.turn_clock()

        def batches():
            clock.run(5.0)
            yield 1

        with qanat.watch(self.folder) as run:
            with run.step():
                clock.run(1.0)
            loader = run.loader(batches())
            thread = threading.Thread(target=lambda: list(loader))
            thread.start()
            thread.join()
            with run.step():
                clock.run(1.0)

        self.assertEqual(read_steps(self.folder)[1]["phases"]["wait"], 0.0)

    def test_an_error_of_the_loader_reaches_the_loop(self):
        def batches():
            yield 1
            raise OSError("gone")

        with qanat.watch(self.folder) as run:
            with self.assertRaisesRegex(OSError, "gone"):
                for _ in run.loader(batches()):
                    with run.step():
                        pass
            with run.step():
                pass

        self.assertEqual(len(read_steps(self.folder)), 2)


class WrongUse(WatchTest):
    def test_every_kind_is_an_exception_that_says_what_was_expected(self):
        with qanat.watch(self.folder) as run:
            with self.assertRaisesRegex(qanat.WatchError, "outside a step"):
                with run.phase("forward"):
                    pass
            with self.assertRaisesRegex(qanat.WatchError, "expected one of transfer, forward"):
                run.phase("foward")
            with run.step():
                with self.assertRaisesRegex(qanat.WatchError, "inside another step"):
                    with run.step():
                        pass
                with run.phase("forward"):
                    with self.assertRaisesRegex(qanat.WatchError, "'loss' inside 'forward'"):
                        with run.phase("loss"):
                            pass
            with self.assertRaisesRegex(qanat.WatchError, "another run writes here.*pid"):
                qanat.watch(self.folder)
            errors = []

            def use():
                try:
                    run.step().__enter__()
                except qanat.WatchError as error:
                    errors.append(str(error))

            thread = threading.Thread(target=use)
            thread.start()
            thread.join()
            self.assertIn("another thread", errors[0])
        for use in (lambda: run.loader([]), lambda: run.step().__enter__(),
                    lambda: run.saving().__enter__()):
            with self.assertRaisesRegex(qanat.WatchError, "closed"):
                use()

    def test_wrong_use_leaves_the_step_as_it_was(self):
        clock = self.turn_clock()
        with qanat.watch(self.folder) as run:
            with run.step():
                with run.phase("forward"):
                    clock.run(1.0)
                    with self.assertRaises(qanat.WatchError):
                        with run.phase("loss"):
                            pass
                    clock.run(1.0)

        self.assert_parts(read_steps(self.folder)[0], forward=2.0)


class Endings(WatchTest):
    def run_script(self, text):
        return subprocess.Popen(
            [sys.executable, "-c", "import os, sys, qanat\n" + text, self.folder],
            env={**os.environ, "PYTHONPATH": PYTHON}, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)

    def ending(self):
        return read_lines(self.folder, "ended")[-1]["ending"]

    def test_a_run_says_how_it_ended(self):
        for error, ending in ((None, "completed"), (ValueError, "failed"),
                              (KeyboardInterrupt, "stopped")):
            try:
                with qanat.watch(self.folder):
                    if error:
                        raise error
            except (ValueError, KeyboardInterrupt):
                pass
            self.assertEqual(self.ending(), ending)
        self.assertEqual(len(read_lines(self.folder, "journal")), 3)

    def test_kill_9_leaves_whole_lines_and_a_folder_that_can_be_used(self):
        script = self.run_script(
            "run = qanat.watch(sys.argv[1])\n"
            "for i in range(100): run.step().__enter__(); run._step.__exit__(None, None, None)\n"
            "run._journal.flush()\nprint('ready', flush=True)\nsys.stdin.read()\n"
            "import time; time.sleep(60)")
        self.assertEqual(script.stdout.readline(), "ready\n")
        script.kill()
        script.communicate()

        self.assertEqual(len(read_steps(self.folder)), 100)
        with open(os.path.join(self.folder, "journal.jsonl"), "a", encoding="utf-8") as file:
            file.write('{"kind":"st')  # as a write that was cut off leaves it
        with qanat.watch(self.folder) as run:
            with run.step():
                pass
        with open(os.path.join(self.folder, "journal.jsonl"), encoding="utf-8") as file:
            self.assertEqual(sum('"kind": "journal"' in line for line in file), 2)

    def test_lines_reach_the_file_while_the_loop_hangs(self):
        script = self.run_script(
            "qanat._run.FLUSH_SECONDS = 0.01\nrun = qanat.watch(sys.argv[1])\n"
            "with run.step(): pass\nprint('ready', flush=True)\nimport time; time.sleep(60)")
        script.stdout.readline()
        while not read_steps(self.folder):
            self.assertIsNone(script.poll())
        script.kill()
        script.communicate()

    def test_sigterm_ends_the_run_and_the_script_as_before(self):
        script = self.run_script(
            "run = qanat.watch(sys.argv[1])\nwith run.step(): pass\n"
            "import signal; os.kill(os.getpid(), signal.SIGTERM); print('not reached')")
        output, _ = script.communicate(timeout=60)

        self.assertEqual((script.returncode, output), (-signal.SIGTERM, ""))
        self.assertEqual(self.ending(), "stopped")
        self.assertEqual(len(read_steps(self.folder)), 1)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "training.lock")))

    def test_a_run_that_nobody_closes_is_closed_at_exit(self):
        script = self.run_script("run = qanat.watch(sys.argv[1])\nwith run.step(): pass")
        script.communicate(timeout=60)

        self.assertEqual(script.returncode, 0)
        self.assertEqual(self.ending(), "stopped")
        self.assertEqual(len(read_steps(self.folder)), 1)

    def test_a_forked_child_writes_nothing(self):
        with qanat.watch(self.folder) as run:
            with run.step():
                pass
            child = os.fork()
            if child == 0:
                run.close()
                os._exit(0)
            os.waitpid(child, 0)

        self.assertEqual(len(read_steps(self.folder)), 1)
        self.assertEqual(len(read_lines(self.folder, "ended")), 1)


class JournalFile(WatchTest):
    def write(self, first, last, limit=20000, **header):
        os.makedirs(self.folder, exist_ok=True)
        path = os.path.join(self.folder, "journal.jsonl")
        journal = _journal.Journal(path, {"command": "watch", **header}, limit=limit)
        journal.add("run", {"allowed_cores": 2})
        journal.add("host", {"setup": {"online_cores": 2}})
        for i in range(first, last):
            journal.add_step(StepValues(
                0.1 * i, i, 0, i, 1, 32, 100, 3000, 3200, 1 + 1 / (i + 1), 1e-3, 2.5,
                [0.001, 0.0, 0.03, 0.0, 0.06, 0.0, 0.01, 0.0, 0.0]))
            if i % 10 == 0:
                journal.add("host", {"counters": {"process_cpu": 0.5 * i}})
                journal.flush()
        journal.close()
        return path

    def assert_all_steps(self, steps):
        """Each once, by itself or in the recap of the older file."""
        before = read_lines(self.folder, name="journal.jsonl.1")
        last = read_lines(self.folder)
        skipped = last[0]["recap"]
        lines = before + last[1 + skipped:]
        count = sum(line["count"] for line in lines if line["kind"] == "steps")
        self.assertEqual(count + sum(line["kind"] == "step" for line in lines), steps)
        self.assertEqual(min(line["first"] for line in lines if line["kind"] == "steps"), 0)
        return lines

    def test_a_file_that_is_full_goes_on_in_another_with_all_that_was(self):
        path = self.write(0, 1000, trainer="torch")

        lines = self.assert_all_steps(1000)
        self.assertTrue(lines[0]["continues"])
        self.assertEqual(lines[1]["trainer"], "torch")
        self.assertIn("setup", next(line for line in lines if line["kind"] == "host"))
        first = next(line for line in lines if line["kind"] == "steps")
        self.assertEqual(first["loss"][2], 2.0)
        self.assertLess(os.path.getsize(path), 20000 + 150000)
        self.assertFalse(os.path.exists(path + ".next"))

    def test_earlier_sessions_are_part_of_what_was(self):
        self.write(0, 500)
        self.write(500, 1000)

        self.assert_all_steps(1000)

    def test_a_writer_killed_while_it_cut_left_what_goes_on(self):
        path = self.write(0, 500)
        os.rename(path, path + ".next")

        self.write(500, 510, limit=1 << 20)

        self.assert_all_steps(510)

    def test_a_step_takes_at_most_three_hundred_bytes(self):
        step = StepValues(86400.123456, 1234567, 123, 12345, 1, 32, 1024, 32000, 32768, 1.23456789,
                          1.2345e-4, 0.123456789,
                          [1.23e-5, 0.0, 0.0123456, 0.0, 0.0234567, 0.0, 0.0012345, 0.0, 1.2345e-5])
        self.assertLessEqual(len(step_line(step)), 300)

    def test_a_full_disk_costs_a_warning_not_the_run(self):
        os.makedirs(self.folder)
        with qanat.watch(self.folder) as run:
            with mock.patch.object(_journal.os, "write", side_effect=OSError(28, "no space")):
                with run.step():
                    pass
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    run._journal.flush()
                    run._journal.flush()
                self.assertEqual([str(warning.message).endswith("wait in memory")
                                  for warning in caught], [True])

        self.assertEqual(len(read_steps(self.folder)), 1)


class Imports(unittest.TestCase):
    def test_importing_qanat_imports_no_torch(self):
        code = "import sys, qanat, qanat.callbacks, qanat.watch; print('torch' in sys.modules)"
        output = subprocess.run([sys.executable, "-c", code], env={**os.environ,
                                "PYTHONPATH": PYTHON}, capture_output=True, text=True, check=True)
        self.assertEqual(output.stdout, "False\n")

    def test_watch_can_be_called_after_its_module_was_imported(self):
        code = ("import sys, qanat, qanat.watch\n"
                "with qanat.watch(sys.argv[1]) as run:\n  with run.step(): pass\nprint(run.steps)")
        with tempfile.TemporaryDirectory() as folder:
            output = subprocess.run([sys.executable, "-c", code, folder], capture_output=True,
                                    env={**os.environ, "PYTHONPATH": PYTHON}, text=True, check=True)
        self.assertEqual(output.stdout, "1\n")


if __name__ == "__main__":
    unittest.main()
