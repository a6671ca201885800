"""Blocks of pages: which commands run, what they have to print, and why others do not run. For check_docs.py.

    console          runs in the fast suite
    console slow     runs in the slow suite, where the whole page runs from its beginning
    console varies   runs; its words depend on the machine, so what it prints is not compared, and a report may have
                     findings (exit code 10)
    sh REASON        does not run; REASON is a key of REASONS
    python FILE      is written to FILE before what follows (any language: `python train.py`)

In a console block, `$ ` begins a command, and a line behind one that ends in `\\` continues it. The lines below are
what it prints: each has to occur, in this order, with any numbers; `...` stands for lines that are left out.
A comment in front of a block, `<!-- tests run: COMMAND -->`, is what a test runs in its place, if the
blocks before it ran. A page with
`<!-- tests need: MODULE -->` runs where Python has that module.
"""
import os
import pathlib
import re
import selectors
import signal
import subprocess
import time
import typing

REASONS = {
    "installs": "builds or installs something",
    "examples": "shows forms of a command; the page has no files for them",
    "yours": "needs recordings, a script or a checkpoint of the reader",
    "hours": "trains or measures for minutes to hours",
    "stays": "a server or a view that ends by Ctrl-C",
    "gpus": "needs GPUs",
    "machines": "needs a cluster, or a launcher that is not part of Qanat",
}
BLOCK = re.compile(r"(?:<!-- tests run: (?P<instead>[^\n]*?) -->\n\n?(?:<div dir=\"ltr\">\n\n)?)?"
                   r"^```(?P<info>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
NEEDS = re.compile(r"<!-- tests need: (\w+) -->")
NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
FINDINGS = 10  # exit code
MARK = "@@qanat-docs@@"


class Block(typing.NamedTuple):
    kind: str  # console, sh, python, text, ...
    words: typing.List[str]  # behind the kind
    lines: typing.List[str]
    instead: str  # what a test runs in its place, or ""

    def runs(self, slow):
        return self.kind == "console" and (slow or "slow" not in self.words)


class Command(typing.NamedTuple):
    line: str
    shown: typing.List[str]  # what the page says it prints


def blocks(text):
    found = []
    for match in BLOCK.finditer(text):
        kind, *words = match["info"].split() or [""]
        found.append(Block(kind, words, match["body"].splitlines(), match["instead"] or ""))
    return found


def commands(block):
    """The commands of a block, each with the lines shown below it."""
    if block.instead:
        return [Command(block.instead, [])]
    found = []
    for line in block.lines:
        if line.startswith("$ "):
            found.append(Command(line[2:], []))
        elif found and not found[-1].shown and found[-1].line.endswith("\\"):
            found[-1] = Command(f"{found[-1].line}\n{line}", [])
        elif found:
            found[-1].shown.append(line)
    return found


def reason_problems(where, text):
    """Blocks that do not run say why."""
    for block in blocks(text):
        if block.kind == "sh" and (len(block.words) != 1 or block.words[0] not in REASONS):
            first = block.lines[0] if block.lines else ""
            yield (f"{where}: `{first}` is in a block that does not run; expected `console`, or `sh` and one of "
                   f"{', '.join(REASONS)}")


def masked(line):
    """The line without its figures and without the width of its columns."""
    return " ".join(NUMBER.sub("#", line).split())


def matches(shown, printed):
    if shown.endswith(" ..."):
        return masked(printed).startswith(masked(shown[:-4]))
    return masked(shown) == masked(printed)


def compared(shown, printed):
    """(shown with today's figures, first line that was not printed or None)."""
    result, at, missing = [], 0, None
    for line in shown:
        found = next((i for i in range(at, len(printed)) if matches(line, printed[i])), None)
        if line.strip() in ("", "...") or found is None or line.endswith(" ..."):
            result.append(line)
            if line.strip() not in ("", "...") and found is None and missing is None:
                missing = line
        else:
            result.append(printed[found].rstrip())
        at = at if found is None else found + 1
    return result, missing


class Shell:
    """One bash for all commands of a page, as a reader has one terminal."""

    def __init__(self, folder, environment):
        self.process = subprocess.Popen(["bash"], cwd=folder, env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.process.stdout, selectors.EVENT_READ)

    def run(self, line, timeout):
        """(exit code, what was printed); the code is None when it took longer, or the shell ended."""
        self.process.stdin.write(f"{{ {line}\n}} </dev/null\nprintf '\\n{MARK} %d\\n' $?\n".encode())
        self.process.stdin.flush()
        until, said = time.monotonic() + timeout, b""
        ended = re.compile(rb"\n" + MARK.encode() + rb" (\d+)\n$")
        while not (match := ended.search(said)):
            left = until - time.monotonic()
            if left <= 0 or not self.selector.select(left):
                os.killpg(self.process.pid, signal.SIGKILL)
                return None, said.decode(errors="replace")
            chunk = os.read(self.process.stdout.fileno(), 65536)
            if not chunk:
                return None, said.decode(errors="replace")
            said += chunk
        return int(match[1]), said[:match.start()].decode(errors="replace")

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.process.stdout.close()


def has_module(name, environment):
    return subprocess.run(["python3", "-c", f"import {name}"], env=environment, check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def command_problems(where, block, command, answer):
    code, said = answer
    expected = re.search(r"# exit (\d+)$", command.line)
    wanted = int(expected[1]) if expected else 0
    if code == FINDINGS and "varies" in block.words:
        return
    if code is None:
        yield f"{where}: {command.line}: took too long, or ended the shell; if it is slow, mark it `console slow`"
    elif code != wanted:
        yield f"{where}: {command.line}: exit code {code}, expected {wanted}:\n{said[-2000:]}"
    elif "varies" not in block.words:
        missing = compared(command.shown, said.splitlines())[1]
        if missing is not None:
            yield f"{where}: {command.line}: does not print `{missing}`; it printed:\n{said[-2000:]}"


def run_page(where, text, shell, folder, slow, timeout):
    """Runs the blocks of a page in their order; yields problems."""
    left_out = False  # what stands in for a block may need what a slow one before it makes
    for block in blocks(text):
        if block.kind not in ("console", "sh") and len(block.words) == 1 and "." in block.words[0]:
            (pathlib.Path(folder) / block.words[0]).write_text("\n".join(block.lines) + "\n", encoding="utf-8")
        left_out = left_out or (block.kind == "console" and not block.runs(slow))
        if not block.runs(slow) and not (block.kind == "sh" and block.instead and not left_out):
            continue
        for command in commands(block):
            print(f"{where}: $ {command.line}", flush=True)
            answer = shell.run(command.line, timeout)
            yield from command_problems(where, block, command, answer)
            if answer[0] is None:
                return


def refreshed(text, shell, folder, timeout):
    """The page with the figures that its commands print today; what varies keeps what has other words."""
    found = {}
    for block in blocks(text):
        if block.kind not in ("console", "sh") and len(block.words) == 1 and "." in block.words[0]:
            (pathlib.Path(folder) / block.words[0]).write_text("\n".join(block.lines) + "\n", encoding="utf-8")
        if not block.runs(True) and not (block.kind == "sh" and block.instead):
            continue
        lines = []
        for command in commands(block):
            _, said = shell.run(command.line, timeout)
            print(f"$ {command.line}\n{said}", flush=True)
            lines += [f"$ {command.line}", *compared(command.shown, said.splitlines())[0]]
        if not block.instead:
            found["\n".join(block.lines)] = "\n".join(lines)
    for before, after in found.items():
        text = text.replace(f"\n{before}\n```", f"\n{after}\n```")
    return text
