#!/usr/bin/env python3
"""Turns locale/*.po into C++: a struct per sentence, and the tables that a Translator reads.

  make_messages.py EN FA OUTDIR SECTION...  writes messages.cpp and messages/SECTION.h
  make_messages.py --unused EN SRC          lists sentences that no source file says

A section begins with "#. ---- its name ----" in EN and has a header of its own, so that a new sentence
compiles only what speaks of the same things. The build has to know the names before it reads them: what
is not among SECTION is refused.

A sentence has an id (msgctxt), its English (msgid, and msgid_plural where it counts), and in FA its
Persian. Gaps are {named}; {{ and }} are braces; `code` stays as it is. The first gap chooses the form.
What is wrong is said with file and line. A sentence without Persian is no error here: a test finds it.
"""
import pathlib
import re
import sys

GAP = re.compile(r"\{\{|\}\}|\{([a-z][a-z0-9_]*)\}|[{}]")
CODE = re.compile(r"`([^`]*)`")
SECTION = re.compile(r"#\. ---- (.+) ----\Z")
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"\Z')
KEYWORD = re.compile(r'(msgctxt|msgid|msgid_plural|msgstr|msgstr\[(\d+)\])\s+(".*)\Z')
ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}
RESERVED = set("""alignas alignof and asm auto bool break case catch char class concept const continue default delete
    do double else enum explicit export extern false final float for friend goto id if inline int long mutable
    namespace new not operator or override private protected public register requires return short signed sizeof
    static struct switch template this throw true try typedef typeid typename union unsigned using virtual void
    volatile while xor""".split())


class Problem(Exception):
    """Something in a po file that a translator has to fix."""


class Entry:
    def __init__(self, path, line):
        self.path, self.line = path, line
        self.fields = {}
        self.fuzzy = False
        self.section = ""

    def fail(self, what):
        raise Problem(f"{self.path}:{self.line}: {what}")

    @property
    def id(self):
        return self.fields.get("msgctxt", "")

    def forms(self):
        """The sentences of msgid: one, or one and many."""
        return [self.fields[key] for key in ("msgid", "msgid_plural") if key in self.fields]

    def translations(self):
        texts = [text for key, text in sorted(self.fields.items()) if key.startswith("msgstr")]
        return [] if self.fuzzy or not all(texts) else texts


def unquoted(text, where):
    match = STRING.match(text)
    if not match:
        raise Problem(f"{where}: expected a string in double quotes, found {text}")
    unknown = set(re.findall(r"\\(.)", match[1])) - set(ESCAPES)
    if unknown:
        raise Problem(f"{where}: unknown escape \\{min(unknown)}; expected one of \\n \\t \\\" \\\\")
    return re.sub(r"\\(.)", lambda found: ESCAPES[found[1]], match[1])


def read_po(path):
    """The entries of a po file, without its header."""
    entries, entry, key, fuzzy, section = [], None, None, False, ""
    for number, raw in enumerate(pathlib.Path(path).read_text(encoding="utf-8").splitlines(), 1):
        line, where = raw.strip(), f"{path}:{number}"
        if not line or line.startswith("#"):
            fuzzy = fuzzy or (line.startswith("#,") and "fuzzy" in line)
            title = SECTION.match(line)
            section = re.sub(r"[^a-z0-9]+", "_", title[1].lower()) if title else section
            entry = None
            continue
        if line.startswith('"') and entry:
            entry.fields[key] += unquoted(line, where)
            continue
        match = KEYWORD.match(line)
        if not match:
            raise Problem(f"{where}: not the line of a po file: {line}")
        key = match[1]
        if entry is None or key == "msgctxt":
            entry, entry_fuzzy = Entry(path, number), fuzzy
            entry.fuzzy, fuzzy = entry_fuzzy, False
            entry.section = section
            entries.append(entry)
        if key in entry.fields:
            entry.fail(f"{key} twice in one entry")
        entry.fields[key] = unquoted(match[3], where)
    return [found for found in entries if found.id or found.fields.get("msgid")]


def gaps(text, entry):
    """Names of the gaps, in the order of their first use."""
    found = {}
    for match in GAP.finditer(text):
        if match[1]:
            found[match[1]] = None
        elif match[0] in ("{", "}"):
            entry.fail("a brace that belongs to no gap; write {{ or }} for one that stays")
    return list(found)


def checked(entries):
    """Entries by id; complains about what no C++ could be made of."""
    known = {}
    for entry in entries:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", entry.id) or entry.id in RESERVED:
            entry.fail(f"id {entry.id!r}; expected a snake_case name that C++ does not reserve")
        if entry.id in known:
            entry.fail(f"id {entry.id} stands already in line {known[entry.id].line}")
        if not entry.fields.get("msgid"):
            entry.fail("no msgid")
        if not any(key.startswith("msgstr") for key in entry.fields):
            entry.fail("no msgstr")
        names = gaps(entry.fields["msgid"], entry)
        for name in names:
            if name in RESERVED:
                entry.fail(f"gap {{{name}}} is a word that C++ reserves")
        for text in entry.forms() + entry.translations():
            if set(gaps(text, entry)) != set(names):
                entry.fail(f"gaps differ from those of msgid ({', '.join(names) or 'none'}): {text}")
            if text.count("`") % 2:
                entry.fail(f"a backtick that closes nothing: {text}")
            if text.count("\u2068") != text.count("\u2069"):
                entry.fail(f"isolates that are not closed: {text}")
        if len(entry.forms()) == 2 and not names:
            entry.fail("msgid_plural, but no gap that could choose")
        known[entry.id] = entry
    return known


