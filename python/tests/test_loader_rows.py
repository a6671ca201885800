"""qanat.Loader on data that is no folder: dicts, tuples, bytes, samples, data sets of others; with other
tokens or none, with weights, and with damage."""
import array
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

import qanat
from tests.corpora import CorpusTest, items_of, make_corpus, tones, write_wav
from tests.test_loader import digest

HAS_NUMPY = importlib.util.find_spec("numpy") is not None
HAS_TORCH = importlib.util.find_spec("torch") is not None
HAS_DATASETS = importlib.util.find_spec("datasets") is not None


class RowsTest(CorpusTest):
    def clip(self, i):
        return os.path.join(self.data, "wavs", f"clip{i}.wav")

    def clip_bytes(self, i):
        with open(self.clip(i), "rb") as file:
            return file.read()

    def dicts(self, **more):
        return [{"audio": self.clip_bytes(i), "text": f"number {i}", "speaker": f"speaker{i % 2}", **more}
                for i in range(self.utterances)]

    def open(self, data, **settings):
        loader = qanat.Loader(data, **{"batch_size": 4, **settings})
        self.addCleanup(loader.close)
        return loader


class Kinds(RowsTest):
    def test_rows_of_every_kind_are_those_of_the_folder(self):
        expected = [digest(batch) for batch in self.loader()]
        dicts = self.dicts()
        kinds = {
            "bytes in dicts": dicts,
            "a generator": iter(dicts),
            "bytearrays": [{**row, "audio": bytearray(row["audio"])} for row in dicts],
            "views": [{**row, "audio": memoryview(row["audio"])} for row in dicts],
            "paths in dicts": [{**row, "audio": self.clip(i)} for i, row in enumerate(dicts)],
            "as data sets have it": [{**row, "audio": {"bytes": row["audio"], "path": "x.wav"}} for row in dicts],
            "tuples": [(row["audio"], row["text"], row["speaker"]) for row in dicts],
            "samples": [{**row, "audio": {"array": array.array("h", row["audio"][44:]), "sampling_rate": 22050}}
                        for row in dicts],
            "NeMo's names": [{"audio_filepath": self.clip(i), "text": row["text"], "speaker": row["speaker"]}
                             for i, row in enumerate(dicts)],
        }
        for name, data in kinds.items():
            with self.subTest(name):
                self.assertEqual([digest(batch) for batch in self.open(data)], expected)

    def test_audio_alone(self):
        loader = self.open([self.clip_bytes(i) for i in range(8)], text=None)

        batches = list(loader)

        self.assertEqual(sorted(items_of(batches)), list(range(8)))
        self.assertIsNone(batches[0].tokens)
        self.assertIsNone(batches[0].texts)

    def test_samples_in_float(self):
        values = [value / 32768 for value in tones(9000, 3)]
        loader = self.open([(array.array("f", values), 22050)] * 2, text=None, payload="audio", batch_size=2)

        batch = next(iter(loader))

        self.assertEqual(batch.audio_lengths.tolist(), [9000, 9000])
        self.assertEqual([round(value * 32768) for value in values[:50]], batch.audio.tolist()[0][:50])

    def test_a_folder_without_a_manifest(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a/one.wav", "b/two.WAV", "b/three.wav"):
                os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
                write_wav(os.path.join(folder, name), tones(9000, 1), 22050)
            with self.open(folder, text=None, batch_size=2, cache_dir=self.scratch) as loader:
                items = items_of(loader)
                self.assertEqual(sorted(items), [0, 1, 2])
                self.assertEqual([loader.utterance(i)["id"] for i in range(3)], ["a/one", "b/three", "b/two"])
            with self.assertRaisesRegex(qanat.LoaderError, "metadata.csv"):
                self.open(folder)
        with tempfile.TemporaryDirectory() as empty:
            with self.assertRaisesRegex(qanat.LoaderError, "no audio file; expected some that end in .wav"):
                self.open(empty, text=None)

    def test_rows_that_repeat_a_clip_are_rows(self):
        loader = self.open([self.clip(1)] * 5, text=None, batch_size=5)
        self.assertEqual(sorted(items_of(loader)), [0, 1, 2, 3, 4])
        self.assertEqual(len({loader.utterance(i)["id"] for i in range(5)}), 5)

    def test_columns_of_another_name(self):
        rows = [{"sound": self.clip(i), "words": f"number {i}"} for i in range(4)]
        loader = self.open(rows, columns={"audio": "sound", "text": "words"})
        self.assertEqual(loader.utterance(2)["text"], "number 2")
        with self.assertRaisesRegex(ValueError, "row 0: a row has sound, words; expected one of audio"):
            self.open(rows)
        with self.assertRaisesRegex(ValueError, "no 'word' for text; there are sound, words"):
            self.open(rows, columns={"audio": "sound", "text": "word"})
        with self.assertRaisesRegex(ValueError, "columns: 'txt'"):
            self.open(rows, columns={"txt": "words"})

    def test_what_is_no_data(self):
        for data, kind, text in ((5, TypeError, "data: int; expected a folder"),
                                 ([5], TypeError, "row 0: audio: int; expected a path"),
                                 ([{"audio": {"x": 1}}], TypeError, "row 0: audio: dict"),
                                 ([b""], ValueError, "row 0: audio of 0 bytes"),
                                 ([("a", "b", "c", "d")], TypeError, "row 0: a tuple of 4"),
                                 ([], qanat.LoaderError, "no rows"),
                                 (["nowhere.wav"], qanat.LoaderError, "nowhere.wav|none of 1"),
                                 ([{"audio": b"x", "text": "a\0b"}], ValueError, "row 0: text holds a zero byte"),
                                 ([{"audio": b"x", "split": "test"}], ValueError, "split: 'test'"),
                                 ([{"audio": b"x", "tokens": ["a"]}], ValueError, "not whole numbers")):
            with self.subTest(text), self.assertRaisesRegex(kind, text):
                self.open(data, text=None)

    def test_memory_of_the_caller_is_kept_and_given_back(self):
        held = [bytearray(self.clip_bytes(i)) for i in range(4)]
        loader = self.open(held, text=None)
        with self.assertRaises(BufferError):  # as long as somebody reads it
            held[0].append(0)
        next(iter(loader))
        loader.close()
        del loader
        self.doCleanups()
        held[0].append(0)

    def test_the_end_of_python_is_quiet(self):
        code = ("import builtins, qanat\n"
                f"held = [open({self.clip(0)!r}, 'rb').read()] * 4\n"
                "builtins.kept = loader = qanat.Loader(held, text=None, batch_size=2)\n"
                "for batch in loader:\n    pass\nprint(len(batch))\n")
        done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=True)
        self.assertEqual(done.stdout, "2\n")

    def test_a_state_resumes(self):
        first = self.open(self.dicts())
        taken = [digest(batch) for batch in first]
        loader = self.open(self.dicts(), num_workers=1)
        iterator = iter(loader)
        for expected in taken[:3]:
            self.assertEqual(digest(next(iterator)), expected)
        resumed = self.open(self.dicts())
        resumed.load_state_dict(json.loads(json.dumps(loader.state_dict())))
        self.assertEqual([digest(batch) for batch in resumed], taken[3:])

    def test_parts(self):
        rows = self.dicts()
        for i, row in enumerate(rows):
            row["split"] = "validation" if i % 6 == 0 else "train"
        self.assertEqual(self.open(rows, split="validation").num_utterances, 4)
        self.assertEqual(self.open(rows, split="train").num_utterances, 20)

    def test_lengths_are_kept_in_a_file_on_request(self):
        with tempfile.TemporaryDirectory() as folder:
            self.open(self.dicts(), cache_dir=folder).close()
            self.assertTrue(os.listdir(folder))

    @unittest.skipUnless(HAS_NUMPY, "numpy is not installed")
    def test_arrays_of_numpy(self):
        import numpy

        samples = numpy.array(tones(9000, 3), dtype=numpy.int16)
        for given in (samples, samples / numpy.float32(32768), samples / 32768):
            with self.subTest(given.dtype):
                loader = self.open([{"audio": {"array": given, "sampling_rate": 22050}}], text=None,
                                   payload="audio", batch_size=1)
                self.assertEqual(next(iter(loader)).audio[0][:9000].tolist(), samples.tolist())
        with self.assertRaisesRegex(TypeError, "row 0: samples of 2 dimensions"):
            self.open([(samples.reshape(2, -1), 22050)], text=None)

    @unittest.skipUnless(HAS_DATASETS, "datasets is not installed")
    def test_a_hugging_face_data_set(self):
        import datasets

        rows = self.dicts()
        made = datasets.Dataset.from_dict({
            "audio": [{"bytes": row["audio"], "path": None} for row in rows],
            "sentence": [row["text"] for row in rows], "speaker_id": [row["speaker"] for row in rows]})
        expected = [digest(batch) for batch in self.loader()]
        self.assertEqual([digest(batch) for batch in self.open(made)], expected)
        audio = made.cast_column("audio", datasets.Audio(sampling_rate=16000))
        self.assertEqual([digest(batch) for batch in self.open(audio)], expected)
        self.assertEqual(self.open(audio.select(range(3, 9))).utterance(0)["text"], "number 3")
        files = datasets.Dataset.from_dict({"audio": [self.clip(i) for i in range(8)]})
        self.assertEqual(self.open(files, text=None).num_utterances, 8)


