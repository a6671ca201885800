#!/usr/bin/env python3
"""Are the parts of a step right in loops that frameworks own? Runs each with sleeps in every part, which it
times itself, under `qanat watch`, and compares the journal with them; and runs it again unwatched: batches,
weights and random numbers have to be the same, bit by bit.

    PYTHONPATH=python python3 python/bench/frameworks.py [NAME...]

Run it with a Python that has torch, lightning, transformers, accelerate and keras; what is missing is left out.
"""
import contextlib
import hashlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
import time

ROW, FORWARD, BACKWARD, UPDATE, VALIDATION = 0.100, 0.400, 0.600, 0.300, 0.450
BATCHES, EPOCHS, ROWS = 6, 2, 2
PACE = float(os.environ.get("QANAT_PACE", "1"))  # 0 for the run that is only compared
TOLERANCE = 0.05
NAPS = {}  # s of each part, as measured here


def nap(part, seconds):
    begin = time.perf_counter()
    time.sleep(seconds * PACE)
    NAPS[part] = NAPS.get(part, 0.0) + time.perf_counter() - begin


def parts(torch):
    """Dataset, model and optimizer whose parts take as long as they are told."""
    class Rows(torch.utils.data.Dataset):
        seen = hashlib.sha256()

        def __init__(self, count=BATCHES * ROWS, part="wait"):
            self.count, self.part = count, part

        def __len__(self):
            return self.count

        def __getitem__(self, index):
            nap(self.part, ROW)
            Rows.seen.update(str(index).encode())
            return torch.randn(1) + index

    class Pace(torch.autograd.Function):
        @staticmethod
        def forward(context, value, seconds):
            nap("forward" if seconds == FORWARD else "validation", seconds)
            return value.clone()

        @staticmethod
        def backward(context, gradient):
            nap("backward", BACKWARD)
            return gradient, None

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(1, 1)

        def forward(self, batch):
            return Pace.apply(self.layer(batch / 100).square().mean(),
                              FORWARD if self.training else VALIDATION)

    class SGD(torch.optim.SGD):
        def step(self, closure=None):
            loss = closure() if closure is not None else None
            nap("optimizer", UPDATE)
            super().step()
            return loss

    return Rows, Model, SGD


def loader_of(torch, rows, **more):
    return torch.utils.data.DataLoader(rows, batch_size=ROWS, **{"shuffle": True, **more})


def plain(torch):
    Rows, Model, SGD = parts(torch)
    loader = loader_of(torch, Rows())  # made before the model
    model = Model()
    optimizer = SGD(model.parameters(), 0.1)
    for _ in range(EPOCHS):
        for batch in loader:
            optimizer.zero_grad()
            model(batch).backward()
            optimizer.step()
        model.eval()
        for batch in loader_of(torch, Rows(4, "validation"), shuffle=False):
            with torch.no_grad():
                model(batch)
        model.train()
    return model, Rows


def amp(torch):
    Rows, Model, SGD = parts(torch)
    model = Model()
    optimizer = SGD(model.parameters(), 0.1)
    scaler = torch.amp.GradScaler("cpu")
    for _ in range(EPOCHS):
        for batch in loader_of(torch, Rows()):
            optimizer.zero_grad()
            scaler.scale(model(batch)).backward()
            scaler.step(optimizer)
            scaler.update()
    return model, Rows


def nanogpt(torch):
    Rows, Model, SGD = parts(torch)
    rows, model = Rows(), Model()
    optimizer = SGD(model.parameters(), 0.1)
    for i in range(BATCHES * EPOCHS):
        for _ in range(2):
            batch = torch.stack([rows[(i + j) % len(rows)] for j in range(ROWS)])
            (model(batch) / 2).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return model, Rows


def iterable(torch):
    Rows, Model, SGD = parts(torch)

    class Stream(torch.utils.data.IterableDataset):
        def __iter__(self):
            rows = Rows()
            return (rows[i] for i in range(len(rows)))

    model = Model()
    optimizer = SGD(model.parameters(), 0.1)
    for _ in range(EPOCHS):
        for batch in torch.utils.data.DataLoader(Stream(), batch_size=ROWS):
            optimizer.zero_grad()
            model(batch).backward()
            optimizer.step()
    return model, Rows


