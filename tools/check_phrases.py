#!/usr/bin/env python3
"""Fails where a name, a comment or a page uses a word that this project has a better one for.

    tools/check_phrases.py [--root FOLDER]

The table below is the glossary: what not to say, and what to say instead. It is held against
- names and comments of C++ files, and those string literals that are sentences,
- docs/en, docs/decisions, README.md, CHANGELOG.md and the README.md of folders outside of code,
- docs/fa and README.fa.md outside of code,
- locale/en.po (msgid) and locale/fa.po (msgstr), where there are any,
- comments and texts of Python files under python/ and examples/, comments of scripts and of configs/,
  the text cells of notebooks, and what `./dev help` prints.
A comment of C++ or Python, that of tests, bench and tools included, does not begin with "Of": it has a verb.
Each line it prints is `file:line: "words": say ...`. A word that is right in one place belongs in
ALLOWED, with the reason.
"""
import argparse
import io
import json
import pathlib
import re
import sys
import tokenize
import typing

CODE_FOLDERS = ("src", "tests", "bench", "fuzz", "examples")


class Ban(typing.NamedTuple):
    pattern: str
    say: str
    under: str = ""  # regex of the paths it is for; empty: all


# What people read who do not read the source.
USER_TEXT = r"^(docs/(en|README)|locale/|README|CHANGELOG|CONTRIBUTING|examples/|python/|configs/|bench/README|dev$)"