class Text(RowsTest):
    def test_letters_of_any_language_are_tokens(self):
        texts = {"ru": "привет мир", "el": "καλημέρα"}
        rows = [{"audio": self.clip_bytes(i), "text": text, "language": language}
                for i, (language, text) in enumerate(texts.items())]

        batch = next(iter(self.open(rows, batch_size=2)))

        for item, tokens in zip(batch.items.tolist(), batch.tokens.tolist()):
            letters = [token for token in tokens[2:] if token > 4]  # behind the language and the silence
            self.assertEqual(len(letters), len(rows[item]["text"].replace(" ", "")))

    def test_raw_texts_in_any_language(self):
        texts = ["你好", "مرحبا", "", "hello"]
        loader = self.open([{"audio": self.clip(i), "text": text, "language": "xx"}
                            for i, text in enumerate(texts)], text="raw", language="zh")

        batch = next(iter(loader))

        self.assertEqual(batch.texts, [texts[item] for item in batch.items.tolist()])
        self.assertIsNone(batch.tokens)
        self.assertEqual(loader.num_symbols, 0)
        self.assertEqual(loader.utterance(0)["language"], "xx")
        with self.assertRaisesRegex(qanat.LoaderError, "not Qanat's"):
            loader.tokenizer.symbols  # pylint: disable=pointless-statement
        loader.close()
        self.assertEqual(len(batch.texts), 4)

    def test_texts_are_there_beside_tokens(self):
        batch = next(iter(self.loader()))
        self.assertEqual(batch.texts, [f"number {item}" for item in batch.items.tolist()])

    def test_a_tokenizer_of_ones_own(self):
        symbols = {symbol: i for i, symbol in enumerate(sorted(set("你好世界مرحبا")), 1)}
        texts = ["你好", "世界", "مرحبا", "你"]
        loader = self.open([{"audio": self.clip(i), "text": text} for i, text in enumerate(texts)],
                           tokenizer=lambda text: [symbols[letter] for letter in text])

        batch = next(iter(loader))

        for item, tokens, length in zip(batch.items.tolist(), batch.tokens.tolist(),
                                        batch.token_lengths.tolist()):
            self.assertEqual(tokens[:length], [symbols[letter] for letter in texts[item]])
        self.assertEqual(loader.num_symbols, len(symbols) + 1)
        with self.assertRaisesRegex(ValueError, "tokenizer: row 0, 'x': 'x'"):
            self.open([(self.clip(0), "x")], tokenizer=lambda text: [symbols[letter] for letter in text])

    def test_a_tokenizer_of_ones_own_on_a_folder(self):
        loader = self.loader(tokenizer=lambda text: [len(text), 7])
        batch = next(iter(loader))
        for item, tokens in zip(batch.items.tolist(), batch.tokens.tolist()):
            self.assertEqual(tokens[:2], [len(f"number {item}"), 7])
        self.assertEqual(sorted(items_of(loader) + batch.items.tolist()), list(range(self.utterances)))

    def test_tokens_in_the_rows(self):
        loader = self.open([{"audio": self.clip(i), "tokens": [i, i]} for i in range(4)])
        batch = next(iter(loader))
        self.assertEqual([row[:2] for row in batch.tokens.tolist()], [[i, i] for i in batch.items.tolist()])

    def test_a_folder_without_its_text(self):
        loader = self.loader(text=None)
        batch = next(iter(loader))
        self.assertEqual(batch.keys(), ["mel", "mel_lengths", "speakers", "items"])
        self.assertEqual(loader.speakers, ["speaker0", "speaker1"])

    def test_symbols_and_the_tokenizer(self):
        loader = self.loader()
        batch = next(iter(loader))
        tokenizer = loader.tokenizer
        self.assertEqual(len(loader.symbols), loader.num_symbols)
        for text, tokens, length in zip(batch.texts, batch.tokens.tolist(), batch.token_lengths.tolist()):
            self.assertEqual(tokenizer(text), tokens[:length])
            self.assertEqual(tokenizer.decode(tokens), tokenizer.read(text)["text"])
        self.assertEqual(tokenizer.symbols[:2], ["[pad]", "[sil]"])
        self.assertEqual(tokenizer.read("a ☃", "en")["unknown"], {"☃": 1})
        with self.assertRaisesRegex(ValueError, "language: martian"):
            tokenizer("a", "martian")
        with self.assertRaisesRegex(ValueError, "text"):
            tokenizer("", "en")

    def test_symbols_that_the_texts_taught(self):
        texts = ["Schöne Grüße", "Привет, мир", "schöne Straße", "мир"]
        loader = self.open([{"audio": self.clip(i), "text": text, "language": ("de", "ru")[i % 2]}
                            for i, text in enumerate(texts)])
        batch = next(iter(loader))
        self.assertEqual(len(loader.symbols), loader.num_symbols)
        self.assertLessEqual({"[de]", "[ru]", "ö", "ß", "ü", "и", "р"}, set(loader.symbols))
        for text, item, tokens, length in zip(batch.texts, batch.items.tolist(), batch.tokens.tolist(),
                                              batch.token_lengths.tolist()):
            language = loader.utterance(item)["language"]
            self.assertEqual(loader.symbols[tokens[0]], f"[{language}]")
            self.assertEqual(loader.tokenizer(text, language), tokens[:length])
            self.assertEqual(loader.tokenizer.decode(tokens), text.lower())
        loader.close()
        self.assertEqual(loader.tokenizer.read("Straße", "de")["unknown"], {})
        with self.assertRaisesRegex(ValueError, "symbols for en, fa, de, ru"):
            loader.tokenizer("bonjour", "fr")

    def test_wrong_words(self):
        for settings, text in (({"text": "none"}, "text: 'none'; expected 'tokens', 'raw' or None"),
                               ({"text": None, "tokenizer": len}, "nobody asks for tokens"),
                               ({"weights": "speaker"}, "weights: 'speaker'"),
                               ({"weights": [1, 2]}, "weights: numbers for rows of a folder"),
                               ({"num_workers": 0, "prefetch": 4}, "prefetch: 4 with num_workers=0"),
                               ({"payload": "sound"}, "payload: \"sound\"; expected mel or audio or both")):
            with self.subTest(text), self.assertRaisesRegex(ValueError, text):
                self.loader(**settings)
        with self.assertRaisesRegex(TypeError, "tokenizer: 5"):
            self.loader(tokenizer=5)


