#!/usr/bin/env python3
"""Fails if `data check` or `validate` says a sentence that reports cannot say in Persian.

Sentences are the string literals of the files below that hold a space;
the catalogue is src/report/persian_*.cpp. Format fields count as gaps on both sides.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ("dataset/audio_locator.cpp", "dataset/dataset_check.cpp",
           "dataset/partition.cpp", "dataset/problem.cpp", "dataset/sound_findings.cpp",
           "dataset/split.cpp", "validation/validate.cpp", "validation/validate_report.cpp",
           "validation/validate_run.cpp")
LITERALS = re.compile(r'(?:"(?:[^"\\\n]|\\.)*"\s*)+')
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
FIELD = re.compile(r"\{[^{}]*\}")
COMMENT = re.compile(r"//[^\n]*|#include[^\n]*")
COMMAND = re.compile(r'\.(flag|verify|key|metric|unit) =\s*(fmt::format\()?\s*(?:"(?:[^"\\\n]|\\.)*"\s*)+')


def strings(path):
    """Literals as the compiler sees them: neighbours joined."""
    for match in LITERALS.finditer(COMMAND.sub("", COMMENT.sub("", path.read_text()))):
        yield "".join(LITERAL.findall(match[0])).replace('\\"', '"')


def is_sentence(text):
    """Parts of a sentence that begin with a space or a sign are looked up as part of it."""
    is_command = text.startswith(("sudo ", "export "))
    return " " in text.strip() and text[0] not in " ,:-" and re.search("[a-z]{3}", text) and not is_command


def catalogue():
    known = []
    for path in sorted((ROOT / "src/report").glob("persian_*.cpp")):
        found = re.findall(r'\{\s*((?:"(?:[^"\\\n]|\\.)*"\s*)+),', COMMENT.sub("", path.read_text()))
        known += ["".join(LITERAL.findall(entry)) for entry in found]
    return known


def to_pattern(english):
    return re.compile(".+".join(re.escape(part) for part in english.split("{}")) + r"\Z", re.S)


def missing():
    known = catalogue()
    patterns = [to_pattern(english) for english in known]
    beginnings = [english.replace("{}", "1") for english in known]
    for path in (ROOT / "src" / name for name in SOURCES):
        for text in strings(path):
            if not is_sentence(text):
                continue
            sentence = FIELD.sub("1", text)
            if text.startswith(";"):  # the end of one that has begun elsewhere
                sentence = "1" + sentence
            # A field that is grown to a word is an ending: "worker{}".
            until_ending = FIELD.sub("1", re.split(r"(?<=[a-z])\{", text)[0])
            # What happened to a device stands behind its name: "1 was lost".
            if not any(p.match(sentence) or p.match("1 " + sentence) for p in patterns) and (
                    until_ending == sentence or
                    not any(english.startswith(until_ending) for english in beginnings)):
                yield f"{path.name}: {FIELD.sub('{}', text)}"


if __name__ == "__main__":
    found = list(missing())
    print("\n".join(found) or "persian: ok")
    sys.exit(1 if found else 0)
