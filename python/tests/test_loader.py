"""qanat.Loader: the batches of the C++ loader, in order, without a copy. numpy and torch are used where
they are installed."""
import gc
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest

import qanat
from tests.corpora import CorpusTest, items_of, make_corpus

DUMP = os.environ.get("QANAT_BATCH_DUMP")
HAS_NUMPY = importlib.util.find_spec("numpy") is not None
HAS_TORCH = importlib.util.find_spec("torch") is not None
PARTS = ("tokens", "mel_lengths", "token_lengths", "speakers", "items")


def digest(batch):
    """Of everything in a batch."""
    hashed = hashlib.sha256(f"{batch.epoch} {batch.index}".encode())
    for name in ("mel", "audio", *PARTS):
        array = getattr(batch, name)
        if array is not None:
            hashed.update(array.memoryview())
    return hashed.hexdigest()


def endless(loader):
    while True:
        yield from loader


def resident_mb():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


class Batches(CorpusTest):
    def test_an_epoch_has_every_utterance_once(self):
        loader = self.loader()

        batches = list(loader)

        self.assertEqual(len(batches), len(loader))
        self.assertEqual(sorted(items_of(batches)), list(range(self.utterances)))
        self.assertEqual(sum(len(batch) for batch in batches), self.utterances)

    def test_every_iteration_is_the_next_epoch_in_another_order(self):
        loader = self.loader()

        first, second = items_of(loader), items_of(loader)

        self.assertNotEqual(first, second)
        self.assertEqual(sorted(first), sorted(second))
        self.assertEqual(loader.epoch, 2)

    def test_shapes_types_and_padding(self):
        batch = next(iter(self.loader()))

        rows, frames, bins = batch.mel.shape
        self.assertEqual((rows, bins, batch.mel.dtype, batch.audio), (4, 80, "float32", None))
        mel, lengths = batch.mel.tolist(), batch.mel_lengths.tolist()
        self.assertEqual(max(lengths) <= frames, True)
        for row, length in enumerate(lengths):
            self.assertGreater(mel[row][length - 1][10], -11.0)
            for frame in mel[row][length:]:
                self.assertAlmostEqual(frame[0], -11.512925, places=5)  # log(1e-5)
        for row, length in enumerate(batch.token_lengths.tolist()):
            tokens = batch.tokens.tolist()[row]
            self.assertTrue(all(tokens[:length]))
            self.assertFalse(any(tokens[length:]))

    def test_arrays_are_made_once_and_nothing_else_is(self):
        batch = next(iter(self.loader()))
        self.assertIs(batch.mel, batch.mel)
        self.assertIsNone(batch.audio)
        self.assertEqual(batch.items.tolist(), batch.items.memoryview().tolist())
        batch.speakers = [1, 2]  # as a transform may
        self.assertEqual(batch.speakers, [1, 2])
        with self.assertRaisesRegex(AttributeError, "'Batch' object has no attribute 'mels'"):
            getattr(batch, "mels")

    def test_audio_is_that_of_the_files(self):
        loader = self.loader(payload="audio")
        batch = next(iter(loader))

        self.assertIsNone(batch.mel)
        for row, item in enumerate(batch.items.tolist()):
            count = batch.audio_lengths.tolist()[row]
            with open(loader.utterance(item)["file"], "rb") as file:
                expected = file.read()[44:]
            self.assertEqual(batch.audio.memoryview().cast("B")[
                2 * row * batch.audio.shape[1]:][:2 * count].tobytes(), expected)

    def test_speakers_and_utterances_are_named(self):
        loader = self.loader()
        batch = next(iter(loader))

        self.assertEqual(loader.speakers, ["speaker0", "speaker1"])
        for item, speaker in zip(batch.items.tolist(), batch.speakers.tolist()):
            utterance = loader.utterance(item)
            self.assertEqual(utterance["speaker"], loader.speakers[speaker])
            self.assertEqual(utterance["text"], f"number {utterance['id'][4:]}")

    def test_a_speaker_who_is_only_validated_has_no_position(self):
        with tempfile.TemporaryDirectory() as folder:
            data = make_corpus(os.path.join(folder, "data"), 12)
            with open(os.path.join(data, "metadata_train.csv"), "w", encoding="utf-8") as file:
                file.writelines(f"clip{i}|number {i}||{'ab'[i % 2]}\n" for i in range(8))
            with open(os.path.join(data, "metadata_eval.csv"), "w", encoding="utf-8") as file:
                file.writelines(f"clip{i}|number {i}||{'ac'[i % 2]}\n" for i in range(8, 12))
            with qanat.Loader(data, batch_size=4, split="validation", cache_dir=folder) as loader:
                batch = next(iter(loader))

                self.assertEqual(loader.speakers, ["a", "b"])
                for item, speaker in zip(batch.items.tolist(), batch.speakers.tolist()):
                    self.assertEqual(speaker, {"a": 0, "c": -1}[loader.utterance(item)["speaker"]])

    def test_notes_are_not_rows_that_were_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            data = make_corpus(os.path.join(folder, "data"), 4)
            with open(os.path.join(data, "metadata.csv"), "w", encoding="utf-8") as file:
                file.write("id|text|emotion\nclip0|one|glad\nclip1|two|sad\nnone|three|sad\n")
            with qanat.Loader(data, batch_size=1, max_bad_fraction=1, cache_dir=folder) as loader:
                self.assertEqual((loader.num_utterances, loader.num_left_out), (2, 1))

    def test_ranks_together_have_every_utterance_once(self):
        loaders = [self.loader(rank=rank, world=3, num_workers=1) for rank in range(3)]

        self.assertEqual(sorted(items_of(batch for loader in loaders for batch in loader)),
                         list(range(self.utterances)))

    @unittest.skipUnless(DUMP, "QANAT_BATCH_DUMP does not name the program")
    def test_batches_are_those_of_the_cpp_loader(self):
        for payload, count in (("mel", 1000), ("audio", 50)):
            with self.subTest(payload):
                done = subprocess.run([DUMP, self.data, "4", str(count), payload], check=True,
                                      stdout=subprocess.PIPE)
                taken = endless(self.loader(payload=payload))
                at = 0
                for _ in range(count):
                    end = done.stdout.index(b"\n", at)
                    epoch, index, size, tokens, rows = map(int, done.stdout[at:end].split())
                    size += tokens + 4 * rows * (len(PARTS) - 1)
                    batch = next(taken)
                    hashed = hashlib.sha256(f"{epoch} {index}".encode())
                    hashed.update(done.stdout[end + 1:end + 1 + size])
                    self.assertEqual(digest(batch).encode(), hashed.hexdigest().encode())
                    at = end + 1 + size
                self.assertEqual(at, len(done.stdout))


