"""Writes the chapter on the Python package from its docstrings; ./dev docs runs it through make_reference.py.

A public name is one of `qanat.__all__` or `qanat.callbacks.__all__`; each has a docstring, and so have its public
methods and properties. In a docstring, an indented paragraph is code, and one whose lines begin with a name and two
spaces is a table of settings.
"""
import importlib
import inspect
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORDS = {
    "en": {"title": "Python API",
           "intro": "Every public name of the package `qanat`, generated from its docstrings by `./dev docs`; do not edit. "
                    "`help(qanat.Loader)` prints the same. [Python](python.md) shows how to use them.",
           "head": "| setting | meaning |\n|---|---|\n", "callbacks": "Callbacks"},
    "fa": {"title": "مرجع API پایتون",
           "intro": "همهٔ نام‌های عمومی بستهٔ `qanat`. این فصل با `./dev docs` از docstringها ساخته می‌شود؛ ویرایشش نکنید. متن‌ها مثل خود "
                    "docstringها انگلیسی‌اند و `help(qanat.Loader)` همین‌ها را چاپ می‌کند. روش استفاده در [فصل پایتون](python.md) آمده است.",
           "head": "| تنظیم | معنی |\n|---|---|\n", "callbacks": "callbackها"},
}
MADE_BY_USERS = ("Loader", "Tokenizer", "Voice")  # the others come from a call
SETTING = re.compile(r"^(\w+(?:, \w+)*)(?:\s{2,}(\S.*))?$")


def signature(name, function):
    """Names and defaults; types are in the annotations that mypy and pyright read."""
    shown, marked = [], False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not marked:
            shown.append("*")
            marked = True
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        marked = marked or stars == "*"
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
        shown.append(f"{stars}{parameter.name}{default}")
    line = f"{name}({', '.join(shown)})"
    return line if len(line) <= 100 else f"{name}(\n    " + ",\n    ".join(shown).replace("*,\n    ", "*, ") + ")"


def settings(lines):
    """[(names, meaning)] of a paragraph that is a table, or [] if it is none."""
    if not (match := SETTING.match(lines[0])) or not (match[2] or (len(lines) > 1 and lines[1].startswith("    "))):
        return []
    rows = []
    for line in lines:
        match = None if line.startswith("    ") else SETTING.match(line)
        if match:
            rows.append([match[1], match[2] or ""])
        elif line.startswith("    ") and rows:
            rows[-1][1] = f"{rows[-1][1]} {line.strip()}".strip()
        else:
            return []
    return rows


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def fenced(code, language):
    block = f"```python\n{code}\n```\n"
    return f'<div dir="ltr">\n\n{block}\n</div>\n' if language == "fa" else block


def prose(text, language):
    """English sentences, which run left to right on a Persian page, too."""
    return f'<div dir="ltr">\n\n{text}\n\n</div>\n' if language == "fa" else text + "\n"


def documented(doc, language):
    """Markdown of a docstring."""
    parts = []
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(doc)):
        lines = paragraph.split("\n")
        if all(line.startswith("    ") for line in lines):
            parts.append(fenced(textwrap.dedent(paragraph), language))
        elif rows := settings(lines):
            body = "".join(f"| `{names}` | {cell(meaning)} |\n" for names, meaning in rows)
            parts.append(prose((WORDS[language]["head"] + body).rstrip("\n"), language))
        else:
            parts.append(prose(paragraph.replace("<", "&lt;"), language))
    return "\n".join(parts)


def public_members(thing):
    """Methods and properties of a class that have a docstring of their own, in the order of the source."""
    for name, member in vars(thing).items():
        function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        if not name.startswith("_") and callable(function) and function.__doc__:
            yield name, member, function


def section(level, path, thing, language):
    name = path.rpartition(".")[2]
    shown = path if inspect.isclass(thing) and name not in MADE_BY_USERS else signature(path, thing)
    text = f"{level} {name}\n\n{fenced(shown, language)}\n{documented(thing.__doc__, language)}"
    if inspect.isclass(thing):
        for member, value, function in public_members(thing):
            call = f".{member}" if isinstance(value, property) else "." + signature(member, function)
            text += f"\n{fenced(call, language)}\n{documented(function.__doc__, language)}"
    return text


def undocumented():
    """Public names without a docstring."""
    for path, thing in public_names():
        if not thing.__doc__:
            yield path
        if inspect.isclass(thing):
            for name, member in vars(thing).items():
                function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
                told = function and function.__doc__ or re.search(rf"^{name}\b", inspect.cleandoc(thing.__doc__), re.M)
                if not name.startswith("_") and inspect.isfunction(function) and not told:
                    yield f"{path}.{name}"


def public_names():
    sys.path.insert(0, str(ROOT / "python"))
    package = importlib.import_module("qanat")
    callbacks = importlib.import_module("qanat.callbacks")
    yield from ((f"qanat.{name}", getattr(package, name)) for name in package.__all__)
    yield from ((f"qanat.callbacks.{name}", getattr(callbacks, name)) for name in callbacks.__all__)


def api_page(language):
    words = WORDS[language]
    text = f"# {words['title']}\n\n{words['intro']}\n"
    in_callbacks = False
    for path, thing in public_names():
        if path.startswith("qanat.callbacks.") and not in_callbacks:
            in_callbacks = True
            text += f"\n## {words['callbacks']}\n\n{documented(sys.modules['qanat.callbacks'].__doc__, language)}"
        text += "\n" + section("###" if in_callbacks else "##", path, thing, language)
    return text
