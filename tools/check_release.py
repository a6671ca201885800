#!/usr/bin/env python3
"""Fails where the tree is not ready to be released; ./dev release runs it first.

    tools/check_release.py            # prints the version

- CMakeLists.txt, python/pyproject.toml and python/qanat/__init__.py have one version.
- The first section of CHANGELOG.md is that version, with the day, and nothing in it is empty.
- The day is not before the section below it, and the version is above it.
- The status that README.md gives has the version, in both languages.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLACES = {"CMakeLists.txt": r"^project\(qanat VERSION ([\d.]+)", "python/pyproject.toml": r'^version = "([^"]+)"',
          "python/qanat/__init__.py": r'^__version__ = "([^"]+)"'}
SECTION = re.compile(r"^## (\d+\.\d+\.\d+)(?: \(([^)]*)\))?$", re.MULTILINE)
GROUPS = ("Change by hand", "New", "Better", "Fixed", "Known limits")


def versions(root):
    """{file: version}, None where it has none."""
    found = {}
    for name, pattern in PLACES.items():
        match = re.search(pattern, (root / name).read_text(encoding="utf-8"), re.MULTILINE)
        found[name] = match[1] if match else None
    return found


def key(version):
    return tuple(map(int, version.split(".")))


def changelog_problems(text, version):
    sections = SECTION.findall(text)
    if not sections or sections[0][0] != version:
        yield f"CHANGELOG.md: begins with {sections[0][0] if sections else 'no section'}; expected ## {version} (YYYY-MM-DD)"
        return
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", sections[0][1]):
        yield f"CHANGELOG.md: {version} is of '{sections[0][1]}'; expected the day of the release, (YYYY-MM-DD)"
    if any(key(older) >= key(version) for older, _ in sections[1:]):
        yield f"CHANGELOG.md: {version} is not above the sections below it"
    body = SECTION.split(text)[3]
    groups = re.findall(r"^### (.+)$", body, re.MULTILINE)
    for group in groups:
        if group not in GROUPS:
            yield f"CHANGELOG.md: group {group}; expected one of {', '.join(GROUPS)}"
    if groups != sorted(groups, key=lambda group: GROUPS.index(group) if group in GROUPS else 0):
        yield f"CHANGELOG.md: expected the groups in the order {', '.join(GROUPS)}"
    if re.search(r"^### .+\n\s*(?=###|\Z)", body, re.MULTILINE):
        yield "CHANGELOG.md: a group without a line"


def problems(root):
    found = versions(root)
    if len(set(found.values())) != 1 or None in found.values():
        yield "one version expected; " + ", ".join(f"{name} has {version}" for name, version in found.items())
        return
    version = found["CMakeLists.txt"]
    yield from changelog_problems((root / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    for name in ("README.md", "README.fa.md"):
        if f" {version}" not in (root / name).read_text(encoding="utf-8"):
            yield f"{name}: its status does not say {version}"


def main():
    found = list(problems(ROOT))
    print("\n".join(found) or versions(ROOT)["CMakeLists.txt"])
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
