"""Scripts and trainers that own their loop: torch is watched from outside."""
import os
import signal
import subprocess
import sys
import types
import unittest

import qanat
import qanat.callbacks
from qanat._torch import TorchHooks
from tests import fake_torch
from tests.journals import PYTHON, WatchTest, read_lines, read_steps


class HooksTest(WatchTest):
    def setUp(self):
        super().setUp()
        self.clock = self.turn_clock()
        self.torch = fake_torch.install(self)
        self.torch.Tensor.cost = lambda: self.clock.run(2.0)
        self.addCleanup(setattr, fake_torch.SGD, "cost", fake_torch.SGD.cost)
        fake_torch.SGD.cost = staticmethod(lambda: self.clock.run(0.25))

    def loader(self, rows, seconds=0.5, batch_size=1):
        def load(index):
            self.clock.run(seconds)
            return index
        return self.torch.utils.data.DataLoader(fake_torch.Dataset(rows, load), batch_size)


class Hooks(HooksTest):
    def watch(self):
        run = qanat.watch(self.folder)
        self.addCleanup(run.close)
        return run, TorchHooks(run, self.torch)

    def train(self, batches, optimizer, accumulate=1):
        for i, _ in enumerate(batches):
            self.clock.run(1.0)
            self.torch.Tensor().backward()
            if (i + 1) % accumulate == 0:
                self.assertEqual(optimizer.step(), "stepped")
                self.clock.run(0.1)

    def test_a_loop_that_says_nothing_gets_its_breakdown(self):
        run, hooks = self.watch()
        self.train(self.loader(3), self.torch.optim.SGD())
        hooks.remove()
        run.close()

        steps = read_steps(self.folder)
        self.assertEqual([step["batch"] for step in steps], [0, 1, 2])
        self.assert_parts(steps[1], wait=0.5, forward=1.0, backward=2.0, optimizer=0.25,
                          residual=0.1)

    def test_accumulated_gradients_are_one_step(self):
        run, hooks = self.watch()
        self.train(self.loader(4), self.torch.optim.SGD(), accumulate=2)
        hooks.remove()
        run.close()

        steps = read_steps(self.folder)
        self.assertEqual([step["batches"] for step in steps], [2, 2])
        self.assert_parts(steps[1], wait=1.0, forward=2.0, backward=4.0, optimizer=0.25,
                          residual=0.1)

    def test_two_optimizers_for_a_batch_are_one_step(self):
        run, hooks = self.watch()
        first, second = self.torch.optim.SGD(), self.torch.optim.SGD()
        for _ in self.loader(3):
            for optimizer in (first, second):
                self.clock.run(1.0)
                self.torch.Tensor().backward()
                optimizer.step()
        hooks.remove()
        run.close()

        steps = read_steps(self.folder)
        self.assertEqual(len(steps), 3)
        self.assert_parts(steps[1], wait=0.5, forward=2.0, backward=4.0, optimizer=0.5)

    def test_validation_is_no_training(self):
        run, hooks = self.watch()
        optimizer = self.torch.optim.SGD()
        self.train(self.loader(2), optimizer)
        self.torch.grad_enabled = False
        for _ in self.loader(2):
            self.clock.run(3.0)
        self.torch.grad_enabled = True
        self.train(self.loader(1), optimizer)
        hooks.remove()
        run.close()

        steps = read_steps(self.folder)
        self.assertEqual([step["epoch"] for step in steps], [0, 0, 1])
        self.assertAlmostEqual(sum(step["phases"]["checkpoint"] for step in steps), 7.0)
        self.assertEqual(sum(step["phases"]["wait"] for step in steps), 1.5)

    def test_saving_is_charged_as_such_and_still_saves(self):
        save = self.torch.save
        self.torch.save = lambda *args: (self.clock.run(3.0), save(*args))
        run, hooks = self.watch()
        optimizer = self.torch.optim.SGD()
        for _ in self.loader(2):
            self.torch.Tensor().backward()
            optimizer.step()
            self.torch.save("weights", "path")
        hooks.remove()
        run.close()

        self.assertEqual(self.torch.saved, ["path", "path"])
        self.assert_parts(read_steps(self.folder)[1], wait=0.5, backward=2.0, optimizer=0.25,
                          checkpoint=3.0)

    def test_optimizers_of_the_script_are_watched_too(self):
        class Mine(self.torch.optim.SGD):
            def step(self):
                return super().step()

        run, hooks = self.watch()

        class Later(self.torch.optim.Optimizer):
            def step(self):
                return "stepped"

        self.train(self.loader(2), Mine())
        self.train(self.loader(2), Later())
        hooks.remove()
        run.close()

        self.assertEqual(len(read_steps(self.folder)), 4)

    def test_a_loop_without_a_loader_has_steps(self):
        run, hooks = self.watch()
        self.train(range(3), self.torch.optim.SGD())
        hooks.remove()
        run.close()

        self.assertEqual(len(read_steps(self.folder)), 3)

    def test_removing_leaves_torch_as_it_was(self):
        kinds = ((self.torch.utils.data.DataLoader, "__iter__"), (self.torch, "save"),
                 (self.torch.Tensor, "backward"), (self.torch.optim.SGD, "step"),
                 (self.torch.optim.Optimizer, "__init__"))
        before = [owner.__dict__[name] for owner, name in kinds]

        run, hooks = self.watch()
        self.assertNotEqual([owner.__dict__[name] for owner, name in kinds], before)
        hooks.remove()

        self.assertEqual([owner.__dict__[name] for owner, name in kinds], before)


