#!/usr/bin/env python3
"""Makes the pictures of the README from real runs of the script in docs/en/tutorial_slow_training.md.

    tools/make_pictures.py --qanat build/release/bin/qanat     # needs torch for /usr/bin/python3, and chromium

- docs/img/watch.svg: a terminal in which the script is watched, reported on, fixed and compared. Lines light up one
  after the other, and can be read where nothing moves.
- docs/img/report.png and report_dark.png: the top of the HTML report of the first run. The headings of that page are in
  each file, so that check_pictures() sees when they are not the program's any more.
"""
import argparse
import html
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

import doc_blocks

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "img"
TUTORIAL = ROOT / "docs" / "en" / "tutorial_slow_training.md"
COLUMNS = 96
SHOWN = (  # (command, lines of its output to show)
    ("qanat watch --out runs/before -- python3 train.py", r"\d+ steps watched"),
    ("qanat report runs/before", r"VERDICT|#1|    gain.*\(replay\)|    fix       num_workers"),
    ("sed -i 's/^WORKERS = 0/WORKERS = 2/' train.py", r"$^"),
    ("qanat watch --out runs/after -- python3 train.py", r"\d+ steps watched"),
    ("qanat report runs/after --baseline runs/before", r"VERDICT|BASELINE|          loader"),
)
STYLE = """text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d6deeb;white-space:pre}
.c{fill:#82d9a8}.v{fill:#ffcb6b;font-weight:bold}.m{fill:#8796b0}
@media (prefers-reduced-motion:no-preference){text.l{animation:s .01s both}@keyframes s{from{opacity:.45}to{opacity:1}}}"""
PAGE = (1200, 760)


def script_of_tutorial():
    for block in doc_blocks.blocks(TUTORIAL.read_text(encoding="utf-8")):
        if block.words == ["train.py"]:
            return "\n".join(block.lines) + "\n"
    sys.exit(f"{TUTORIAL}: expected a block `python train.py`")


def environment(program):
    path = [str(program.parent), "/usr/bin", os.environ["PATH"]]
    return {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "dumb", "COLUMNS": "200", "PATH": os.pathsep.join(path),
            "PYTHONPATH": str(ROOT / "python"), "QANAT_BIN": str(program)}


def recorded(folder, settings):
    """[line] of the terminal, from a real run in the folder."""
    lines = []
    for command, wanted in SHOWN:
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=settings, check=False, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode not in (0, doc_blocks.FINDINGS):
            sys.exit(f"{command}: exit code {done.returncode}\n{done.stdout}")
        lines.append(f"$ {command}")
        lines += [line for line in done.stdout.splitlines() if re.match(wanted, line)]
    return lines


def wrapped(line):
    """[(row, is the rest of a sentence)]: a line as a terminal of COLUMNS shows it, continued below its text."""
    rows, indent, inside = [], " " * (len(line) - len(line.lstrip()) + 10), False
    while len(line) > COLUMNS:
        at = line.rfind("   ", 12, COLUMNS)
        is_inside, at = at < 0, at if at > 0 else line.rfind(" ", 12, COLUMNS)
        rows.append((line[:at].rstrip(), inside))
        line, inside = indent + line[at:].strip(), is_inside
    return [*rows, (line, inside)]


def spans(line):
    """The line with its colors."""
    if line.startswith("$ "):
        return f'<tspan class="c">$ {html.escape(line[2:])}</tspan>'
    match = re.match(r"(VERDICT +|BASELINE +|#1 +)(\S+)(.*)", line)
    if match:
        return (f'<tspan class="m">{html.escape(match[1])}</tspan><tspan class="v">{html.escape(match[2])}</tspan>'
                f"{html.escape(match[3])}")
    return html.escape(line)


def terminal(lines):
    """The SVG of a terminal."""
    rows, at = [], 0.3
    for line in lines:
        rows += [(row, at, "l w" if inside else "l") for row, inside in wrapped(line)]
        at += 1.2 if line.startswith("$ ") else 0.35
    height = 52 + 19 * len(rows)
    width = 24 + int(7.83 * COLUMNS)
    texts = "\n".join(f'<text class="{kind}" x="16" y="{50 + 19 * number}" style="animation-delay:{delay:.2f}s">{spans(row)}</text>'
                      for number, (row, delay, kind) in enumerate(rows))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'role="img">\n<title>qanat watch and qanat report in a terminal</title>\n<style>{STYLE}</style>\n'
            f'<rect width="{width}" height="{height}" rx="8" fill="#1b2333"/>\n'
            '<circle cx="20" cy="18" r="5" fill="#5a6780"/><circle cx="38" cy="18" r="5" fill="#5a6780"/>'
            f'<circle cx="56" cy="18" r="5" fill="#5a6780"/>\n{texts}\n</svg>\n')


