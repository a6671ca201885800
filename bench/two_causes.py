#!/usr/bin/env python3
"""Two things slow a loop down at once: is the one that costs more named first, the other one beside it, and
is what fixing the first brings what was promised?

    python3 bench/two_causes.py --qanat build/release/bin/qanat [--rounds 10] [--seed 2] [--kinds NAME,...]
        [--keep FOLDER] [--json FILE]

Each run is a PyTorch loop that qanat.watch measures, with two causes whose strengths are drawn from its seed.
It is run again without the first cause, and without the second: what these take less is what each cause costs
alone, and decides which one has to come first. Where the first finding proposes a setting, it is run with that
setting, too, to compare the gain. Nothing is computed but where the cores themselves are the
cause; there, other programs of this machine are part of the answer, so it has to be idle. Odd seeds are for
choosing thresholds, even ones for judging (the default). With --keep journals stay in FOLDER, and those that
are there are judged again instead of run again. 40 runs take about 17 minutes.
"""
import argparse
import dataclasses
import hashlib
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Callable, Tuple

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "python" / part) for part in ("", "bench")]
import qanat  # noqa: E402
from fault_matrix import gain_of, rest  # noqa: E402

STEPS = 120
BATCH = 4
MUCH = 0.02  # of the step: what costs less need not be named


@dataclasses.dataclass(frozen=True)
class Loop:
    """Seconds of a loop with one worker that is fast enough, rows of like lengths and nobody beside it."""

    workers: int = 1
    row: float = 0.001  # waits for its file
    slow_row: float = 0.0  # more, of the first worker
    is_mixed: bool = False  # rows of all lengths in a batch
    fixed: float = 0.006
    per_frame: float = 0.00005  # of a padded batch
    burned: float = 0.0  # of the processor, in every step
    save: Tuple[int, float] = (0, 0.0)  # every so many steps, so long
    neighbours: int = 0  # busy programs
    prefetch: int = 2  # batches of a worker

    def without(self, **cause):
        return dataclasses.replace(self, **cause)

    def name(self):
        """Of its folder: the same loop has been run if it is there."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:8]


@dataclasses.dataclass(frozen=True)
class Cause:
    name: str
    rules: Tuple[str, ...]  # that name it
    remedy: dict  # what the loop is without it


@dataclasses.dataclass(frozen=True)
class Kind:
    name: str
    causes: Callable  # (loop) -> both of them
    draw: Callable  # (chance) -> the loop with both


STORAGE = ("DL001", "DL002", "DL005")  # in the loop's own process, waiting for files is waiting for a worker
PADDING = Cause("padding", ("DL007",), {"is_mixed": False})
BUSY = Cause("busy machine", ("HOST005", "DL013"), {"neighbours": 0})
SAVING = Cause("slow saving", ("CMP007", "PER001"), {"save": (0, 0.0)})
SLOW_WORKER = Cause("one slow worker", ("DL014",), {"slow_row": 0.0})


def storage_of(loop):
    return Cause("slow storage", STORAGE, {"workers": loop.workers + 1})


def storage_and_busy(chance):
    """In the loop's own process the two add up; behind a worker the slower one hides the other."""
    if chance.random() < 0.5:
        return Loop(workers=0, row=chance.uniform(0.002, 0.009), burned=chance.uniform(0.015, 0.03), per_frame=0,
                    neighbours=chance.randint(2, 4))
    return Loop(workers=1, row=chance.uniform(0.022, 0.03), burned=chance.uniform(0.015, 0.03), per_frame=0,
                neighbours=chance.randint(2, 4))


def workers_and_padding(chance):
    if chance.random() < 0.5:
        return Loop(workers=0, row=chance.uniform(0.003, 0.01), is_mixed=True)
    return Loop(workers=1, row=chance.uniform(0.02, 0.026), is_mixed=True)


def saving_and_storage(chance):
    return Loop(row=chance.uniform(0.015, 0.025), save=(chance.choice((5, 8, 12)), chance.uniform(0.2, 0.6)),
                per_frame=0.00004)


def worker_and_long_rows(chance):
    return Loop(workers=2, slow_row=chance.uniform(0.028, 0.045), is_mixed=True)


