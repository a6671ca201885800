"""Languages without a reader of their own: trained, resumed, spoken, loaded and evaluated, by characters, by the
phonemes of espeak-ng, and by a command of the user's; and what is refused."""
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time
import unittest
import wave

from languages import ESPEAK, draw_sentences, make_corpus
from program import SOURCE, qanat

LANGUAGES = ("de", "ru", "hi")
SAID = {"de": "schöne Straße", "ru": "красивая улица", "hi": "सुंदर सड़क"}
# Small letters, and digits said one by one: enough for a front end.
FRONT_END = """import os, sys
names = dict(zip("0123456789", "ⓐⓑⓒⓓⓔⓕⓖⓗⓘⓙ"))
for line in sys.stdin:
    {fault}
    print({before}"".join(names.get(letter, letter) for letter in line.lower().strip()) or "-", flush=True)
"""


class Folder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="qanat any language ")
        cls.root = pathlib.Path(cls.temporary.name)
        cls.addClassCleanup(cls.temporary.cleanup)

    def done(self, *command, code=0, timeout=300):
        result = qanat(*command, timeout=timeout)
        self.assertEqual(result.returncode, code, result.stderr + result.stdout)
        return result

    def train(self, corpus, out, *more, steps=2, code=0):
        return self.done("train", "--train-data", corpus, "--checkpoint-dir", out, "--model-size", "nano",
                         "--batch-size", 4, "--speaker-table", "--max-steps", steps, "--render-every", 0, "--no-emoji",
                         "--num-workers", 1, "--set", "data.val_split=0.1", "--set", "training.save_every=2",
                         "--set", f"data.cache_dir={self.root / 'cache'}", *more, code=code)

    def state(self, folder):
        latest = max(folder.glob("step-*"))
        return json.loads((latest / "state.json").read_text(encoding="utf-8"))

    def front_end(self, name, fault="pass", before=""):
        script = self.root / f"{name}.py"
        script.write_text(FRONT_END.format(fault=fault, before=before), encoding="utf-8")
        return f"'{sys.executable}' '{script}'"


@unittest.skipUnless(ESPEAK, "espeak-ng, which makes the clips, is not installed")
class ThreeLanguages:
    """One corpus of three languages and scripts, six speakers; what follows is done three ways."""

    flags = ()       # of training
    speaking = ()    # of whatever opens the checkpoint
    numbers = True   # in the texts

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.corpus = make_corpus(cls.root / "corpus", LANGUAGES, numbers=cls.numbers)
        cls.voice = cls.root / "voice"

    def setUp(self):
        if not self.voice.exists():
            self.train(self.corpus, self.voice, *self.flags)

    def test_symbols_and_languages_are_in_the_checkpoint(self):
        state = self.state(self.voice)

        self.assertEqual(state["languages"], sorted(LANGUAGES))
        added = state["text"]["symbols"]["added"]
        self.assertEqual(added[:3], [f"[{tag}]" for tag in sorted(LANGUAGES)])
        self.assertEqual(len(added), len(set(added)))
        self.assertEqual(len(state["speakers"]), 6)

    def test_a_resumed_run_goes_on_with_the_same_symbols(self):
        more = self.root / "more"
        shutil.copytree(self.voice, more)
        result = self.train(self.corpus, more, *self.flags, "--resume", "--json", steps=4)

        self.assertEqual(json.loads(result.stdout)["resumed_from"], 2)
        self.assertEqual(self.state(more)["text"], self.state(self.voice)["text"])
        self.assertEqual(self.state(more)["training"]["step"], 4)

    def test_every_language_is_spoken(self):
        for language, text in SAID.items():
            for flags in ((), ("--language", language)):
                out = self.root / f"{language}{len(flags)}.wav"
                result = self.done("synth", text, "--checkpoint", self.voice, "--out", out, *flags, *self.speaking)
                self.assertNotIn("left out", result.stderr)
                with wave.open(str(out)) as sound:
                    self.assertGreater(sound.getnframes(), 1000)

    def test_a_language_that_was_not_learned_is_an_error_with_those_that_were(self):
        result = self.done("synth", "bonjour", "--language", "fr", "--checkpoint", self.voice, "--out",
                           self.root / "fr.wav", *self.speaking, code=1)
        self.assertIn("de, hi, ru", result.stderr)
        self.assertFalse((self.root / "fr.wav").exists())

    def test_it_is_evaluated_on_the_set_it_was_trained_on(self):
        result = self.done("evaluate", "--checkpoint", self.voice, "--texts", self.corpus, "--limit", 6, "--json",
                           "--out", self.root / "evaluation", *self.speaking)
        report = json.loads(result.stdout)
        self.assertEqual(report["clips"], 6)
        self.assertEqual({row["name"][:2] for row in report["utterances"]}, set(LANGUAGES))
        measured = {one["measure"]: one["made"]["mean"] for one in report["measures"]}
        self.assertGreater(measured["mcd_db"], 0)

    def test_another_front_end_is_refused_by_both_names(self):
        for mine, flags, theirs in self.others():
            result = self.train(self.corpus, self.voice, *flags, "--resume", steps=4, code=1)
            self.assertIn(mine, result.stderr)
            self.assertIn(theirs, result.stderr)
        self.assertEqual(self.state(self.voice)["training"]["step"], 2)


