"""The order in which trainers call torch, as it was seen in real ones (bench/frameworks.py runs those): what
is training, what is validation, and where forward ends."""
import gc
import os
import sys
import types
import unittest
import weakref
from unittest import mock

import qanat
from qanat import _clock
from qanat._torch import TorchHooks
from tests import fake_torch
from tests.journals import WatchTest, read_lines, read_steps


class FrameworkTest(WatchTest):
    """A row takes 0.5 s, forward 1, backward 2, an update 0.25, a batch of a validation 3."""

    def setUp(self):
        super().setUp()
        self.clock = self.turn_clock()
        self.torch = fake_torch.install(self)
        self.torch.Tensor.cost = lambda: self.clock.run(2.0)
        self.addCleanup(setattr, fake_torch.SGD, "cost", fake_torch.SGD.cost)
        fake_torch.SGD.cost = staticmethod(lambda: self.clock.run(0.25))
        self.optimizer = self.torch.optim.SGD()

    def loader(self, rows, workers=0):
        def load(index):
            self.clock.run(0.5)
            return index
        return self.torch.utils.data.DataLoader(fake_torch.Dataset(rows, load), num_workers=workers)

    def watched(self, train):
        with qanat.watch(self.folder) as run:
            hooks = TorchHooks(run, self.torch)
            train()
            hooks.remove()
        return read_steps(self.folder)

    def passes(self):
        self.clock.run(1.0)
        self.torch.Tensor().backward()

    def evaluate(self, batches):
        for _ in batches:
            self.clock.run(3.0)