KINDS = [
    Kind("storage_and_busy_machine", lambda loop: (storage_of(loop), BUSY), storage_and_busy),
    Kind("few_workers_and_padding",
         lambda loop: (Cause("few workers", STORAGE, {"workers": loop.workers + 1}), PADDING), workers_and_padding),
    Kind("saving_and_storage", lambda loop: (SAVING, storage_of(loop)), saving_and_storage),
    Kind("slow_worker_and_long_rows", lambda loop: (SLOW_WORKER, PADDING), worker_and_long_rows),
]


class Rows:
    """Most are short and a few are long, as utterances are."""

    def __init__(self, loop, seed):
        chance = random.Random(seed)
        lengths = [int(30 + 170 * chance.random() ** 3) for _ in range(BATCH * STEPS)]
        if not loop.is_mixed:  # batches of like lengths, in any order
            lengths.sort()
            batches = [lengths[i:i + BATCH] for i in range(0, len(lengths), BATCH)]
            chance.shuffle(batches)
            lengths = [length for batch in batches for length in batch]
        self.loop, self.lengths = loop, lengths

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, i):
        from torch.utils.data import get_worker_info

        worker = get_worker_info()
        rest(self.loop.row + (self.loop.slow_row if worker and worker.id == 0 else 0))
        return self.lengths[i]


def train(loop, seed, folder):
    from torch.utils.data import DataLoader

    own = {"persistent_workers": True, "prefetch_factor": loop.prefetch} if loop.workers else {}
    loader = DataLoader(Rows(loop, seed), batch_size=BATCH, num_workers=loop.workers, collate_fn=list, **own)
    with qanat.watch(folder, device="cpu") as run:
        for lengths in run.loader(loader):
            longest = max(lengths)
            with run.step(batch_size=BATCH, length=longest, frames=sum(lengths)):
                with run.phase("forward"):
                    rest(loop.fixed + loop.per_frame * BATCH * longest)
                    rest(loop.burned, burn=True)
                with run.phase("optimizer"):
                    rest(0.002)
            if loop.save[0] and run.steps % loop.save[0] == 0:
                with run.saving():
                    rest(loop.save[1])


def start(loop, seed, folder):
    """A process of its own."""
    child = os.fork()
    if child != 0:
        return child
    code = 1
    try:
        train(loop, seed, folder)
        code = 0
    finally:
        os._exit(code)


def run_all(loops, seed):
    """{folder: loop}, at the same time: they sleep."""
    beside = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
              for _ in range(max(loop.neighbours for loop in loops.values()))]
    try:
        children = [start(loop, seed, folder) for folder, loop in loops.items()]
        if any([os.waitpid(child, 0)[1] != 0 for child in children]):
            raise SystemExit("a loop ended badly; what it said is above")
    finally:
        for process in beside:
            process.kill()
            process.wait()


class Runs:
    """Journals of loops, and what `qanat report` says of them."""

    def __init__(self, program, folder):
        self._program, self._folder = program, folder

    def reports(self, name, loops, seed):
        """Of each loop, in their order."""
        folders = [os.path.join(self._folder, f"{name}-{seed}-{loop.name()}") for loop in loops]
        missing = {}
        for folder, loop in zip(folders, loops):
            if not os.path.exists(folder):
                shutil.rmtree(folder + ".unfinished", ignore_errors=True)
                missing[folder + ".unfinished"] = loop
        uses_cores = any(loop.burned for loop in loops)
        for part in [{folder: loop} for folder, loop in missing.items()] if uses_cores else [missing]:
            run_all(part, seed) if part else None
        for folder in missing:
            os.rename(folder, folder.removesuffix(".unfinished"))
        return [self._said_of(folder) for folder in folders]

    def _said_of(self, folder):
        said = subprocess.run([self._program, "report", folder, "--json"], capture_output=True, text=True,
                              env={**os.environ, "LC_ALL": "C.UTF-8"}, check=False)
        if said.returncode not in (0, 10):
            raise SystemExit(f"{self._program} report: {said.stderr.strip()}")
        return json.loads(said.stdout)


def with_setting(loop, finding):
    """The loop as the first fix has it; None where that is no setting of a loader."""
    setting, _, value = (finding["fixes"] or [{"flag": ""}])[0]["flag"].partition("=")
    names = {"num_workers": "workers", "prefetch_factor": "prefetch"}
    return loop.without(**{names[setting]: int(value)}) if setting in names else None