# Each against a whole identifier.
NAMES = [
    Ban(r"k(Most|Fewest|Least)([A-Z]\w*)?", "kMax..., kMin..."),
    Ban(r"\w*[Ll]edger\w*", "breakdown (of the step time)"),
    Ban(r"\w*[Rr]hythm\w*", "period, pattern"),
    Ban(r"\w*(Planted|_planted)\w*|planted(_\w+)?", "injected"),
    Ban(r"Cure|cured?", "remedy, fixed"),
    Ban(r"dearest(_\w+)?", "most_expensive"),
    Ban(r"won(_by)?", "time_saved, gain"),
    Ban(r"\w*WorthMentioning", "kMinReportableGain"),
    Ban(r"exactness", "specificity"),
    Ban(r"\w*(Scribe|EventFan)\w*|scribe_?", "...Writer, TeeSink"),
    Ban(r"\w*[Ff]arewell\w*", "kLingerTimeout"),
    Ban(r"complain(_\w+)?", "print_error"),
    Ban(r"leave_out", "exclude, omit"),
    Ban(r"leave_away", "omit"),
    Ban(r"(read_)?(run|slot)_trace|\w*(Run|Host|Gpu|Slot)Trace(?!r)\w*",
        "RunSummary, SlotTimeline: a trace is what telemetry writes"),
    Ban(r"BatchWay|to_way", "BatchTimeline"),
    Ban(r"ways?", "timelines", r"src/diagnose/"),
    Ban(r"WorkerSeat|seat", "WorkerState", r"src/pipeline/"),
    Ban(r"PrepareBench|bench(es)?_?|\w+_benches", "StagingBuffer", r"src/transfer/transfer_ring\."),
    Ban(r"(?i:page_?locked?)|\w*PageLock\w*", "pinned"),
    Ban(r"[Pp]iece(s|\w+)?|\w+_pieces?|halve[sd]?|[Hh]alving", "microbatch, split", r"src/train/(?!optimiser)"),
    Ban(r"average(_\w+)?|averaged|follow", "ema, ema_update()", r"src/train/"),
    Ban(r"\w*(_on_stock|Stock)\w*|stock", "prefill", r"src/diagnose/"),
    Ban(r"refined", "postnet_mel"),
    Ban(r"sum_over_processes", "all_reduce"),
    Ban(r"looks", "samples", r"src/(diagnose|diagnosing|monitor|report|selftest)/"),
    Ban(r"reserve_", "slack_"),
    Ban(r"mend(ed|s)?|\w+(Mended|Cured)", "fix"),
    Ban(r"\w+Anew\w*", "again, from the start"),
]
# Against the code of a line.
CODE = [
    Ban(r"\bSeconds longest\b(?!\{0\})", "timeout"),  # from 0 on: a largest value that was seen
    Ban(r"\bgroup\.sum\(", "all_reduce", r"src/train/"),
    Ban(r"\breserve\b(?!\()", "slack", r"src/(transfer/ring_tuner|session/ring_observer)"),
]
# Comments alone.
COMMENTS = [
    Ban(r"(?-i:(?://|/\*|#) Of\b)", "what the thing is, with a verb: \"Counts the rows of ...\""),
]
# English prose: comments, pages, messages.
ENGLISH = [
    Ban(r"\bpage-lock(ed|s|ing)?\b", "pinned"),
    Ban(r"\bledgers?\b", "step time breakdown"),
    Ban(r"\brhythms?\b", "period"),
    Ban(r"\bplant(s|ed|ing)? (known |a |the |any )?faults?\b|\bplanted\b", "inject"),
    Ban(r"\bcure[sd]?\b", "fix, remedy"),
    Ban(r"\bdearest\b", "most expensive"),
    Ban(r"\b(can|could|cannot|to|not) be won\b|\b(is|was|not) won\b", "saved, gained"),
    Ban(r"\bworth mentioning\b", "large enough to report"),
    Ban(r"\bmend(s|ed|ing)?\b", "fix"),
    Ban(r"\banew\b", "again, from the start"),
    Ban(r"\b(leav(e|es|ing)|left) (it |them )?away\b", "omit"),
    Ban(r"\bgo(es|ing)? on from\b", "resume from"),
    Ban(r"\bnewest checkpoint\b", "latest checkpoint"),
    Ban(r"\bleaves? with (exit|128|status|code)\b", "exit with"),
    Ban(r"\bspeak(s|ing)? freely\b", "free-running"),
    Ban(r"\bfor want of\b", "for lack of, because there is no"),
    Ban(r"\bfarewell\b", "linger timeout"),
    Ban(r"\bsum(s|med)? over (all )?processes\b", "all_reduce"),
    Ban(r"\b(the|its|their) ways? of (a|each|every|its|the) batch(es)?\b", "batch timeline"),
    Ban(r"\bstocks?\b", "prefill, prefetched batches", r"src/diagnose/"),
    Ban(r"\bpieces?\b", "microbatch", r"src/train/(?!optimiser)"),
    Ban(r"\bcannot tell\b", "skipped: the reason", r"docs/|locale/"),
    Ban(r"\blook(s|ing)? cost\b|\bbetween (two )?looks\b|\ba look\b(?! at)", "sample, reading"),
    Ban(r"\bin turns\b|\bturn by turn\b", "interleaved, alternating runs", r"^(?!src/|tests/|bench/.*\.)"),
    Ban(r"\bmade (speech|clips?)\b", "synthesized speech, generated clips"),
    Ban(r"\b(GPUs|(?-i:devices)) pay\b(?! off)", "pay off", USER_TEXT),
    Ban(r"\bgo(es)? on (with|where|to|spinning|in)\b|\bwhile .{0,20} goes on\b", "continue, resume", USER_TEXT),
    Ban(r"\bleaves? with \d", "exit with"),
    Ban(r"\bbeside\b", "next to, compared with, while other programs run", USER_TEXT),
    Ban(r"\b(?<!all )that of\b|\bthose of\b", "repeat the noun", r"^(docs/en/|locale/|python/README|examples/README)"),
    Ban(r"\b(?-i:processors?)\b", "CPU", r"^(docs/en/|locale/|README|CHANGELOG|examples/|python/qanat|configs/)"),
    Ban(r"\bwhich (one|vocoder) spoke\b|\bwho speaks\b", "vocoder used", USER_TEXT),
    Ban(r"\b(normal|optim|token|recogn|binar|synchron|initial|serial|util|synthes)is(e[srd]?|ing|ations?)\b|\bcolours?\b"
        r"|\blicences?\b|\blearnt\b|\bdearer?\b", "US spelling, as PyTorch: normalize, color, license",
        r"^(docs/en/|locale/|README|CHANGELOG|CONTRIBUTING|python/qanat|examples/|configs/|dev$)"),
]
# Persian prose. ZWNJ joins, so that an ending is part of the word and a stem is found with it.
PERSIAN = [
    Ban("کارگر(?!دان)", "worker"),
    Ban("ریسه", "نخ (thread)"),
    Ban("میان‌گیر", "بافر"),
    Ban("جاروب", "جست‌وجوی تنظیمات (sweep)"),
    Ban("پیمایش", "جست‌وجوی تنظیمات (sweep)"),
    Ban("فرماندار", "governor"),
    Ban("آموزگار", "آموزش"),
    Ban("نشانه‌گذاری", "توکنایز"),
    Ban("نقطه(ٔ|‌ی|‌های)? ?(بازیابی|بازگشت)", "چک‌پوینت (checkpoint)"),
    Ban("ذخیره‌گاه|ذخیره‌ساز(?!ی)", "دیسک، حافظهٔ ذخیره‌سازی"),
    Ban("رونوشت", "کپی"),
    Ban("نیم‌رخ", "پروفایل"),
    Ban("(?<![\\w‌])نهان(گاه)?(?![\\w‌])", "کش"),
    Ban("(?<![\\w‌])ظرف(?![\\w‌])(?! (\\S+ )?(ثانیه|دقیقه|ساعت))", "کانتینر"),
    Ban("سامانه", "سیستم"),
    Ban("رایانه", "سیستم"),
    Ban("کارساز", "سرور"),
    Ban("درگاه", "پورت"),
    Ban("بسامد", "فرکانس"),
    Ban("پرونده", "فایل"),
    Ban("ژرفا", "عمق"),
    Ban("پودمان", "ماژول"),
    Ban("نوفه", "نویز"),
    Ban("بی‌تفاوت", "تفاوتی نیست"),
    Ban(r"شمار(?![\w‌])", "تعداد"),
    # One word for one thing: what was split once.
    Ban("پروسه|پردازه", "فرایند"),
    Ban("ژورنال", "دفتر رویدادها (journal)"),
    Ban("رتبه(?!‌بندی|ٔ اول)", "rank"),
    Ban("ماشین(?!‌های مجازی| مجازی)", "سیستم", r"^(?!docs/fa/gpu_acceptance)"),  # there: کد ماشین
    Ban("آرگومان(?!‌ها\"| اضافی| داده| \\|)", "پرچم", r"^(?!docs/fa/commands)"),  # what stands without a flag
    Ban("ردیف", "سطر", r"^(?!locale/|docs/fa/rules)"),  # a row of memory is one
    Ban("رمزگشایی", "دیکد"),
    Ban("طیف‌نگا", "اسپکتروگرام"),
    Ban("نویسه", "کاراکتر"),
    Ban("(?<!گذر)واژه(?!‌نامه)", "کلمه"),
    Ban("تانسور", "تنسور"),
    Ban("بهینه‌ساز(?!ی)", "optimizer"),
    Ban("نوبتی", "یکی‌درمیان"),
    Ban("می‌صرفد|به صرفه|دستگاه (ن?می‌ارزد)", "به‌صرفه است"),
    Ban("گرم شدن(?!\\))", "warm-up"),
    Ban("سرآیند", "هدر"),
    Ban("پیوند(?!ه)", "لینک"),
    Ban("دقت (ساده|single)", "float32"),
    Ban("داده(ٔ)? (رایگان|بی‌هزینه)|دادهٔ بی‌هزینه", "دادهٔ همیشه آماده"),
    Ban("نشانی", "آدرس"),
    Ban("اینجا|آنجا|اینکه|آنکه|ایدئال|مثلا(?!ً)|GPUیی|بی‌کار(?!برد)", "این‌جا، آن‌جا، این‌که، آن‌که، ایده‌آل، مثلاً، GPUای، بیکار"),
    Ban("(?<![\\w‌])(م‌ک‌ث|م‌ث)(?![\\w‌])", "µs, ms"),
    # Words that were drawn and did not sound natural.
    Ban("سنتز", "ساخت گفتار"),
    Ban("نمایه", "فهرست طول‌ها"),
    Ban("(?<![\\w‌])پوسته", "shell"),
    Ban("نقطه‌گذاری", "علامت‌های نگارشی"),
    Ban("آزموده نشده", "آزمایش نشده"),
    Ban("برگزین", "انتخاب کنید، بدهید"),
    Ban("سخن (می‌)?گو", "حرف زدن، گفتار ساختن"),
    Ban("مجموعه(ٔ|‌های) داده(?![ی‌])", "مجموعه‌داده"),
    Ban("در حال گفته شدن", "در حال ساخت"),
    Ban("ضبط‌ها(?![\\w‌])|(?<![\\w‌])یک ضبط(?![\\w‌])", "صدای ضبط‌شده، فایل صوتی"),
    Ban("پدیدار", "نوشته می‌شود، دیده می‌شود"),
    Ban("بی‌درنگ", "بلافاصله"),
    Ban("(?<![\\w‌])پروانهٔ?(?![\\w‌])", "مجوز"),
]