class Memory(CorpusTest):
    def test_a_batch_that_is_kept_is_not_written_over(self):
        loader = endless(self.loader())
        kept = [next(loader) for _ in range(20)]
        before = [digest(batch) for batch in kept]

        for _ in range(200):
            next(loader)

        self.assertEqual([digest(batch) for batch in kept], before)

    def test_dropped_batches_are_given_back(self):
        loader = self.loader(memory_mb=2)  # a few batches
        taken = endless(loader)

        for _ in range(300):
            next(taken)

        self.assertLess(loader.stats()["window"]["most_bytes"], 2 << 20)

    def test_keeping_all_there_is_room_for_is_an_error(self):
        loader = self.loader(memory_mb=2)
        kept = []

        with self.assertRaisesRegex(qanat.LoaderError, "still in use"):
            kept.extend(endless(loader))
        kept.clear()

        self.assertEqual(len(next(iter(loader))), 4)

    def test_one_array_keeps_its_batch(self):
        loader = self.loader()
        batch = next(iter(loader))
        before, array = batch.mel.tolist(), batch.mel
        del batch
        loader.close()
        del loader
        gc.collect()

        self.assertEqual(array.tolist(), before)

    def test_capsules_that_nobody_takes_are_freed(self):
        loader = endless(self.loader(memory_mb=2))
        for _ in range(300):
            batch = next(loader)
            batch.mel.__dlpack__()
            batch.mel.__dlpack__(max_version=(1, 0))

    def test_batches_leave_nothing_behind(self):
        count = int(os.environ.get("QANAT_LEAK_BATCHES", "3000"))
        loader = endless(self.loader(cache_mb=50))
        for _ in range(500):
            next(loader)
        before = resident_mb()

        for _ in range(count):
            batch = next(loader)
            batch.mel.__dlpack__()
            self.assertEqual(batch.items.memoryview().nbytes, 16)
        del batch
        gc.collect()

        self.assertLess(resident_mb() - before, 8)

    def test_a_loader_that_is_dropped_stops_its_threads(self):
        before = threads()
        loader = self.loader(num_workers=2)
        array = next(iter(loader)).mel
        self.doCleanups()  # they refer to it
        del loader

        self.assertEqual(threads(), before)
        self.assertEqual(len(array.tolist()), 4)