class Sequences(FrameworkTest):
    def test_lightning_has_all_of_a_step_inside_a_closure(self):
        def train():
            self.torch.grad_enabled = False
            self.evaluate(self.loader(2))  # before the first step
            self.torch.grad_enabled = True
            for _ in range(2):
                for _ in self.loader(2):
                    self.optimizer.step(closure=self.passes)
                self.torch.grad_enabled = False
                self.evaluate(self.loader(1))
                self.torch.grad_enabled = True

        steps = self.watched(train)
        self.assertEqual([step["epoch"] for step in steps], [0, 0, 1, 1])
        self.assert_parts(steps[1], wait=0.5, forward=1.0, backward=2.0, optimizer=0.25)
        self.assert_parts(steps[2], wait=0.5, forward=1.0, backward=2.0, optimizer=0.25, checkpoint=3.5)

    def test_lbfgs_calls_its_closure_several_times(self):
        def closure():
            self.passes()
            return 7

        def twice(closure):
            closure()
            fake_torch.SGD.cost()
            return closure()

        class LBFGS(self.torch.optim.Optimizer):
            def step(optimizer, closure):
                return twice(closure)

        results = []
        steps = self.watched(lambda: [results.append(LBFGS().step(closure)) for _ in self.loader(2)])
        self.assertEqual(results, [7, 7])
        self.assert_parts(steps[1], wait=0.5, forward=2.0, backward=4.0, optimizer=0.25)

    def test_the_trainer_of_transformers_fetches_a_batch_ahead(self):
        """Accelerate's loader looks whether a batch is the last one; no_grad is around the model only."""
        def ahead(loader):
            batches = iter(loader)
            current = next(batches)
            for following in batches:
                yield current
                current = following
            yield current

        def train():
            for _ in range(2):
                for i, _ in enumerate(ahead(self.loader(4))):
                    self.passes()
                    if i % 2 == 1:
                        self.optimizer.step()
                self.evaluate(ahead(self.loader(2)))

        steps = self.watched(train)
        self.assertEqual(len(steps), 4)
        for part, seconds in (("wait", 4.0), ("forward", 8.0), ("backward", 16.0), ("optimizer", 1.0),
                              ("checkpoint", 7.0), ("residual", 0.0)):  # the last validation is behind them
            self.assertAlmostEqual(sum(step["phases"][part] for step in steps), seconds, msg=part)

    def test_an_evaluation_does_not_change_the_length_of_an_epoch(self):
        def train():
            for _ in self.loader(5):
                self.passes()
                self.optimizer.step()
                self.evaluate(self.loader(2))

        self.watched(train)
        self.assertEqual({line["cadences"]["batches of an epoch"]
                          for line in read_lines(self.folder, "run") if "cadences" in line}, {5})

    def test_an_evaluation_that_is_left_early_is_none_of_training(self):
        def train():
            training = iter(self.loader(4))
            for _ in range(4):
                next(training)
                self.passes()
                self.optimizer.step()
                for _ in self.loader(3):
                    self.clock.run(3.0)
                    break

        steps = self.watched(train)
        self.assert_parts(steps[2], wait=0.5, forward=1.0, backward=2.0, optimizer=0.25, checkpoint=3.5)

    def test_two_loaders_feed_one_step(self):
        def train():
            for _ in zip(self.loader(3), self.loader(3)):
                self.passes()
                self.optimizer.step()

        steps = self.watched(train)
        self.assertEqual(len(steps), 3)
        self.assert_parts(steps[1], wait=1.0, forward=1.0, backward=2.0, optimizer=0.25)

    def test_nanogpt_accumulates_without_a_loader(self):
        def train():
            for _ in range(3):
                for _ in range(2):
                    self.clock.run(0.5)
                    self.passes()
                self.clock.run(0.25)  # clipping
                self.optimizer.step()

        steps = self.watched(train)
        self.assertEqual(len(steps), 3)
        self.assert_parts(steps[1], forward=3.0, backward=4.0, optimizer=0.5)

    def test_a_loader_of_validations_alone_feeds_nothing(self):
        def train():
            for i in range(6):
                self.passes()
                self.optimizer.step()
                if i % 2 == 1:
                    self.evaluate(self.loader(2))

        steps = self.watched(train)
        self.assertEqual(len(steps), 6)
        self.assert_parts(steps[2], forward=1.0, backward=2.0, optimizer=0.25, checkpoint=7.0)
        self.assertEqual(read_lines(self.folder, "pipeline"), [])

    def test_two_optimizers_without_a_loader_are_one_step(self):
        second = self.torch.optim.SGD()

        def train():
            for _ in range(4):
                for optimizer in (self.optimizer, second):
                    self.passes()
                    optimizer.step()

        steps = self.watched(train)
        self.assertEqual(len(steps), 5)  # the first two are told apart only when one comes again
        self.assert_parts(steps[3], forward=2.0, backward=4.0, optimizer=0.5)

    def test_accelerate_wraps_an_optimizer_and_leaves_its_steps_out(self):
        class Wrapped(self.torch.optim.Optimizer):
            def __init__(wrapped, optimizer):
                wrapped.optimizer, wrapped.is_due = optimizer, False

            def step(wrapped):
                if wrapped.is_due:
                    wrapped.optimizer.step()

        def train():
            optimizer = Wrapped(self.optimizer)
            for i, _ in enumerate(self.loader(4)):
                self.passes()
                optimizer.is_due = i % 2 == 1
                optimizer.step()

        steps = self.watched(train)
        self.assertEqual([step["batches"] for step in steps], [2, 2])
        self.assert_parts(steps[1], wait=1.0, forward=2.0, backward=4.0, optimizer=0.25)

    def test_a_step_that_a_scaler_leaves_out_is_a_step(self):
        def train():
            scaler = self.torch.amp.GradScaler()
            for i, _ in enumerate(self.loader(3)):
                self.passes()
                scaler.finds_inf = i == 1
                scaler.step(self.optimizer)

        steps = self.watched(train)
        self.assertEqual([step["batches"] for step in steps], [1, 1, 1])
        self.assert_parts(steps[1], wait=0.5, forward=1.0, backward=2.0)

    def test_keras_has_optimizers_of_its_own(self):
        class Optimizer:
            def apply(optimizer, gradients):
                self.clock.run(0.25)

        keras = types.SimpleNamespace(optimizers=types.SimpleNamespace(Optimizer=Optimizer))
        apply = Optimizer.apply
        with qanat.watch(self.folder) as run:
            hooks = TorchHooks(run, self.torch)
            hooks.watch_keras(keras)
            for _ in self.loader(3):
                self.passes()
                Optimizer().apply([])
            hooks.remove()

        steps = read_steps(self.folder)
        self.assert_parts(steps[1], wait=0.5, forward=1.0, backward=2.0, optimizer=0.25)
        self.assertIs(Optimizer.apply, apply)

    def test_where_time_lies_that_nobody_owned(self):
        def train():
            for i, _ in enumerate(self.loader(4)):
                self.passes()
                self.clock.run(0.125)  # before the update, or between two batches
                if i % 2 == 1:
                    self.optimizer.step()
                    self.clock.run(0.5)

        with qanat.watch(self.folder) as run:
            hooks = TorchHooks(run, self.torch)
            train()
            hooks.remove()
            run.close()
            self.assertEqual(run._places, {_clock.BETWEEN_BATCHES: 0.25, _clock.BEFORE_UPDATE: 0.25,
                                           _clock.AFTER_UPDATE: 0.5 + 0.5})

    def test_what_is_compiled_is_not_watched(self):
        is_compiling = [False]
        self.torch.compiler = types.SimpleNamespace(is_compiling=lambda: is_compiling[0])
        with qanat.watch(self.folder) as run:
            hooks = TorchHooks(run, self.torch)
            is_compiling[0] = True
            self.torch.Tensor().backward()
            self.optimizer.step()
            is_compiling[0] = False
            hooks.remove()

        self.assertEqual(read_steps(self.folder), [])


