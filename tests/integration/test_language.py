"""With --lang fa, or in a Persian locale, the program says no English sentence."""
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

from program import QANAT, all_commands, environment, qanat, write_tone

# What is the same in every language: what stands between isolates or ticks, flags, placeholders,
# names of files and keys.
SAME = re.compile("[\u2068`][^\u2068\u2069`]*[\u2069`]|--?[a-z][\\w-]*|[\\w./~<>-]*[./_=@:\\\\][\\w./~<>=-]*|\\[?[A-Z,.]+\\]?")
# Names of programs, people, formats and models; words the glossary keeps in Latin.
NAMES = set("""
    Adam Buffered CUDA CPU Debian DataLoader eSpeak espeak FLAC GPU GPUs GPUhe Griffin HiFi JSON JUnit
    Lim Markdown Multi NG NVIDIA Perfetto Praat Prometheus PyTorch Serial Single TensorBoard TensorFlow
    TextGrid XLA XTTS autocast batch batches bf16 cache capability checkpoint checkpoints compute data
    decay ema epoch formant fp16 free graph hash header hop libtorch loader loss log man manifest mapping
    mel microbatch model nano pinned pipeline prefetch q report running seed shard shell slot ssh
    stderr stdin stdout stream sweep textfile collector thread throughput tiny token trace training
    ui weight worker buffer size
""".split())
WORDS = re.compile(r"[A-Za-z][A-Za-z']*")
# A name of any script; code in it has its ticks.
NAME = re.compile("\u2068([^\u2068\u2069`]*)\u2069")


def plain_words(text):
    """Of each part without signs: the words that are no names."""
    for part in re.split("[^A-Za-z' ]+", SAME.sub(" . ", text)):
        yield [word for word in WORDS.findall(part) if word not in NAMES]


def english(text):
    """Runs of three or more Latin words that are no names: [["print", "this", "and"], ...].

    Names that are isolated may have three, such as "Tesla T4 GPU"; a sentence has more.
    """
    found = [words for name in NAME.findall(text) if not name.startswith("qanat ")
             for words in plain_words(name) if len(words) >= 4]
    for line in text.splitlines():
        if line.startswith("  qanat ") or line.startswith("  source "):  # an example
            continue
        line = SAME.sub(" . ", line)
        line = re.sub(r"\bqanat( (config|data|profile))? [a-z-]+", " . ", line)  # a command
        line = re.sub(r"\bnano +tiny +small +normal +big\b", " . ", line)  # --model-size
        found += [words for words in plain_words(line) if len(words) >= 3]
    return found


def persian(*arguments, folder=None, **changes):
    return subprocess.run([os.path.abspath(QANAT), *map(str, arguments)], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, cwd=folder,
                          env=environment(**changes))


class Scanner(unittest.TestCase):
    def test_a_sentence_between_isolates_is_found(self):
        self.assertEqual(english("توجه: \u2068stopped before anything was made\u2069"),
                         [["stopped", "before", "anything", "was", "made"]])
        self.assertEqual(english("\u2068/a/b c d e/f\u2069 \u2068Tesla T4 GPU\u2069 \u2068--a b\u2069"), [])

    def test_a_sentence_is_found_and_names_are_not(self):
        self.assertEqual(english("  --json   print this and exit"), [["print", "this", "and", "exit"]])
        self.assertEqual(english("  --data-gpu N  حالت Multi-GPU با \u2068qanat train it now\u2069"), [])


class PersianCase(unittest.TestCase):
    def assert_persian(self, result, code=0, given=""):
        """`given` is what the user wrote, and the program repeats."""
        text = result.stdout + result.stderr
        self.assertEqual(result.returncode, code, text)
        self.assertRegex(text, "[\u0600-\u06ff]{3}")
        self.assertEqual(english(text.replace(given, "") if given else text), [], text)


