#!/usr/bin/env python3
"""Fails where the documentation is not whole, not the same in both languages, or not true.

    tools/check_docs.py --qanat build/release/bin/qanat [--slow]

- docs/en and docs/fa, README.md and README.fa.md have the same chapters, with as many headings, tables of the same
  size, the same commands, files, links and code, and the same figures in the rows of tables; Persian pages run right to
  left, and their code left to right.
- Every kind of line that a journal has is in journal.md, and every environment variable that the
  sources read in environment.md; the numbers of formats in compatibility.md are those of the sources.
- The walks of architecture.md are as short as WALKS says and name the same files in both; a `function()` that a
  row names stands in its file.
- The recipes of extending.md are as short as RECIPES says, name the same files in both, and what was added by
  each stands in no other file.
- Links lead somewhere, anchors included.
- Commands, configuration, rules and the Python API are what the program says today (tools/make_reference.py).
- The words in the pictures of the README are the program's (tools/make_pictures.py).
- Tables of figures are those of bench/figures.json (bench/tables.py).
- Every `qanat ...` in a block of commands names a command and flags that exist.
- Blocks marked `console` run, each page in an empty folder and one shell, from top to bottom, and print what the
  page shows; `console slow` only with --slow. A command that ends in `# exit N` has to exit with N. Blocks that do
  not run say why (tools/doc_blocks.py has the forms).

    tools/check_docs.py --refresh README.md docs/en/quick_start.md    # writes today's figures into the output shown
"""
import argparse
import os
import pathlib
import re
import shlex
import sys
import tempfile
import types

import make_api
from doc_blocks import NEEDS, Shell, blocks, commands, has_module, reason_problems, refreshed, run_page
from make_pictures import check_pictures
from make_reference import Program, collect, marked, pages

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from tables import stale_tables  # noqa: E402
DOCS = ROOT / "docs"
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
DIGITS = str.maketrans("۰۱۲۳۴۵۶۷۸۹٫٬", "0123456789.,")
WALKS = (32, 15)  # files at most: an utterance to the optimizer step, a finding to its page
# In the order of extending.md: what was added by a recipe, the files that it may cost at most, and files that use
# what was added without being part of it.
RECIPES = (("CMP009|cmp009_", 4, ()), (r"field_best_by\b", 4, ()),
           ("fact_tail|slowest_percent_share", 3, ()), (r'flac_source|"\.flac"', 3, ()), ('"styletts2"', 3, ()),
           ("CachedRowSource|cached_row_source", 4, ()))
NO_SETTINGS = {"PATH", "QANAT_CUDA_RUNTIME"}  # everybody's, and a test's own
FORMATS = {  # file of a row in compatibility.md: the sources' number
    "checkpoint_format.md": ("src/learn/checkpoint_files/checkpoint_state.cpp", r"kStateVersion = (\d+)"),
    "journal.md": ("src/core/metrics/journal.h", r"kFormat = (\d+)"),
    "shard_format.md": ("src/data/features/shard_format.h", r"kShardVersion = (\d+)"),
    "qanat.Loader": ("python/qanat/loader.py", r"STATE_VERSION = (\d+)"),
    "QANAT_ABI": ("src/programs/capi/qanat.h", r"QANAT_ABI (\d+)"),
}
SECONDS = 10  # the longest a quick command may take on a machine with nothing else to do


def without_code(text):
    text = FENCE.sub("", text)
    return re.sub(r"`[^`\n]*`", "``", text)


def headings(text):
    return re.findall(r"^(#+) (.+)$", FENCE.sub("", text), re.MULTILINE)


def anchor(heading):
    """As GitHub makes them."""
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
    return "".join(c for c in words if c.isalnum() or c in " -_‌").replace(" ", "-")


def chapter_problems():
    """Both languages tell the same."""
    english = {path.name: path.read_text(encoding="utf-8") for path in (DOCS / "en").glob("*.md")}
    persian = {path.name: path.read_text(encoding="utf-8") for path in (DOCS / "fa").glob("*.md")}
    for name in sorted(english.keys() ^ persian.keys()):
        yield f"docs/{'fa' if name in english else 'en'}/{name}: missing"
    for name in sorted(english.keys() & persian.keys()):
        yield from pair_problems(name, english[name], persian[name])
    if (ROOT / "README.fa.md").exists():
        yield from pair_problems("README.fa.md", (ROOT / "README.md").read_text(encoding="utf-8"),
                                 (ROOT / "README.fa.md").read_text(encoding="utf-8"))


