"""Runs the program under test, whose path is in QANAT_BIN."""
import array
import math
import os
import pathlib
import re
import subprocess
import wave

QANAT = os.environ.get("QANAT_BIN", "build/release/bin/qanat")
SOURCE = pathlib.Path(__file__).resolve().parents[2]
PLAIN = {"LC_ALL": "C.UTF-8", "TERM": "dumb", "COLUMNS": "80"}


def environment(**changes):
    return {**os.environ, **PLAIN, **changes}


def qanat(*arguments, timeout=60, **options):
    """The finished process; stdout and stderr are text."""
    return subprocess.run([QANAT, *map(str, arguments)], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout,
                          env=environment(), **options)


def commands_in(help_text):
    """The names under `Commands:` of a help text."""
    listed = help_text.partition("Commands:\n")[2].partition("\n\n")[0]
    return re.findall(r"^  (\S+)", listed, re.MULTILINE)


def all_commands():
    """Every command as a list of words: [["config", "show"], ["version"], ...]."""
    commands = []
    for name in commands_in(qanat("--help").stdout):
        inner = commands_in(qanat(name, "--help").stdout)
        commands += [[name, command] for command in inner] or [[name]]
    return commands


def write_tone(path, hertz, seconds, rate=22050):
    """A clip that every part of the pipeline accepts."""
    samples = array.array("h", (int(9000 * math.sin(2 * math.pi * hertz * i / rate))
                                for i in range(int(rate * seconds))))
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        file.writeframes(samples.tobytes())
