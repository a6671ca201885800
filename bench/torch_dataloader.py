#!/usr/bin/python3
"""The loader a PyTorch user writes: DataLoader with worker processes, torchaudio, padded batches.

As fast as it gets without leaving PyTorch: workers persist, one thread each, torch.stft and a
matrix product, arithmetic in place. Same mel definition as ours. Prints one JSON line per epoch
(bench/README.md has the fields), or one for the whole run with --pace.
"""
import argparse
import json
import os
import struct
import sys
import time

START = time.monotonic()

try:
    import torch
    import torchaudio
    from torch.utils.data import DataLoader, Dataset
except ImportError as missing:  # whoever started this reads the reason
    print(json.dumps({"error": f"python3 has no module {missing.name}"}), flush=True)
    sys.exit(1)


FELT_SHARE = 0.05  # of a step: a batch that is waited for longer was not ready


class MelDataset(Dataset):
    def __init__(self, corpus, delay=0.0):
        self.delay = delay  # s: how late storage answers
        with open(os.path.join(corpus, "metadata.csv"), encoding="utf-8") as lines:
            ids = [line.split("|", 1)[0] for line in lines if line.strip()]
        self.ids = ids[1:] if ids[0] == "id" else ids  # the first row may name the columns
        self.files = [os.path.join(corpus, "wavs", name + ".wav") for name in self.ids]
        self.window = torch.hann_window(1024)
        filters = torchaudio.functional.melscale_fbanks(
            513, 0.0, 8000.0, 80, 22050, norm="slaney", mel_scale="slaney")
        self.filters = filters.t().contiguous()  # [80, 513]

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        if self.delay > 0:
            time.sleep(self.delay)
        samples, _ = torchaudio.load(self.files[index])
        padded = torch.nn.functional.pad(samples, (384, 384), mode="reflect")
        spectrum = torch.stft(padded, 1024, 256, 1024, self.window, center=False,
                              return_complex=True)
        magnitude = spectrum.abs().square_().add_(1e-9).sqrt_()
        mel = torch.matmul(self.filters, magnitude[0]).clamp_(min=1e-5).log_()
        return index, mel  # [80, frames]


def collate(items):
    lengths = torch.tensor([mel.shape[1] for _, mel in items])
    batch = torch.zeros(len(items), 80, int(lengths.max()))
    for row, (_, mel) in enumerate(items):
        batch[row, :, : mel.shape[1]] = mel
    return [index for index, _ in items], lengths, batch


def process_ids():
    """This process and its children, the workers."""
    own = os.getpid()
    with open(f"/proc/{own}/task/{own}/children", encoding="ascii") as children:
        return [own] + [int(pid) for pid in children.read().split()]


def cpu_seconds():
    """Of the whole tree; a worker counts from its birth."""
    ticks = 0
    for pid in process_ids():
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def dump_batch(out, dataset, batch, limit):
    """Records "<id> <frames>\\n" and frames x 80 floats, frame by frame."""
    indices, lengths, mels = batch
    for row, index in enumerate(indices):
        if index >= limit:
            continue
        frames = int(lengths[row])
        mel = mels[row, :, :frames].t().contiguous()
        out.write(f"{dataset.ids[index]} {frames}\n".encode())
        out.write(struct.pack(f"<{frames * 80}f", *mel.flatten().tolist()))


def run_epochs(options, dataset, loader):
    dump = open(options.dump, "wb") if options.dump else None
    for epoch in range(options.epochs):
        begin = time.monotonic() if epoch else START
        cpu = cpu_seconds()
        first = None
        utterances = frames = padded = 0
        for batch in loader:
            if first is None:
                first = time.monotonic() - begin
            _, lengths, mels = batch
            utterances += len(lengths)
            frames += int(lengths.sum())
            padded += mels.shape[0] * mels.shape[2]
            if dump:
                dump_batch(dump, dataset, batch, options.dump_limit)
        print(json.dumps({
            "epoch": epoch, "utterances": utterances, "frames": frames, "padded_frames": padded,
            "wall_s": time.monotonic() - begin, "cpu_s": cpu_seconds() - cpu,
            "first_batch_s": first}), flush=True)
    if dump:
        dump.close()


