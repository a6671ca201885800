"""With --lang fa, or in a Persian locale, the program says no English sentence."""
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

from program import QANAT, all_commands, environment, qanat

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


def english(text):
    """Runs of three or more Latin words that are no names: [["print", "this", "and"], ...]."""
    found = []
    for line in text.splitlines():
        if line.startswith("  qanat ") or line.startswith("  source "):  # an example
            continue
        line = SAME.sub(" . ", line)
        line = re.sub(r"\bqanat( (config|data|profile))? [a-z-]+", " . ", line)  # a command
        line = re.sub(r"\bnano +tiny +small +normal +big\b", " . ", line)  # --model-size
        for part in re.split("[^A-Za-z' ]+", line):
            words = [word for word in WORDS.findall(part) if word not in NAMES]
            if len(words) >= 3:
                found.append(words)
    return found


def persian(*arguments, **changes):
    return subprocess.run([QANAT, *map(str, arguments)], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                          env=environment(**changes))


class Scanner(unittest.TestCase):
    def test_a_sentence_is_found_and_names_are_not(self):
        self.assertEqual(english("  --json   print this and exit"), [["print", "this", "and", "exit"]])
        self.assertEqual(english("  --data-gpu N  حالت Multi-GPU با \u2068qanat train it now\u2069"), [])


class PersianCase(unittest.TestCase):
    def assert_persian(self, result, code=0):
        text = result.stdout + result.stderr
        self.assertEqual(result.returncode, code, text)
        self.assertRegex(text, "[\u0600-\u06ff]{3}")
        self.assertEqual(english(text), [], text)


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


class Output(PersianCase):
    def test_of_commands_that_are_quick(self):
        for command in (["config", "reference"], ["data", "text", "a long English sentence ☃"], ["devices"],
                        ["devices", "--memory-table"], ["rules"], ["rules", "DL002"],
                        ["config", "show", "--set", "training.enable_xla_compilation=true"]):
            with self.subTest(" ".join(command)):
                result = persian(*command, "--lang", "fa")
                self.assert_persian(subprocess.CompletedProcess(command, result.returncode, "", result.stderr)
                                    if command[1:2] == ["show"] else result)

    def test_of_a_data_set_and_why_it_cannot_be_used(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "metadata.csv").write_text("gone|a text that nobody has read\nonly one column\n")
            page = pathlib.Path(folder) / "page.html"
            self.assert_persian(persian("data", "check", folder, "--html", page, "--lang", "fa"), code=1)
            body = page.read_text(encoding="utf-8").split("<body>")[1]
        self.assertEqual(english(re.sub("<[^>]*>", "\n", body)), [])
        self.assert_persian(persian("data", "check", folder, "--lang", "fa"), code=1)  # it is gone

    def test_json_stays_english(self):
        for command in (["config", "show", "--set", "training.enable_xla_compilation=true"], ["devices"]):
            fa, en = (re.sub(r'"free_memory_mb": \d+', "", persian(*command, "--json", "--lang", code).stdout)
                      for code in ("fa", "en"))
            self.assertEqual(fa, en)


if __name__ == "__main__":
    unittest.main()
