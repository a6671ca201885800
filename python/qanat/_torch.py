"""Watches torch from outside the loop: DataLoader, backward, optimizers, torch.save. For scripts that
stay as they are, and for trainers that own the loop.

What is training and what is not is told by what is seen: a loader feeds the training when a backward pass
follows its batch; everything else that is fetched is validation."""
from __future__ import annotations

import functools
import importlib.abc
import importlib.util
import sys
from threading import get_ident
from typing import TYPE_CHECKING, Any, Callable, List, Optional, Sequence, Tuple

from qanat._clock import (AFTER_UPDATE, AFTER_VALIDATION, BEFORE_UPDATE, BETWEEN_BATCHES, INSIDE, UNFED,
                          Part)
from qanat._loader import Fetches, Iteration, WatchedIterator

if TYPE_CHECKING:
    from qanat._run import Run, Step

Make = Callable[[Callable[..., Any]], Callable[..., Any]]
IDLE = (AFTER_UPDATE, AFTER_VALIDATION, BEFORE_UPDATE, "residual", INSIDE)  # parts that nobody named


class TorchHooks(Fetches):
    """Patches torch for a run. With `steps`, a step is what lies between two fetches, with at least
    one optimizer step in it: gradients that are accumulated, and several optimizers for one batch,
    make one step. Without, whoever calls says what a step is."""

    def __init__(self, run: "Run", torch: Any, *, steps: bool = True) -> None:
        super().__init__(run)
        self._torch = torch
        self._steps = steps
        self._step: Optional["Step"] = None
        self._updates = 0  # of this step
        self._all_updates = 0
        self._is_fed = False  # by a loader, in this step
        self._trained_at_update = -1  # the update before which a loader of training was last asked
        self._cycle: List[int] = []  # optimizers of this step, in their order
        self._last_of_cycle: Optional[int] = None  # where no loader feeds the loop
        self._depth = 0  # an optimizer's step may call another one's
        self._iterations: List[Iteration] = []  # that may feed the next backward pass
        self._undo: List[Tuple[Any, str, Any, Any]] = []
        compiler = getattr(torch, "compiler", None)
        self._is_compiling = getattr(compiler, "is_compiling", bool)
        self._patch(torch.utils.data.DataLoader, "__iter__", self._watch_loader)
        self._patch(torch, "save", self._watch_save)
        self._patch(torch.Tensor, "backward", self._watch_backward)
        for scaler in _scalers(torch):
            self._patch(scaler, "step", self._watch_scaler)
        if steps:
            self._patch(torch.optim.Optimizer, "__init__", self._watch_new_optimizer)
            for kind in _subclasses(torch.optim.Optimizer):
                self._patch_step(kind)

    def remove(self) -> None:
        """Ends the last step, and leaves torch as it was."""
        if self._step is not None and self._updates > 0 and not self.run.closed:
            self._end_step()
        for owner, name, ours, theirs in reversed(self._undo):
            if owner.__dict__.get(name) is ours:
                setattr(owner, name, theirs)
        self._undo.clear()

    def count_update(self) -> None:
        """Where others say what a step is: one has ended."""
        self._all_updates += 1

    def watch_keras(self, keras: Any) -> None:
        """Its optimizers are none of torch's."""
        self._patch(keras.optimizers.Optimizer, "apply", self._watch_step)

    def _patch(self, owner: Any, name: str, make: Make) -> None:
        theirs = owner.__dict__[name] if name in owner.__dict__ else getattr(owner, name)
        ours = functools.wraps(theirs)(make(theirs))
        self._undo.append((owner, name, ours, theirs))
        setattr(owner, name, ours)

    def _is_off(self) -> bool:
        return (self._is_compiling() or self.run.closed
                or get_ident() != self.run._thread)

    def _patch_step(self, kind: Any) -> None:
        known = any(owner is kind and name == "step" for owner, name, _, _ in self._undo)
        if "step" in kind.__dict__ and not known:
            self._patch(kind, "step", self._watch_step)

    # Loaders.

    def _watch_loader(self, original: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def __iter__(loader: Any) -> Any:
            if self.run._is_fetching or self._is_off():
                return original(loader)
            return WatchedIterator(self, loader, self.run._stats.record_of(loader))
        return __iter__

    def began(self, iteration: Iteration) -> None:
        self._iterations = [one for one in self._iterations if not one.is_over][-15:] + [iteration]
        self._trained_at_update = -1

    def parts(self, iteration: Iteration) -> Tuple[Part, Part]:
        clock = self.run._clock
        if clock.part == BEFORE_UPDATE:
            clock.rename_running(BETWEEN_BATCHES)
        if self._steps:
            if self._updates > 0:
                self._end_step()
            if self._step is None:
                self._begin_step()
        if not self._torch.is_grad_enabled():
            return iteration.evaluate, iteration.evaluate
        iteration.fetched_at_update = self._all_updates
        is_between = not self._steps and self.run._step is None
        if iteration.trains:
            self._trained_at_update = self._all_updates
            return "wait", clock.part if is_between else "forward"
        return iteration.wait, clock.part if is_between else iteration.use

    def _feed(self) -> None:
        """A backward pass, or an update: what was fetched for it was training. A pass that is over was
        a validation, unless its only batch was fetched ahead of its use."""
        if self._trained_at_update == self._all_updates:
            self._is_fed = True
            return
        fresh = [one for one in self._iterations if one.fetched_at_update == self._all_updates]
        if not any(one.trains for one in fresh):
            for one in fresh:
                if not one.is_over or (one.batches == 1 and (self.run.steps == 0 or one.record.trains)):
                    one.now_trains()
        self._is_fed = self._is_fed or any(one.trains for one in fresh)

    # Passes and updates.

    def _watch_backward(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def backward(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            if self._is_off() or not (self._steps or self.run._step):
                return original(tensor, *args, **kwargs)
            if self._steps and self._step is None:
                self._begin_step()
            self._feed()
            clock = self.run._clock
            if self._is_idle(clock.part):  # of a second model for the same batch, or without a loader
                clock.rename_running("forward" if self._is_fed or not self._steps else UNFED)
            clock.switch("backward")
            try:
                return original(tensor, *args, **kwargs)
            finally:
                clock.switch(BEFORE_UPDATE)
        return backward

    @staticmethod
    def _is_idle(part: Part) -> bool:
        """Nobody named what runs; or a validation is over, and nothing was fetched since."""
        return part in IDLE if isinstance(part, str) else part.is_over

    def _watch_new_optimizer(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def __init__(optimizer: Any, *args: Any, **kwargs: Any) -> None:
            for kind in type(optimizer).__mro__:
                if kind is not self._torch.optim.Optimizer:
                    self._patch_step(kind)
            original(optimizer, *args, **kwargs)
        return __init__

    def _watch_step(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def step(optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            if self._depth > 0 or self._is_off() or self._wraps_another(optimizer):
                return original(optimizer, *args, **kwargs)
            if args or kwargs:
                args, kwargs = self._watch_closure(args, kwargs)
            if self._step is None:
                self._begin_step()
            self._depth += 1
            self.run._clock.switch("optimizer")
            try:
                return original(optimizer, *args, **kwargs)
            finally:
                self._depth -= 1
                self._end_update(id(optimizer))
        return step

    def _wraps_another(self, optimizer: Any) -> bool:
        """Accelerate's does, and it is the other one's step that counts."""
        return isinstance(getattr(optimizer, "optimizer", None), self._torch.optim.Optimizer)

    def _watch_closure(self, args: Any, kwargs: Any) -> Tuple[Any, Any]:
        """The forward and backward passes of a step that are inside optimizer.step(closure)."""
        if args and callable(args[0]):
            return (self._as_forward(args[0]), *args[1:]), kwargs
        if callable(kwargs.get("closure")):
            return args, {**kwargs, "closure": self._as_forward(kwargs["closure"])}
        return args, kwargs

    def _as_forward(self, closure: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(closure)
        def watched(*args: Any, **kwargs: Any) -> Any:
            if self._is_off():
                return closure(*args, **kwargs)
            self.run._clock.switch("forward")
            try:
                return closure(*args, **kwargs)
            finally:
                self.run._clock.switch("optimizer")
        return watched

    def _watch_scaler(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """A GradScaler leaves a step out when a gradient is not finite: that is a step as well."""
        def step(scaler: Any, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            if self._depth > 0 or self._is_off() or not self._steps:
                return original(scaler, optimizer, *args, **kwargs)
            self._begin_step()
            self._depth += 1
            self.run._clock.switch("optimizer")
            try:
                return original(scaler, optimizer, *args, **kwargs)
            finally:
                self._depth -= 1
                self._end_update(id(getattr(optimizer, "optimizer", optimizer)))
        return step

    def _end_update(self, optimizer: int) -> None:
        self.run._clock.switch(AFTER_UPDATE)
        if not self._steps:
            return
        if self._trained_at_update == self._all_updates:  # as nearly always
            self._is_fed = True
            if self._cycle != [optimizer]:
                self._cycle = [optimizer]
            self._updates += 1
            self._all_updates += 1
            return
        is_repeated = optimizer in self._cycle
        if is_repeated and self._updates > 0:
            self._is_fed = False  # there is no fetch between its updates
        self._feed()
        if is_repeated:
            self._last_of_cycle = self._cycle[-1]
            self._cycle = []
        self._cycle.append(optimizer)
        self._updates += 1
        self._all_updates += 1
        if not self._is_fed and self._last_of_cycle in (None, optimizer):
            self._end_step()

    def _watch_save(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def save(*args: Any, **kwargs: Any) -> Any:
            if self._is_off():
                return original(*args, **kwargs)
            before = self.run._clock.switch("checkpoint")
            try:
                return original(*args, **kwargs)
            finally:
                self.run._clock.switch(before)
        return save

    # Steps.

    def _begin_step(self) -> None:
        if self._step is None:
            self._step = self.run.step()
            self.run._step = self._step

    def _end_step(self) -> None:
        step, self._step = self._step, None
        self._updates = 0
        self._is_fed = False
        if step is not None:
            self.run._end_step(step)


def _scalers(torch: Any) -> List[Any]:
    """torch.amp's, and the one of torch.cuda.amp, which was the first and has a step of its own."""
    kinds = []
    for module in (getattr(torch, "amp", None), getattr(getattr(torch, "cuda", None), "amp", None)):
        kind = getattr(module, "GradScaler", None)
        if kind is not None and "step" in kind.__dict__ and kind not in kinds:
            kinds.append(kind)
    return kinds


def _subclasses(kind: Any) -> List[Any]:
    found = []
    for sub in kind.__subclasses__():
        found += [sub, *_subclasses(sub)]
    return found


class ImportHook(importlib.abc.MetaPathFinder):
    """Calls `then(module)` when a script has imported `name`."""

    def __init__(self, name: str, then: Callable[[Any], None]) -> None:
        self._name, self._then = name, then

    def find_spec(self, name: str, path: Optional[Sequence[str]], target: Any = None) -> Any:
        if name != self._name:
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


def on_import(name: str, then: Callable[[Any], None]) -> None:
    """At once, where it is there already."""
    if name in sys.modules:
        then(sys.modules[name])
    else:
        sys.meta_path.insert(0, ImportHook(name, then))
