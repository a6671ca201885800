"""Loops as other people write them, each with one fault, or without it: what script_matrix.py runs under
`qanat watch`. None of them knows that it is watched. Work is paced by sleeping, so that a busy machine
changes little; where a fault is known from an issue thread, its address is given.

    python3 -m qanat.watch --out DIR python/bench/script_loops.py KIND [--remedied] [--seed N]
"""
import argparse
import gc
import json
import os
import queue
import random
import sys
import tempfile
import threading
import time

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, Sampler, get_worker_info

STEPS = 120
BATCH = 4
FORWARD, BACKWARD, UPDATE = 0.020, 0.010, 0.003


class Pace(torch.autograd.Function):
    """The value it was given, later."""

    @staticmethod
    def forward(context, value, seconds, back):
        context.back = back
        time.sleep(seconds)
        return value.clone()

    @staticmethod
    def backward(context, gradient):
        time.sleep(context.back)
        return gradient, None, None


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)

    def forward(self, batch, seconds=FORWARD, back=BACKWARD):
        inside = batch.float().reshape(len(batch), -1).mean(1, keepdim=True) / 1000
        return Pace.apply(self.layer(inside).square().mean(), seconds, back)


class PacedSGD(torch.optim.SGD):
    def step(self, closure=None):
        loss = closure() if closure is not None else None
        time.sleep(UPDATE)
        super().step()
        return loss


class Rows(Dataset):
    """`load(index, chance)` takes as long as a row takes; `chance` differs by row and turn."""

    def __init__(self, load=None, count=BATCH * STEPS, seed=0):
        self.load, self.count, self.seed, self.turn = load, count, seed, 0

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        self.turn += 1
        if self.load is not None:
            self.load(index, random.Random(f"{self.seed} {index} {self.turn}"))
        return torch.tensor([float(index)])


def loader_of(rows, workers=1, **more):
    if workers:
        more = {"persistent_workers": True, **more}
    return DataLoader(rows, batch_size=BATCH, num_workers=workers, **more)


def steady(index=0, chance=None):
    time.sleep(0.001)


class Plain:
    """Zero the gradients, forward, backward, update; `after(step)` at the end of a step."""

    def __init__(self):
        torch.manual_seed(0)
        self.model = Model()
        self.optimizer = PacedSGD(self.model.parameters(), lr=0.01)
        self.steps = 0

    def run(self, batches, after=None, before_update=None, forward=None):
        while self.steps < STEPS:
            for batch in batches:
                self.optimizer.zero_grad()
                loss = (forward or self.model)(batch)
                loss.backward()
                if before_update is not None:
                    before_update(loss)
                self.optimizer.step()
                self.steps += 1
                if after is not None:
                    after(self.steps)
                if self.steps == STEPS:
                    break


# The workers of a DataLoader, which hand batches over in turn.


def one_slow_worker(faulty, seed):
    """One core that is slow, one mount that is: notes of users of many workers."""
    def load(index, chance):
        time.sleep(0.022 if faulty and get_worker_info().id == 0 else 0.002)
    Plain().run(loader_of(Rows(load, seed=seed), workers=2))