def pair_problems(name, ours, theirs):
    """A page and its Persian one tell the same."""
    levels = [level for level, _ in headings(ours)], [level for level, _ in headings(theirs)]
    if levels[0] != levels[1]:
        yield (f"docs/fa/{name}: {len(levels[1])} headings, docs/en has {len(levels[0])}, or "
               "their levels differ")
    if shown_blocks(ours) != shown_blocks(theirs):
        yield f"docs/fa/{name}: its blocks of commands differ from docs/en"
    yield from table_problems(name, ours, theirs)
    yield from figure_problems(name, ours, theirs)
    yield from direction_problems(name, theirs)
    yield from fact_problems(name, ours, theirs)


def shown_blocks(text):
    """Commands, what they print, and files: alike in both languages."""
    return [block for block in blocks(text) if block.kind in ("console", "sh") or block.words]


def table_sizes(text):
    """[(rows, columns)] of the tables outside of code."""
    found = re.findall(r"(?:^\|.*\|\n)+", without_code(text), re.MULTILINE)
    return [(table.count("\n"), table.split("\n")[0].count("|")) for table in found]


def table_problems(name, english, persian):
    """Tables tell the same: as many rows and columns, in the same order."""
    ours, theirs = table_sizes(english), table_sizes(persian)
    if len(ours) != len(theirs):
        yield f"docs/fa/{name}: {len(theirs)} tables, docs/en has {len(ours)}"
    for number, (wanted, is_size) in enumerate(zip(ours, theirs), 1):
        if wanted != is_size:
            yield (f"docs/fa/{name}: table {number} has {is_size[0]} rows of {is_size[1]} bars, docs/en "
                   f"{wanted[0]} of {wanted[1]}")


SPOKEN = re.compile(r"synth '[^']*'(?: --language fa)?")  # a page speaks its own language


def facts(text):
    """What both languages have in common, by kind: aims of links, and figures and code in the rows of tables."""
    aims = sorted(re.sub(r"docs/fa/|modes_fa", lambda found: found[0].replace("fa", "en").replace("modes_en", "modes"), aim)
                  for aim in (match.partition("#")[0] for match in LINK.findall(text))
                  if aim and not re.search(r"(^|/)README(\.fa)?\.md$", aim))
    rows = []
    for table in re.findall(r"(?:^\|.*\|\n)+", FENCE.sub("", text), re.MULTILINE):
        for row in table.translate(DIGITS).splitlines():
            codes = set(re.findall(r"`((?:--)?[A-Za-z_][^`]*)`", row))
            rows.append((sorted(SPOKEN.sub("synth TEXT", code) for code in codes),  # 0 to 2 are words in Persian
                         sorted(figure for figure in re.findall(r"\d+(?:[.:]\d+)*", row.replace(",", "")) if figure not in "012")))
    return aims, rows


def fact_problems(name, english, persian):
    """Links lead to the same pages, and rows of tables have the same code and figures."""
    ours, theirs = facts(english), facts(persian)
    for aim in sorted(set(ours[0]) ^ set(theirs[0])):
        yield f"docs/fa/{name}: {'no' if aim in ours[0] else 'a'} link to {aim}, unlike docs/en"
    for wanted, is_row in zip(ours[1], theirs[1]):
        if wanted[0] != is_row[0]:
            yield f"docs/fa/{name}: a row of a table has the code {is_row[0]}, docs/en {wanted[0]}"
        elif wanted[1] != is_row[1]:
            yield f"docs/fa/{name}: a row of a table has the figures {is_row[1]}, docs/en {wanted[1]}"


def named_in(page, names):
    """Names that no code on the page of either language has."""
    for language in ("en", "fa"):
        text = (DOCS / language / page).read_text(encoding="utf-8")
        code = set(re.findall(r"[A-Za-z_]\w*", " ".join(re.findall(r"`([^`\n]+)`", text))))
        for name in sorted(names - code):
            yield f"docs/{language}/{page}: {name} is missing"


