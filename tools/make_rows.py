#!/usr/bin/env python3
"""Makes the rows of a C++ array from a table that is edited as text: lines of columns between tabs; # begins a remark, - is an
empty column.

usage: make_rows.py TABLE.tsv OUT.inc TYPE [ENUMERATION]    ENUMERATION: that of the last column
"""
import pathlib
import sys


def read_rows(table, enumerated):
    """The rows; fails on one with another number of columns, and on one that is hidden by another."""
    rows, seen = [], set()
    for number, line in enumerate(table.read_text(encoding="utf-8").splitlines(), start=1):
        if not line or line.startswith("#"):
            continue
        row = ["" if column == "-" else column for column in line.split("\t")]
        if rows and len(row) != len(rows[0]):
            sys.exit(f"{table}:{number}: {len(row)} columns; expected {len(rows[0])}, between tabs")
        key = (row[0], row[-1] if enumerated else "")
        if key in seen:
            sys.exit(f"{table}:{number}: stands there twice: {row[0]}")
        seen.add(key)
        rows.append(row)
    return rows


def text(column):
    return '"' + column.replace("\\", "\\\\").replace('"', '\\"') + '"'


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    table, out, row_type = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    enumeration = sys.argv[4] if len(sys.argv) == 5 else None
    lines = []
    for row in read_rows(table, enumeration):
        columns = [text(column) for column in row]
        if enumeration:
            columns[-1] = f"{enumeration}::{row[-1]}"
        lines.append(f"{row_type}{{{', '.join(columns)}}},\n")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
