"""What a watched loop says of the machine: the threads of the loop and of its workers, and control groups,
read from files that a test makes up, or from this process."""
import multiprocessing
import os
import threading
import unittest
from array import array
from unittest import mock

import qanat
from qanat import _host, _workers
from tests.journals import WatchTest, read_lines


class Files(unittest.TestCase):
    """/proc and /sys as the test says."""

    def setUp(self):
        self.files = {}
        patch = mock.patch("qanat._host.read", lambda path: self.files.get(path, ""))
        patch.start()
        self.addCleanup(patch.stop)

    def tasks(self, **tasks):
        """name_number=(ran, waited), in seconds; a name with a number in it: of its own."""
        for task, (comm, ran, waited) in tasks.items():
            folder = f"/proc/self/task/{task.lstrip('t')}"
            self.files[f"{folder}/schedstat"] = f"{int(1e9 * ran)} {int(1e9 * waited)} 7\n"
            self.files[f"{folder}/comm"] = comm + "\n"
        names = [task.lstrip("t") for task in tasks]
        return mock.patch("os.listdir", lambda _: names)


class Threads(Files):
    def test_a_librarys_threads_work_for_the_loop_and_pythons_own_do_not(self):
        self.files["/proc/self/comm"] = "python3\n"
        with self.tasks(t1=("python3", 2.0, 0.5), t2=("python3", 1.0, 0.25), t3=("python3", 9.0, 9.0),
                        t4=("pt_autograd_0", 3.0, 1.0), t5=("load-0", 1.0, 0.5),
                        t6=("load-11", 1.0, 0.5)):
            clocks = _host.thread_clocks(train=1, python=(1, 3))

        self.assertEqual(clocks, {"train": [2, 3.0, 0.75], "python": [1, 9.0, 9.0],
                                  "pt_autograd": [1, 3.0, 1.0], "load": [2, 2.0, 1.0]})

    def test_a_thread_that_ended_meanwhile_is_left_out(self):
        with self.tasks(t1=("python3", 2.0, 0.5), t2=("python3", 1.0, 0.25)):
            del self.files["/proc/self/task/2/schedstat"]

            self.assertEqual(_host.thread_clocks(train=1), {"train": [1, 2.0, 0.5]})

    def test_a_name_that_is_a_number_stays(self):
        self.assertEqual([_host.group_name(name) for name in ("load-3", "train/0", "42", "a")],
                         ["load", "train", "42", "a"])


class Groups(Files):
    def test_a_quota_of_version_2_is_the_tightest_on_the_way_up(self):
        self.files["/proc/self/cgroup"] = "0::/pod/job\n"
        self.files["/proc/self/mountinfo"] = "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
        self.files["/sys/fs/cgroup/pod/job/cpu.max"] = "max 100000\n"
        self.files["/sys/fs/cgroup/pod/cpu.max"] = "150000 100000\n"
        self.files["/sys/fs/cgroup/pod/cpu.stat"] = (
            "nr_periods 40\nnr_throttled 10\nthrottled_usec 2500000\n")

        self.assertEqual(_host.cpu_quota(), 1.5)
        found = _host.counters(())
        self.assertEqual((found["periods"], found["throttled_periods"], found["throttled"]),
                         (40, 10, 2.5))

    def test_a_quota_of_version_1_is_read_in_a_container(self):
        self.files["/proc/self/cgroup"] = "4:cpu,cpuacct:/docker/abc\n0::/\n"
        self.files["/proc/self/mountinfo"] = (
            "30 24 0:26 /docker/abc /sys/fs/cgroup/cpu ro master:9 - cgroup cgroup rw,cpu,cpuacct\n")
        self.files["/sys/fs/cgroup/cpu/cpu.cfs_quota_us"] = "50000\n"
        self.files["/sys/fs/cgroup/cpu/cpu.cfs_period_us"] = "100000\n"
        self.files["/sys/fs/cgroup/cpu/cpu.stat"] = (
            "nr_periods 4\nnr_throttled 1\nthrottled_time 500000000\n")

        self.assertEqual(_host.cpu_quota(), 0.5)
        self.assertEqual(_host.counters(())["throttled"], 0.5)

    def test_without_a_limit_there_is_none(self):
        self.files["/proc/self/cgroup"] = "4:cpu:/\n0::/\n"
        self.files["/proc/self/mountinfo"] = "30 24 0:26 / /c rw - cgroup cgroup rw,cpu\n"
        self.files["/c/cpu.cfs_quota_us"] = "-1\n"
        self.files["/c/cpu.cfs_period_us"] = "100000\n"

        self.assertIsNone(_host.cpu_quota())
        self.assertEqual(_host.setup()["unknown"]["cpu_quota"], "no limit")

    def test_pressure_is_that_of_the_own_group(self):
        self.files["/proc/self/cgroup"] = "0::/\n"
        self.files["/proc/self/mountinfo"] = "30 24 0:26 / /sys/fs/cgroup/unified rw - cgroup2 none rw\n"
        self.files["/sys/fs/cgroup/unified/cpu.pressure"] = "some avg10=0.00 total=3000000\n"

        self.assertEqual(_host.counters(())["group_cpu_some"], 3.0)