def source_problems():
    """What the sources know, the reference pages name."""
    sources = [path for path in (ROOT / "src").rglob("*") if path.suffix in (".h", ".cpp")
               and not re.search(r"(_test|_testing|/fake_\w+)\.\w+$", path.as_posix())]
    texts = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    yield from named_in("journal.md", set(re.findall(r'kKind = "(\w+)"', texts)))
    variables = set(re.findall(r'(?:getenv|environment_variable|environment)\(\s*"([A-Z_]+)"', texts))
    yield from named_in("environment.md", variables - NO_SETTINGS)


def format_problems():
    """The numbers of compatibility.md are those that the sources write."""
    for language in ("en", "fa"):
        rows = (DOCS / language / "compatibility.md").read_text(encoding="utf-8").splitlines()
        for name, (source, pattern) in FORMATS.items():
            number = re.search(pattern, (ROOT / source).read_text(encoding="utf-8"))[1]
            told = [row.split("|")[2].strip() for row in rows if row.startswith("|") and name in row.split("|")[1]]
            if told[:1] != [number]:
                yield f"docs/{language}/compatibility.md: format of {name} is {told[:1]}, {source} has {number}"


def figure_problems(name, english, persian):
    """Rows of tables that begin with the same code end with the same number."""
    def rows(text):
        return dict(re.findall(r"^\| `(\w+)` \|.*\| ([\d.]+) \|$", text, re.MULTILINE))
    ours, theirs = rows(english), rows(persian)
    for key in sorted(ours.keys() | theirs.keys()):
        if ours.get(key) != theirs.get(key):
            yield f"docs/fa/{name}: {key} is {theirs.get(key)}, docs/en says {ours.get(key)}"


def walk_problems():
    """The numbered tables of files; that the files exist is a matter of link_problems()."""
    walks = {}
    for language in ("en", "fa"):
        page = DOCS / language / "architecture.md"
        for target, row in re.findall(r"^\| \d+ \| \[[^\]]*\]\((\S+)\) \|(.*)$", page.read_text(encoding="utf-8"),
                                      re.MULTILINE):
            for call in re.findall(r"`(\w+)\(\)`", row):
                source = page.parent / target
                if source.exists() and not re.search(rf"\b{call}\(", source.read_text(encoding="utf-8")):
                    yield f"docs/{language}/architecture.md: {call}() is not in {target}"
        text = (DOCS / language / "architecture.md").read_text(encoding="utf-8")
        tables = re.findall(r"(?:^\| \d+ \| \[.*\n)+", text, re.MULTILINE)
        walks[language] = [re.findall(r"^\| \d+ \| \[[^\]]*\]\((\S+)\)", table, re.MULTILINE)
                           for table in tables]
        if len(tables) != len(WALKS):
            yield f"docs/{language}/architecture.md: {len(tables)} walks; expected {len(WALKS)}"
        for walk, most in zip(walks[language], WALKS):
            if len(walk) > most:
                yield (f"docs/{language}/architecture.md: a walk of {len(walk)} files; expected "
                       f"at most {most}")
    if walks["en"] != walks["fa"]:
        yield "docs/fa/architecture.md: its walks name other files than docs/en"


def files_with(pattern):
    """Sources and sentences, without those for tests."""
    for folder in ("src", "locale"):
        for path in sorted((ROOT / folder).rglob("*")):
            if ((path.suffix in (".h", ".cpp", ".po") or path.name == "CMakeLists.txt")
                    and not re.search(r"(_test|_testing)\.\w+$|/fake_\w+", path.as_posix())
                    and re.search(pattern, path.read_text(encoding="utf-8"))):
                yield path