class Characters(ThreeLanguages, Folder):
    numbers = False

    def others(self):
        return [("characters", ("--use-phonemes",), "phonemes"), ("characters", ("--g2p", self.front_end("mine")), "mine.py")]

    def test_letters_of_every_script_are_symbols(self):
        added = self.state(self.voice)["text"]["symbols"]["added"]
        for letter in "üßжदक":
            self.assertIn(letter, added)

    def test_a_symbol_that_was_not_learned_is_named_with_its_sentence(self):
        result = self.done("synth", "улица ҩ дом", "--language", "ru", "--checkpoint", self.voice, "--out",
                           self.root / "unknown.wav")
        self.assertIn("ҩ", result.stderr + result.stdout)
        self.assertIn("улица", result.stderr + result.stdout)

    def test_letters_that_are_new_in_the_set_are_named_before_a_run_goes_on(self):
        grown = self.root / "grown"
        shutil.copytree(self.corpus, grown)
        rows = (grown / "metadata.csv").read_text(encoding="utf-8")
        (grown / "metadata.csv").write_text(rows.replace("ru-01|", "ru-01|ҩ "), encoding="utf-8")
        result = self.train(grown, self.voice, "--resume", steps=4, code=1)
        self.assertIn("ҩ", result.stderr)

    def test_digits_are_refused_with_the_ways_to_go_on(self):
        result = self.done("synth", "12 улиц", "--language", "ru", "--checkpoint", self.voice, "--out",
                           self.root / "digits.wav", code=1)
        self.assertIn("12", result.stderr)
        self.assertIn("--g2p", result.stderr)


class Phonemes(ThreeLanguages, Folder):
    flags = ("--use-phonemes",)

    def others(self):
        return [("phonemes", (), "characters"), ("phonemes", ("--g2p", self.front_end("mine")), "mine.py")]

    def test_numbers_are_spoken(self):
        self.done("synth", "12 улиц", "--language", "ru", "--checkpoint", self.voice, "--out", self.root / "12.wav")

    @unittest.skipUnless(os.environ.get("QANAT_LIBRARY"), "QANAT_LIBRARY does not name the loader's library")
    def test_the_loader_knows_the_symbols_that_training_learned(self):
        sys.path.insert(0, str(SOURCE / "python"))
        import qanat as package

        with package.Loader(str(self.corpus), batch_size=4, phonemes=True, cache_dir=str(self.root / "cache")) as loader:
            batch = next(iter(loader))
            symbols = loader.symbols
            added = self.state(self.voice)["text"]["symbols"]["added"]
            self.assertEqual(symbols[-len(added):], added)
            self.assertEqual(len(symbols), loader.num_symbols)
            for text, tokens, length, item in zip(batch.texts, batch.tokens.tolist(), batch.token_lengths.tolist(),
                                                  batch.items.tolist()):
                language = loader.utterance(item)["language"]
                self.assertEqual(symbols[tokens[0]], f"[{language}]")
                self.assertEqual(loader.tokenizer(text, language), tokens[:length])
                self.assertEqual(loader.tokenizer.decode(tokens[:length]),
                                 loader.tokenizer.read(text, language)["phonemes"])