# (path, words, reason): regexes; right in this place.
ALLOWED = [
    (r"src/text/", r"cure[sd]?|halve[sd]?", "words that are read aloud"),
    (r"src/train/host_snapshot\.", r"piece", "of memory, not of a batch"),
]

TOKEN = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)'
    r'|(?P<raw>(?:u8|[LuU])?R"(?P<delim>[^()\\\s]{0,16})\(.*?\)(?P=delim)")'
    r'|(?P<include>^[ \t]*#[ \t]*include[^\n]*)'
    r'|(?P<string>(?:u8|[LuU])?"(?:[^"\\\n]|\\.)*")'
    r"|(?P<number>\b\d[\w.']*)"
    r"|(?P<char>(?:u8|[LuU])?'(?:[^'\\\n]|\\.)+')", re.S | re.M)
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
# What stands in quotes or backticks names something: a key, a file, a command.
QUOTED = re.compile(r'"[^"\n]*"|`[^`\n]*`')
GAP = re.compile(r"\{\w+\}|`[^`\n]*`")  # of a sentence: its name is C++
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
LINK = re.compile(r"\]\([^)]*\)|<[^>\n]*>")


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def code_and_comments(text):
    """The file twice, of the same length: without comments and strings, and comments only."""
    code, comments, at = [], [], 0
    for match in TOKEN.finditer(text):
        before = text[at:match.start()]
        code += [before, match[0] if match.lastgroup == "number" else blank(match)]
        comments += [re.sub(r"[^\n]", " ", before)]
        comments += [match[0] if match.lastgroup == "comment" else blank(match)]
        at = match.end()
    code.append(text[at:])
    comments.append(re.sub(r"[^\n]", " ", text[at:]))
    return "".join(code), "".join(comments)