def endless(loader):
    while True:
        yield from loader


def run_paced(options, loader):
    """A consumer that would take `pace` batches per second: a trainer whose step takes 1/pace."""
    step = 1.0 / options.pace
    batches = endless(loader)
    next(batches)
    first = time.monotonic() - START
    waited = 0.0
    count = 0
    begin = time.monotonic()
    cpu = cpu_seconds()
    while time.monotonic() - begin < options.seconds:
        asked = time.monotonic()
        next(batches)
        waited += time.monotonic() - asked
        count += 1
        time.sleep(step)
    wall = time.monotonic() - begin
    print(json.dumps({
        "name": "PyTorch DataLoader", "workers": options.workers, "batch": options.batch,
        "wanted_batches_per_s": options.pace, "batches_per_s": count / wall,
        "wait_share": waited / wall, "cores": (cpu_seconds() - cpu) / wall,
        "first_batch_s": first, "memory_mb": tree_pss_mb()}), flush=True)


def run_turn(batches, step, warm_up, steps):
    """Takes `steps` batches at the pace, after some that do not count."""
    count = ready = 0
    waited = 0.0
    first_cpu = cpu_seconds()
    for number in range(warm_up + steps):
        if number == warm_up:
            begin, cpu = time.monotonic(), cpu_seconds()
        asked = time.monotonic()
        next(batches)
        wait = time.monotonic() - asked
        if number >= warm_up:
            count += 1
            waited += wait
            ready += wait < FELT_SHARE * step
        time.sleep(step)
    wall = time.monotonic() - begin
    cores = (cpu_seconds() - cpu) / wall
    await_calm()
    return {"steps_per_s": count / wall, "wait_share": waited / wall, "readiness": ready / count,
            "cores": cores, "cpu_s": cpu_seconds() - first_cpu}


def await_calm():
    """Until the workers have prefetched what they may: the next turn is another program's."""
    while True:
        before = cpu_seconds()
        time.sleep(0.1)
        if cpu_seconds() - before < 0.02:
            return


def run_turns(options, loader):
    """Lines of `warm_up steps` come in; a line of JSON goes out for each."""
    batches = endless(loader)
    next(batches)
    await_calm()
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        warm_up, steps = map(int, line.split())
        print(json.dumps(run_turn(batches, 1.0 / options.pace, warm_up, steps)), flush=True)


def tree_pss_mb():
    """Proportional set size: pages the workers share with each other count once."""
    total = 0
    for pid in process_ids():
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as lines:
            total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def main():
    parser = argparse.ArgumentParser(description="PyTorch's DataLoader on an LJSpeech folder")
    parser.add_argument("--corpus", required=True, help="folder with metadata.csv and wavs/")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2, help="worker processes")
    parser.add_argument("--batch", type=int, default=16, help="utterances per batch")
    parser.add_argument("--dump", help="write the mel of the first utterances here")
    parser.add_argument("--dump-limit", type=int, default=64, help="how many")
    parser.add_argument("--pace", type=float, help="consume this many batches per second instead")
    parser.add_argument("--seconds", type=float, default=15, help="how long to consume (--pace)")
    parser.add_argument("--turns", action="store_true",
                        help="consume when asked to on standard input (--pace)")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds that every file is late")
    options = parser.parse_args()
    torch.set_num_threads(1)
    dataset = MelDataset(options.corpus, options.delay)
    loader = DataLoader(
        dataset, batch_size=options.batch, shuffle=True, num_workers=options.workers,
        collate_fn=collate, persistent_workers=options.workers > 0)
    if options.turns:
        try:
            run_turns(options, loader)
        except Exception as error:  # whoever started this reads the reason
            print(json.dumps({"error": str(error).strip().splitlines()[-1]}), flush=True)
    elif options.pace:
        run_paced(options, loader)
    else:
        run_epochs(options, dataset, loader)


if __name__ == "__main__":
    main()
