"""Watches torch from outside the loop: DataLoader, backward, optimizers, torch.save. For scripts that
stay as they are, and for trainers that own the loop."""
from __future__ import annotations

import functools
import importlib.abc
import importlib.util
import sys
import threading
from typing import TYPE_CHECKING, Any, Callable, List, Optional, Sequence, Tuple

from qanat._clock import INSIDE
from qanat._loader import fetch_parts, watch_iteration

if TYPE_CHECKING:
    from qanat._run import Run, Step


class TorchHooks:
    """Patches torch for a run. With `steps`, a step is what lies between two fetches, with at least
    one optimizer step in it: gradients that are accumulated, and several optimizers for one batch,
    make one step. Without, whoever calls says what a step is."""

    def __init__(self, run: "Run", torch: Any, *, steps: bool = True) -> None:
        self._run = run
        self._torch = torch
        self._steps = steps
        self._step: Optional["Step"] = None
        self._updates = 0  # of this step
        self._has_loader = False
        self._depth = 0  # an optimizer's step may call another one's
        self._starting = False
        self._undo: List[Tuple[Any, str, Any, Any]] = []
        self._patch(torch.utils.data.DataLoader, "__iter__", self._watch_loader)
        self._patch(torch, "save", self._watch_save)
        self._patch(torch.Tensor, "backward", self._watch_backward)
        if steps:
            self._patch(torch.optim.Optimizer, "__init__", self._watch_new_optimizer)
            for kind in _subclasses(torch.optim.Optimizer):
                self._patch_step(kind)

    def remove(self) -> None:
        """Ends the last step, and leaves torch as it was."""
        if self._step is not None and self._updates > 0 and not self._run.closed:
            self._end_step()
        for owner, name, ours, theirs in reversed(self._undo):
            if owner.__dict__.get(name) is ours:
                setattr(owner, name, theirs)
        self._undo.clear()

    def _patch(self, owner: Any, name: str,
               make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        theirs = owner.__dict__[name] if name in owner.__dict__ else getattr(owner, name)
        ours = functools.wraps(theirs)(make(theirs))
        self._undo.append((owner, name, ours, theirs))
        setattr(owner, name, ours)

    def _is_off(self) -> bool:
        return self._run.closed or threading.get_ident() != self._run._thread

    def _patch_step(self, kind: Any) -> None:
        known = any(owner is kind and name == "step" for owner, name, _, _ in self._undo)
        if "step" in kind.__dict__ and not known:
            self._patch(kind, "step", self._watch_step)

    # The replacements.

    def _watch_loader(self, original: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def __iter__(loader: Any) -> Any:
            if self._starting or self._is_off() or self._run._clock.part == "wait":
                return original(loader)
            self._has_loader = True
            return watch_iteration(self._run, loader, self._start,
                                   self._fetch_parts if self._steps else fetch_parts_of_trainer)
        return __iter__

    def _start(self, loader: Any) -> Any:
        self._starting = True
        try:
            return self._run._stats.start_iterator(loader)
        finally:
            self._starting = False

    def _fetch_parts(self, run: "Run") -> Tuple[str, str]:
        if not self._torch.is_grad_enabled():  # validation
            return "checkpoint", "checkpoint"
        if self._updates > 0:
            self._end_step()
        self._begin_step()
        return "wait", "forward"

    def _watch_backward(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def backward(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            if self._is_off() or not (self._steps or self._run._step):
                return original(tensor, *args, **kwargs)
            if self._steps:
                self._begin_step()
            clock = self._run._clock
            if clock.part in ("residual", INSIDE):
                clock.rename_running("forward")  # of a second model for the same batch
            clock.switch("backward")
            try:
                return original(tensor, *args, **kwargs)
            finally:
                clock.switch("optimizer")  # clipping belongs to it
        return backward

    def _watch_new_optimizer(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def __init__(optimizer: Any, *args: Any, **kwargs: Any) -> None:
            for kind in type(optimizer).__mro__:
                if kind is not self._torch.optim.Optimizer:
                    self._patch_step(kind)
            original(optimizer, *args, **kwargs)
        return __init__

    def _watch_step(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def step(optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            if self._is_off() or self._depth > 0:
                return original(optimizer, *args, **kwargs)
            self._begin_step()
            self._depth += 1
            self._run._clock.switch("optimizer")
            try:
                return original(optimizer, *args, **kwargs)
            finally:
                self._run._clock.switch("residual")
                self._depth -= 1
                self._updates += 1
                if not self._has_loader:
                    self._end_step()
        return step

    def _watch_save(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def save(*args: Any, **kwargs: Any) -> Any:
            if self._is_off():
                return original(*args, **kwargs)
            before = self._run._clock.switch("checkpoint")
            try:
                return original(*args, **kwargs)
            finally:
                self._run._clock.switch(before)
        return save

    # Steps.

    def _begin_step(self) -> None:
        if self._step is None:
            self._step = self._run.step()
            self._run._step = self._step

    def _end_step(self) -> None:
        step, self._step = self._step, None
        self._updates = 0
        if step is not None:
            self._run._end_step(step)


def fetch_parts_of_trainer(run: "Run") -> Tuple[str, str]:
    """Of a trainer that says what its steps are: validation is under no_grad."""
    torch = sys.modules.get("torch")
    if torch is not None and not torch.is_grad_enabled():
        return "checkpoint", "checkpoint"
    return ("wait", "forward") if run._step else fetch_parts(run)


def _subclasses(kind: Any) -> List[Any]:
    found = []
    for sub in kind.__subclasses__():
        found += [sub, *_subclasses(sub)]
    return found


class TorchImport(importlib.abc.MetaPathFinder):
    """Calls `then(torch)` when a script has imported it."""

    def __init__(self, then: Callable[[Any], None]) -> None:
        self._then = then

    def find_spec(self, name: str, path: Optional[Sequence[str]], target: Any = None) -> Any:
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: Any) -> None:
                execute(module)
                self._then(module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