def po_texts(text, keyword):
    """The texts of all `keyword`s of a .po file in their lines; everything else blank."""
    lines, inside = [], False
    for line in text.split("\n"):
        if line.startswith('"'):
            lines.append(line if inside else "")
            continue
        inside = line.startswith(keyword)
        lines.append(line[len(keyword):] if inside else "")
    return "\n".join(lines)


def without_wing(path):
    """Rules name modules: src/learn/train/a.h is src/train/a.h to them."""
    return re.sub(r"^src/[a-z]+/(?=[a-z_]+/)", "src/", path)


class Page:
    """One text of a file, line by line that of the file; wide gaps, of which blanked texts mostly consist, are narrowed."""

    def __init__(self, path, text):
        self.path = path
        self.module_path = without_wing(path)
        self.text = re.sub(" {3,}", "  ", text)

    def found(self, at, words, ban):
        if any(re.search(where, self.module_path) and re.fullmatch(right, words, re.I)
               for where, right, _ in ALLOWED):
            return []
        line = self.text.count("\n", 0, at) + 1
        return [f'{self.path}:{line}: "{words}": say {ban.say}']

    def prose_problems(self, bans):
        bans = [ban for ban in bans if re.search(ban.under, self.module_path)]
        any_ban = re.compile("|".join(f"(?:{ban.pattern})" for ban in bans), re.I)
        for match in any_ban.finditer(self.text):
            ban = next(b for b in bans if re.match(b.pattern, match[0], re.I))
            yield from self.found(match.start(), match[0], ban)

    def name_problems(self):
        bans = [ban for ban in NAMES if re.search(ban.under, self.module_path)]
        if not bans:
            return
        any_ban = re.compile("|".join(f"(?:{ban.pattern})" for ban in bans))
        for match in IDENTIFIER.finditer(self.text):
            if any_ban.fullmatch(match[0]):
                ban = next(b for b in bans if re.fullmatch(b.pattern, match[0]))
                yield from self.found(match.start(), match[0], ban)


def sentences(text):
    """String literals of several words, of which no letter is a format of another program; the rest blank."""
    kept, at = [], 0
    for match in TOKEN.finditer(text):
        is_sentence = match.lastgroup == "string" and len(re.findall(r"[A-Za-z]{2,} ", match[0])) >= 2
        kept += [re.sub(r"[^\n]", " ", text[at:match.start()]), match[0] if is_sentence else blank(match)]
        at = match.end()
    kept.append(re.sub(r"[^\n]", " ", text[at:]))
    return "".join(kept)