class Untouched(FrameworkTest):
    def test_an_iterator_is_there_before_its_first_batch(self):
        """Workers start, and random numbers are drawn, as without watching."""
        starts = []

        class Loader(self.torch.utils.data.DataLoader):
            pass

        inner = self.torch.utils.data.DataLoader.__iter__

        def start(loader):
            starts.append(loader)
            return inner(loader)

        self.torch.utils.data.DataLoader.__iter__ = start
        self.addCleanup(setattr, self.torch.utils.data.DataLoader, "__iter__", inner)
        with qanat.watch(self.folder) as run:
            hooks = TorchHooks(run, self.torch)
            batches = iter(Loader(fake_torch.Dataset(3)))
            said = iter(run.loader(Loader(fake_torch.Dataset(3))))
            self.assertEqual(len(starts), 2)
            self.assertEqual((batches._loader, said._loader), tuple(starts))  # what torch's iterator has
            hooks.remove()

    def test_workers_of_validations_have_slots_of_their_own(self):
        created = self.torch.utils.data._DatasetKind.create_fetcher
        kind = self.torch.utils.data._DatasetKind
        self.addCleanup(setattr, kind, "create_fetcher", staticmethod(created))

        def train():
            for _ in self.loader(4, workers=1):
                self.passes()
                self.optimizer.step()
            kind.create_fetcher = staticmethod(created)  # as in another process
            self.evaluate(self.loader(40, workers=2))

        self.watched(train)
        line = read_lines(self.folder, "pipeline")[-1]
        self.assertEqual([worker["rows"] for worker in line["workers"]], [4])
        self.assertEqual(sum(line["row_times"]), 4)

    def test_loaders_that_are_made_for_each_validation_add_nothing_when_they_are_gone(self):
        created = self.torch.utils.data._DatasetKind.create_fetcher
        kind = self.torch.utils.data._DatasetKind
        self.addCleanup(setattr, kind, "create_fetcher", staticmethod(created))

        def train():
            for epoch in range(3):
                for _ in self.loader(4, workers=1):
                    self.passes()
                    self.optimizer.step()
                kind.create_fetcher = staticmethod(created)  # as in another process
                self.evaluate(self.loader(40, workers=1))
                gc.collect()

        self.watched(train)
        line = read_lines(self.folder, "pipeline")[-1]
        self.assertEqual([worker["rows"] for worker in line["workers"]], [12])

    def test_numbers_are_kept_without_their_graphs(self):
        """The GPU may be many steps behind: what made a loss would be in memory for each of them."""
        torch = fake_torch.install(self, has_gpu=True)
        torch.cuda.Event.clock = self.turn_clock()
        graphs = weakref.WeakSet()

        class Graph:
            pass

        class Number:
            def __init__(number):
                number.graph = Graph()
                graphs.add(number.graph)

            def detach(number):
                return 0.5

            def __float__(number):
                return 0.5

        with qanat.watch(self.folder) as run:
            with run.step():
                pass
            with mock.patch.object(torch.cuda.Event, "held", True):
                for _ in range(3):
                    with run.step() as step:
                        step.loss, step.learning_rate, step.gradient_norm = Number(), Number(), Number()
                del step
                gc.collect()
                self.assertEqual(len(graphs), 0)

        line = read_steps(self.folder)[3]
        self.assertEqual((line["losses"]["total"], line["lr"], line["grad_norm"]), (0.5, 0.5, 0.5))


