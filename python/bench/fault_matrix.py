#!/usr/bin/env python3
"""Does the diagnosis name what slows a PyTorch loop down? Injects twelve kinds of faults into a loop that
qanat.watch measures, and looks at the first finding of `qanat report`.

    python3 python/bench/fault_matrix.py --qanat build/release/bin/qanat [--rounds 10] [--healthy 30]
        [--kinds slow_storage,...] [--burn] [--seed 1] [--json FILE] [--keep FOLDER] [--quick]
    python3 python/bench/fault_matrix.py --merge FILE FILE...   # runs that were made in parts

Run it with the Python whose torch is to be judged. Faults sleep instead of computing, so that a busy
machine changes little; --burn adds those that need idle cores. Each kind has the findings that name it, and
its loop without the fault: the step that was predicted is compared with the step of that loop. Findings
below 2 % of the step do not count, nor do those that the report explains by another one. Healthy loops may
have none with a gain of 5 % or more. About 25 minutes; --quick: one of each, 2 minutes. With --keep, the
journals stay in FOLDER and those that are there are judged again, not run again: what a changed rule says
of the same runs takes seconds.
"""
import argparse
import dataclasses
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
import traceback
from time import perf_counter
from typing import Callable, Tuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import qanat  # noqa: E402

# The machine and chance cause these: on a busy machine they are right, and none of the loop's doing.
OF_THE_MACHINE = {"HOST001", "HOST002", "HOST003", "HOST004", "HOST005", "HOST008", "CFG008", "DL013"}
FALSE_ALARM = 0.05  # of the step
SMALL = 0.02  # of the step: nobody would act on it
STEPS = 120
BATCH = 4


@dataclasses.dataclass(frozen=True)
class Loop:
    """A loop of paced work; every part is a function of the step or the row, in seconds."""

    workers: int = 1
    persistent: bool = True
    batches: int = STEPS  # of an epoch
    row: Callable = lambda i, chance: 0.001
    start: float = 0.0  # of a worker
    collate: float = 0.0
    transfer: Callable = lambda step: 0.0
    forward: Callable = lambda step, chance: 0.030
    optimizer: float = 0.003
    save: Tuple[int, float] = (0, 0.0)  # every so many steps, so long
    burn: bool = False  # rows compute instead of sleeping
    prefetch: int = 2
    neighbour: bool = False  # as many busy processes as cores


@dataclasses.dataclass(frozen=True)
class Kind:
    name: str
    faulty: Loop
    remedied: Loop
    findings: Tuple[str, ...]  # that name it
    setting: str = ""  # how the first fix begins
    burns: bool = False


HEALTHY = Loop()


def changed(**what):
    return dataclasses.replace(HEALTHY, **what)


def uneven(i, chance):
    return 0.001 if chance.random() < 0.85 else 0.045


KINDS = [
    Kind("slow_storage", changed(row=lambda i, _: 0.015), changed(row=lambda i, _: 0.015, workers=2),
         ("DL001",), "num_workers="),
    Kind("loads_in_main", changed(workers=0, row=lambda i, _: 0.005), changed(row=lambda i, _: 0.005),
         ("DL001", "DL002", "DL005"), "num_workers="),
    Kind("collate_in_main", changed(workers=0, collate=0.02), changed(collate=0.02),
         ("DL001", "DL002", "DL005"), "num_workers="),
    Kind("workers_start_every_epoch", changed(persistent=False, batches=20, start=0.4),
         changed(persistent=True, batches=20, start=0.4), ("DL010",), "persistent_workers=True"),
    Kind("uneven_batches", changed(row=uneven), changed(row=uneven, prefetch=16), ("DL005", "DL011"),
         "prefetch_factor="),
    Kind("saves_often", changed(save=(10, 0.15)), HEALTHY, ("CMP007",)),
    Kind("saves_long", changed(save=(40, 0.8)), HEALTHY, ("CMP007",)),
    Kind("stall_every_12", changed(forward=lambda step, _: 0.03 + 0.12 * (step % 12 == 0)), HEALTHY,
         ("PER001",)),
    Kind("slower_and_slower", changed(forward=lambda step, _: 0.02 + 0.0004 * step),
         changed(forward=lambda step, _: 0.02), ("PER002",)),
    # Not in the first half: what settles there is taken for a warm-up.
    Kind("slower_from_a_moment", changed(forward=lambda step, _: 0.03 if step < 80 else 0.05), HEALTHY,
         ("PER003", "PER002")),
    Kind("rare_long_steps", changed(forward=lambda step, chance: 0.03 + 0.3 * (chance.random() < 0.07)),
         HEALTHY, ("VAR001",)),
    Kind("copies_wait", changed(transfer=lambda step: 0.015), HEALTHY, ("DL008", "MG003")),
    Kind("busy_rows", changed(row=lambda i, _: 0.012, burn=True),
         changed(row=lambda i, _: 0.012, burn=True, workers=2), ("DL002",), "num_workers=", True),
    Kind("neighbour", changed(neighbour=True, burn=True, row=lambda i, _: 0.004),
         changed(burn=True, row=lambda i, _: 0.004), ("HOST005", "HOST004", "DL013"), "", True),
]