def recipe_problems():
    """A table of files behind every heading of extending.md."""
    recipes = {}
    for language in ("en", "fa"):
        page = DOCS / language / "extending.md"
        sections = re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
        recipes[language] = [(section.splitlines()[0],
                              [(page.parent / target).resolve()
                               for target in re.findall(r"^\| \[`[^`]*`\]\((\S+)\) \|", section, re.MULTILINE)])
                             for section in sections]
    if len(recipes["en"]) != len(RECIPES):
        yield f"docs/en/extending.md: {len(recipes['en'])} recipes; RECIPES has {len(RECIPES)}"
    if [files for _, files in recipes["en"]] != [files for _, files in recipes["fa"]]:
        yield "docs/fa/extending.md: its recipes name other files than docs/en"
    for (title, files), (pattern, most, users) in zip(recipes["en"], RECIPES):
        if len(files) > most:
            yield f"docs/en/extending.md: {title}: {len(files)} files; expected at most {most}"
        for path in files_with(pattern):
            if path.resolve() not in files and path.name not in users:
                yield f"docs/en/extending.md: {title}: {pattern} stands in {path.relative_to(ROOT)} too"


def direction_problems(name, text):
    if not (text.startswith('<div dir="rtl">\n\n') and text.endswith('\n</div>\n')):
        yield f'docs/fa/{name}: not inside <div dir="rtl">'
    fences = len(re.findall(r"^```.+$|^```$", text, re.MULTILINE)) // 2
    turned = text.count('<div dir="ltr">\n\n```')
    if fences != turned:
        yield f'docs/fa/{name}: {fences} blocks of code, {turned} inside <div dir="ltr">'
    for number, (is_line, wanted) in enumerate(zip(text.split("\n"), marked(text).split("\n")), 1):
        if is_line != wanted:
            yield f"docs/fa/{name}:{number}: code beside text lacks its left-to-right marks; {wanted}"


def markdown_files():
    yield from sorted(DOCS.rglob("*.md"))
    for name in ("README.md", "README.fa.md", "CONTRIBUTING.md", "CHANGELOG.md", "src/README.md", "bench/README.md",
                 "examples/README.md"):
        if (ROOT / name).exists():
            yield ROOT / name
    yield from sorted((ROOT / "src").glob("*/README.md"))


def link_problems():
    for page in markdown_files():
        for target in LINK.findall(without_code(page.read_text(encoding="utf-8"))):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, fragment = target.partition("#")
            aim = (page.parent / path).resolve() if path else page
            where = page.relative_to(ROOT)
            if not aim.exists():
                yield f"{where}: link to {target}, which is not there"
            elif fragment and aim.suffix == ".md":
                anchors = {anchor(text) for _, text in headings(aim.read_text(encoding="utf-8"))}
                if fragment not in anchors:
                    yield f"{where}: link to {target}, which has no such heading"


def block_problems():
    for page in markdown_files():
        yield from reason_problems(page.relative_to(ROOT), page.read_text(encoding="utf-8"))


def reference_problems(program):
    for path, text in pages(program).items():
        committed = DOCS / path
        if not committed.exists() or committed.read_text(encoding="utf-8") != text:
            yield f"docs/{path}: not what the program says; run ./dev docs"


def api_problems():
    for name in make_api.undocumented():
        yield f"python/qanat: {name} has no docstring"


def known_flags(program):
    """{"data check": {"--json", ...}}, and the command that the wheel's program adds."""
    return {"watch": {"--out"}, **{path: {name for flag in facts["flags"] for name in flag["names"]}
                                   for path, facts in collect(program)}}


def old_names(program):
    """{"evaluate": {"--reference": "--recordings", ...}}: what still works, but is called otherwise now."""
    same = re.compile(r"same as `?(--[a-z-]+)")
    found = {}
    for path, facts in collect(program):
        for flag in facts["flags"]:
            first = next((name for name in flag["names"] if name.startswith("--")), "")
            meant = same.search(flag["help"])
            found.setdefault(path, {}).update({name: meant[1] if meant else first for name in flag["names"]
                                               if name.startswith("--") and (meant or name != first)})
    return found


def usage_problems(program):
    """Commands that are shown exist, with their flags by today's names."""
    flags = known_flags(program)
    renamed = old_names(program)
    for page in markdown_files():
        for block in blocks(page.read_text(encoding="utf-8")):
            if block.kind not in ("console", "sh"):
                continue
            shown = [command.line for command in commands(block)] if block.kind == "console" else block.lines
            text = "\n".join(shown).replace("\\\n", " ")
            for call in re.findall(r"(?:^|[|;&] *|\$ )(?:\S*/)?qanat +([^#|;&\n]+)", text, re.MULTILINE):
                yield from call_problems(page.relative_to(ROOT), call, flags, renamed)