class Epochs(RowsTest):
    def test_balanced_speakers(self):
        rows = self.dicts()
        for i, row in enumerate(rows):
            row["speaker"] = "rare" if i < 3 else "often"
        loader = self.open(rows, weights="speakers")
        counts = {"rare": 0, "often": 0}
        for _ in range(4):
            for batch in loader:
                for speaker in batch.speakers.tolist():
                    counts[loader.speakers[speaker]] += 1
        self.assertEqual(sum(counts.values()), 4 * self.utterances)
        self.assertLessEqual(abs(counts["rare"] - counts["often"]), 8)

    def test_weights_by_row_and_by_speaker(self):
        weights = [0] * 12 + [1] * 12
        items = items_of(self.open(self.dicts(), weights=weights))
        self.assertEqual(sorted(items), sorted(list(range(12, 24)) * 2))
        named = self.loader(weights={"speaker0": 0})
        self.assertEqual({item % 2 for item in items_of(named)}, {1})
        with self.assertRaisesRegex(ValueError, "weights: 2 numbers for 24 rows"):
            self.open(self.dicts(), weights=[1, 2])
        with self.assertRaisesRegex(qanat.LoaderError, "weights"):
            self.loader(weights="speakers", shuffle=False)

    def test_weighted_epochs_resume(self):
        weights = [i % 5 for i in range(24)]
        loader = self.open(self.dicts(), weights=weights)
        expected = [digest(batch) for _ in range(3) for batch in loader]
        other = self.open(self.dicts(), weights=weights)
        other.load_state_dict({**loader.state_dict(), "epoch": 1, "batch": 2})
        self.assertEqual([digest(batch) for batch in other], expected[len(loader) + 2:2 * len(loader)])
        with self.assertRaisesRegex(ValueError, "other data or settings"):
            self.open(self.dicts()).load_state_dict(loader.state_dict())

    def test_drop_last(self):
        kept, dropped = self.loader(batch_size=5), self.loader(batch_size=5, drop_last=True)
        self.assertEqual((len(kept), len(dropped)), (5, 4))
        seen = set()
        for _ in range(8):
            sizes = [len(batch) for batch in dropped if not seen.update(batch.items.tolist())]
            self.assertEqual(sizes, [5] * 4)
        self.assertEqual(seen, set(range(self.utterances)))

    def test_no_workers(self):
        plain = self.loader(num_workers=0)
        self.assertEqual([digest(batch) for batch in plain], [digest(batch) for batch in self.loader()])

    def test_mel_and_audio_in_one_batch(self):
        both, mel, audio = (list(self.loader(payload=payload)) for payload in ("both", "mel", "audio"))
        for one, with_mel, with_audio in zip(both, mel, audio):
            self.assertEqual(bytes(one.mel.memoryview()), bytes(with_mel.mel.memoryview()))
            self.assertEqual(bytes(one.audio.memoryview()), bytes(with_audio.audio.memoryview()))
            self.assertEqual(one.audio_lengths.tolist(), with_audio.audio_lengths.tolist())


