"""Watches a script that stays as it is:

    python -m qanat.watch [--out DIR] train.py ARGUMENTS...
    python -m qanat.watch [--out DIR] -m package.train ARGUMENTS...

Steps are those of torch's optimizers, waits those for its DataLoader. Exit code, exceptions and
Ctrl-C are the script's own."""
from __future__ import annotations

import argparse
import os
import runpy
import sys
import types
from typing import Any, List, Optional

from qanat._journal import WatchError
from qanat._run import Run, ending_of, watch
from qanat._torch import TorchHooks, on_import

__all__ = ["main", "watch"]


def _parse(arguments: Optional[List[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m qanat.watch", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Find out what slows a PyTorch script down; then: qanat report DIR")
    parser.add_argument("--out", default="runs/watch", metavar="DIR",
                        help="write the journal there (default: %(default)s)")
    parser.add_argument("--no-lines", action="store_true",
                        help="do not look, twenty times a second, which line of the script runs")
    parser.add_argument("-m", dest="is_module", action="store_true",
                        help="the script is a module, as for `python -m`")
    parser.add_argument("script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    return parser.parse_args(arguments)


def _execute(options: argparse.Namespace) -> None:
    """As `python script` does."""
    sys.argv = [options.script, *options.arguments]
    if options.is_module:
        sys.path[0] = os.getcwd()
        runpy.run_module(options.script, run_name="__main__", alter_sys=True)
        return
    with open(options.script, "rb") as file:
        code = compile(file.read(), options.script, "exec")
    sys.path[0] = os.path.dirname(os.path.abspath(options.script))
    module = types.ModuleType("__main__")
    module.__dict__.update(__file__=options.script, __builtins__=__builtins__)
    sys.modules["__main__"] = module  # workers that are spawned look for it
    exec(code, module.__dict__)


def _said_of(steps: int, folder: str, has_torch: bool) -> str:
    if steps > 0:
        return f"{steps} steps watched; try: qanat report {folder}"
    why = ("torch was imported, but none of its optimizers made an update in this process and thread"
           if has_torch else "the script did not import torch")
    return (f"0 steps watched: {why}; expected torch's optimizers, or Keras on torch; try `with run.step():` in "
            "the loop, see docs/en/python.md")


def main(arguments: Optional[List[str]] = None) -> None:
    options = _parse(arguments)
    if not options.is_module and not os.path.isfile(options.script):
        sys.exit(f"{options.script}: no such script; try python -m qanat.watch --help")
    try:
        run = Run(options.out, command=" ".join([options.script, *options.arguments]),
                  lines=not options.no_lines)
    except (OSError, WatchError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        sys.exit(f"qanat watch: {options.out}: {reason}; expected a folder to write to; try --out DIR")
    hooks: List[TorchHooks] = []

    def attach(torch: Any) -> None:
        hooks.append(TorchHooks(run, torch))
        on_import("keras", lambda keras: hooks[-1].watch_keras(keras))

    on_import("torch", attach)
    ended_by: Optional[BaseException] = None
    try:
        _execute(options)
    except BaseException as raised:
        ended_by = raised
        raise
    finally:
        for hook in hooks:
            hook.remove()
        run.close(ending_of(ended_by))
        print(_said_of(run.steps, options.out, bool(hooks)), file=sys.stderr)


class _CallableModule(types.ModuleType):
    """`qanat.watch(...)` still works where this module was imported by its name."""

    def __call__(self, *args: Any, **kwargs: Any) -> Run:
        return watch(*args, **kwargs)


if __name__ == "__main__":
    main()
else:
    sys.modules[__name__].__class__ = _CallableModule