def call_problems(where, call, flags, renamed=types.MappingProxyType({})):
    try:
        words = shlex.split(call)
    except ValueError as error:
        yield f"{where}: qanat {call}: {error}"
        return
    path = next((name for name in (" ".join(words[:2]), words[0]) if name in flags), None)
    if path is None:
        if words[0] not in ("--help", "--version") and not words[0].isupper():
            yield f"{where}: qanat {words[0]}: no such command"
        return
    for word in words[:words.index("--")] if "--" in words else words:  # behind it: another program's
        if word.startswith("--") and word.partition("=")[0] not in flags[path] | {"--help"}:
            yield f"{where}: qanat {path} has no flag {word}"
        elif word.partition("=")[0] in renamed.get(path, {}) and pathlib.PurePath(where).name != "migration.md":
            yield f"{where}: qanat {path} {word}: an old name; say {renamed[path][word.partition('=')[0]]}"


def reader(program):
    """What a reader's terminal has: the program, Debian's Python with this package, an English locale."""
    binary = pathlib.Path(program.path).resolve()
    path = [str(binary.parent), "/usr/bin", os.environ["PATH"]]  # /usr/bin: the Python that python3-torch belongs to
    return {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "dumb", "QANAT_SOURCE": str(ROOT), "COLUMNS": "110",
            "PATH": os.pathsep.join(path), "PYTHONPATH": str(ROOT / "python"), "QANAT_BIN": str(binary),
            "QANAT_LIBRARY": str(binary.parent.parent / "lib" / "libqanat.so")}


def pages_that_run():
    return [ROOT / "README.md", *sorted((DOCS / "en").glob("*.md"))]


def run_problems(program, slow, only=()):
    """Every command that is marked runs, from an empty folder, in the order of its page."""
    environment = reader(program)
    for page in pages_that_run():
        text, where = page.read_text(encoding="utf-8"), page.relative_to(ROOT)
        if (only and str(where) not in only) or not any(block.runs(slow) for block in blocks(text)):
            continue
        missing = [name for name in NEEDS.findall(text) if not has_module(name, environment)]
        if missing:
            print(f"{where}: skipped: python3 has no {', '.join(missing)}")
            continue
        with tempfile.TemporaryDirectory(prefix="qanat docs ") as folder:
            shell = Shell(folder, environment)
            try:
                yield from run_page(where, text, shell, folder, slow, 600 if slow else 30 * SECONDS)
            finally:
                shell.close()


def refresh(program, page):
    """Writes what the commands of a page print today into both languages."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="qanat docs ") as folder:
        shell = Shell(folder, reader(program))
        try:
            after = refreshed(text, shell, folder, 600)
        finally:
            shell.close()
    other = DOCS / "fa" / page.name
    if page.parent.name == "en" and other.exists():
        persian = other.read_text(encoding="utf-8")
        for old, new in zip(blocks(text), blocks(after)):
            persian = persian.replace("\n".join(old.lines) + "\n```", "\n".join(new.lines) + "\n```")
        other.write_text(persian, encoding="utf-8")
    page.write_text(after, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--qanat", default=os.environ.get("QANAT_BIN", "build/release/bin/qanat"))
    parser.add_argument("--slow", action="store_true", help="run all commands, nothing else")
    parser.add_argument("--only", action="append", default=[], metavar="PAGE", help="run the commands of this page, nothing else")
    parser.add_argument("--refresh", nargs="+", metavar="PAGE", help="write what the commands print today into these pages")
    options = parser.parse_args()
    program = Program(str(pathlib.Path(options.qanat).resolve()))
    if options.refresh:
        for page in options.refresh:
            refresh(program, (ROOT / page).resolve())
        return 0
    found = list(run_problems(program, options.slow, options.only))
    if not options.slow and not options.only:
        found += [*chapter_problems(), *walk_problems(), *recipe_problems(), *link_problems(), *block_problems(),
                  *source_problems(), *format_problems(), *reference_problems(program), *api_problems(),
                  *usage_problems(program), *stale_tables(), *check_pictures()]
    print("\n".join(found) or "docs: ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
