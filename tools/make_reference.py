#!/usr/bin/env python3
"""Writes the chapters that the program knows best: commands, configuration and rules.

    tools/make_reference.py --qanat build/release/bin/qanat     # rewrites docs/{en,fa}/*.md

English comes from `--help`, `qanat config reference` and `qanat rules`. Persian comes from the same
sentences through docs/phrases_fa.txt; rules speak Persian themselves. tools/check_docs.py compares
what is committed with what this would write.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONFIG_GROUPS = ("Data", "Model", "Training", "Pipeline")
GENERATED = ("commands.md", "configuration.md", "rules.md")


class Phrases:
    """English to Persian; remembers what it did not know.

    A phrase with {} stands for all that differ in these places only: numbers, names, choices.
    """

    def __init__(self, path):
        self.persian = {}
        self.missing = {}
        english = None
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("\t"):
                self.persian[english] = line.strip()
            elif line.strip():
                english = line.strip()

    def say(self, english):
        if not re.search(r"[A-Za-z]", english):
            return english
        if english in self.persian:
            return self.persian[english]
        for pattern in (phrase for phrase in self.persian if "{}" in phrase):
            match = re.fullmatch(re.escape(pattern).replace(r"\{\}", "([^;]+)"), english)
            if match:
                return self.persian[pattern].format(*match.groups())
        self.missing[english] = True
        return english



class Program:
    """Runs the program; the same question is asked once."""

    def __init__(self, path):
        self.path = path
        self.answers = {}

    def run(self, *arguments):
        if arguments not in self.answers:
            self.answers[arguments] = self.ask(*arguments)
        return self.answers[arguments]

    def ask(self, *arguments):
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "dumb", "COLUMNS": "110"}
        return subprocess.run([self.path, *arguments], check=True, text=True, env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout


def parse_help(text):
    """{"summary", "usage", "groups": [(title, [(name, words)])], "footer": [lines]}"""
    lines = text.splitlines()
    page = {"summary": lines[0], "usage": lines[1].removeprefix("Usage: "), "groups": [],
            "footer": []}
    for line in lines[2:]:
        title = re.fullmatch(r"([A-Z]\w+):", line)
        entry = re.match(r"  (\S.*)", line)
        if title and not page["footer"]:
            page["groups"].append((title[1], []))
        elif line.startswith(" " * 10) and page["groups"] and not page["footer"]:
            name, words = page["groups"][-1][1][-1]
            page["groups"][-1][1][-1] = (name, f"{words} {line.strip()}".strip())
        elif entry and page["groups"] and not page["footer"]:
            name, _, words = entry[1].partition("  ")
            page["groups"][-1][1].append((name.strip(), words.strip()))
        elif line.strip() or page["footer"]:
            page["footer"].append(line)
    return page


def collect(program):
    """Every command with its page, in the order of --help: [("data check", page)]."""
    found = []
    for name, _ in dict(parse_help(program.run("--help"))["groups"])["Commands"]:
        page = parse_help(program.run(name, "--help"))
        inner = dict(page["groups"]).get("Commands")
        if inner is None:
            found.append((name, page))
            continue
        for command, _ in inner:
            found.append((f"{name} {command}", parse_help(program.run(name, command, "--help"))))
    return found


def option_cells(name, words):
    """("`--seed N`", "another seed ...", "0") of ("--seed UINT=0", "another seed ...")."""
    flag, _, value = name.partition(" ")
    value = value.removesuffix("(required)").strip()
    default = ""
    if "=" in value and not value.endswith("=VALUE"):
        value, _, default = value.partition("=")
    value = value.partition(":")[0].strip()
    said = re.search(r" \(default:? ([^()]*)\)$", words)
    if said and not default:
        words, default = words[: said.start()], said[1]
    return f"`{f'{flag} {value}'.strip()}`", words, default


def escaped(text):
    """For a cell or a paragraph: code stays as it is."""
    parts = text.replace("|", "\\|").split("`")
    parts[::2] = [part.replace("<", "&lt;") for part in parts[::2]]
    return "`".join(parts)


def default_cell(default, say):
    return say(default) if " " in default else f"`{default}`" if default else ""


COMMAND_WORDS = {
    "en": {"title": "Commands and flags",
           "intro": "Generated from `--help` by `./dev docs`; do not edit. Results go to stdout, progress and "
                    "warnings to stderr. `qanat COMMAND --help` prints what stands here.",
           "codes": "Exit codes", "code": "code", "meaning": "meaning",
           "head": "| flag | meaning | default |\n|---|---|---|\n",
           "arguments": "| argument | meaning | default |\n|---|---|---|\n",
           "config": "Also takes these flags of the [configuration](configuration.md): ",
           "comma": ", "},
    "fa": {"title": "فرمان‌ها و پرچم‌ها",
           "intro": "این فصل با `./dev docs` از روی `--help` ساخته می‌شود؛ ویرایشش نکنید. نتیجه‌ها به stdout و پیشرفت و "
                    "هشدارها به stderr می‌روند. `qanat COMMAND --help` همین‌ها را به انگلیسی چاپ می‌کند.",
           "codes": "کدهای خروج", "code": "کد", "meaning": "معنا",
           "head": "| پرچم | معنا | پیش‌فرض |\n|---|---|---|\n",
           "arguments": "| آرگومان | معنا | پیش‌فرض |\n|---|---|---|\n",
           "config": "این پرچم‌های [پیکربندی](configuration.md) را هم می‌پذیرد: ",
           "comma": "، "},
}
EXIT_CODES = (("0", "done"), ("1", "failed"), ("2", "wrong flags or configuration"),
              ("3", "cannot measure"), ("10", "findings at or above `--fail-on`"),
              ("11", "slower than `--baseline`"), ("12", "hardware fault"),
              ("128 + n", "stopped by signal n, after saving"))


def plain(text):
    return text


def fenced(lines, language, text_direction):
    block = f"```{language}\n" + "\n".join(lines) + "\n```\n"
    return f'<div dir="ltr">\n\n{block}\n</div>\n' if text_direction == "fa" else block


def footer_parts(lines):
    """(sentences, examples) of what stands below the flags."""
    text = "\n".join(lines)
    words, _, examples = text.partition("Example:")
    sentences = " ".join(words.split())
    return sentences, [line.strip() for line in examples.splitlines() if line.strip()]


def command_section(path, page, language, say):
    words = COMMAND_WORDS[language]
    text = f"## `qanat {path}`\n\n{say(page['summary'])}\n\n"
    text += fenced([page["usage"]], "text", language)
    for title, entries in page["groups"]:
        entries = [entry for entry in entries if not entry[0].startswith("-h,")]
        if title in CONFIG_GROUPS or not entries:
            continue
        text += "\n" + (words["arguments"] if title == "Positionals" else words["head"])
        for name, meaning in entries:
            flag, meaning, default = option_cells(name, meaning)
            text += f"| {flag} | {escaped(say(meaning))} | {default_cell(default, say)} |\n"
    flags = [f"`{name.split()[0]}`" for title, entries in page["groups"] if title in CONFIG_GROUPS
             for name, _ in entries]
    if flags:
        text += f"\n{words['config']}{words['comma'].join(flags)}\n"
    sentences, examples = footer_parts(page["footer"])
    if sentences:
        text += f"\n{escaped(say(sentences))}\n"
    if examples:
        text += "\n" + fenced(examples, "sh", language)
    return text


def commands_page(commands, language, say):
    words = COMMAND_WORDS[language]
    text = f"# {words['title']}\n\n{words['intro']}\n\n## {words['codes']}\n\n"
    text += f"| {words['code']} | {words['meaning']} |\n|---|---|\n"
    text += "".join(f"| `{code}` | {say(meaning)} |\n" for code, meaning in EXIT_CODES)
    for path, page in commands:
        text += "\n" + command_section(path, page, language, say)
    return text


def persian_configuration(english, say):
    """The reference, cell by cell."""
    lines = []
    paragraph = []
    for line in english.splitlines() + [""]:
        heading = re.fullmatch(r"(#+ )(?:(`\w+`): )?(.*)", line)
        if heading or line.startswith("|") or not line.strip():
            if paragraph:
                lines.append(say(" ".join(paragraph)))
                paragraph = []
        if heading:
            name = f"{heading[2]}: " if heading[2] else ""
            lines.append(f"{heading[1]}{name}{say(heading[3])}")
        elif line.startswith("|---") or not line.strip():
            lines.append(line)
        elif line.startswith("|"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            lines.append("| " + " | ".join(cell.replace("`, `", "`، `") if cell.startswith("`")
                                           else say(cell) for cell in cells) + " |")
        else:
            paragraph.append(line.strip())
    return "\n".join(lines).rstrip("\n") + "\n"


def marked(text):
    """Code that begins or ends with a sign (`--flag`, `wavs/`) would lose it to the other side in text
    that runs right to left; a left-to-right mark outside the code keeps it, and is not copied with it.
    A list of Latin words would run left to right; a right-to-left mark after its commas turns it.
    """
    mark, back = "\u200e", "\u200f"

    def turn(match):
        code = match[2]
        before = "" if re.match(r"[A-Za-z]", code) else mark
        after = "" if re.search(r"[A-Za-z0-9]$", code) else mark
        return f"{before}`{code}`{after}"

    lines = []
    fenced_off = False
    for line in text.split("\n"):
        if line.startswith("```"):
            fenced_off = not fenced_off
        elif not fenced_off:
            line = re.sub(rf"({mark}?)`([^`]+)`{mark}?", turn, line)
            line = re.sub(rf"([A-Za-z0-9`{mark}][،؛]){back}?(?= *[A-Za-z0-9`{mark}])", rf"\1{back}", line)
        lines.append(line)
    return "\n".join(lines)


def right_to_left(text):
    return f'<div dir="rtl">\n\n{marked(text)}\n</div>\n'


def rules_page(program, language):
    rules = json.loads(program.run("rules", "--json", "--lang", language))
    persian = language == "fa"
    text = "# قاعده‌های تشخیص\n\n" if persian else "# The rules of diagnosis\n\n"
    text += ("این فصل با `./dev docs` از روی `qanat rules` ساخته می‌شود؛ ویرایشش نکنید. هر یافتهٔ یک [گزارش](reports.md) شناسهٔ یکی از این "
             "قاعده‌ها را دارد؛ `qanat rules ID --lang fa` همین شرح را در پایانه چاپ می‌کند.\n" if persian else
             "Generated from `qanat rules` by `./dev docs`; do not edit. Every finding of a "
             "[report](reports.md) carries the identifier of one of these; `qanat rules ID` prints the "
             "same at the terminal.\n")
    order = list(dict.fromkeys(rule["category"] for rule in rules["rules"]))
    category = None
    for rule in sorted(rules["rules"], key=lambda rule: order.index(rule["category"])):
        if rule["category"] != category:
            category = rule["category"]
            text += f"\n## {rule['category_title']}\n"
        text += f"\n### {rule['id']}: {rule['looks_for']}\n\n{rule['meaning']}\n\n"
        text += f"**{'چاره' if persian else 'What to do'}:** {rule['remedy']}\n"
    return text


def readme_page(commands):
    """The README with its table of commands."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    head = "| command | what it does |\n|---|---|\n"
    rows = "".join(f"| `qanat {path}` | {page['summary']} |\n" for path, page in commands)
    return re.sub(re.escape(head) + r"(?:\|.*\n)*", lambda _: head + rows, text)


def pages(program, phrases):
    """{path below docs/: text} of everything generated."""
    commands = collect(program)
    english = program.run("config", "reference")
    return {
        "../README.md": readme_page(commands),
        "en/commands.md": commands_page(commands, "en", plain),
        "fa/commands.md": right_to_left(commands_page(commands, "fa", phrases.say)),
        "en/configuration.md": english,
        "fa/configuration.md": right_to_left(persian_configuration(english, phrases.say)),
        "en/rules.md": rules_page(program, "en"),
        "fa/rules.md": right_to_left(rules_page(program, "fa")),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--qanat", default=str(ROOT / "build/release/bin/qanat"))
    options = parser.parse_args()
    phrases = Phrases(ROOT / "docs/phrases_fa.txt")
    for path, text in pages(Program(options.qanat), phrases).items():
        (ROOT / "docs" / path).write_text(text, encoding="utf-8")
        print(f"wrote docs/{path}")
    for english in phrases.missing:
        print(f"docs/phrases_fa.txt: no Persian for: {english}", file=sys.stderr)
    return 1 if phrases.missing else 0


if __name__ == "__main__":
    sys.exit(main())