def matched(english, persian):
    """Persian by id; complains about what is not a translation of the English."""
    for entry in persian.values():
        source = english.get(entry.id)
        if source is None:
            entry.fail(f"id {entry.id} is not in {next(iter(english.values())).path if english else 'the English'}")
        if entry.forms() != source.forms():
            entry.fail(f"msgid of {entry.id} differs from {source.path}:{source.line}")
        texts = entry.translations()
        if len(texts) > 1:
            entry.fail("Persian has one form (nplurals=1)")
        if texts and sorted(CODE.findall(texts[0])) != sorted(CODE.findall(source.fields["msgid"])):
            entry.fail(f"`code` differs from that of msgid: {texts[0]}")
    return persian


def literal(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"sv'  # its length is known: Clang counts the steps that finding it would take


def numbered(text, names):
    """{workers} becomes the number of its gap."""
    return GAP.sub(lambda found: f"{{{names.index(found[1])}}}" if found[1] else found[0], text)


def comment(text):
    return "  // " + re.sub(r"\s+", " ", text).rstrip("\\ ")


MADE = "// Made from locale/*.po by tools/make_messages.py; edit the files there.\n"


def number(name):
    """FNV-1a. By the name and not by the place, so that a new sentence leaves the headers of others alone."""
    value = 0x811C9DC5
    for byte in name.encode():
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


def numbers_checked(english):
    """Complains about two ids with one number; 0 says nothing."""
    taken = {0: "the empty sentence"}
    for entry in english.values():
        other = taken.setdefault(number(entry.id), entry.id)
        if other != entry.id:
            entry.fail(f"id {entry.id} has the number of {other}; try another name")
    return english


def by_section(english, known):
    """Entries by section; complains about one that the build does not know, or that says nothing."""
    sections = {name: [] for name in known}
    for entry in english.values():
        if entry.section not in sections:
            entry.fail(f"id {entry.id} stands in section {entry.section or '(none)'}, which src/core/locale/CMakeLists.txt"
                       " does not list")
        sections[entry.section].append(entry)
    empty = [name for name, entries in sections.items() if not entries]
    if empty:
        raise Problem(f"src/core/locale/CMakeLists.txt: section {empty[0]} has no sentence")
    return sections


def header(entries):
    lines = [MADE + '#pragma once\n\n#include "base/message.h"\n\nnamespace qanat::msg {\n']
    for entry in entries:
        members = "".join(f"  MessageArg {name};\n" for name in gaps(entry.fields["msgid"], entry))
        lines.append(f"struct {entry.id} {{{comment(entry.fields['msgid'])}\n{members}"
                     f"  static constexpr MessageId id{{{number(entry.id)}U}};\n  operator Message() const;\n}};\n")
    return "\n".join(lines) + "\n}  // namespace qanat::msg\n"


def tables(english, persian, sections):
    rows, operators = ["    MessageText{},\n"], []
    for entry in sorted(english.values(), key=lambda entry: number(entry.id)):
        names = gaps(entry.fields["msgid"], entry)
        said = [numbered(text, names) for text in entry.forms()]
        translated = persian[entry.id].translations() if entry.id in persian else []
        other = [numbered(text, names) for text in translated] or [""]
        pairs = ",\n      ".join(f"Sentence{{{literal(forms[0])},\n               {literal(forms[-1])}}}"
                                 for forms in (said, other))
        entry_id = f"msg::{entry.id}::id"
        rows.append(f"    MessageText{{{entry_id}, {literal(entry.id)},\n     {{{pairs}}}}},\n")
        operators.append(f"{entry.id}::operator Message() const {{ return {{id, {{{', '.join(names)}}}}}; }}\n")
    headers = "".join(f'#include "locale/messages/{name}.h"\n' for name in sections)
    return (MADE + f'#include "locale/message_text.h"\n\n#include <array>\n\n{headers}\n'
            "namespace qanat {\n\nusing std::string_view_literals::operator\"\"sv;\n\n"
            "std::span<const MessageText> message_texts() {\n"
            f"  static constexpr std::array<MessageText, {len(rows)}> kTexts{{\n{''.join(rows)}  }};\n"
            "  return kTexts;\n}\n\nnamespace msg {\n\n" + "".join(operators) +
            "\n}  // namespace msg\n}  // namespace qanat\n")


def unused(english, src):
    """Ids that no source file names, tests not counted."""
    said = set()
    for path in [*pathlib.Path(src).rglob("*.cpp"), *pathlib.Path(src).rglob("*.h")]:
        if not path.name.endswith("_test.cpp"):
            said |= set(re.findall(r"\bmsg::(\w+)", path.read_text(encoding="utf-8")))
    return [entry for name, entry in english.items() if name not in said]


def write_changed(path, text):
    """A file that stays as it is keeps its time, so that new Persian compiles one file, not all."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main(arguments):
    if len(arguments) < 3 or (arguments[0] == "--unused") != (len(arguments) == 3):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        if arguments[0] == "--unused":
            found = unused(checked(read_po(arguments[1])), arguments[2])
            for entry in found:
                print(f"{entry.path}:{entry.line}: {entry.id} is said nowhere")
            return 1 if found else 0
        english = numbers_checked(checked(read_po(arguments[0])))
        sections = by_section(english, arguments[3:])
        persian = matched(english, checked(read_po(arguments[1])))
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 1
    folder = pathlib.Path(arguments[2])
    (folder / "messages").mkdir(parents=True, exist_ok=True)
    for name, entries in sections.items():
        write_changed(folder / "messages" / f"{name}.h", header(entries))
    write_changed(folder / "messages.cpp", tables(english, persian, sections))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