class Access(RowsTest):
    def test_a_batch_is_a_mapping_of_its_arrays(self):
        batch = next(iter(self.loader()))
        names = ["mel", "tokens", "mel_lengths", "token_lengths", "speakers", "items"]
        self.assertEqual((batch.keys(), list(batch), sorted(dict(batch))), (names, names, sorted(names)))
        self.assertIs(batch["mel"], batch.mel)
        self.assertIn("mel", batch)
        self.assertNotIn("audio", batch)
        for name in ("audio", "epoch", "nothing"):
            with self.assertRaisesRegex(KeyError, f"{name}; this batch has mel, tokens"):
                batch[name]  # pylint: disable=pointless-statement

    def test_rows_of_an_array_without_numpy(self):
        code = ("import sys; sys.modules['numpy'] = None\nimport qanat\n"
                f"batch = next(iter(qanat.Loader({self.data!r}, batch_size=4, cache_dir={self.scratch!r})))\n"
                "assert batch.mel[1].tolist() == batch.mel.tolist()[1]\n"
                "assert batch.tokens[-1].tolist() == batch.tokens.tolist()[-1]\n"
                "assert batch.items[2] == batch.items.tolist()[2]\n"
                "try:\n    batch.items[4]\nexcept IndexError:\n    print('fine')\n")
        done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual(done.stdout, "fine\n")

    @unittest.skipUnless(HAS_NUMPY, "numpy is not installed")
    def test_arrays_of_numpy_share_the_memory(self):
        batch = next(iter(self.loader()))
        batch.mel.numpy()[1, 2, 3] = 5
        self.assertEqual(batch.mel[1][2][3], 5)
        self.assertEqual(batch.mel[1, 2:4].shape, (2, 80))
        self.assertEqual([int(item) for item in batch.items], batch.items.tolist())
        with self.assertRaises(IndexError):
            batch.items[4]  # pylint: disable=pointless-statement

    @unittest.skipUnless(HAS_TORCH, "torch is not installed")
    def test_tensors(self):
        import torch

        batch = next(iter(self.loader()))
        tensors = batch.tensors()
        self.assertEqual(sorted(tensors), sorted(batch.keys()))
        tensors["mel"][0, 0, 0] = 7
        self.assertEqual(batch.mel.tolist()[0][0][0], 7)
        moved = batch.to("cpu")
        self.assertTrue(torch.equal(moved["tokens"], tensors["tokens"]))
        self.assertTrue(batch.to(torch.device("meta"))["mel"].is_meta)