class Ranks(WatchTest):
    def test_every_rank_has_a_journal(self):
        from unittest import mock

        for rank in (0, 1):
            with mock.patch.dict(os.environ, {"RANK": str(rank), "WORLD_SIZE": "2"}):
                run = qanat.watch(self.folder)
                self.addCleanup(run.close)
                with run.step():
                    pass

        for run_name in ("journal.jsonl", "journal.rank1.jsonl"):
            self.assertTrue(os.path.exists(os.path.join(self.folder, run_name)), run_name)


class CudaEvents(FrameworkTest):
    def setUp(self):
        super().setUp()
        self.torch = fake_torch.install(self, has_gpu=True)
        fake_torch.Event.clock = self.clock

    def train(self, steps):
        for _ in range(steps):
            self.clock.run(1.0)
            self.torch.Tensor().backward()
            self.optimizer.step()

    def watch_steps(self, before_half=lambda: None):
        self.optimizer = self.torch.optim.SGD()
        with qanat.watch(self.folder) as run:
            hooks = TorchHooks(run, self.torch)
            self.train(3)
            before_half()
            self.train(3)
            hooks.remove()
        return read_steps(self.folder)

    def test_nothing_is_recorded_while_a_graph_is_captured(self):
        is_capturing = [False]
        record, query = fake_torch.Event.record, fake_torch.Event.query

        def refuse(event, *stream):
            if is_capturing[0]:
                raise RuntimeError("operation not permitted when stream is capturing")

        self.torch.cuda.is_current_stream_capturing = lambda: is_capturing[0]
        self.addCleanup(setattr, fake_torch.Event, "record", record)
        self.addCleanup(setattr, fake_torch.Event, "query", query)
        fake_torch.Event.record = lambda event, stream=None: (refuse(event), record(event))[1]
        fake_torch.Event.query = lambda event: (refuse(event), query(event))[1]

        def capture():
            is_capturing[0] = True
            self.train(2)
            is_capturing[0] = False

        self.assertEqual(len(self.watch_steps(capture)), 8)
        self.assertEqual(read_lines(self.folder, "note"), [])

    def test_what_cuda_refuses_ends_the_events_and_not_the_script(self):
        elapsed = fake_torch.Event.elapsed_time
        self.addCleanup(setattr, fake_torch.Event, "elapsed_time", elapsed)

        def break_it():
            def raises(event, later):
                raise RuntimeError("events of two devices")
            fake_torch.Event.elapsed_time = raises

        steps = self.watch_steps(break_it)
        self.assertEqual(len(steps), 6)
        self.assert_parts(steps[5], forward=1.0, optimizer=0.25)  # the host's
        notes = read_lines(self.folder, "note")
        self.assertEqual(len(notes), 1)
        self.assertIn("events of two devices", notes[0]["what"])

    def test_an_event_that_cannot_be_made_is_noted_once(self):
        def raises(enable_timing):
            raise RuntimeError("no events here")

        self.torch.cuda.Event = raises
        self.assertEqual(len(self.watch_steps()), 6)
        self.assertEqual(len(read_lines(self.folder, "note")), 1)


if __name__ == "__main__":
    unittest.main()