def warnings_of(report):
    """The findings that say something of their own, and those of them that warn."""
    findings = [finding for finding in report["findings"] if finding["explained_by"] is None]
    return findings, [finding for finding in findings if finding["severity"] != "info"]


def judge(kind, runs, seed):
    loop = kind.draw(random.Random(f"{kind.name} {seed}"))
    causes = kind.causes(loop)
    both, = runs.reports(f"{kind.name}-both", [loop], seed)
    findings, warned = warnings_of(both)
    first = warned[0] if warned else None
    remedied = [loop.without(**cause.remedy) for cause in causes]
    proposed = with_setting(loop, first) if first else None
    others = [*remedied, *([proposed] if proposed is not None and proposed not in remedied else [])]
    steps = dict(zip(others, (report["step_s"]["mean"] for report in runs.reports(kind.name, others, seed))))
    now = both["step_s"]["mean"]
    costs = [now - steps[one] for one in remedied]
    larger, other = sorted((0, 1), key=lambda i: -costs[i])
    is_first = first is not None and first["id"] in causes[larger].rules
    result = {"kind": kind.name, "seed": seed, "step_s": now, "load": os.getloadavg()[0],
              "causes": {cause.name: cost for cause, cost in zip(causes, costs)}, "larger": causes[larger].name,
              "found": [[finding["id"], finding["severity"], round(gain_of(finding), 3)] for finding in findings[:5]],
              "is_first": is_first, "names_other": any(finding["id"] in causes[other].rules for finding in findings)}
    if is_first:
        fix = (first["fixes"] or [{}])[0]
        result["fix"] = fix.get("flag")
        result["predicted_gain"] = now - (fix.get("predicted_step_s") or first["gain"]["step_s_if_fixed"])
        result["realised_gain"] = now - steps[proposed] if proposed is not None else costs[larger]
    return result


def summary_of(results):
    right = [one for one in results if one["is_first"] and one["names_other"]]
    off = [abs(one["predicted_gain"] / one["realised_gain"] - 1) for one in results
           if one.get("realised_gain", 0) > 0]
    return {"runs": len(results), "right": len(right), "first": sum(one["is_first"] for one in results),
            "other": sum(one["names_other"] for one in results),
            "gain_off_median": statistics.median(off) if off else None}


def print_summary(results):
    print(f"{'kind':28}{'right':>8}{'first':>8}{'other':>8}   gain of the first off by, median")
    for name in [*dict.fromkeys(one["kind"] for one in results), "all"]:
        own = summary_of([one for one in results if name in (one["kind"], "all")])
        off = "-" if own["gain_off_median"] is None else f"{100 * own['gain_off_median']:.1f} %"
        print(f"{name:28}" + "".join(f"{own[key]:>5}/{own['runs']:<2}" for key in ("right", "first", "other"))
              + f"   {off}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--qanat", required=True, help="the program")
    parser.add_argument("--rounds", type=int, default=10, help="runs of each kind")
    parser.add_argument("--seed", type=int, default=2, help="of the first round; the next ones are two apart")
    parser.add_argument("--kinds", help="only these, with commas between")
    parser.add_argument("--keep", metavar="FOLDER", help="where journals stay")
    parser.add_argument("--json", help="write every run to this file")
    options = parser.parse_args()
    import torch

    begin, results = time.perf_counter(), []
    with tempfile.TemporaryDirectory() as scratch:
        runs = Runs(options.qanat, options.keep or scratch)
        os.makedirs(options.keep or scratch, exist_ok=True)
        for turn in range(options.rounds):
            for kind in KINDS:
                if not options.kinds or kind.name in options.kinds.split(","):
                    results.append(judge(kind, runs, options.seed + 2 * turn))
                    print(json.dumps(results[-1]), file=sys.stderr, flush=True)
    print_summary(results)
    loads = [one["load"] for one in results]
    print(f"torch {torch.__version__}, {time.perf_counter() - begin:.0f} s, load {min(loads):.1f} to {max(loads):.1f}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"runs": results, **summary_of(results)}, indent=1) + "\n",
                                              encoding="utf-8")


if __name__ == "__main__":
    main()