class Callbacks(HooksTest):
    def module(self, name, **members):
        module = types.ModuleType(name)
        module.__dict__.update(members)
        sys.modules[name] = module
        self.addCleanup(sys.modules.pop, name, None)
        return module

    def test_a_trainer_that_is_not_imported_is_an_error(self):
        with qanat.watch(self.folder) as run:
            for make in (qanat.callbacks.lightning, qanat.callbacks.huggingface):
                with self.assertRaisesRegex(qanat.WatchError, "not imported; expected `import"):
                    make(run)

    def test_lightning(self):
        self.module("lightning.pytorch", Callback=type("Callback", (), {}))
        with qanat.watch(self.folder) as run:
            callback = qanat.callbacks.lightning(run)
            callback.setup(None, None, "fit")
            for i, batch in enumerate(self.loader(2)):
                callback.on_train_batch_start(None, None, batch, i)
                self.clock.run(1.0)
                callback.on_before_backward(None, None, 0.1)
                self.torch.Tensor().backward()
                callback.on_after_backward(None, None)
                self.clock.run(0.25)
                callback.on_train_batch_end(None, None, None, batch, i)
                callback.on_validation_start(None, None)
                self.clock.run(4.0)
                callback.on_validation_end(None, None)
            callback.on_train_end(None, None)

        self.assert_parts(read_steps(self.folder)[1], wait=0.5, forward=1.0, backward=2.0,
                          optimizer=0.25, checkpoint=4.0)

    def test_lightning_leaves_an_epoch_without_asking_for_its_end(self):
        self.module("lightning.pytorch", Callback=type("Callback", (), {}))
        with qanat.watch(self.folder) as run:
            callback = qanat.callbacks.lightning(run)
            callback.setup(None, None, "fit")
            for _ in range(2):
                batches = iter(self.loader(2))
                for i in range(2):
                    callback.on_train_batch_start(None, None, next(batches), i)
                    self.clock.run(1.0)
                    callback.on_before_backward(None, None, 0.1)
                    self.torch.Tensor().backward()
                    callback.on_after_backward(None, None)
                    callback.on_train_batch_end(None, None, None, None, i)
            callback.on_train_end(None, None)

        steps = read_steps(self.folder)
        self.assertEqual([step["epoch"] for step in steps], [0, 0, 1, 1])
        self.assert_parts(steps[3], wait=0.5, forward=1.0, backward=2.0)

    def test_hugging_face_accumulates_inside_a_step(self):
        self.module("transformers", TrainerCallback=type("TrainerCallback", (), {}))
        with qanat.watch(self.folder) as run:
            callback = qanat.callbacks.huggingface(run)
            callback.on_train_begin(None, None, None, model=None)
            for i, _ in enumerate(self.loader(4)):
                if i % 2 == 0:
                    callback.on_step_begin(None, None, None)
                self.clock.run(1.0)
                self.torch.Tensor().backward()
                if i % 2 == 1:
                    self.clock.run(0.25)
                    callback.on_step_end(None, None, None)
                    self.clock.run(3.0)
                    callback.on_save(None, None, None)
            callback.on_train_end(None, None, None)

        step = read_steps(self.folder)[1]
        self.assertEqual(step["batches"], 2)
        self.assert_parts(step, wait=1.0, forward=2.0, backward=4.0, optimizer=0.25, checkpoint=3.0)

    def test_coqui(self):
        with qanat.watch(self.folder) as run:
            callbacks = qanat.callbacks.coqui(run)
            for _ in range(2):
                callbacks["on_train_epoch_start"](None)
                for _ in self.loader(2):
                    callbacks["on_train_step_start"](None)
                    self.clock.run(1.0)
                    self.torch.Tensor().backward()
                    self.clock.run(0.25)
                    callbacks["on_train_step_end"](None)
                callbacks["on_train_epoch_end"](None)

        steps = read_steps(self.folder)
        self.assertEqual([step["epoch"] for step in steps], [0, 0, 1, 1])
        self.assert_parts(steps[3], wait=0.5, forward=1.0, backward=2.0, optimizer=0.25)

    def test_accelerate(self):
        class Accelerator:
            def save_state(accelerator, path):
                self.clock.run(3.0)
                return path

        with qanat.watch(self.folder) as run:
            accelerator = Accelerator()
            hooks = qanat.callbacks.accelerate(run, accelerator)
            optimizer = self.torch.optim.SGD()
            for _ in self.loader(2):
                self.clock.run(1.0)
                self.torch.Tensor().backward()
                optimizer.step()
                self.assertEqual(accelerator.save_state("there"), "there")
            hooks.remove()

        self.assert_parts(read_steps(self.folder)[1], wait=0.5, forward=1.0, backward=2.0,
                          optimizer=0.25, checkpoint=3.0)