class OwnFrontEnd(ThreeLanguages, Folder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.flags = cls.speaking = ("--g2p", cls.front_end(cls, "mine"))

    def others(self):
        return [("mine.py", (), "characters"), ("mine.py", ("--use-phonemes",), "phonemes"),
                ("mine.py", ("--g2p", self.front_end("other", before="'x' + ")), "other.py")]

    def test_another_command_is_refused_at_synthesis_unless_it_is_forced(self):
        other = ("--g2p", self.front_end("other", before="'x' + "))
        said = ("synth", "улица", "--language", "ru", "--checkpoint", self.voice, "--out", self.root / "other.wav")
        for flags, named in ((other, "other.py"), ((), "mine.py")):
            result = self.done(*said, *flags, code=1)
            self.assertIn("mine.py", result.stderr)
            self.assertIn(named, result.stderr)
            self.assertFalse((self.root / "other.wav").exists())
        result = self.done(*said, *other, "--force-front-end")
        self.assertIn("other.py", result.stderr)

    def test_the_same_command_by_another_name_is_taken(self):
        command = self.front_end("moved")
        self.done("synth", "улица", "--language", "ru", "--checkpoint", self.voice, "--out",
                  self.root / "moved.wav", "--g2p", command)


class Faults(Folder):
    """What a command does wrong costs the rows it concerns, each named, or the run where nothing can be believed."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not ESPEAK:
            raise unittest.SkipTest("espeak-ng, which makes the clips, is not installed")
        cls.corpus = make_corpus(cls.root / "corpus", ("ru",), rows=12)
        cls.rows = (cls.corpus / "metadata.csv").read_text(encoding="utf-8").splitlines()

    def check(self, command, code):
        begin = time.monotonic()
        result = self.done("data", "check", self.corpus, "--quick", "--json", "--g2p", command, "--cache-dir",
                           self.root / "cache", code=code, timeout=200)
        self.assertLess(time.monotonic() - begin, 150)
        return result

    def test_a_row_the_command_dies_of_is_listed_and_the_others_are_read(self):
        seventh = self.rows[6].split("|")[1]
        command = self.front_end("dies", f"if line.strip() == {seventh!r}: os._exit(3)")
        report = json.loads(self.check(command, 10).stdout)
        self.assertEqual([problem["id"] for problem in report["problems"]], [self.rows[6].split("|")[0]])
        self.assertIn(seventh[:10], json.dumps(report, ensure_ascii=False))
        self.assertEqual(report["usable"]["utterances"], 11)

    def test_a_command_that_does_not_exist_ends_the_run_by_its_name(self):
        self.assertIn("/no/such/command", self.check("/no/such/command", 1).stderr)

    def test_a_command_that_never_answers_is_waited_for_once(self):
        result = self.check("exec sleep 600", 1)
        self.assertIn("sleep 600", result.stderr)


@unittest.skipUnless(ESPEAK, "espeak-ng is not installed")
class Wrong(Folder):
    """What a newcomer gets wrong, and what is said then."""

    def folder(self, name, rows):
        folder = self.root / name
        make_corpus(folder, ("uk",), rows=len(rows))
        (folder / "metadata.csv").write_text(
            "".join(f"uk-{n:02}|{text}\n" for n, text in enumerate(rows)), encoding="utf-8")
        return folder

    def test_letters_of_many_languages_need_a_tag(self):
        result = self.train(self.folder("open", draw_sentences("uk", 8, numbers=False)), self.root / "v1", code=1)
        self.assertIn("Cyrillic", result.stderr)
        self.assertIn("--language", result.stderr)

    def test_a_tag_that_is_none(self):
        result = self.train(self.root, self.root / "v2", "--language", "ukrainian", code=2)
        self.assertIn("ukrainian", result.stderr)

    def test_digits_by_characters_are_listed_row_by_row(self):
        texts = draw_sentences("uk", 12, numbers=False)
        texts[3] += " 12"
        result = self.done("data", "check", self.folder("digits", texts), "--language", "uk", "--quick", "--json",
                           "--cache-dir", self.root / "cache", code=10)
        problems = json.loads(result.stdout)["problems"]
        self.assertEqual([problem["id"] for problem in problems], ["uk-03"])
        self.assertIn("--g2p", json.dumps(problems))

    def test_a_language_espeak_lacks_is_an_error_with_those_it_has(self):
        result = self.done("data", "text", "ghobe", "--language", "tlh", "--phonemes", code=1)
        self.assertRegex(result.stderr, r"expected one of .*\bde\b.*\buk\b")

    def test_letters_that_espeak_names_in_english_are_not_read(self):
        for language, text in (("zh", "你好,世界"), ("ja", "日本語を話す"), ("ko", "漢字")):
            result = self.done("data", "text", text, "--language", language, "--phonemes", code=1)
            self.assertIn("English", result.stderr)
        for language, text in (("ru", "Это iPhone и USA."), ("hi", "नमस्ते hello"), ("ja", "こんにちは")):
            self.done("data", "text", text, "--language", language, "--phonemes")

    def test_a_machine_without_espeak_is_told_what_to_install(self):
        os.environ["PATH"], path = str(self.root), os.environ["PATH"]
        try:
            result = self.done("data", "text", "дім", "--language", "uk", "--phonemes", code=1)
        finally:
            os.environ["PATH"] = path
        self.assertIn("apt install espeak-ng", result.stderr)


if __name__ == "__main__":
    unittest.main()
