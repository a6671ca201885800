#!/usr/bin/env python3
"""Writes the figures of bench/figures.json into the README and the chapters on performance.

    bench/tables.py            # rewrites the tables
    bench/tables.py --check    # fails when one is not what bench/figures.json says

A table stands between `<!-- figures PART -->` and `<!-- end of figures -->`.
"""
import argparse
import json
import pathlib
import re
import sys

import targets

ROOT = pathlib.Path(__file__).resolve().parent.parent
STORE = ROOT / "bench" / "figures.json"
PAGES = {"docs/en/performance.md": "en", "docs/fa/performance.md": "fa", "README.md": "en", "README.fa.md": "fa"}
PLACE = re.compile(r"(<!-- figures (\w+) -->\n).*?(<!-- end of figures -->)", re.DOTALL)
MARK = "\u200e"  # keeps `>= 5` in its order where text runs right to left


def read_store():
    return json.loads(STORE.read_text(encoding="utf-8")) if STORE.exists() else {}


def keep(part, figures, machine, names=None):
    """The newest figures of a benchmark, beside those of the others. `names`: of whom was measured."""
    store = read_store()
    store[part] = {"machine": machine, **({"names": names} if names else {}), "figures": figures}
    ordered = {name: store[name] for name in targets.PARTS if name in store}
    STORE.write_text(json.dumps(ordered, indent=2) + "\n", encoding="utf-8")


def number(value):
    """Four digits that count, never in powers of ten."""
    text = f"{value:.4g}"
    return f"{value:.6f}" if "e" in text else text


def machine_line(stored, language):
    machine = stored["machine"]
    if language == "fa":
        cores = str(machine["cores"]).translate(str.maketrans("0123456789", "۰۱۲۳۴۵۶۷۸۹"))
        return f"اندازه‌گیری‌شده روی {cores} هسته، {machine['cpu']}، کرنل لینوکس {machine['kernel']}."
    return f"Measured on {machine['cores']} cores, {machine['cpu']}, Linux {machine['kernel']}."


def chapter_table(part, store, language):
    heads = {"en": "| figure | what | target | measured |", "fa": "| عدد | چیست | هدف | اندازه‌گیری‌شده |"}
    lines = [heads[language], "|---|---|---|---|"]
    figures = store[part]["figures"]
    for target in targets.PARTS[part]:
        if target.key in figures:
            what, bound = target.what, target.text()
            if language == "fa":
                what = target.persian
                bound = bound if target.bound is None else f"{MARK}`{bound}`"
            lines.append(f"| `{target.key}` | {what} | {bound} | {number(figures[target.key])} |")
    return "\n".join([*lines, "", machine_line(store[part], language)])


PACED_HEADS = {"en": "| a GPU whose step takes 45 ms: 22.2 steps/s at most | steps/s | data wait | cores | "
                     "slow storage: steps/s | data wait |",
               "fa": "| GPUای که گامش ۴۵ میلی‌ثانیه است: حداکثر ۲۲٫۲ گام در ثانیه | گام در ثانیه | انتظار داده | هسته | "
                     "دیسک کند: گام در ثانیه | انتظار داده |"}
PACED_ROWS = {  # of both languages
    "serial": ("Qanat without prefetching", "قنات بدون prefetch"),
    "dataloader": ("PyTorch DataLoader, 2 workers (slow storage: 4)", "PyTorch DataLoader با ۲ worker (دیسک کند: ۴)"),
    "buffered": ("**Single-GPU Buffered**, 1 worker (slow storage: 4)", "**Single-GPU Buffered** با ۱ worker (دیسک کند: ۴)"),
    "multi": ("**Multi-GPU**, features on the data GPU", "**Multi-GPU**، ویژگی‌ها روی GPU داده")}


