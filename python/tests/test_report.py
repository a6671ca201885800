"""What `qanat report` says of loops that were watched. Needs the program (QANAT_BIN); loops with real
workers need torch as well. Faults are sleeps, so that a busy machine changes little."""
import importlib.util
import json
import os
import subprocess
import time
import unittest

import qanat
from tests.journals import WatchTest

PROGRAM = os.environ.get("QANAT_BIN")
HAS_TORCH = importlib.util.find_spec("torch") is not None
STEPS = 60


def row(index):
    return index


def slow_row(index):
    time.sleep(0.008)
    return index


def slow_collate(rows):
    time.sleep(0.03)
    return rows


def slow_start(worker):
    time.sleep(0.5)


@unittest.skipUnless(PROGRAM, "QANAT_BIN does not name the program")
class ReportTest(WatchTest):
    def report(self, *flags):
        done = subprocess.run([PROGRAM, "report", self.folder, *flags], capture_output=True,
                              text=True, env={**os.environ, "LC_ALL": "C.UTF-8"}, check=False)
        self.assertIn(done.returncode, (0, 10), done.stderr)
        return done.stdout

    def findings(self):
        """Of the loop, the first first; other programs on the machine are none of it."""
        return [finding for finding in json.loads(self.report("--json"))["findings"]
                if finding["id"] not in ("HOST005", "HOST003", "VAR001", "VAR002", "PER003")]

    def train(self, run, loader, after=lambda steps: None, work=0.01):
        while run.steps < STEPS:
            for _ in loader:
                with run.step(batch_size=4):
                    with run.phase("forward"):
                        time.sleep(work)
                    with run.phase("backward"):
                        time.sleep(work)
                after(run.steps)
                if run.steps == STEPS:
                    break


class AnyLoop(ReportTest):
    def test_a_loop_that_waits_is_input_bound_and_the_cause_is_left_open(self):
        took = []

        def rows():
            for i in range(STEPS):
                began = time.perf_counter()
                slow_row(i)
                took.append(time.perf_counter() - began)  # a busy machine sleeps longer
                yield i

        with qanat.watch(self.folder) as run:
            self.train(run, run.loader(rows()))

        said = json.loads(self.report("--json"))
        self.assertEqual(said["step_s"]["n"] + said["step_s"]["warm_up"], STEPS)
        judged = took[said["step_s"]["warm_up"]:]
        mean = sum(judged) / len(judged)
        self.assertAlmostEqual(said["ledger"]["wait"], mean, delta=0.3 * mean)
        self.assertEqual([finding for finding in said["findings"] if finding["id"][:2] == "DL"], [])
        skipped = {check["id"] for check in said["skipped"]}
        self.assertLessEqual({"DL001", "DL002", "DL005", "DL007", "IO005"}, skipped)

    def test_saving_every_so_many_steps_is_named(self):
        def save(run):
            def after(steps):
                if steps % 10 == 0:
                    with run.saving():
                        time.sleep(0.1)
            return after

        with qanat.watch(self.folder) as run:
            self.train(run, run.loader(range(STEPS)), save(run))

        first = self.findings()[0]
        self.assertEqual(first["id"], "CMP007")
        self.assertEqual(first["fixes"][0]["flag"],
                         "save and validate less often, or save in a thread")

    def test_the_views_of_a_run_open(self):
        with qanat.watch(self.folder, device="cpu") as run:
            self.train(run, run.loader(range(STEPS)))

        page = os.path.join(self.folder, "report.html")
        self.report("--html", page)
        self.assertGreater(os.path.getsize(page), 10000)
        top = subprocess.run([PROGRAM, "top", "--once", self.folder], capture_output=True, text=True,
                             env={**os.environ, "LC_ALL": "C.UTF-8"}, check=True)
        self.assertIn("watch", top.stdout)


@unittest.skipUnless(HAS_TORCH, "torch is not installed; try the package python3-torch")
class TorchLoop(ReportTest):
    def watch(self, load=row, batches=STEPS, collate_fn=list, work=0.01, **settings):
        from torch.utils.data import DataLoader

        class Rows:
            def __len__(self):
                return 4 * batches

            def __getitem__(self, index):
                return load(index)

        loader = DataLoader(Rows(), batch_size=4, collate_fn=collate_fn, **settings)
        with qanat.watch(self.folder) as run:
            self.train(run, run.loader(loader), work=work)
        return self.findings()

    def test_a_healthy_loop_has_no_finding_about_data(self):
        found = self.watch(num_workers=1, work=0.05)  # torch hands a batch over in up to a millisecond

        self.assertEqual([f["id"] for f in found if f["severity"] != "info" and f["id"][:2] == "DL"],
                         [])

    def test_slow_collate_in_the_main_process_asks_for_workers(self):
        first = self.watch(num_workers=0, collate_fn=slow_collate)[0]

        self.assertEqual(first["id"], "DL005")
        self.assertRegex(first["fixes"][0]["flag"], "^num_workers=[12]$")  # no more than cores

    def test_workers_that_wait_for_files_are_slow_storage(self):
        first = self.watch(slow_row, num_workers=1)[0]

        self.assertEqual((first["id"], first["fixes"][0]["flag"]), ("DL001", "num_workers=2"))

    def test_workers_that_every_epoch_starts_should_persist(self):
        first = self.watch(num_workers=1, batches=15, worker_init_fn=slow_start)[0]

        self.assertEqual((first["id"], first["fixes"][0]["flag"]),
                         ("DL010", "persistent_workers=True"))


if __name__ == "__main__":
    unittest.main()