def rest(seconds, burn=False):
    if seconds <= 0:
        return
    if not burn:
        time.sleep(seconds)
        return
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


class Rows:
    def __init__(self, loop, seed):
        self.loop, self.seed = loop, seed

    def __len__(self):
        return BATCH * self.loop.batches

    def __getitem__(self, i):
        rest(self.loop.row(i, random.Random(f"{self.seed} {i}")), self.loop.burn)
        return i


class Collate:
    def __init__(self, seconds):
        self.seconds = seconds

    def __call__(self, rows):
        rest(self.seconds)
        return rows


class Start:
    def __init__(self, seconds):
        self.seconds = seconds

    def __call__(self, worker):
        rest(self.seconds)


def make_loader(loop, seed):
    from torch.utils.data import DataLoader

    own = {"prefetch_factor": loop.prefetch, "persistent_workers": loop.persistent} if loop.workers else {}
    return DataLoader(Rows(loop, seed), batch_size=BATCH, num_workers=loop.workers,
                      collate_fn=Collate(loop.collate), worker_init_fn=Start(loop.start), **own)


def train(loop, seed, folder):
    if hasattr(loop, "train"):  # a script of script_matrix.py
        loop.train(seed, folder)
        return
    chance = random.Random(seed)
    loader = make_loader(loop, seed)
    with qanat.watch(folder, device="cpu") as run:
        watched = run.loader(loader)
        while run.steps < STEPS:
            for _ in watched:
                step = run.steps
                with run.step(batch_size=BATCH):
                    if loop.transfer(step):  # a sleep of 0 gives the core away
                        with run.phase("transfer"):
                            rest(loop.transfer(step))
                    with run.phase("forward"):
                        rest(loop.forward(step, chance))
                    with run.phase("optimizer"):
                        rest(loop.optimizer)
                if loop.save[0] and run.steps % loop.save[0] == 0:
                    with run.saving():
                        rest(loop.save[1])
                if run.steps == STEPS:
                    break


def neighbours(loop):
    count = (os.cpu_count() or 1) if loop.neighbour else 0
    return [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]


def run_beside_others(loop, seed, folder):
    """In a process of its own: what a loop leaves behind is not found by the next one."""
    beside = neighbours(loop)
    try:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                train(loop, seed, folder)
                code = 0
            except BaseException:  # pylint: disable=broad-except
                traceback.print_exc()
            finally:
                os._exit(code)
        if os.waitpid(child, 0)[1] != 0:
            raise SystemExit("a loop ended badly; what it said is above")
    finally:
        for process in beside:
            process.kill()
            process.wait()


class Runs:
    """What `qanat report` says of runs. They stay in the folder `kept`, where one is named."""

    def __init__(self, program, kept):
        self._program, self._kept = program, kept

    def report(self, name, loop, seed):
        if self._kept is None:
            with tempfile.TemporaryDirectory() as scratch:
                run_beside_others(loop, seed, scratch)
                return self._said_of(scratch)
        folder = os.path.join(self._kept, f"{name}-{seed}")
        if not os.path.exists(folder):
            unfinished = folder + ".unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            run_beside_others(loop, seed, unfinished)
            os.rename(unfinished, folder)
        return self._said_of(folder)

    def _said_of(self, folder):
        said = subprocess.run([self._program, "report", folder, "--json"], capture_output=True, text=True,
                              env={**os.environ, "LC_ALL": "C.UTF-8"}, check=False)
        if said.returncode not in (0, 10):
            raise SystemExit(f"{self._program} report: {said.stderr.strip()}")
        return json.loads(said.stdout)


def findings_of(report, kind=None):
    """The first first, without small and explained ones; those of the machine only where the fault is one."""
    keeps = set(kind.findings) if kind else set()
    return [finding for finding in report["findings"]
            if gain_of(finding) >= SMALL and finding["explained_by"] is None
            and (finding["id"] not in OF_THE_MACHINE or finding["id"] in keeps)]


def of_the_machine(report):
    """How often the report blames the machine is part of the truth about a busy one."""
    return [finding["id"] for finding in report["findings"]
            if finding["id"] in OF_THE_MACHINE and gain_of(finding) >= SMALL]


def gain_of(finding):
    """As a share of the step."""
    gain = finding["gain"]
    return 1 - gain["step_s_if_fixed"] / gain["step_s_now"] if gain["step_s_now"] else 0.0


def judge(kind, runs, seed):
    report = runs.report(kind.name, kind.faulty, seed)
    found = findings_of(report, kind)
    first = found[0] if found else None
    result = {"kind": kind.name, "seed": seed, "found": [finding["id"] for finding in found[:3]],
              "right": bool(first) and first["id"] in kind.findings, "fix": "",
              "step": report["step_s"]["mean"], "machine": of_the_machine(report),
              "load": os.getloadavg()[0]}
    if first and first["fixes"]:
        result["fix"] = first["fixes"][0]["flag"]
        result["right_fix"] = result["fix"].startswith(kind.setting)
    if first:
        result["predicted"] = ((first["fixes"] or [{}])[0].get("predicted_step_s")
                               or first["gain"]["step_s_if_fixed"])
    if result["right"] and result["predicted"]:
        result["realised"] = runs.report(f"{kind.name}-remedied", kind.remedied, seed)["step_s"]["mean"]
    return result