def python_prose(text):
    """Comments and strings in their lines; everything else blank."""
    lines = [[" "] * len(line) for line in text.split("\n")]
    source = text.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_string = token.type in (tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", None))
        is_text = is_string and " " in token.string  # others are keys
        if token.type == tokenize.COMMENT or is_text:
            (first, begin), (last, end) = token.start, token.end
            for row in range(first, last + 1):
                left = begin if row == first else 0
                right = end if row == last else len(source[row - 1])
                lines[row - 1][left:right] = source[row - 1][left:right]
    return "\n".join("".join(line) for line in lines)


def python_comments(text):
    """Comments in their lines; everything else blank."""
    lines = [""] * (text.count("\n") + 1)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            lines[token.start[0] - 1] = token.string
    return "\n".join(lines)


def script_prose(text):
    """Comments of a shell script or a YAML file, and what a here-document prints."""
    kept, inside = [], ""
    for line in text.split("\n"):
        opened = re.search(r"<<-?'?(HELP|EOF)'?", line)
        if inside:
            inside = "" if line.strip() == inside else inside
            kept.append(line)
        else:
            kept.append(line if re.match(r"\s*#", line) else "".join(re.findall(r"(?<=\s)# .*$", line)[:1]))
            inside = opened[1] if opened else ""
    return "\n".join(kept)


def notebook_prose(text):
    cells = json.loads(text)["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def cpp_problems(path, text):
    code, comments = code_and_comments(text)
    if not path.endswith(("_test.cpp", "_testing.h")) and path.startswith("src/") and "/text/" not in path:
        yield from Page(path, sentences(text)).prose_problems(ENGLISH)
    yield from Page(path, code).name_problems()
    yield from Page(path, code).prose_problems(CODE)
    yield from Page(path, QUOTED.sub(blank, comments)).prose_problems(COMMENTS + ENGLISH)


def page_problems(path, text, bans):
    for pattern in (FENCE, QUOTED, LINK):
        text = pattern.sub(blank, text)
    yield from Page(path, text).prose_problems(bans)


def python_problems(path, text):
    yield from Page(path, python_comments(text)).prose_problems(COMMENTS)
    if path.startswith(("python/", "examples/")):
        yield from Page(path, re.sub(r"`[^`\n]*`", blank, python_prose(text))).prose_problems(ENGLISH)


def file_problems(path, text):
    if path.endswith((".h", ".cpp")):
        yield from cpp_problems(path, text)
    elif path.startswith("docs/fa/") or path == "README.fa.md":
        yield from page_problems(path, text, PERSIAN)
    elif path.endswith(".md"):
        yield from page_problems(path, text, ENGLISH)
    elif path.endswith("en.po"):
        yield from Page(path, GAP.sub(blank, po_texts(text, "msgid"))).prose_problems(ENGLISH)
    elif path.endswith("fa.po"):
        yield from Page(path, po_texts(text, "msgstr")).prose_problems(PERSIAN)
    elif path.endswith(".py"):
        yield from python_problems(path, text)
    elif path.endswith(".ipynb"):
        yield from page_problems(path, notebook_prose(text), ENGLISH)
    elif path == "dev" or path.endswith((".sh", ".yaml")):
        yield from Page(path, script_prose(text)).prose_problems(ENGLISH)


def files(root):
    for folder in CODE_FOLDERS:
        yield from sorted(p for p in (root / folder).rglob("*") if p.suffix in (".h", ".cpp"))
    for pattern in ("docs/en/*.md", "docs/fa/*.md", "docs/decisions/*.md", "README.md", "README.fa.md", "CONTRIBUTING.md", "CHANGELOG.md",
                    "*/README.md", "src/*/README.md", "examples/*/README.md", "share/*/README.md", "locale/*.po",
                    "examples/*.py", "examples/**/*.sh", "examples/*.ipynb", "python/**/*.py",
                    "tests/**/*.py", "bench/**/*.py", "tools/**/*.py", "configs/*.yaml", "dev"):
        yield from sorted(root.glob(pattern))


def problems(root):
    for path in files(root):
        yield from file_problems(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    found = list(problems(parser.parse_args().root))
    print("\n".join(found) or "phrases: ok")
    sys.exit(1 if found else 0)
