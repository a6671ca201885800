"""The command line as a whole: help, exit codes, streams, signals."""
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

from journals import write_journal
from program import QANAT, all_commands, commands_in, environment, qanat, write_tone

USAGE = 2


class Parts(unittest.TestCase):
    """The program and its second part, which has libtorch."""

    def loaded(self, program):
        return subprocess.run([program], env=environment(LD_TRACE_LOADED_OBJECTS="1"), text=True,
                              stdout=subprocess.PIPE, check=True).stdout

    def test_the_program_maps_no_libtorch(self):
        libraries = self.loaded(QANAT)
        self.assertNotIn("torch", libraries)
        self.assertNotIn("libc10", libraries)
        self.assertLess(len(libraries.splitlines()), 60)
        self.assertIn("libtorch", self.loaded(pathlib.Path(QANAT).with_name("qanat-torch")))

    def test_a_command_of_the_second_part_is_the_same_process(self):
        process = subprocess.Popen([QANAT, "devices", "--json"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=environment())
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, err), (0, b""))
        json.loads(out)

    def spin_counts(self, program, *arguments, **changes):
        """What libgomp read from the environment, each time it was loaded."""
        plain = {name: value for name, value in environment().items()
                 if name not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
        result = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, text=True, check=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60,
                                env={**plain, "OMP_DISPLAY_ENV": "verbose", **changes})
        return [int(count) for count in re.findall(r"GOMP_SPINCOUNT = '(\d+)'", result.stderr)]

    def test_the_second_part_starts_over_once_when_it_was_not_started_by_the_first(self):
        through = self.spin_counts(QANAT, "devices")
        alone = self.spin_counts(pathlib.Path(QANAT).with_name("qanat-torch"), "version")
        self.assertLessEqual(len(through), 2)  # libsoxr brings libgomp into qanat; libtorch comes after it
        self.assertLessEqual(len(alone), 2)
        self.assertEqual(set(through + alone), {300000})  # libgomp's own: adapted while it runs

    def test_how_long_threads_spin_is_for_the_user_to_say(self):
        torch = pathlib.Path(QANAT).with_name("qanat-torch")
        self.assertEqual(set(self.spin_counts(torch, "version", GOMP_SPINCOUNT="70000")), {70000})
        self.assertEqual(set(self.spin_counts(torch, "version", OMP_WAIT_POLICY="active")), {30000000000})

    def test_usage_errors_are_those_of_one_program(self):
        result = qanat("train", "--no-such-flag")
        self.assertEqual(result.returncode, USAGE)
        self.assertIn("qanat: ", result.stderr)
        self.assertIn("train", qanat("trian").stderr)

    def lonely_copy(self, folder):
        """The program without its second part beside it."""
        lonely = pathlib.Path(folder) / "qanat"
        lonely.write_bytes(pathlib.Path(QANAT).read_bytes())
        lonely.chmod(0o755)
        return lonely

    def test_the_loader_is_profiled_without_libtorch(self):
        with tempfile.TemporaryDirectory() as folder:
            data = pathlib.Path(folder) / "data"
            (data / "wavs").mkdir(parents=True)
            for i in range(6):
                write_tone(data / "wavs" / f"c{i}.wav", 200 + 20 * i, 0.5)
            (data / "metadata.csv").write_text("".join(f"c{i}|clip number {i}\n" for i in range(6)))
            result = subprocess.run([self.lonely_copy(folder), "profile", "data", "--data-path", data,
                                     "--batch-size", "2", "--num-batches", "20", "--json"],
                                    stdin=subprocess.DEVNULL, text=True, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, timeout=60,
                                    env=environment(LD_DEBUG="files"))
        self.assertEqual(json.loads(result.stdout)["schema"], "qanat.profile.data")
        self.assertIn("libsndfile", result.stderr)  # what it loads is seen
        self.assertNotIn("libtorch", result.stderr)

    def test_a_missing_second_part_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            lonely = self.lonely_copy(folder)
            result = subprocess.run([lonely, "train"], stdin=subprocess.DEVNULL, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            version = subprocess.run([lonely, "version"], stdout=subprocess.PIPE)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("qanat-torch not found", result.stderr)
        self.assertEqual(version.returncode, 0)

    def test_commands_of_a_missing_second_part_are_not_listed(self):
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run([self.lonely_copy(folder), "--help"], env=environment(), text=True,
                                    stdout=subprocess.PIPE, check=True)
        commands = commands_in(result.stdout)
        self.assertNotIn("train", commands)
        for command in ("data", "profile", "report", "watch"):
            self.assertIn(command, commands)

    def test_watch_becomes_the_python_of_the_script(self):
        with tempfile.TemporaryDirectory() as folder:
            python = pathlib.Path(folder, "python3")
            python.write_text('#!/bin/sh\necho "$@"\n')
            python.chmod(0o755)
            result = subprocess.run([QANAT, "watch", "--no-lines", "--", python, "train.py", "--lr", "3"],
                                    env=environment(), text=True, stdout=subprocess.PIPE, check=True)
        self.assertEqual(result.stdout, "-m qanat watch --out runs/watch --no-lines -- "
                                        f"{python} train.py --lr 3\n")


class Help(unittest.TestCase):
    def test_program_lists_its_commands(self):
        result = qanat("--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("config", commands_in(result.stdout))
        self.assertIn("version", commands_in(result.stdout))

    def test_every_command_has_help_that_lists_its_flags(self):
        for command in all_commands():
            with self.subTest(" ".join(command)):
                result = qanat(*command, "--help")
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.assertIn(f"Usage: qanat {' '.join(command)}", result.stdout)
                self.assertRegex(result.stdout, r"(?m)^  -h,--help +print this and exit$")

    def test_help_is_also_a_word(self):
        for command in ([], ["train"], ["data", "check"]):
            asked = qanat("help", *command)
            self.assertEqual((asked.returncode, asked.stderr), (0, ""))
            self.assertEqual(asked.stdout, qanat(*command, "--help").stdout)
        self.assertEqual(qanat("--lang", "fa", "help", "train").stdout,
                         qanat("train", "--help", "--lang", "fa").stdout)
        self.assertEqual(qanat("help", "trian").returncode, 2)

    def test_every_flag_says_what_it_does(self):
        for command in all_commands():
            lines = qanat(*command, "--help").stdout.splitlines()
            for line, following in zip(lines, lines[1:] + [""]):
                if re.match(r"  --\S", line):
                    with self.subTest(" ".join(command), flag=line.split()[0]):
                        words = line[32:] if line[30:32].isspace() else following[32:]
                        self.assertTrue(words.strip(), line)

    def test_no_line_is_wider_than_the_terminal(self):
        for command in all_commands():
            for line in qanat(*command, "--help").stdout.splitlines():
                self.assertLessEqual(len(line), 100, (command, line))

    def test_version(self):
        result = qanat("--version")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"^\d+\.\d+\.\d+\n$")

    def test_version_command_speaks_json(self):
        result = qanat("version", "--json")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(json.loads(result.stdout)["version"], qanat("--version").stdout.strip())


class Usage(unittest.TestCase):
    def assert_refused(self, result, *words):
        self.assertEqual(result.returncode, USAGE, result)
        self.assertEqual(result.stdout, "")
        for word in words:
            self.assertIn(word, result.stderr)

    def test_no_arguments_print_the_help_on_stderr(self):
        self.assert_refused(qanat(), "Usage: qanat [OPTIONS] COMMAND", "Commands:")

    def test_a_group_alone_prints_its_help_on_stderr(self):
        self.assert_refused(qanat("config"), "Usage: qanat config [OPTIONS] COMMAND", "  show")

    def test_unknown_command(self):
        self.assert_refused(qanat("vrsion"), "unknown command vrsion; did you mean version?")

    def test_command_without_its_group(self):
        self.assert_refused(qanat("reference"), "did you mean config reference?")

    def test_every_command_refuses_an_unknown_flag(self):
        for command in all_commands():
            with self.subTest(" ".join(command)):
                self.assert_refused(qanat(*command, "--no-such-flag"),
                                    "unknown flag --no-such-flag",
                                    f"`qanat {' '.join(command)} --help`")

    def test_every_flag_is_suggested_when_mistyped(self):
        self.assert_refused(qanat("config", "show", "--btach-size", "8"),
                            "did you mean --batch-size?")

    def test_commands_that_need_data_say_so_alike(self):
        for command in (["train"], ["precompute"], ["profile", "data"], ["profile", "step"], ["profile", "dual"]):
            result = qanat(*command)
            self.assertEqual(result.returncode, 2, command)
            self.assertIn("training data: none given", result.stderr)

    def test_commands_that_need_a_checkpoint_say_so_alike(self):
        for command in (["synth", "Hello.", "--out", "a.wav"], ["serve", "--port", "0"], ["export", "--out", "a.onnx"]):
            with self.subTest(command[0]), tempfile.TemporaryDirectory() as folder:
                done = qanat(*command, "--checkpoint", "voice", cwd=folder)  # without a name, start weights speak
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("no complete checkpoint here", done.stderr)

    def test_names_of_before_are_still_taken(self):
        for command in (["synth", "hello", "--checkpoint", "nowhere", "--pick", "newest"],
                        ["synth", "hello", "--checkpoint", "nowhere", "--weights", "averaged"],
                        ["synth", "hello", "--checkpoint", "nowhere", "--reference", "voice.wav"],
                        ["evaluate", "--made", "nowhere", "--reference", "nowhere"],
                        ["diagnose", "--quick", "--longest", "5", "--data-path", "nowhere"]):
            result = qanat(*command)
            self.assertNotEqual(result.returncode, 2, result.stderr)
            self.assertNotIn("--help", result.stderr)

    def test_words_of_before_are_in_no_help(self):
        for command, old in (("synth", "newest"), ("synth", "averaged"), ("evaluate", "newest")):
            self.assertNotIn(old, qanat(command, "--help").stdout)

    def test_missing_value(self):
        self.assert_refused(qanat("config", "show", "--batch-size"), "--batch-size")


class Streams(unittest.TestCase):
    def test_names_and_journals_do_not_act_on_the_terminal(self):
        with tempfile.TemporaryDirectory() as folder:
            run = pathlib.Path(folder) / "a\x1b]0;title\x07b"
            run.mkdir()
            write_journal(run / "journal.jsonl", 30)
            lines = (run / "journal.jsonl").read_text().replace("virtual:1", "\\u001b[2J\\n::error::x")
            (run / "journal.jsonl").write_text(lines)
            for command in (["report", run, "--fail-on", "never"], ["top", "--once", run],
                            ["top", run], ["report", run / "none"], ["train", "--train-data", run],
                            ["data", "check", run], ["\n::error::x"], ["report", "\n  ::error::x"]):
                result = qanat(*command)
                said = result.stdout + result.stderr
                self.assertNotEqual(said, "")
                self.assertNotRegex(said, r"[\x00-\x08\x0b-\x1f\x7f]", command)
                self.assertNotRegex(said, r"(?m)^\s*::", command)

    def test_a_result_that_cannot_be_written_is_a_failure(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([QANAT, "version"], stdout=full, stderr=subprocess.PIPE,
                                    text=True, timeout=60)
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot write to stdout", result.stderr)

    def test_a_reader_that_leaves_ends_the_program_quietly(self):
        process = subprocess.Popen([QANAT, "config", "reference"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertEqual(process.wait(timeout=60), -signal.SIGPIPE)


class Signals(unittest.TestCase):
    """A long command, stopped while it works."""

    def stopped_by(self, number):
        with tempfile.TemporaryDirectory() as folder:
            target = pathlib.Path(folder) / "corpus"
            process = subprocess.Popen(
                [QANAT, "data", "make-demo", target, "--built-in", "--utterances", "100000"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
            deadline = time.monotonic() + 60
            while not os.listdir(folder) and process.poll() is None:
                self.assertLess(time.monotonic(), deadline, "did not start")
                time.sleep(0.01)
            begin = time.monotonic()
            process.send_signal(number)
            process.communicate(timeout=60)
            return process.returncode, time.monotonic() - begin, os.listdir(folder)

    def test_sigint_stops_in_two_seconds_and_leaves_nothing(self):
        code, seconds, left = self.stopped_by(signal.SIGINT)
        self.assertEqual(code, 128 + signal.SIGINT)
        self.assertLess(seconds, 2)
        self.assertEqual(left, [])

    def test_sigterm_stops_in_two_seconds_and_leaves_nothing(self):
        code, seconds, left = self.stopped_by(signal.SIGTERM)
        self.assertEqual(code, 128 + signal.SIGTERM)
        self.assertLess(seconds, 2)
        self.assertEqual(left, [])

    def report(self, journal, stop):
        """Exit code, processor time and output; `stop` is a signal for when it has begun to read, or nothing."""
        process = subprocess.Popen([QANAT, "report", journal], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env=environment())
        reads = pathlib.Path(f"/proc/{process.pid}/io")
        size = journal.stat().st_size
        while stop and process.poll() is None:
            if int(reads.read_text().split()[1]) > size / 20:
                process.send_signal(stop)
                break
            time.sleep(0.002)
        with process.stdout, process.stderr:
            out, err = process.stdout.read(), process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, usage.ru_utime + usage.ru_stime, out, err

    def test_a_report_of_a_long_journal_stops_at_the_first_sigint(self):
        with tempfile.TemporaryDirectory() as folder:
            journal = write_journal(pathlib.Path(folder) / "journal.jsonl", 60000)
            code, whole, out, _ = self.report(journal, None)
            self.assertIn(code, (0, 10))
            self.assertIn("CHECKS", out)
            code, spent, out, err = self.report(journal, signal.SIGINT)
        self.assertEqual(code, 128 + signal.SIGINT, err)
        self.assertEqual(out, "")
        self.assertLess(spent, 0.5 * whole)


if __name__ == "__main__":
    unittest.main()