def threads():
    return len(os.listdir("/proc/self/task"))


@unittest.skipUnless(HAS_NUMPY, "numpy is not installed; try the package python3-numpy")
class Numpy(CorpusTest):
    def test_asarray_shares_the_memory(self):
        import numpy

        batch = next(iter(self.loader()))
        mel = numpy.asarray(batch.mel)

        self.assertEqual((mel.shape, str(mel.dtype)), (batch.mel.shape, "float32"))
        self.assertEqual(mel.ctypes.data, batch.mel.__array_interface__["data"][0])
        mel[0, 0, 0] = 7
        self.assertEqual(batch.mel.tolist()[0][0][0], 7)

    def test_every_array_has_its_values_by_either_interface(self):
        import numpy

        class ByDict:
            def __init__(self, array):
                self.__array_interface__ = array.__array_interface__

        for payload in ("mel", "audio"):
            batch = next(iter(self.loader(payload=payload)))
            for name in (payload, *PARTS):
                array = getattr(batch, name)
                by_struct, by_dict = numpy.asarray(array), numpy.asarray(ByDict(array))
                self.assertEqual((by_struct.dtype.name, by_struct.flags.c_contiguous, by_struct.flags.writeable),
                                 (array.dtype, True, True))
                self.assertEqual(by_struct.ctypes.data, by_dict.ctypes.data)
                self.assertEqual((by_struct.strides, by_struct.tolist()), (by_dict.strides, array.tolist()))

    def test_an_array_outlives_batch_and_loader(self):
        import numpy

        loader = self.loader(memory_mb=2)
        taken = endless(loader)
        mel = numpy.asarray(next(taken).mel)
        before = mel.copy()
        for _ in range(100):
            next(taken)
        loader.close()
        del taken, loader
        gc.collect()

        self.assertTrue((mel == before).all())

    def test_from_dlpack_shares_the_memory(self):
        import numpy

        if not hasattr(numpy, "from_dlpack"):
            self.skipTest("numpy is older than 1.23")
        for array in (next(iter(self.loader())).mel, next(iter(self.loader(payload="audio"))).audio):
            taken = numpy.from_dlpack(array)
            self.assertEqual(taken.ctypes.data, array.__array_interface__["data"][0])
            self.assertEqual(taken.tolist(), array.tolist())


@unittest.skipUnless(HAS_TORCH, "torch is not installed; try the package python3-torch")
class Torch(CorpusTest):
    def test_from_dlpack_shares_the_memory_of_every_array(self):
        import torch

        batch = next(iter(self.loader()))
        for name in ("mel", *PARTS):
            array = getattr(batch, name)
            tensor = torch.from_dlpack(array)
            self.assertEqual(tensor.data_ptr(), array.__array_interface__["data"][0])
            self.assertEqual((tuple(tensor.shape), str(tensor.dtype)),
                             (array.shape, f"torch.{array.dtype}"))
            self.assertTrue(tensor.is_contiguous())

    def test_a_tensor_outlives_batch_and_loader(self):
        import torch

        loader = self.loader(memory_mb=2)
        taken = endless(loader)
        mel = torch.from_dlpack(next(taken).mel)
        before = mel.clone()
        for _ in range(100):
            next(taken)
        loader.close()
        del taken, loader
        gc.collect()

        self.assertTrue(torch.equal(mel, before))

    def test_dropped_tensors_are_given_back(self):
        import torch

        loader = endless(self.loader(memory_mb=2))
        for _ in range(300):
            tensor = torch.from_dlpack(next(loader).mel)
        self.assertEqual(tensor.shape[0], 4)


