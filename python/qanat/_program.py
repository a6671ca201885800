"""The program `qanat` of the wheel: data check, precompute, profile data, report, top, rules; and `qanat
watch` and `qanat gpu-acceptance`, which are Python's. QANAT_BIN names another program, for those who build
Qanat."""
from __future__ import annotations

import os
import signal
import sys
from typing import List, NoReturn

USAGE = """usage: qanat watch [--out DIR] [--no-lines] -- python train.py ARGUMENTS...

Find out what slows a PyTorch script down; then: qanat report DIR. The script stays as it is:
`python -m package.train` and options of Python work as well.

  --out DIR    write the journal there (default: runs/watch)
  --no-lines   do not look, twenty times a second, which line of the script runs"""


def watch_command(arguments: List[str]) -> List[str]:
    """What runs the command behind `qanat watch`, watched, with its own Python. Empty: there is none."""
    words = list(arguments)
    out: List[str] = []
    while words and (words[0] in ("--out", "--no-lines") or words[0].startswith("--out=")):
        count = 2 if words[0] == "--out" else 1
        out, words = out + words[:count], words[count:]
    if words[:1] == ["--"]:
        words = words[1:]
    python = sys.executable
    if words and os.path.basename(words[0]).startswith("python"):
        python, words = words[0], words[1:]
    flags: List[str] = []
    while words and words[0].startswith("-") and words[0] != "-m":
        count = 2 if words[0] in ("-X", "-W") else 1
        flags, words = flags + words[:count], words[count:]
    if not words or words == ["-m"]:
        return []
    return [python, *flags, "-m", "qanat.watch", *out, *words]


def _watch(arguments: List[str]) -> NoReturn:
    if arguments[:1] in (["-h"], ["--help"]):
        print(USAGE)
        sys.exit(0)
    command = watch_command(arguments)
    if not command:
        print(USAGE, file=sys.stderr)
        sys.exit(2)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"qanat watch: {command[0]}: {error.strerror}; expected a Python that has this package")


def main() -> NoReturn:
    if sys.argv[1:2] == ["watch"]:
        _watch(sys.argv[2:])
    if sys.argv[1:2] == ["gpu-acceptance"]:
        from qanat import gpu_acceptance

        sys.exit(gpu_acceptance.main(sys.argv[2:]))
    program = os.environ.get("QANAT_BIN") or os.path.join(os.path.dirname(__file__), "bin", "qanat")
    for name in ("SIGPIPE", "SIGXFSZ"):  # Python ignores them, and what it starts would inherit that
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    try:
        os.execv(program, ["qanat", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"qanat: {program}: {error.strerror}; expected the program of a wheel; try ./dev wheel")