def print_kinds(results):
    print(f"{'fault':28}{'right':>8}{'fix':>8}  named, how often; gain predicted and realised, medians")
    for name in dict.fromkeys(result["kind"] for result in results):
        own = [result for result in results if result["kind"] == name]
        named = {}
        for result in own:
            first = result["found"][0] if result["found"] else "nothing"
            named[first] = named.get(first, 0) + 1
        gains = [(result["step"] - result["predicted"], result["step"] - result["realised"])
                 for result in own if "realised" in result]
        said = "" if not gains else "; {:.1f} and {:.1f} ms".format(
            *(1000 * statistics.median(side) for side in zip(*gains)))
        fixes = [result["right_fix"] for result in own if "right_fix" in result]
        fixed = f"{sum(fixes)}/{len(fixes)}" if fixes else "-"  # periods and outliers have none
        print(f"{name:28}{sum(result['right'] for result in own):>5}/{len(own):<2}{fixed:>8}  "
              + ", ".join(f"{key} {count}" for key, count in named.items()) + said)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--qanat", help="the program")
    parser.add_argument("--merge", nargs="+", metavar="FILE", help="only sum up what --json wrote")
    parser.add_argument("--rounds", type=int, default=10, help="runs of each kind")
    parser.add_argument("--healthy", type=int, default=30, help="runs without a fault")
    parser.add_argument("--kinds", help="only these, with commas between")
    parser.add_argument("--burn", action="store_true", help="also faults that need idle cores")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", help="write every run to this file")
    parser.add_argument("--keep", metavar="FOLDER", help="where journals stay; those there are judged again")
    parser.add_argument("--quick", action="store_true", help="one run of each kind, 3 healthy ones")
    options = parser.parse_args()
    if not options.qanat and not options.merge:
        parser.error("--qanat: the program is missing; try build/release/bin/qanat")
    if options.quick:
        options.rounds, options.healthy = 1, 3
    return options


def measure(options):
    """{"torch", "runs", "healthy", "seconds"}"""
    import torch

    kinds = [kind for kind in KINDS if (options.burn or not kind.burns)
             and (not options.kinds or kind.name in options.kinds.split(","))]
    print(f"torch {torch.__version__}, {len(kinds)} kinds, {options.rounds} runs each", flush=True)
    begin, results, healthy = perf_counter(), [], []
    runs = Runs(options.qanat, options.keep)
    for turn in range(options.rounds):
        for kind in kinds:
            results.append(judge(kind, runs, 1000 * options.seed + turn))
            print(json.dumps(results[-1]), file=sys.stderr, flush=True)
    for turn in range(options.healthy):
        report = runs.report("healthy", HEALTHY, 5000 * options.seed + turn)
        healthy.append({"alarms": [finding["id"] for finding in findings_of(report)
                                   if gain_of(finding) >= FALSE_ALARM],
                        "machine": of_the_machine(report), "load": os.getloadavg()[0]})
        print(json.dumps({"healthy": turn, **healthy[-1]}), file=sys.stderr, flush=True)
    return {"torch": str(torch.__version__), "runs": results, "healthy": healthy,
            "seconds": perf_counter() - begin}


def merged(paths):
    parts = [json.loads(pathlib.Path(path).read_text()) for path in paths]
    if len({part["torch"] for part in parts}) != 1:
        raise SystemExit("--merge: runs of several torches; expected those of one")
    print(f"torch {parts[0]['torch']}, {len(parts)} parts")
    return {"torch": parts[0]["torch"], "runs": [run for part in parts for run in part["runs"]],
            "healthy": [run for part in parts for run in part["healthy"]],
            "seconds": sum(part["seconds"] for part in parts)}


def main():
    options = parse()
    measured = merged(options.merge) if options.merge else measure(options)
    results, healthy = measured["runs"], measured["healthy"]
    print_kinds(results)
    right = sum(result["right"] for result in results)
    known = [result for result in results if "realised" in result]
    print(f"first finding right: {right} of {len(results)}")
    if known:
        steps = [abs(one["predicted"] - one["realised"]) / one["realised"] for one in known]
        gains = [abs(one["predicted"] - one["realised"]) / abs(one["step"] - one["realised"]) for one in known]
        print(f"predicted and realised, in the median of {len(known)}: the step is off by "
              f"{100 * statistics.median(steps):.1f} %, the gain by {100 * statistics.median(gains):.1f} %")
    if healthy:
        print(f"false alarms: {sum(bool(run['alarms']) for run in healthy)} of {len(healthy)} healthy runs; "
              f"the machine was blamed in {sum(bool(run['machine']) for run in healthy)}")
    loads = [run["load"] for run in results + healthy]
    print(f"{measured['seconds']:.0f} s, load {min(loads):.1f} to {max(loads):.1f}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(measured, indent=1) + "\n")


if __name__ == "__main__":
    main()