def slow_worker_of_iterable(faulty, seed):
    """https://github.com/pytorch/pytorch/issues/135409"""
    class Stream(IterableDataset):
        def __iter__(self):
            for i in range(BATCH * STEPS // 2):
                time.sleep(0.022 if faulty and get_worker_info().id == 1 else 0.002)
                yield torch.tensor([float(i)])
    Plain().run(loader_of(Stream(), workers=2))


def one_worker_has_all_shards(faulty, seed):
    """https://github.com/huggingface/datasets/issues/8669 and 5984"""
    class Shards(IterableDataset):
        def __iter__(self):
            mine = get_worker_info().id
            count = BATCH * STEPS if not faulty else 2 * BATCH * STEPS if mine == 0 else 0
            for i in range(count // 2):
                time.sleep(0.013)
                yield torch.tensor([float(i)])
    Plain().run(loader_of(Shards(), workers=2))


class LockedRows(Rows):
    """A library that locks its file: https://github.com/silx-kit/silx/issues/3464"""

    def __init__(self, locked, **more):
        super().__init__(**more)
        self.locked = locked
        self.path = tempfile.NamedTemporaryFile(delete=False).name

    def __getitem__(self, index):
        import fcntl

        with open(self.path, "rb") as file:
            if self.locked:
                fcntl.flock(file, fcntl.LOCK_EX)
            time.sleep(0.012)
        return torch.tensor([float(index)])


def lock_among_workers(faulty, seed):
    Plain().run(loader_of(LockedRows(faulty, seed=seed), workers=3))


def reads_that_hang_now_and_then(faulty, seed):
    """Another read each time, not a file that is slow."""
    def load(index, chance):
        time.sleep(0.3 if faulty and chance.random() < 0.03 else 0.001)
    Plain().run(loader_of(Rows(load, count=BATCH * 30, seed=seed), workers=2))


def one_slow_file(faulty, seed):
    def load(index, chance):
        time.sleep(0.6 if faulty and index == 37 else 0.001)
    Plain().run(loader_of(Rows(load, count=BATCH * 20, seed=seed), workers=1))


def slow_files_for_all(faulty, seed):
    def load(index, chance):
        time.sleep(0.016)
    Plain().run(loader_of(Rows(load, seed=seed), workers=1 if faulty else 2))


def loader_made_anew_every_epoch(faulty, seed):
    """persistent_workers=True, and the iterator is thrown away all the same:
    https://github.com/Lightning-AI/pytorch-lightning/issues/10389"""
    def make():
        return loader_of(Rows(steady, count=BATCH * 20, seed=seed), workers=2,
                         worker_init_fn=lambda worker: time.sleep(0.35))
    plain, kept = Plain(), make()
    while plain.steps < STEPS:
        for batch in make() if faulty else kept:
            plain.optimizer.zero_grad()
            plain.model(batch).backward()
            plain.optimizer.step()
            plain.steps += 1


# What the loop's own process does inside next().


class SlowSampler(Sampler):
    """https://github.com/pytorch/pytorch/issues/50689 and 32221"""

    def __init__(self, faulty):
        self.faulty = faulty

    def __len__(self):
        return BATCH * STEPS

    def __iter__(self):
        for i in range(BATCH * STEPS):
            if self.faulty:
                time.sleep(0.005)
            yield i


def slow_sampler(faulty, seed):
    Plain().run(loader_of(Rows(steady, seed=seed), workers=2, sampler=SlowSampler(faulty)))


class Heavy:
    """An object that takes long to hand over: https://github.com/pytorch/pytorch/issues/123439"""

    def __init__(self, value, seconds):
        self.value, self.seconds = value, seconds

    def __reduce__(self):
        return _unpack, (self.value, self.seconds)


def _unpack(value, seconds):
    if get_worker_info() is None:
        time.sleep(seconds)
    return value


class HeavyBatches:
    def __init__(self, seconds):
        self.seconds = seconds

    def __call__(self, rows):
        return Heavy([row.tolist() for row in rows], self.seconds)


def batches_hard_to_hand_over(faulty, seed):
    plain = Plain()
    plain.run(loader_of(Rows(steady, seed=seed), workers=1, collate_fn=HeavyBatches(0.02 * faulty)),
              forward=lambda batch: plain.model(torch.tensor(batch)))


# Data without a DataLoader.


def get_batch(chance, faulty):
    if faulty:
        time.sleep(0.025)
    return torch.tensor([[chance.random()] for _ in range(BATCH)])


def no_loader(faulty, seed):
    """As nanoGPT reads its data."""
    plain, chance = Plain(), random.Random(seed)
    while plain.steps < STEPS:
        batch = get_batch(chance, faulty)
        plain.optimizer.zero_grad(set_to_none=True)
        plain.model(batch).backward()
        plain.optimizer.step()
        plain.steps += 1


def own_prefetch_thread(faulty, seed):
    """A queue that somebody else fills."""
    ready, chance = queue.Queue(2), random.Random(seed)

    def fill():
        while True:
            time.sleep(0.060 if faulty else 0.002)
            ready.put(torch.tensor([[chance.random()] for _ in range(BATCH)]))

    threading.Thread(target=fill, daemon=True).start()
    plain = Plain()
    while plain.steps < STEPS:
        batch = ready.get()
        plain.optimizer.zero_grad()
        plain.model(batch).backward()
        plain.optimizer.step()
        plain.steps += 1


# What the loop does between its parts.


def print_progress(step, file):
    file.write(f"\rstep {step}")
    file.flush()
    time.sleep(0.012)  # a terminal far away


def progress_bar(faulty, seed):
    """https://github.com/ourownstory/neural_prophet/pull/952 (a bar that is drawn at every step)"""
    with open(os.devnull, "w", encoding="ascii") as file:
        Plain().run(loader_of(Rows(steady, seed=seed)),
                    after=lambda step: print_progress(step, file) if faulty else None)


def write_metrics(step, file):
    file.write(json.dumps({"step": step, "values": [0.1] * 20}) + "\n")
    file.flush()
    time.sleep(0.015)  # a disk or a server that answers


def logs_every_step(faulty, seed):
    """https://github.com/Lightning-AI/pytorch-lightning/issues/1986, https://github.com/espnet/espnet/issues/961"""
    with tempfile.TemporaryFile("w") as file:
        Plain().run(loader_of(Rows(steady, seed=seed)),
                    after=lambda step: write_metrics(step, file) if faulty or step % 50 == 0 else None)


def collects_garbage(faulty, seed):
    """https://github.com/huggingface/peft/pull/2894, https://github.com/huggingface/transformers/issues/31372"""
    kept = [[i] for i in range(400_000)]  # what every collection walks through
    plain = Plain()

    def collect_garbage(step):
        if faulty:
            gc.collect()

    plain.run(loader_of(Rows(steady, seed=seed)), after=collect_garbage)
    del kept


def read_loss(loss):
    time.sleep(0.014)  # until the device has caught up
    return loss.item()


def reads_the_loss_every_step(faulty, seed):
    """https://github.com/meta-pytorch/torchtune/pull/522"""
    Plain().run(loader_of(Rows(steady, seed=seed)),
                before_update=lambda loss: read_loss(loss) if faulty else None)


def clip_gradients(model):
    for _ in model.parameters():
        time.sleep(0.008)


def clips_slowly(faulty, seed):
    """https://github.com/pytorch/pytorch/issues/39988, https://github.com/ApolloResearch/e2e_sae/issues/60"""
    plain = Plain()
    plain.run(loader_of(Rows(steady, seed=seed)),
              before_update=lambda loss: clip_gradients(plain.model) if faulty else None)


def write_checkpoint(model, path):
    with open(path, "w", encoding="ascii") as file:
        json.dump({name: value.tolist() for name, value in model.state_dict().items()}, file)
    time.sleep(0.12)


def saves_by_hand(faulty, seed):
    """Not by torch.save."""
    plain = Plain()
    path = os.path.join(tempfile.mkdtemp(), "weights.json")
    plain.run(loader_of(Rows(steady, seed=seed)),
              after=lambda step: write_checkpoint(plain.model, path) if faulty and step % 8 == 0 else None)


# Evaluation.


def evaluate(model, batches):
    model.eval()
    for batch in batches:
        with torch.no_grad():  # around the model only
            model(batch, seconds=0.012)
    model.train()


def evaluates_at_every_step(faulty, seed):
    """https://github.com/huggingface/transformers/issues/10131"""
    plain = Plain()
    validation = loader_of(Rows(steady, count=2 * BATCH, seed=seed), workers=0)
    plain.run(loader_of(Rows(steady, seed=seed)), after=lambda step: evaluate(plain.model, validation)
              if step % (1 if faulty else 60) == 0 else None)


# Lengths.


class Sequences(Dataset):
    """Rows of many lengths, as token ids with 0 behind their end."""

    def __init__(self, seed):
        chance = random.Random(seed)
        self.lengths = [int(10 + 190 * chance.random() ** 3) for _ in range(BATCH * STEPS)]

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, index):
        return torch.ones(self.lengths[index])


class PadTo:
    def __init__(self, length):
        self.length = length

    def __call__(self, rows):
        longest = self.length or max(map(len, rows))
        ids = torch.zeros(len(rows), longest)
        mask = torch.zeros(len(rows), longest, dtype=torch.long)
        for i, row in enumerate(rows):
            ids[i, :len(row)], mask[i, :len(row)] = row, 1
        return {"input_ids": ids, "attention_mask": mask}


def pads_to_the_longest_of_all(faulty, seed):
    """https://github.com/deepspeedai/DeepSpeedExamples/issues/849"""
    plain = Plain()
    plain.run(loader_of(Sequences(seed), collate_fn=PadTo(200 if faulty else None)),
              forward=lambda batch: plain.model(batch["input_ids"], 0.0002 * batch["input_ids"].shape[1]))


def compiles_for_every_length(faulty, seed):
    """https://github.com/pytorch/pytorch/issues/188150 and 105279"""
    known = set()

    def forward(batch):
        length = batch["input_ids"].shape[1]
        if not faulty:
            length = 64 * (length // 64)
        if length not in known:
            known.add(length)
            time.sleep(0.25)
        return plain.model(batch["input_ids"])

    plain = Plain()
    plain.run(loader_of(Sequences(seed), collate_fn=PadTo(None)), forward=forward)


# Loops of trainers: what feeds them is at fault, and the parts around it have to be told apart.


def with_a_closure(faulty, seed):
    """As Lightning and LBFGS do: all of the step is inside optimizer.step(closure)."""
    plain = Plain()
    while plain.steps < STEPS:
        for batch in loader_of(Rows(lambda i, chance: time.sleep(0.005), seed=seed), workers=0 if faulty else 1):
            def closure():
                plain.optimizer.zero_grad()
                loss = plain.model(batch)
                loss.backward()
                return loss
            plain.optimizer.step(closure)
            plain.steps += 1


def accumulated(faulty, seed):
    """Four batches for an update, as the Trainer of transformers does."""
    plain = Plain()
    batches = loader_of(Rows(lambda i, chance: time.sleep(0.016 if faulty else 0.002), count=2 * BATCH * STEPS,
                             seed=seed), workers=1)
    for i, batch in enumerate(batches):
        (plain.model(batch) / 4).backward()
        if i % 4 == 3:
            plain.optimizer.step()
            plain.optimizer.zero_grad()


def keeps_every_loss(faulty, seed):
    """Graphs that are kept make steps slower and slower: https://github.com/chainer/chainer/issues/2554"""
    plain, kept = Plain(), []

    def forward(batch):
        kept.append(batch)
        return plain.model(batch, FORWARD + (0.0004 * len(kept) if faulty else 0.0))

    plain.run(loader_of(Rows(steady, seed=seed)), forward=forward)


# Loops that need cores.


def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        torch.add(torch.ones(4000), 1)


def own_threads_fight(faulty, seed):
    """https://github.com/pytorch/pytorch/issues/19825: threads of this process, not of others"""
    def spin():
        while True:
            torch.mm(torch.ones(200, 200), torch.ones(200, 200))

    for _ in range(2 * (os.cpu_count() or 1) if faulty else 0):
        threading.Thread(target=spin, daemon=True).start()
    plain = Plain()

    def forward(batch):
        burn(0.02)
        return plain.model(batch, 0.0)

    plain.run(loader_of(Rows(steady, seed=seed)), forward=forward)


# Nothing is wrong with these.


def healthy_plain(faulty, seed):
    Plain().run(loader_of(Rows(steady, seed=seed)))


def healthy_closure(faulty, seed):
    with_a_closure(False, seed)


def healthy_accumulation(faulty, seed):
    accumulated(False, seed)


def healthy_without_loader(faulty, seed):
    no_loader(False, seed)


def healthy_evaluation(faulty, seed):
    plain = Plain()
    validation = loader_of(Rows(steady, count=BATCH, seed=seed), workers=1)
    plain.run(loader_of(Rows(steady, count=BATCH * 60, seed=seed)),
              after=lambda step: evaluate(plain.model, validation) if step % 60 == 0 else None)


def healthy_two_optimizers(faulty, seed):
    first, second = Plain(), Plain()
    for batch in loader_of(Rows(steady, seed=seed)):
        for side in (first, second):
            side.optimizer.zero_grad()
            side.model(batch, FORWARD / 2, BACKWARD / 2).backward()
            side.optimizer.step()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind")
    parser.add_argument("--remedied", action="store_true", help="without the fault")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    loop = globals().get(options.kind)
    if not callable(loop):
        sys.exit(f"{options.kind}: no such loop")
    loop(not options.remedied, options.seed)


if __name__ == "__main__":
    main()
