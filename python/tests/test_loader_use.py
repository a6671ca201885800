"""qanat.Loader: signals, and an exception for every use that it is not for."""
import copy
import ctypes
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import unittest
import weakref
from unittest import mock

import qanat
from qanat import _memory, _native
from tests.corpora import CorpusTest, items_of


class Interrupt(CorpusTest):
    def test_a_wait_ends_when_python_handles_a_signal(self):
        before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's "&" ignores it
        self.addCleanup(signal.signal, signal.SIGINT, before)
        loader = self.loader()
        waits = []

        def wait():  # no batch came
            waits.append(True)
            if len(waits) == 3:
                signal.raise_signal(signal.SIGINT)

        with mock.patch.object(loader._session, "take", wait):
            with self.assertRaises(KeyboardInterrupt):
                next(iter(loader))
        self.assertEqual(len(waits), 3)
        self.assertEqual(sorted(items_of(loader)), list(range(self.utterances)))

    def test_a_batch_that_is_being_filled_is_waited_for_without_the_lock(self):
        """Another thread runs meanwhile, and a signal is not kept waiting."""
        def slow(size):
            go.wait(60)
            return bytearray(size)

        go, ran = threading.Event(), []
        loader = self.loader(allocate=slow, num_workers=1)
        session = loader._session
        begin = time.monotonic()
        self.assertIsNone(session.take())
        self.assertLess(time.monotonic() - begin, 30)
        thread = threading.Thread(target=lambda: (ran.append(True), go.set()))
        thread.start()
        self.assertEqual(next(iter(loader)).index, 0)
        thread.join()
        self.assertEqual(ran, [True])

    def test_interrupts_neither_lose_nor_repeat_a_batch(self):
        """A signal every other millisecond, wherever the loop is."""
        class Alarm(Exception):
            pass

        def ring(*_):
            raise Alarm

        loader = self.loader(num_workers=1, cache_mb=0)
        before = signal.signal(signal.SIGALRM, ring)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        seen = []
        alarms = 0
        while len(seen) < 60:
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.002)
                state = loader.state_dict()
                taken = next(iter(loader), None)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except Alarm:
                alarms += 1
                loader.load_state_dict(state)  # as a program that resumes
                continue
            if taken is not None:
                seen.append((taken.epoch, taken.index))

        self.assertEqual(seen, [(i // 6, i % 6) for i in range(60)])


class WrongUse(CorpusTest):
    def test_after_close(self):
        loader = self.loader()
        iterator = iter(loader)
        batch = next(iterator)
        state = loader.state_dict()
        loader.close()
        loader.close()

        for use in (lambda: next(iterator), lambda: iter(loader), lambda: loader.set_epoch(3),
                    lambda: loader.load_state_dict({**state, "epoch": 1}),
                    lambda: loader.utterance(0)):
            with self.assertRaisesRegex(qanat.LoaderError, "closed"):
                use()
        self.assertEqual(loader.stats()["batches"], 1)
        self.assertEqual(loader.state_dict(), state)
        self.assertEqual(len(batch.mel.tolist()), 4)

    def test_with_closes(self):
        with self.loader() as loader:
            next(iter(loader))

        with self.assertRaisesRegex(qanat.LoaderError, "closed"):
            iter(loader)

    def test_two_iterators_at_once(self):
        loader = self.loader()
        first = iter(loader)
        next(first)
        second = iter(loader)

        with self.assertRaisesRegex(qanat.LoaderError, "one at a time"):
            next(first)
        self.assertEqual(next(second).index, 1)

    def test_another_thread_while_one_takes_a_batch(self):
        inside, go = threading.Event(), threading.Event()

        def transform(batch):
            inside.set()
            go.wait(60)
            return batch

        loader = self.loader(transform=transform)
        iterator = iter(loader)
        thread = threading.Thread(target=next, args=(iterator,))
        thread.start()
        inside.wait(60)
        try:
            for use in (lambda: next(iterator), lambda: loader.set_epoch(4)):
                with self.assertRaisesRegex(qanat.LoaderError, "another thread"):
                    use()
        finally:
            go.set()
            thread.join()
        self.assertEqual(next(iterator).index, 1)

    def test_a_tensor_of_a_batch_after_a_fork(self):
        with self.loader() as loader:
            batch = next(iter(loader))
            reader, writer = os.pipe()
            child = os.fork()
            if child == 0:
                try:
                    batch.mel.__dlpack__()
                    said = "no error"
                except qanat.LoaderError as error:
                    said = str(error)
                os.write(writer, said.encode())
                os._exit(0)
            os.close(writer)
            os.waitpid(child, 0)
            with os.fdopen(reader) as pipe:
                self.assertIn("does not work after a fork", pipe.read())

    def test_after_a_fork(self):
        loader = self.loader()
        batch = next(iter(loader))
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            said = "nothing"
            try:
                next(iter(loader))
            except qanat.LoaderError as error:
                said = str(error)
            del batch, loader
            gc.collect()
            os.write(write, said.encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            self.assertIn("does not work after a fork", pipe.read())
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(len(batch.mel.tolist()), 4)
        self.assertEqual(next(iter(loader)).index, 1)

    def test_pickling_and_copying(self):
        loader = self.loader()
        batch = next(iter(loader))
        for thing in (loader, iter(loader), batch, batch.mel):
            for use in (pickle.dumps, copy.copy, copy.deepcopy):
                with self.assertRaisesRegex(TypeError, "cannot be pickled or copied"):
                    use(thing)

    def test_settings_that_cannot_be_used(self):
        for settings, what in (({"batch_size": 0}, "^batch_size: 0 is"), ({"rank": 2}, "rank: 2 of 1"),
                               ({"payload": "text"}, "payload"), ({"mel": "melodic"}, "hifigan"),
                               ({"mel": {"hop": 0}}, "mel.hop"), ({"split": "half"}, "^split: "),
                               ({"mel": None}, "^mel: null; expected a name"),
                               ({"num_workers": -1}, "^num_workers: "),
                               ({"batch_size": 0, "prefetch": -1}, "^batch_size: (.|\n)*\nprefetch: "),
                               ({"language": "german"}, "^language: german is not valid; expected a language tag"),
                               ({"max_bad_fraction": 2.0}, "^max_bad_fraction: ")):
            with self.subTest(settings), self.assertRaisesRegex(ValueError, what):
                self.loader(**settings)
        for settings in ({"batch_size": 2.5}, {"world": "two"}, {"transform": 3}):
            with self.subTest(settings), self.assertRaises(TypeError):
                self.loader(**settings)

    def test_no_data_set(self):
        with self.assertRaisesRegex(qanat.LoaderError, "nowhere"):
            qanat.Loader("/nowhere/at/all")
        with self.assertRaisesRegex(ValueError, "^data: an empty path"):
            qanat.Loader("")
        with self.assertRaises(TypeError):
            qanat.Loader(None)

    def test_a_path_in_bytes_is_a_path(self):
        with qanat.Loader(os.fsencode(self.data), 4, cache_dir=os.fsencode(self.scratch)) as loader:
            self.assertEqual(repr(loader), f"qanat.Loader({self.utterances} utterances, {len(loader)} batches "
                                           "of an epoch, at epoch 0, batch 0)")

    def test_items_that_are_not_there(self):
        loader = self.loader()
        for item in (-1, self.utterances, 1 << 40):
            with self.assertRaises(ValueError):
                loader.utterance(item)

    def test_a_library_that_is_missing_is_named(self):
        with mock.patch.dict(os.environ, {"QANAT_LIBRARY": "/nowhere/libqanat.so"}):
            with self.assertRaisesRegex(qanat.LoaderError, "nowhere/libqanat.so"):
                qanat.Loader(self.data)

    def test_calls_of_the_library_with_something_else(self):
        session = self.loader()._session
        lease, *_ = session.next()
        mel, rows = _native.FIELDS.index("mel"), _native.FIELDS.index("items")
        for call, arguments in ((session.layout, (lease, 99)), (session.layout, (lease, -1)),
                                (session.layout, (lease,)), (session.layout, ("lease", mel)),
                                (session.layout, (lease, "mel")), (session.values, (lease, mel)),
                                (session.values, (lease, rows, 0)), (session.tensor, (lease, mel)),
                                (session.tensor, (lease, _native.FIELDS.index("audio"), 1))):
            with self.assertRaises((ValueError, TypeError)):
                call(*arguments)
        self.assertEqual(len(session.values(lease, rows)), 4)

    def test_other_devices_and_copies_are_refused(self):
        mel = next(iter(self.loader())).mel
        self.assertEqual(mel.__dlpack_device__(), (1, 0))
        with self.assertRaises(BufferError):
            mel.__dlpack__(dl_device=(2, 0))
        with self.assertRaises(BufferError):
            mel.__dlpack__(copy=True)


class CountingAllocator:
    """As memory that is pinned would come and go; `shift` puts it off any alignment."""

    def __init__(self, shift=0):
        self.shift = shift
        self.given = 0
        self.live = weakref.WeakSet()
        self.sizes = set()
        self.threads = set()

    def __call__(self, size):
        class Block(bytearray):  # that can be referred to weakly
            __hash__ = object.__hash__
            __eq__ = object.__eq__

        block = Block(size + self.shift)
        self.given += 1
        self.live.add(block)
        self.sizes.add(size)
        self.threads.add(threading.get_ident())
        return memoryview(block)[self.shift:]


class OwnMemory(CorpusTest):
    def addresses(self, allocator):
        return [(ctypes.addressof(ctypes.c_char.from_buffer(block)), len(block))
                for block in allocator.live]

    def test_batches_are_in_memory_of_the_allocator(self):
        for shift in (0, 1, 33):
            allocator = CountingAllocator(shift)
            loader = self.loader(allocate=allocator, num_workers=1, prefetch=2)
            kept = next(iter(loader))
            blocks = self.addresses(allocator)
            self.assertTrue(any(begin <= kept.mel._address and
                                kept.mel._address + kept.mel.nbytes <= begin + size
                                for begin, size in blocks))
            self.assertEqual(kept.mel._address % 64, 0)
            self.assertNotIn(threading.get_ident(), allocator.threads)
            given = loader.stats()["allocated"]  # more by now: the loader's threads go on
            self.assertGreaterEqual(given["blocks"], len(blocks))
            self.assertGreaterEqual(given["bytes"], kept.mel.nbytes * len(blocks))

    def test_values_are_those_of_plain_memory(self):
        plain = [batch.mel.tolist() for batch in self.loader()]
        own = [batch.mel.tolist() for batch in self.loader(allocate=CountingAllocator())]
        self.assertEqual(plain, own)

    def test_everything_goes_back_after_the_last_batch(self):
        allocator = CountingAllocator()
        loader = self.loader(allocate=allocator)
        batch = next(iter(loader))
        self.assertGreater(len(allocator.live), 0)
        loader.set_epoch(3)  # another pool
        later = next(iter(loader))
        loader.close()
        del later
        gc.collect()
        values = batch.mel.tolist()
        self.assertEqual(len(values), 4)
        self.assertGreater(len(allocator.live), 0)
        del loader, batch
        self.doCleanups()
        gc.collect()
        self.assertEqual(len(allocator.live), 0)
        self.assertEqual(_memory._memories, {})

    def test_epochs_need_no_more_memory(self):
        allocator = CountingAllocator()
        loader = self.loader(allocate=allocator, prefetch=2, num_workers=1)
        for _ in range(3):
            items_of(loader)
        few = allocator.given
        for _ in range(20):
            items_of(loader)
        self.assertLessEqual(allocator.given, few + 2)
        self.assertLess(few, 12)

    def test_keeping_batches_while_workers_ask_for_memory_ends(self):
        """The loop holds Python's lock while a thread of the loader waits for it: over and over."""
        allocator = CountingAllocator()
        loader = self.loader(allocate=allocator, memory_mb=1, num_workers=2, cache_mb=0)
        kept, taken = [], 0
        while taken < 600:
            try:
                for batch in loader:
                    taken += 1
                    kept.append(batch)
            except qanat.LoaderError as error:
                self.assertIn("still in use", str(error))
                kept.clear()

    def test_a_refusal_is_the_cause_of_the_error(self):
        def refuse(size):
            raise MemoryError("no pinned memory is left")

        loader = self.loader(allocate=refuse)
        with self.assertRaisesRegex(qanat.LoaderError, "gave no memory") as raised:
            next(iter(loader))
        self.assertIsInstance(raised.exception.__cause__, MemoryError)

    def test_what_is_no_memory_is_refused(self):
        for wrong in (None, b"read only" * 1000000, bytearray(3), 7):
            loader = self.loader(allocate=lambda size, wrong=wrong: wrong)
            with self.assertRaises(qanat.LoaderError) as raised:
                next(iter(loader))
            self.assertIsInstance(raised.exception.__cause__, (TypeError, ValueError))
        with self.assertRaises(TypeError):
            self.loader(allocate=3)

    def test_tensors_may_outlive_python(self):
        script = ("import qanat, sys\n"
                  "loader = qanat.Loader(sys.argv[1], 4, cache_dir=sys.argv[2], allocate=bytearray)\n"
                  "batch = next(iter(loader))\n"
                  "capsule = batch.mel.__dlpack__()\n"
                  "sys.keep = [batch, capsule, loader]\n")
        done = subprocess.run([sys.executable, "-c", script, self.data,
                               os.path.join(self.scratch, "cache")], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