class Damage(RowsTest):
    def test_rows_that_are_not_used_are_named(self):
        rows = self.dicts()
        rows[3]["audio"] = b"no sound"
        rows[5]["text"] = ""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            loader = self.open(rows)
        self.assertEqual([warning.category for warning in caught], [qanat.DataWarning])
        self.assertRegex(str(caught[0].message), "2 of 24 rows are not used; the first is row 4, 3: unreadable_audio")
        self.assertEqual(caught[0].filename, __file__)
        self.assertEqual([(row["row"], row["problem"]) for row in loader.damaged],
                         [(4, "unreadable_audio"), (6, "empty_text")])
        self.assertEqual(loader.num_left_out, 2)

    def test_what_is_only_too_long_is_not_damaged(self):
        with self.assertWarns(qanat.DataWarning):
            loader = self.open(self.dicts(), max_frames=30)
        self.assertTrue(loader.left_out)
        self.assertEqual(loader.damaged, [])

    def test_a_file_that_goes_away_is_named_once(self):
        with tempfile.TemporaryDirectory() as folder:
            data = make_corpus(os.path.join(folder, "data"), 12)
            loader = qanat.Loader(data, batch_size=4, cache_dir=folder, cache_mb=0, max_bad_fraction=1,
                                  num_workers=0)
            self.addCleanup(loader.close)
            os.remove(os.path.join(data, "wavs", "clip5.wav"))
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                for _ in range(3):
                    list(loader)
            self.assertEqual(len(caught), 1, [str(warning.message) for warning in caught])
            self.assertRegex(str(caught[0].message), "clip5.wav.*another row took its place")
            damaged = loader.damaged
            self.assertEqual((damaged[0]["id"], damaged[0]["times"]), ("clip5", 3))
            loader.close()
            self.assertEqual(len(loader.damaged), 1)

    def test_a_sound_set_warns_of_nothing(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            list(self.open(self.dicts()))


if __name__ == "__main__":
    unittest.main()