@unittest.skipUnless(os.path.exists("/proc/self/schedstat"), "the kernel does not count run-queue delay")
class OfThisProcess(WatchTest):
    def test_the_journal_has_the_threads_of_the_loop_apart_from_others(self):
        stop = threading.Event()
        beside = threading.Thread(target=stop.wait)
        beside.start()
        self.addCleanup(beside.join)
        self.addCleanup(stop.set)
        with qanat.watch(self.folder):
            pass

        last = read_lines(self.folder, "host")[-1]["counters"]
        self.assertGreater(last["threads"]["train"][1], 0)
        self.assertGreaterEqual(last["threads"]["python"][0], 1)  # another one
        self.assertLessEqual({"machine_busy", "machine_stolen", "process_cpu"}, set(last))

    def test_a_worker_counts_all_of_its_threads(self):
        slot = memoryview(array("d", bytes(8 * _workers.SLOT)))
        slot[_workers.PROCESS_RAN], slot[_workers.PROCESS_WAITED] = 100.0, 50.0  # of one before it
        clocks = {"train": [2, 3.0, 1.0], "load": [1, 0.5, 0.25]}
        with mock.patch("qanat._host.thread_clocks", lambda: clocks):
            process = _workers.ProcessClock(slot)
            process.update(10.0)
            clocks["train"] = [2, 9.0, 9.0]
            process.update(10.1)  # too early to look again

        self.assertEqual((slot[_workers.PROCESS_RAN], slot[_workers.PROCESS_WAITED]), (103.5, 51.25))

    def test_a_fetch_that_is_looked_at_stands_for_those_since_the_last(self):
        slot = memoryview(array("d", bytes(8 * _workers.SLOT)))
        now = [0.0]
        with mock.patch("qanat._workers.thread_time", lambda: 0.5 * now[0]), \
                mock.patch("qanat._workers.run_delay", lambda: lambda: 0.25 * now[0]):
            usage = _workers.FetchUsage(slot)
            for _ in range(100):  # of 5 ms each: every fifth is looked at
                if now[0] >= usage.due:
                    usage.begin()
                now[0] += 0.005
                usage.busy += 0.005
                if usage.is_open:
                    usage.end(0.005, now[0])

        self.assertAlmostEqual(slot[_workers.CPU], 0.25, delta=0.02)
        self.assertAlmostEqual(slot[_workers.RUN_DELAY], 0.125, delta=0.01)

    def test_what_a_worker_does_outside_its_rows_is_counted(self):
        ours, theirs = multiprocessing.get_context("fork").Pipe()
        worker = multiprocessing.get_context("fork").Process(target=burn_outside_rows, args=(theirs,))
        worker.start()
        process_ran, row_ran = ours.recv()
        worker.join()

        self.assertLess(row_ran, 0.05)
        self.assertGreater(process_ran, 0.1)


def burn_outside_rows(pipe):
    """A fetcher that does nothing, in a process whose other thread computes."""
    import time

    class Fetcher:
        dataset = None

        @staticmethod
        def fetch(rows):
            return rows

    def compute():
        while time.thread_time() < 0.2:
            pass

    slot = memoryview(array("d", bytes(8 * _workers.SLOT)))
    fetcher = _workers.measure_fetcher(Fetcher(), slot, _workers.RowTable(slot),
                                       _workers.ProcessClock(slot))
    beside = threading.Thread(target=lambda: (compute(), fetcher.fetch([1])))
    beside.start()
    beside.join()
    pipe.send((slot[_workers.PROCESS_RAN], slot[_workers.CPU]))


if __name__ == "__main__":
    unittest.main()