class Position(CorpusTest):
    def test_a_state_resumes_at_the_next_batch(self):
        whole = self.loader()
        expected = [digest(batch) for _ in range(2) for batch in whole]
        for stop in (0, 1, 5, 6, 7, 11):
            first = self.loader()
            begin = endless(first)
            got = [digest(next(begin)) for _ in range(stop)]
            state = json.loads(json.dumps(first.state_dict()))
            first.close()
            resumed = self.loader(num_workers=1)
            resumed.load_state_dict(state)
            self.assertEqual(resumed.state_dict(), state)
            rest = endless(resumed)
            got += [digest(next(rest)) for _ in range(12 - stop)]
            self.assertEqual(got, expected)
            resumed.close()

    def test_an_epoch_that_is_left_early_goes_on(self):
        loader = self.loader()
        first = [next(iter(loader)) for _ in range(2)]

        rest = list(loader)

        self.assertEqual(sorted(items_of(first + rest)), list(range(self.utterances)))

    def test_set_epoch_begins_another_epoch_and_keeps_the_present_one(self):
        loader = self.loader()
        by_epoch = [items_of(loader) for _ in range(3)]

        loader.set_epoch(1)
        self.assertEqual(items_of(loader), by_epoch[1])
        loader.set_epoch(2)
        begun = items_of([next(iter(loader))])
        loader.set_epoch(2)
        self.assertEqual(begun + items_of(loader), by_epoch[2])

    def test_another_world_goes_on_at_the_same_place(self):
        two = [self.loader(rank=rank, world=2, num_workers=1) for rank in range(2)]
        had = items_of(next(iter(loader)) for loader in two)
        one = self.loader()
        one.load_state_dict(two[0].state_dict())
        had += items_of([next(iter(one))])
        four = [self.loader(rank=rank, world=4, num_workers=1) for rank in range(4)]
        for loader in four:
            loader.load_state_dict(one.state_dict())

        self.assertEqual(sorted(had + items_of(batch for loader in four for batch in loader)),
                         list(range(self.utterances)))

    def test_two_processes_have_the_batches_of_one_with_twice_the_rows(self):
        two = [self.loader(rank=rank, world=2, num_workers=1, batch_size=4) for rank in range(2)]
        one = self.loader(batch_size=8)

        for both, whole in zip(zip(*two), one):
            self.assertEqual(items_of(both), items_of([whole]))
        self.assertEqual(two[1].state_dict()["plan"], one.state_dict()["plan"])

    def test_states_of_something_else_are_refused(self):
        loader = self.loader()
        state = loader.state_dict()
        for wrong in ({}, {**state, "plan": "0"}, {**state, "batch": "x"}, {**state, "batch": 99},
                      {**state, "version": 2}, {**state, "world": 0}, {**state, "epoch": -1}, None):
            with self.assertRaises(ValueError):
                loader.load_state_dict(wrong)
        self.assertEqual(loader.state_dict(), state)
        with self.assertRaisesRegex(ValueError, "other data or settings"):
            loader.load_state_dict(self.loader(batch_size=3).state_dict())

    def test_a_state_is_small(self):
        self.assertLess(len(json.dumps(self.loader().state_dict())), 1000)


class Transform(CorpusTest):
    def test_the_loop_gets_what_it_returns_and_stats_what_it_took(self):
        loader = self.loader(transform=lambda batch: [batch.index, len(batch)])

        self.assertEqual(list(loader), [[i, 4] for i in range(6)])
        transform = loader.stats()["transform"]
        self.assertEqual(transform["calls"], 6)
        self.assertGreater(transform["seconds"], 0)

    def test_after_a_failure_the_same_batch_comes_again(self):
        def fail_once(batch, failed=[]):
            if batch.index == 2 and not failed:
                failed.append(True)
                raise KeyError("augmentation")
            return batch

        loader = self.loader(transform=fail_once)
        seen = []
        with self.assertRaises(KeyError):
            for batch in loader:
                seen.append(batch.index)
        seen += [batch.index for batch in loader]

        self.assertEqual(seen, list(range(6)))


class Start(unittest.TestCase):
    def test_importing_loads_neither_numpy_nor_torch_nor_the_library(self):
        code = ("import sys, qanat; "
                "assert not {'numpy', 'torch'} & set(sys.modules), sys.modules; "
                "assert 'libqanat' not in open('/proc/self/maps').read()")
        subprocess.run([sys.executable, "-c", code], check=True)


if __name__ == "__main__":
    unittest.main()