SCRIPT = """
import sys, torch
print(__name__, sys.argv[1:], sys.path[0] == {folder!r})
optimizer = torch.optim.SGD()
from dataset import rows
for batch in torch.utils.data.DataLoader(rows, batch_size=2):
    torch.Tensor().backward()
    optimizer.step()
"""


class Scripts(WatchTest):
    def run_script(self, ending=""):
        """With a folder `torch` next to it that is the fake one."""
        folder = os.path.dirname(self.folder)
        files = {"train.py": SCRIPT.format(folder=folder) + ending,
                 "dataset.py": "from tests.fake_torch import Dataset\nrows = Dataset(6)\n",
                 "torch.py": "import sys\nfrom tests.fake_torch import make_torch\n"
                             "fake = make_torch()\nglobals().update(vars(fake))\n"
                             "sys.modules['torch.utils.data'] = fake.utils.data\n"}
        for name, text in files.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        return subprocess.run(
            [sys.executable, "-m", "qanat.watch", "--out", self.folder,
             os.path.join(folder, "train.py"), "--out", "mine", "-x"],
            env={**os.environ, "PYTHONPATH": PYTHON}, capture_output=True, text=True, timeout=60,
            check=False)

    def check(self, done, code, ending):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "__main__ ['--out', 'mine', '-x'] True\n")
        self.assertEqual(len(read_steps(self.folder)), 3, done.stderr)
        self.assertEqual(read_lines(self.folder, "ended")[-1]["ending"], ending)
        self.assertNotIn("RuntimeWarning", done.stderr)

    def test_an_unchanged_script_is_watched(self):
        done = self.run_script()

        self.check(done, 0, "completed")
        self.assertIn("3 steps watched; try: qanat report", done.stderr)
        self.assertEqual(read_steps(self.folder)[0]["shape"][0], 2)

    def test_its_exit_code_is_kept(self):
        self.check(self.run_script("sys.exit(7)"), 7, "stopped")

    def test_its_exceptions_are_shown(self):
        done = self.run_script("raise ValueError('mine')")

        self.check(done, 1, "failed")
        self.assertIn("ValueError: mine", done.stderr)

    def test_ctrl_c_stops_it(self):
        done = self.run_script(
            "import os, signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
            "os.kill(os.getpid(), signal.SIGINT)")

        self.check(done, -signal.SIGINT, "stopped")
        self.assertIn("KeyboardInterrupt", done.stderr)

    def test_a_folder_that_cannot_be_written_is_said(self):
        with open(self.folder, "w", encoding="ascii"):
            pass
        done = self.run_script()
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("Traceback", done.stderr)
        self.assertIn("expected a folder to write to; try --out DIR", done.stderr)

    def test_a_script_without_steps_is_told_what_was_looked_for(self):
        script = self.folder + ".py"
        with open(script, "w", encoding="ascii") as file:
            file.write("print('numbers')\n")
        done = subprocess.run([sys.executable, "-m", "qanat.watch", "--out", self.folder, script], text=True,
                              env={**os.environ, "PYTHONPATH": PYTHON}, capture_output=True, check=False)
        self.assertEqual(done.stdout, "numbers\n")
        self.assertIn("0 steps watched: the script did not import torch; expected torch's optimizers", done.stderr)

    def test_a_script_that_is_not_there_is_said(self):
        done = subprocess.run([sys.executable, "-m", "qanat.watch", "nowhere.py"], text=True,
                              env={**os.environ, "PYTHONPATH": PYTHON}, capture_output=True,
                              check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("nowhere.py: no such script", done.stderr)


if __name__ == "__main__":
    unittest.main()