class Help(PersianCase):
    def test_of_the_program(self):
        self.assert_persian(persian("--help", "--lang", "fa"))
        self.assert_persian(persian("--lang", "fa", "--help"))

    def test_of_every_command(self):
        for command in all_commands():
            with self.subTest(" ".join(command)):
                self.assert_persian(persian(*command, "--help", "--lang", "fa"))

    def test_in_a_persian_locale(self):
        for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
            changes = {"LC_ALL": "", "LC_MESSAGES": "", name: "fa_IR.UTF-8"}
            self.assert_persian(persian("data", "check", "--help", **changes))

    def test_of_a_command_of_the_second_part_with_the_flag_before_it(self):
        self.assert_persian(persian("--lang", "fa", "train", "--help"))

    def test_manual_pages(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assert_persian(persian("manual", folder, "--lang", "fa"))
            page = (pathlib.Path(folder) / "qanat-train.1").read_text(encoding="utf-8")
        self.assertIn(".SH نام\n", page)
        self.assertEqual(english(re.sub(r"\\f[BIR]", "", page)), [])

    def test_every_flag_is_the_same_in_both_languages(self):
        def flags(language):
            manual = json.loads(qanat("manual", "--json", "--lang", language).stdout)
            return [(command["name"], flag["names"], flag["placeholder"], flag["default"])
                    for command in manual["commands"] for flag in command["flags"]]
        self.assertEqual(flags("en"), flags("fa"))


class Errors(PersianCase):
    def test_unknown_command(self):
        self.assert_persian(persian("trian", "--lang", "fa"), code=2)

    def test_unknown_flag(self):
        self.assert_persian(persian("config", "show", "--btach-size", 8, "--lang", "fa"), code=2)

    def test_missing_value(self):
        self.assert_persian(persian("data", "check", "x", "--lang", "fa", "--html"), code=2)

    def test_missing_argument(self):
        self.assert_persian(persian("data", "check", "--lang", "fa"), code=2)

    def test_wrong_values(self):
        self.assert_persian(persian("data", "check", "x", "--threads", "many", "--lang", "fa"), code=2)
        self.assert_persian(persian("data", "check", "x", "--fail-on", "none", "--lang", "fa"), code=2)
        self.assert_persian(persian("config", "show", "--batch-size", "many", "--model-size", "smal",
                                    "--set", "data.batchsize=3", "--lang", "fa"), code=2)

    def test_flags_that_exclude_each_other(self):
        self.assert_persian(persian("precompute", "--verify", "--repair", "--lang", "fa"), code=2)

    def test_a_group_alone(self):
        self.assert_persian(persian("data", "--lang", "fa"), code=2)


TEXT = "a long english sentence"


class Output(PersianCase):
    def test_of_commands_that_are_quick(self):
        for command in (["config", "reference"], ["data", "text", TEXT + " ☃"], ["devices"],
                        ["devices", "--memory-table"], ["rules"], ["rules", "DL002"],
                        ["config", "show", "--set", "training.enable_xla_compilation=true"]):
            with self.subTest(" ".join(command)):
                result = persian(*command, "--lang", "fa")
                self.assert_persian(subprocess.CompletedProcess(command, result.returncode, "", result.stderr)
                                    if command[1:2] == ["show"] else result, given=TEXT)

    def test_of_a_machine_that_is_looked_at_for_a_moment(self):
        self.assert_persian(persian("diagnose", "--quick", "--fail-on", "never", "--verbose", "--lang", "fa"))

    def test_of_a_list_whose_columns_were_recognized(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "wavs").mkdir()
            for n in range(3):
                write_tone(pathlib.Path(folder) / "wavs" / f"{n}.wav", 200 + n, 2)
            (pathlib.Path(folder) / "metadata.csv").write_text(
                "".join(f"{n}|{TEXT} {n}|7\n" for n in range(3)))
            result = persian("data", "check", folder, "--cache-dir", folder, "--lang", "fa")
            self.assertIn("id|text|speaker", result.stdout)
            self.assertEqual(english(result.stdout.replace(TEXT, "")), [])

    def test_of_a_data_set_and_why_it_cannot_be_used(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "metadata.csv").write_text(f"gone|{TEXT}\nonly one column\n")
            page = pathlib.Path(folder) / "page.html"
            self.assert_persian(persian("data", "check", folder, "--html", page, "--lang", "fa"), code=1,
                                given=TEXT)
            body = page.read_text(encoding="utf-8").split("<body>")[1]
        self.assertEqual(english(re.sub("<[^>]*>", "\n", body).replace(TEXT, "")), [])
        self.assert_persian(persian("data", "check", folder, "--lang", "fa"), code=1)  # it is gone

    def test_json_stays_english(self):
        for command in (["config", "show", "--set", "training.enable_xla_compilation=true"], ["devices"]):
            fa, en = (re.sub(r'"free_memory_mb": \d+', "", persian(*command, "--json", "--lang", code).stdout)
                      for code in ("fa", "en"))
            self.assertEqual(fa, en)


class WithCorpus(PersianCase):
    @classmethod
    def setUpClass(cls):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # models of one thread
        cls.temporary = tempfile.TemporaryDirectory(prefix="qanat-language-")
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.corpus = cls.folder / "corpus"
        (cls.corpus / "wavs").mkdir(parents=True)
        for n in range(16):
            write_tone(cls.corpus / "wavs" / f"{n}.wav", 200 + 10 * n, 1)
        (cls.corpus / "metadata.csv").write_text("".join(f"{n}|{TEXT}\n" for n in range(16)))

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def flags(self):
        return ["--data-path", self.corpus, "--batch-size", 4, "--set", f"data.cache_dir={self.folder}"]

    def model(self):
        return ["--model-size", "nano", *self.flags()]


class BadInput(WithCorpus):
    """What a user can get wrong, command by command."""

    def refused(self, *command, code=1, given=""):
        with self.subTest(" ".join(map(str, command))):
            self.assert_persian(persian(*command, "--lang", "fa", folder=self.folder), code=code, given=given)

    def test_nothing_is_where_it_was_looked_for(self):
        nowhere = self.folder / "nowhere"
        for command in (["report"], ["top"], ["top", "--web"], ["data", "mel"], ["data", "check"]):
            self.refused(*command, nowhere)
        for command in (["precompute"], ["profile", "data"], ["profile", "step"], ["profile", "dual"],
                        ["diagnose"], ["train"]):
            self.refused(*command, "--data-path", nowhere)
        self.refused("validate", "--data-path", nowhere, "--steps", 2)
        self.refused("demo", "--data", nowhere, "--out", self.folder / "demo")
        self.refused("align", "--data", nowhere, "--out", self.folder / "aligned")
        self.refused("align", "--data", self.corpus, "--out", self.folder / "aligned", "--checkpoint", nowhere)
        self.refused("synth", "text", "--checkpoint", nowhere)
        self.refused("synth", "text", "--checkpoint", nowhere, "--pick", "best")
        self.refused("synth", "--file", nowhere)
        self.refused("config", "show", "--config", nowhere, code=2)
        self.refused("train", "--resume", "--checkpoint-dir", self.folder / "new", *self.flags())
        self.refused("train", "--trace", nowhere / "trace", *self.flags())

    def test_nothing_was_given(self):
        for command in (["precompute"], ["profile", "data"], ["profile", "step"], ["profile", "dual"], ["train"]):
            self.refused(*command, code=2)

    def test_columns_that_cannot_be_told_apart(self):
        lists = self.folder / "lists"
        lists.mkdir()
        (lists / "metadata.csv").write_text("a|mary|Good day.\nb|john|Well then.\n")
        self.refused("data", "check", lists)
        self.refused("analyze", lists / "none", "--out", self.folder / "never")
        self.assertFalse((self.folder / "never").exists())
        self.refused("diagnose", "--verify", "ZZ001", *self.flags(), code=2)

    def test_no_folder_can_be_made_there(self):
        place = "/dev/null/folder"
        self.refused("precompute", "--out", place, "--data-path", self.corpus)
        self.refused("profile", "data", "--benchmark", "--keep", place, *self.flags())
        self.refused("diagnose", "--quick", "--out", place)
        self.refused("analyze", self.corpus, "--out", place)
        self.refused("demo", "--data", self.corpus, "--out", place)
        self.refused("train", "--checkpoint-dir", place, *self.flags())
        self.refused("manual", place)
        self.refused("data", "make-demo", place, "--built-in", "--utterances", 2)
        self.refused("data", "check", self.corpus, "--html", place)

    def test_a_file_is_not_what_it_should_be(self):
        text = self.folder / "text.wav"
        text.write_text(TEXT)
        self.refused("data", "mel", text)
        self.refused("report", text)
        self.refused("top", "--once", self.folder)
        self.refused("data", "mel", self.folder)
        self.refused("data", "make-demo", self.corpus)
        self.refused("data", "check", text, given=TEXT)

    def test_damaged_audio_is_described(self):
        broken = self.folder / "broken"
        (broken / "wavs").mkdir(parents=True)
        whole = (self.corpus / "wavs" / "0.wav").read_bytes()
        for name, content in (("cut", whole[:2000]), ("empty", b""), ("text", b"some text, and more"),
                              ("header", whole[:30]), *((f"good-{n}", whole) for n in range(60))):
            (broken / "wavs" / f"{name}.wav").write_bytes(content)
        names = [wav.stem for wav in (broken / "wavs").iterdir()]
        (broken / "metadata.csv").write_text("".join(f"{name}|{TEXT}\n" for name in names + ["gone"]))
        self.refused("data", "check", broken, "--cache-dir", self.folder, code=10, given=TEXT)

    def test_the_system_has_no_such_program_or_folder(self):
        for command, where in ((["data", "text", TEXT, "--phonemes"], "PATH"),
                               (["data", "check", self.corpus, "--phonemes"], "PATH")):
            with self.subTest(" ".join(map(str, command))):
                self.assert_persian(persian(*command, "--lang", "fa", folder=self.folder, **{where: "/nonexistent"}),
                                    code=1, given=TEXT)

    def test_a_server_cannot_be_there(self):
        journal = self.folder / "journal.jsonl"
        journal.write_text('{"kind":"journal","t":0,"format":1}\n')
        self.refused("top", journal, "--web", "--dashboard-address", "somewhere")
        self.refused("top", journal, "--web", "--dashboard-address", "192.0.2.1", "--dashboard-token", "x")

    def test_a_journal_without_steps_and_what_is_near(self):
        run = self.folder / "run"
        run.mkdir()
        (run / "journal.jsonl").write_text('{"kind":"journal","t":0,"format":1}\n')
        self.refused("report", run)
        near = qanat("report", self.folder / "nowhere").stderr
        self.assertIn(f"try {run}", near)
        alone = qanat("report", "/dev/null/nowhere").stderr
        self.assertIn("qanat train --data DIR --checkpoint-dir /dev/null/nowhere", alone)


def already_interrupted():
    """In the child: the signal waits for whoever looks first."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    os.kill(os.getpid(), signal.SIGINT)


class Interrupted(WithCorpus):
    """Ctrl-C, before a command has anything to show and in the middle of its work."""

    def start(self, *command, **options):
        return subprocess.Popen([os.path.abspath(QANAT), *map(str, command), "--lang", "fa"],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, cwd=self.folder, env=environment(), **options)

    def assert_stopped(self, process, given=""):
        out, err = process.communicate(timeout=60)
        self.assert_persian(subprocess.CompletedProcess([], process.returncode, out, err),
                            code=128 + signal.SIGINT, given=given)
        return out + err

    def test_at_once(self):
        fresh = ["--set", f"data.cache_dir={self.folder / 'fresh'}", "--data-path", self.corpus]
        for command in (["precompute", "--out", self.folder / "features", *fresh],
                        ["profile", "data", *fresh], ["profile", "data", "--benchmark", *fresh],
                        ["profile", "step", *fresh], ["profile", "dual", *fresh],
                        ["diagnose", *fresh], ["train", "--checkpoint-dir", self.folder / "at-once", *fresh],
                        ["validate", "--steps", 2], ["data", "check", self.corpus, "--cache-dir", self.folder / "fresh"],
                        ["data", "make-demo", self.folder / "made", "--built-in"],
                        ["demo", "--data", self.corpus, "--out", self.folder / "at-once-demo"],
                        ["analyze", self.corpus, "--out", self.folder / "at-once-analysis"],
                        ["selftest", "--fault", "healthy"]):
            with self.subTest(" ".join(map(str, command[:2]))):
                self.assert_stopped(self.start(*command, preexec_fn=already_interrupted), given=TEXT)

    def stop_when(self, at_work, *command):
        """Interrupts when at_work() says that there is something to interrupt."""
        process = self.start(*command)
        deadline = time.monotonic() + 120
        while not at_work():
            if process.poll() is not None or time.monotonic() > deadline:
                process.kill()
                self.fail(f"never at work: {command}\n" + "".join(process.communicate()))
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        return self.assert_stopped(process, given=TEXT)

    def test_training(self):
        journal = self.folder / "trained" / "journal.jsonl"
        text = self.stop_when(lambda: journal.exists() and '"kind":"step"' in journal.read_text(),
                              "train", "--checkpoint-dir", journal.parent, "--max-steps", 100000,
                              "--no-emoji", *self.model())
        self.assertIn("متوقف شد", text)

    def test_profiles(self):
        kept = self.folder / "kept"
        text = self.stop_when((kept / "dual-1" / "journal.jsonl").exists, "profile", "dual", "--keep", kept,
                              "--num-steps", 100000, *self.model())
        self.assertIn("چیزی برای مقایسه نیست", text)
        swept = self.folder / "swept"
        text = self.stop_when((swept / "journal.jsonl").exists, "profile", "data", "--benchmark", "--keep", swept,
                              "--budget", 1000, *self.flags())
        self.assertIn("نگه داشته شد", text)

    def test_a_diagnosis(self):
        out = self.folder / "diagnosis"
        text = self.stop_when((out / "journal.jsonl").exists, "diagnose", "--out", out, "--steps", 100000,
                              *self.model())
        self.assertIn("پیش از پایان تشخیص متوقف شد", text)

    def test_the_demo(self):
        out = self.folder / "demo-stopped"
        self.stop_when(lambda: list(out.glob("*/journal.jsonl")), "demo", "--data", self.corpus, "--out", out,
                       "--num-steps", 100000, "--batch-size", 2, "--step-ms", 5, "--paced-steps", 2,
                       "--paced-batch-size", 2, "--rounds", 1)

    def test_a_corpus_that_is_made(self):
        folder = self.folder / "making"
        folder.mkdir()
        text = self.stop_when(lambda: os.listdir(folder), "data", "make-demo", folder / "corpus", "--built-in",
                              "--utterances", 100000)
        self.assertIn("چیزی به جا نماند", text)


if __name__ == "__main__":
    unittest.main()
