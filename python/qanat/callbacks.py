"""Trainers that own the loop. None of them is imported here: the one that the script uses is there.

    Trainer(callbacks=[qanat.callbacks.lightning(run)])            # Lightning
    Trainer(callbacks=[qanat.callbacks.huggingface(run)])          # Hugging Face
    qanat.callbacks.accelerate(run, accelerator)                   # Accelerate
    Trainer(callbacks=qanat.callbacks.coqui(run))                  # Coqui

Waits are those for torch's DataLoader, saving is torch.save and validation."""
from __future__ import annotations

import functools
import sys
from typing import Any, Callable, Dict, Optional

from qanat._clock import AFTER_UPDATE, AFTER_VALIDATION
from qanat._journal import WatchError
from qanat._run import Run, Step
from qanat._torch import TorchHooks

__all__ = ["accelerate", "coqui", "huggingface", "lightning"]


def _imported(what: str, *names: str) -> Any:
    for name in names:
        if name in sys.modules:
            return sys.modules[name]
    raise WatchError(f"{what}: not imported; expected `import {names[0]}` before")


class _Loop:
    """The steps of a loop that somebody else runs."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._hooks: Optional[TorchHooks] = None
        self._step: Optional[Step] = None

    def start(self) -> None:
        if self._hooks is None:
            self._hooks = TorchHooks(self._run, _imported("torch", "torch"), steps=False)

    def stop(self) -> None:
        self.end_step()
        if self._hooks is not None:
            self._hooks.remove()
            self._hooks = None

    def begin_step(self) -> None:
        if self._step is None:
            self._step = self._run.step()
            self._step.__enter__()
            self.enter("forward")

    def end_step(self) -> None:
        if self._step is not None:
            step, self._step = self._step, None
            step.__exit__(None, None, None)
            if self._hooks is not None:
                self._hooks.count_update()

    def enter(self, part: str) -> None:
        """The step is in this part from now on."""
        if self._step is not None:
            self._run._clock.switch(part)

    def was_saving(self) -> None:
        """What ran since the last part ended was no training."""
        if self._step is None:
            self._run._clock.rename_running("checkpoint")
            self._run._clock.switch(AFTER_UPDATE)


def lightning(run: Run) -> Any:
    """A callback for Lightning (`lightning.pytorch` or `pytorch_lightning`). Batches that are
    accumulated are a step each."""
    base = _imported("Lightning", "lightning.pytorch", "pytorch_lightning").Callback
    loop = _Loop(run)

    class QanatCallback(base):  # type: ignore[misc, valid-type]
        def setup(self, trainer: Any, module: Any, stage: Optional[str] = None) -> None:
            if stage in (None, "fit"):
                loop.start()  # before the first epoch's iterator is there

        def on_train_batch_start(self, trainer: Any, module: Any, batch: Any, index: int) -> None:
            loop.begin_step()

        def on_before_backward(self, trainer: Any, module: Any, loss: Any) -> None:
            loop.enter("backward")

        def on_after_backward(self, trainer: Any, module: Any) -> None:
            loop.enter("optimizer")

        def on_train_batch_end(self, trainer: Any, module: Any, *rest: Any) -> None:
            loop.end_step()

        def on_validation_start(self, trainer: Any, module: Any) -> None:
            run._clock.switch("checkpoint")

        def on_validation_end(self, trainer: Any, module: Any) -> None:
            run._clock.switch(AFTER_VALIDATION)

        def on_train_end(self, trainer: Any, module: Any) -> None:
            loop.stop()

        def on_exception(self, trainer: Any, module: Any, error: BaseException) -> None:
            loop.stop()

    return QanatCallback()


def huggingface(run: Run) -> Any:
    """A callback for the Trainer of transformers. Its steps are optimizer steps."""
    base = _imported("Hugging Face Trainer", "transformers").TrainerCallback
    loop = _Loop(run)

    class QanatCallback(base):  # type: ignore[misc, valid-type]
        def on_train_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            loop.start()

        def on_step_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            loop.begin_step()

        def on_step_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            loop.end_step()

        def on_save(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            loop.was_saving()

        def on_evaluate(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            loop.was_saving()

        def on_log(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            loop.was_saving()

        def on_train_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            loop.stop()

    return QanatCallback()


def coqui(run: Run) -> Dict[str, Callable[..., None]]:
    """Callbacks for Coqui's Trainer: `Trainer(..., callbacks=qanat.callbacks.coqui(run))`."""
    loop = _Loop(run)

    def on_train_epoch_start(trainer: Any) -> None:
        loop.start()

    def on_train_step_start(trainer: Any) -> None:
        loop.begin_step()

    def on_train_step_end(trainer: Any) -> None:
        loop.end_step()

    def on_train_epoch_end(trainer: Any) -> None:
        loop.stop()

    return {"on_train_epoch_start": on_train_epoch_start, "on_train_step_start": on_train_step_start,
            "on_train_step_end": on_train_step_end, "on_train_epoch_end": on_train_epoch_end}


def accelerate(run: Run, accelerator: Any) -> TorchHooks:
    """Watches a loop of Accelerate: a step is an update by its optimizers. Call before the loop;
    `remove()` of what is returned ends it."""
    hooks = TorchHooks(run, _imported("torch", "torch"))
    save_state = accelerator.save_state

    @functools.wraps(save_state)
    def saving(*args: Any, **kwargs: Any) -> Any:
        before = run._clock.switch("checkpoint")
        try:
            return save_state(*args, **kwargs)
        finally:
            run._clock.switch(before)

    accelerator.save_state = saving
    return hooks
