"""The program `qanat` of the wheel: data check, precompute, profile data, report, top, rules. QANAT_BIN names
another one, for those who build Qanat."""
from __future__ import annotations

import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    program = os.environ.get("QANAT_BIN") or os.path.join(os.path.dirname(__file__), "bin", "qanat")
    try:
        os.execv(program, ["qanat", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"qanat: {program}: {error.strerror}; expected the program of a wheel; try ./dev wheel")