def lightning_module(torch, pl):
    Rows, Model, SGD = parts(torch)

    class Module(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.model = Model()

        def training_step(self, batch, index):
            return self.model(batch)

        def validation_step(self, batch, index):
            self.model(batch)

        def configure_optimizers(self):
            return SGD(self.parameters(), 0.1)

    return Module(), Rows


def lightning(torch, **more):
    import lightning.pytorch as pl

    module, Rows = lightning_module(torch, pl)
    trainer = pl.Trainer(max_epochs=EPOCHS, accelerator="cpu", logger=False, enable_progress_bar=False,
                         enable_checkpointing=False, enable_model_summary=False, **more)
    trainer.fit(module, loader_of(torch, Rows()), loader_of(torch, Rows(4, "validation"), shuffle=False))
    return module, Rows


def lightning_accumulated(torch):
    return lightning(torch, accumulate_grad_batches=2)


def lightning_callback(torch):
    import lightning.pytorch as pl

    import qanat
    import qanat.callbacks

    folder = os.environ.get("QANAT_RUN")
    if folder is None:
        return lightning(torch)
    with qanat.watch(folder) as run:
        return lightning(torch, callbacks=[qanat.callbacks.lightning(run)])


def huggingface(torch, accumulate=1):
    import transformers

    Rows, Model, SGD = parts(torch)

    class ForTrainer(Model):
        def forward(self, batch):
            loss = super().forward(batch)
            return {"loss": loss, "logits": loss.detach().reshape(1)}

    def collate(rows):
        return {"batch": torch.stack(rows)}

    model = ForTrainer()
    with tempfile.TemporaryDirectory() as folder:
        arguments = transformers.TrainingArguments(
            output_dir=folder, num_train_epochs=EPOCHS, per_device_train_batch_size=ROWS,
            per_device_eval_batch_size=ROWS, gradient_accumulation_steps=accumulate, report_to=[],
            eval_strategy="epoch", save_strategy="no", logging_steps=1000, use_cpu=True, disable_tqdm=True)
        transformers.Trainer(model=model, args=arguments, train_dataset=Rows(), eval_dataset=Rows(4, "validation"),
                             data_collator=collate,
                             optimizers=(SGD(model.parameters(), 0.1), None)).train()
    return model, Rows


def huggingface_accumulated(torch):
    return huggingface(torch, 2)


def accelerate(torch):
    from accelerate import Accelerator

    Rows, Model, SGD = parts(torch)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    model = Model()
    model, optimizer, loader = accelerator.prepare(model, SGD(model.parameters(), 0.1), loader_of(torch, Rows()))
    for _ in range(EPOCHS):
        for batch in loader:
            with accelerator.accumulate(model):
                accelerator.backward(model(batch))
                optimizer.step()
                optimizer.zero_grad()
    return model, Rows


def keras(torch):
    os.environ["KERAS_BACKEND"] = "torch"
    import keras

    Rows, _, _ = parts(torch)

    class Loss(keras.losses.Loss):
        def call(self, wanted, given):
            return parts_pace(torch)((given - wanted).square().mean())

    class Slow(keras.optimizers.SGD):
        def apply(self, *args, **kwargs):
            nap("optimizer", UPDATE)
            return super().apply(*args, **kwargs)

    class Pairs(Rows):
        def __getitem__(self, index):
            row = super().__getitem__(index) / 100
            return row, row

    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile(optimizer=Slow(0.1), loss=Loss(), run_eagerly=True)
    model.fit(loader_of(torch, Pairs()), epochs=EPOCHS, verbose=0)
    return None, Rows


def parts_pace(torch):
    class Pace(torch.autograd.Function):
        @staticmethod
        def forward(context, value):
            nap("forward", FORWARD)
            return value.clone()

        @staticmethod
        def backward(context, gradient):
            nap("backward", BACKWARD)
            return gradient

    return Pace.apply


# With the batches of an update.
LOOPS = {"plain": (plain, 1), "amp": (amp, 1), "nanogpt": (nanogpt, 2), "iterable": (iterable, 1),
         "lightning": (lightning, 1), "lightning_accumulated": (lightning_accumulated, 2),
         "lightning_callback": (lightning_callback, 1), "huggingface": (huggingface, 1),
         "huggingface_accumulated": (huggingface_accumulated, 2), "accelerate": (accelerate, 2),
         "keras": (keras, 1)}
NEEDS = {"lightning": "lightning", "huggingface": "transformers", "accelerate": "accelerate", "keras": "keras"}


def expected(name, naps):
    """{part: seconds of all steps}. What a loop without a loader reads is counted as forward; the last
    validation lies behind the last step, and belongs to none."""
    want = dict(naps)
    if name == "nanogpt":
        want["forward"] += want.pop("wait")
    if "validation" in want:
        sanity = 1 if name.startswith("lightning") else 0  # a validation before the first step
        want["checkpoint"] = want.pop("validation") * (EPOCHS - 1 + sanity) / (EPOCHS + sanity)
    return want


def loop_of(name):
    """In a process of its own: {"batches", "weights"}."""
    import torch

    torch.manual_seed(1)
    with contextlib.redirect_stdout(io.StringIO()):
        model, rows = LOOPS[name][0](torch)
    weights = [] if model is None else [value.tolist() for value in model.state_dict().values()]
    print(json.dumps({"rows": rows.seen.hexdigest(), "weights": weights, "next": torch.rand(1).item(), "naps": NAPS}))


def run(name, folder=None):
    command = [sys.executable, *(["-m", "qanat.watch", "--out", folder] if folder else []),
               os.path.abspath(__file__), "--loop", name]
    environment = dict(os.environ)
    environment["QANAT_PACE"] = "1" if folder else "0"
    if folder and name.endswith("_callback"):
        command = [sys.executable, os.path.abspath(__file__), "--loop", name]
        environment["QANAT_RUN"] = folder
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        return None, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


def check(name):
    """Sentences about what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        watched, error = run(name, folder)
        if watched is None:
            return [error]
        with open(os.path.join(folder, "journal.jsonl"), encoding="utf-8") as file:
            steps = [line for line in map(json.loads, file) if line["kind"] == "step"]
    bare, error = run(name)
    if bare is None:
        return [error]
    naps = watched.pop("naps")
    bare.pop("naps")
    wrong = [] if watched == bare else [f"another run than the unwatched one: {watched} {bare}"]
    wanted_steps = BATCHES * EPOCHS // (1 if name == "nanogpt" else LOOPS[name][1])
    if len(steps) != wanted_steps:
        wrong.append(f"{len(steps)} steps, not {wanted_steps}")
    if not steps:
        return wrong
    for part, want in expected(name, naps).items():
        got = sum(step["phases"].get(part, 0.0) for step in steps)  # a line leaves out what is zero
        sign = "" if abs(got - want) <= TOLERANCE * want else "  <-- off"
        least = min(step["phases"].get(part, 0.0) for step in steps[1:])
        first = steps[0]["phases"].get(part, 0.0) - least if part != "checkpoint" else 0.0
        line = (f"{part} {1000 * got:.0f} ms, put in {1000 * want:.0f} ({100 * (got / want - 1):+.1f} %; the first "
                f"step has {1000 * first:.0f} more than the shortest){sign}")
        print("   ", line)
        if sign:
            wrong.append(line)
    rest = {part: sum(step["phases"].get(part, 0.0) for step in steps[1:]) / len(steps[1:])
            for part in ("residual", "transfer", "loss")}
    print("   ", ", ".join(f"{part} {1000 * seconds:.1f} ms" for part, seconds in rest.items()),
          f"per step, load {os.getloadavg()[0]:.1f}", flush=True)
    return wrong


def main():
    if sys.argv[1:2] == ["--loop"]:
        loop_of(sys.argv[2])
        return
    failed = 0
    for name in sys.argv[1:] or LOOPS:
        need = NEEDS.get(name.partition("_")[0], "torch")
        if importlib.util.find_spec(need) is None:
            print(f"{name}: no {need}, left out")
            continue
        print(name, flush=True)
        wrong = check(name)
        for sentence in wrong:
            print("    WRONG", sentence)
        failed += bool(wrong)
    sys.exit(f"{failed} of the loops are wrong" if failed else 0)


if __name__ == "__main__":
    main()
