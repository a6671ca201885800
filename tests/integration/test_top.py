"""`qanat top`: once, in lines, on a terminal, and its refusals."""
import json
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unittest
import urllib.request
from fcntl import ioctl

from journals import step_line, write_journal
from program import QANAT, environment, qanat


class Terminal:
    """The program on a terminal of its own."""

    def __init__(self, *arguments, rows=24, columns=80):
        try:
            self.master, slave = pty.openpty()
        except OSError as reason:  # a chroot without /dev/pts
            raise unittest.SkipTest(f"no terminal can be made here: {reason}") from reason
        self.resize(rows, columns)
        self.process = subprocess.Popen([QANAT, *map(str, arguments)], stdin=slave, stdout=slave,
                                        stderr=slave, env=environment(TERM="xterm"),
                                        start_new_session=True)
        os.close(slave)
        self.text = ""

    def resize(self, rows, columns):
        ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read_until(self, wanted, timeout=20):
        deadline = time.monotonic() + timeout
        while wanted not in self.text:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.master], [], [], left)[0]:
                raise AssertionError(f"no {wanted!r} in {self.text[-2000:]!r}")
            try:
                self.text += os.read(self.master, 1 << 16).decode(errors="replace")
            except OSError:  # the other end is gone
                raise AssertionError(f"no {wanted!r} in {self.text[-2000:]!r}") from None

    def press(self, key):
        os.write(self.master, key.encode())

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)


class Top(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.journal = write_journal(self.path / "journal.jsonl", 100)

    def tearDown(self):
        self.folder.cleanup()

    def test_once_prints_the_view_without_escapes(self):
        result = qanat("top", self.path, "--once")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertNotIn("\x1b", result.stdout)
        self.assertIn("step      100/100", result.stdout)
        self.assertIn("10.00 steps/s", result.stdout)
        self.assertRegex(result.stdout, r"wait +\S+ 20\.0 %")
        self.assertIn("VERDICT", result.stdout)

    def test_json_says_the_same(self):
        state = json.loads(qanat("top", self.journal, "--json").stdout)
        self.assertEqual((state["step"], state["last_step"], state["ending"]),
                         (100, 100, "max_steps"))
        self.assertAlmostEqual(state["steps_per_s"], 10, places=6)
        self.assertAlmostEqual(state["wait_share"], 0.2, places=6)

    def test_persian(self):
        result = qanat("top", self.path, "--once", "--lang", "fa")
        self.assertIn("حکم", result.stdout)

    def test_a_finished_run_in_a_log_is_one_line(self):
        result = qanat("top", self.path)
        self.assertEqual(result.returncode, 0)
        self.assertEqual(len(result.stdout.splitlines()), 1)
        self.assertIn("ended: max_steps", result.stdout)

    def test_lines_follow_a_run_to_its_end(self):
        write_journal(self.journal, 10, ended=False)
        process = subprocess.Popen([QANAT, "top", self.journal], stdout=subprocess.PIPE, text=True,
                                   env=environment())
        self.assertIn("running", process.stdout.readline())
        with open(self.journal, "a") as file:
            file.write(json.dumps(step_line(10)) + "\n")
            file.write(json.dumps({"kind": "ended", "t": 2.0, "ending": "max_steps"}) + "\n")
        rest, _ = process.communicate(timeout=20)
        self.assertIn("step 11", rest)
        self.assertEqual(process.returncode, 0)

    def test_no_journal_is_a_clear_error(self):
        result = qanat("top", self.path / "nothing")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("no journal here", result.stderr)

    def test_on_a_terminal_it_follows_and_q_leaves_it_as_it_was(self):
        write_journal(self.journal, 10, ended=False)
        terminal = Terminal("top", self.journal)
        try:
            terminal.read_until("10/10")
            with open(self.journal, "a") as file:
                file.write(json.dumps(step_line(41)) + "\n")
            terminal.read_until("42/10")
            terminal.press("q")
            terminal.read_until("\x1b[?1049l")
            self.assertEqual(terminal.process.wait(timeout=20), 0)
        finally:
            terminal.close()

    def test_a_smaller_window_gets_shorter_lines(self):
        terminal = Terminal("top", self.journal, columns=100)
        try:
            terminal.read_until("VERDICT")
            terminal.resize(8, 30)
            terminal.text = ""
            terminal.read_until("\x1b[H")
            terminal.text = terminal.text.rpartition("\x1b[H")[2]
            terminal.read_until("\x1b[J")
            terminal.text = ""
            terminal.read_until("\x1b[J")
            drawn = terminal.text.partition("\x1b[H")[2].partition("\x1b[J")[0]
            lines = [re.sub(r"\x1b\[\w*|\r", "", line) for line in drawn.split("\n")]
            self.assertLessEqual(len(lines), 8)
            self.assertLessEqual(max(map(len, lines)), 30, lines)
        finally:
            terminal.close()

    def test_ctrl_c_leaves_the_terminal_as_it_was(self):
        terminal = Terminal("top", self.journal)
        try:
            terminal.read_until("VERDICT")
            terminal.process.send_signal(signal.SIGINT)
            terminal.read_until("\x1b[?1049l")
            self.assertEqual(terminal.process.wait(timeout=20), 128 + signal.SIGINT)
        finally:
            terminal.close()


class Dashboard(unittest.TestCase):
    def test_a_port_that_is_none_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            journal = write_journal(pathlib.Path(folder) / "journal.jsonl", 5)
            result = qanat("top", journal, "--web", "--dashboard", "99999")
            self.assertEqual(result.returncode, 2)
            self.assertIn("not a port", result.stderr)

    def test_another_address_gets_a_token(self):
        with tempfile.TemporaryDirectory() as folder:
            journal = write_journal(pathlib.Path(folder) / "journal.jsonl", 5)
            server = subprocess.Popen(
                [QANAT, "top", journal, "--web", "--dashboard", "0", "--dashboard-address",
                 "0.0.0.0"], stderr=subprocess.PIPE, text=True, env=environment())
            try:
                self.assertRegex(server.stderr.readline(),
                                 r"dashboard: http://0\.0\.0\.0:\d+/\?token=[0-9a-f]{32}\n")
            finally:
                server.send_signal(signal.SIGINT)
                server.wait(timeout=20)
                server.stderr.close()

    def test_metrics_are_there_for_prometheus(self):
        with tempfile.TemporaryDirectory() as folder:
            journal = write_journal(pathlib.Path(folder) / "journal.jsonl", 5)
            server = subprocess.Popen([QANAT, "top", journal, "--web", "--dashboard", "0"],
                                      stderr=subprocess.PIPE, text=True, env=environment())
            try:
                address = server.stderr.readline().split()[-1].rstrip("/")
                with urllib.request.urlopen(address + "/metrics", timeout=20) as answer:
                    self.assertIn("\nqanat_steps_total 5\n", answer.read().decode())
            finally:
                server.send_signal(signal.SIGINT)
                server.wait(timeout=20)
                server.stderr.close()


if __name__ == "__main__":
    unittest.main()