def headings_of(page):
    """Texts of the headings of a report."""
    found = re.findall(r"<h[23][^>]*>(.*?)</h[23]>", page, re.DOTALL)  # h1: the name of the run
    texts = [html.unescape(re.sub(r"<[^>]*>", "", text)).strip() for text in found]
    return list(dict.fromkeys(text for text in texts if text))


def with_text(png, texts):
    """The file with one more chunk: the texts, which a viewer does not show."""
    chunk = b"iTXtHeadings\0\0\0\0\0" + "\n".join(texts).encode()
    packed = struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
    return png[:33] + packed + png[33:]  # behind the header


def texts_in(png):
    match = re.search(rb"iTXtHeadings\0\0\0\0\0", png)
    size = struct.unpack(">I", png[match.start() - 4:match.start()])[0]
    return png[match.end():match.start() + 4 + size].decode().split("\n")


def screenshot(page, target, dark):
    """The top of the page, as Chromium draws it."""
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run([shutil.which("chromium") or "chromium", "--headless", "--no-sandbox", "--hide-scrollbars",
                        f"--user-data-dir={profile}", f"--window-size={PAGE[0]},{PAGE[1]}", f"--screenshot={target}",
                        f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--virtual-time-budget=3000",
                        page.as_uri()], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def make(program):
    with tempfile.TemporaryDirectory(prefix="qanat pictures ") as scratch:
        folder = pathlib.Path(scratch)
        (folder / "train.py").write_text(script_of_tutorial(), encoding="utf-8")
        settings = environment(program)
        (PICTURES / "watch.svg").write_text(terminal(recorded(folder, settings)), encoding="utf-8")
        page = folder / "report.html"
        subprocess.run([program, "report", "runs/before", "--fail-on", "never", "--html", page], cwd=folder, env=settings,
                       check=True, stdout=subprocess.DEVNULL)
        texts = headings_of(page.read_text(encoding="utf-8"))
        for name, dark in (("report.png", False), ("report_dark.png", True)):
            drawn = folder / name
            screenshot(page, drawn, dark)
            (PICTURES / name).write_bytes(with_text(drawn.read_bytes(), texts))
            print(f"docs/img/{name}: {(PICTURES / name).stat().st_size} bytes")


def sentences(catalog):
    """A regex for every sentence of a .po file; a gap stands for anything."""
    for text in re.findall(r'^msgid ((?:"(?:[^"\\]|\\.)*"\n)+)', catalog, re.MULTILINE):
        joined = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"\n', text)).replace('\\"', '"')
        for part in re.split(r"\s{2,}", joined):  # columns of a line
            fixed = re.sub(r"\{[^}]*\}", "", part)
            if part and (fixed == part or len(re.findall("[A-Za-z]", fixed)) >= 4):  # gaps alone would fit everything
                yield ".+".join(re.escape(piece) for piece in re.split(r"\{\w+(?:\|[^}]*)?\}", part))


# Parts of a line that are no sentence: number and rule of a finding, a setting, what qanat.watch prints.
NO_SENTENCE = re.compile(r"^(#?\d+ +)?[A-Z]{2,4}\d{3} +|^\w+=\d+$|^\d+ steps watched; try: qanat report \S+$")


def check_pictures():
    """What the pictures say that the program does not say any more."""
    catalog = (ROOT / "locale" / "en.po").read_text(encoding="utf-8")
    known = re.compile("|".join(f"(?:{sentence})" for sentence in sentences(catalog)))
    svg = (PICTURES / "watch.svg").read_text(encoding="utf-8")
    svg = re.sub(r"</text>\n<text class=\"l w\"[^>]*> *", " ", svg)
    rows = [html.unescape(re.sub(r"<[^>]*>", "", row)) for row in re.findall(r"<text[^>]*>(.*?)</text>", svg)]
    for part in re.split(r"\s{2,}", "  ".join(row for row in rows if not row.startswith("$ "))):
        part = NO_SENTENCE.sub("", part)
        if re.search(r"[a-z]{3}", part) and not known.fullmatch(part):
            yield f"docs/img/watch.svg: `{part}` is no sentence of locale/en.po; run tools/make_pictures.py"
    for name in ("report.png", "report_dark.png"):
        for text in texts_in((PICTURES / name).read_bytes()):
            text = NO_SENTENCE.sub("", text)
            if not known.fullmatch(text):
                yield f"docs/img/{name}: the heading `{text}` is not in locale/en.po; run tools/make_pictures.py"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--qanat", default=os.environ.get("QANAT_BIN", "build/release/bin/qanat"))
    make(pathlib.Path(parser.parse_args().qanat).resolve())
    found = list(check_pictures())
    print("\n".join(found) or "pictures: ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