def paced_table(store, language):
    """How well the modes feed a device, with warm files and with slow storage."""
    figures = store.get("modes", {}).get("figures", {})
    persian = language == "fa"
    lines = [PACED_HEADS["fa" if persian else "en"], "|---|---|---|---|---|---|"]
    for key, names in PACED_ROWS.items():
        cells = [figures.get(f"paced_{storage}_{key}_{figure}") for storage, figure in
                 (("warm", "steps_per_s"), ("warm", "wait_share"), ("warm", "cores"),
                  ("slow", "steps_per_s"), ("slow", "wait_share"))]
        if None not in cells:
            rate, wait, cores, slow_rate, slow_wait = cells
            lines.append(f"| {names[persian]} | {rate:.1f} | {100 * wait:.1f} % | {cores:.2f} | {slow_rate:.1f} | "
                         f"{100 * slow_wait:.1f} % |")
    if len(lines) == 2:
        return "`./dev demo` shows it on your machine; `./dev bench modes` on an idle one writes its figures here."
    return "\n".join(lines)


PEER_HEADS = {"en": "| loader, 2 workers | utterances/s | per CPU-second | ours over it | per CPU-second | "
                    "first batch | padding |",
              "fa": "| loader با ۲ worker | گفته در ثانیه | در هر ثانیهٔ CPU | نسبت ما به آن | در هر ثانیهٔ CPU | "
                    "نخستین batch | padding |"}


def peers_table(store, language):
    """Our loader beside the newest loaders of others, the fastest first."""
    stored = store.get("peers")
    if stored is None:
        return "`./dev bench peers` on an idle machine writes its figures here." if language != "fa" else \
            f"{MARK}`./dev bench peers` روی سیستمی بی‌کار عددها را این‌جا می‌نویسد."
    figures = stored["figures"]
    rows = sorted((key for key in stored["names"] if f"peers_{key}_utt_per_s" in figures),
                  key=lambda key: -figures[f"peers_{key}_utt_per_s"])
    lines = [PEER_HEADS["fa" if language == "fa" else "en"], "|---|---|---|---|---|---|---|"]
    for key in rows:
        rate, cpu, first, padding = (figures[f"peers_{key}_{field}"] for field in
                                     ("utt_per_s", "utt_per_cpu_s", "first_batch_ms", "padding"))
        over, over_cpu = (figures["peers_qanat_" + field] / value
                          for field, value in (("utt_per_s", rate), ("utt_per_cpu_s", cpu)))
        lines.append(f"| {stored['names'][key]} | {rate:.0f} | {cpu:.0f} | {over:.1f} x | {over_cpu:.1f} x | "
                     f"{first / 1000:.2f} s | {100 * padding:.0f} % |")
    return "\n".join([*lines, "", machine_line(stored, "fa" if language == "fa" else "en")])


def filled(text, language, store):
    def table(match):
        if match[2] == "paced":
            body = paced_table(store, language)
        elif match[2] == "loaders":
            body = peers_table(store, language)
        elif match[2] in store:
            body = chapter_table(match[2], store, language)
        else:
            body = "Not measured yet." if language == "en" else "هنوز اندازه‌گیری نشده است."
        return f"{match[1]}\n{body}\n\n{match[3]}"
    return PLACE.sub(table, text)


def write_tables():
    """The pages that changed."""
    store = read_store()
    changed = []
    for name, language in PAGES.items():
        page = ROOT / name
        before = page.read_text(encoding="utf-8")
        after = filled(before, language, store)
        if after != before:
            page.write_text(after, encoding="utf-8")
            changed.append(name)
    return changed


def stale_tables():
    store = read_store()
    for name, language in PAGES.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        if filled(text, language, store) != text:
            yield f"{name}: its figures are not those of bench/figures.json; try bench/tables.py"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing; fail when a table is stale")
    options = parser.parse_args()
    if options.check:
        problems = list(stale_tables())
        print("\n".join(problems))
        return 1 if problems else 0
    print("\n".join(write_tables()) or "nothing changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
