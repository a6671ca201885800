#!/usr/bin/env python3
"""Does the diagnosis name what slows down a loop that nobody here wrote? Runs the scripts of script_loops.py
under `qanat watch`, each with its fault and without it, and looks at the first finding of `qanat report`;
the twelve kinds of fault_matrix.py are judged with them.

    python3 python/bench/script_matrix.py --qanat build/release/bin/qanat --keep FOLDER
        [--rounds 5] [--seed 1] [--kinds slow_sampler,...] [--busy 2] [--burn] [--json FILE]

The first finding that matters is right, wrong, or withheld: nothing is claimed, or only what to measure next.
Kinds and what names them were written down before the rules were changed, from what users had reported. Odd
seeds are for choosing, even ones for judging only. --busy runs so many programs along with the loops that take a
core each. Journals stay in FOLDER and are judged again, not run again. About an hour; --quick: one of each.
"""
import argparse
import dataclasses
import importlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
from time import perf_counter
from typing import Tuple

import fault_matrix
from fault_matrix import FALSE_ALARM, SMALL, Runs, gain_of

SCRIPT = str(pathlib.Path(__file__).resolve().with_name("script_loops.py"))
WITHHELD = {"DL017"}  # what is known, and what to measure next


@dataclasses.dataclass(frozen=True)
class Script:
    name: str
    is_faulty: bool = True
    neighbour: bool = False

    def train(self, seed, folder):
        importlib.import_module("qanat.watch").main(["--out", folder, SCRIPT, self.name, "--seed", str(seed),
                                                     *([] if self.is_faulty else ["--remedied"])])


@dataclasses.dataclass(frozen=True)
class Kind:
    name: str
    findings: Tuple[str, ...]  # that name it
    says: str = ""  # a word that the finding has to have: the function at fault
    burns: bool = False
    setting: str = ""

    @property
    def faulty(self):
        return Script(self.name)

    @property
    def remedied(self):
        return Script(self.name, False)


KINDS = [
    Kind("one_slow_worker", ("DL014",)),
    Kind("slow_worker_of_iterable", ("DL014",)),
    Kind("one_worker_has_all_shards", ("DL014",)),
    Kind("lock_among_workers", ("DL004",)),
    Kind("reads_that_hang_now_and_then", ("DL005",)),
    Kind("one_slow_file", ("DL011",)),
    Kind("slow_files_for_all", ("DL001",)),
    Kind("loader_made_anew_every_epoch", ("DL010",)),
    Kind("slow_sampler", ("DL016",)),
    Kind("batches_hard_to_hand_over", ("DL016",)),
    Kind("no_loader", ("DL015",), "get_batch"),
    Kind("own_prefetch_thread", ("DL015",)),
    Kind("progress_bar", ("CMP010",), "print_progress"),
    Kind("logs_every_step", ("CMP010",), "write_metrics"),
    Kind("collects_garbage", ("CMP010",), "collect_garbage"),
    Kind("reads_the_loss_every_step", ("CMP010",), "read_loss"),
    Kind("clips_slowly", ("CMP010", "CMP006"), "clip_gradients"),
    Kind("saves_by_hand", ("CMP010", "CMP007", "PER001"), "write_checkpoint"),
    Kind("evaluates_at_every_step", ("CMP007",)),
    Kind("pads_to_the_longest_of_all", ("DL007",)),
    Kind("compiles_for_every_length", ("VAR001", "VAR002")),
    Kind("with_a_closure", ("DL001", "DL002", "DL005")),
    Kind("accumulated", ("DL001",)),
    Kind("keeps_every_loss", ("PER002",)),
    Kind("own_threads_fight", ("HOST004", "DL006"), burns=True),
]
HEALTHY = ("healthy_plain", "healthy_closure", "healthy_accumulation", "healthy_without_loader",
           "healthy_evaluation", "healthy_two_optimizers")


def of_machine(kind):
    return fault_matrix.OF_THE_MACHINE - set(kind.findings if kind else ())


def claims(report, kind):
    """The findings that matter, the first first."""
    return [finding for finding in report["findings"]
            if gain_of(finding) >= SMALL and finding["explained_by"] is None
            and finding["id"] not in of_machine(kind)]


def verdict(found, kind):
    first = next((finding for finding in found if finding["id"] not in WITHHELD), None)
    if first is None:
        return "withheld"
    says = getattr(kind, "says", "")
    return "right" if first["id"] in kind.findings and says in json.dumps(first) else "wrong"


def judge(kind, runs, seed):
    report = runs.report(kind.name, kind.faulty, seed)
    found = claims(report, kind)
    result = {"kind": kind.name, "seed": seed, "verdict": verdict(found, kind),
              "found": [finding["id"] for finding in found[:3]], "step": report["step_s"]["mean"],
              "machine": fault_matrix.of_the_machine(report), "load": os.getloadavg()[0]}
    if result["verdict"] == "right":
        first = next(finding for finding in found if finding["id"] not in WITHHELD)
        result["predicted"] = ((first["fixes"] or [{}])[0].get("predicted_step_s")
                               or first["gain"]["step_s_if_fixed"])
        result["realised"] = runs.report(f"{kind.name}-remedied", kind.remedied, seed)["step_s"]["mean"]
    return result


def judge_healthy(name, runs, seed):
    report = runs.report(name, Script(name), seed)
    return {"kind": name, "seed": seed, "load": os.getloadavg()[0],
            "alarms": [finding["id"] for finding in claims(report, None)
                       if finding["id"] not in WITHHELD and gain_of(finding) >= FALSE_ALARM],
            "machine": fault_matrix.of_the_machine(report)}


def print_kinds(results):
    print(f"{'fault':32}{'right':>7}{'withheld':>10}{'wrong':>7}  first finding, how often")
    for name in dict.fromkeys(result["kind"] for result in results):
        own = [result for result in results if result["kind"] == name]
        count = {word: sum(one["verdict"] == word for one in own) for word in ("right", "withheld", "wrong")}
        named = {}
        for one in own:
            first = one["found"][0] if one["found"] else "nothing"
            named[first] = named.get(first, 0) + 1
        print(f"{name:32}{count['right']:>7}{count['withheld']:>10}{count['wrong']:>7}  "
              + ", ".join(f"{key} {times}" for key, times in named.items()))


def print_sums(results, healthy):
    for words, own in (("all seeds", results), ("seeds for judging only",
                                                [one for one in results if one["seed"] % 2 == 0])):
        if own:
            right, wrong = (sum(one["verdict"] == word for one in own) for word in ("right", "wrong"))
            print(f"{words}: right {right} of {len(own)} ({100 * right / len(own):.0f} %), "
                  f"wrong {wrong} ({100 * wrong / len(own):.0f} %)")
    known = [one for one in results if one.get("predicted") and one["step"] > one["realised"]]
    if known:
        gains = [abs(one["predicted"] - one["realised"]) / (one["step"] - one["realised"]) for one in known]
        print(f"gain, predicted and realised: off by {100 * statistics.median(gains):.1f} % in the median")
    if healthy:
        alarms = [one for one in healthy if one["alarms"]]
        print(f"false alarms: {len(alarms)} of {len(healthy)} healthy loops "
              + ", ".join(f"{one['kind']} {one['alarms'][0]}" for one in alarms))


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--qanat", required=True, help="the program")
    parser.add_argument("--keep", metavar="FOLDER", help="where journals stay; those there are judged again")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each kind")
    parser.add_argument("--seed", type=int, default=1, help="of the first round")
    parser.add_argument("--kinds", help="only these, with commas between")
    parser.add_argument("--busy", type=int, default=0, help="other programs to run, a core each")
    parser.add_argument("--burn", action="store_true", help="also faults that need idle cores")
    parser.add_argument("--json", help="write every run to this file")
    parser.add_argument("--quick", action="store_true", help="one run of each kind")
    options = parser.parse_args()
    if options.quick:
        options.rounds = 1
    return options


def measure(options):
    wanted = options.kinds.split(",") if options.kinds else None
    kinds = [kind for kind in (*fault_matrix.KINDS, *KINDS)
             if (options.burn or not kind.burns) and (wanted is None or kind.name in wanted)]
    healthy_kinds = [name for name in HEALTHY if wanted is None or name in wanted]
    runs, results, healthy = Runs(options.qanat, options.keep), [], []
    for seed in range(options.seed, options.seed + options.rounds):
        for kind in kinds:
            results.append(judge(kind, runs, seed))
            print(json.dumps(results[-1]), file=sys.stderr, flush=True)
        for name in healthy_kinds:
            healthy.append(judge_healthy(name, runs, seed))
            print(json.dumps(healthy[-1]), file=sys.stderr, flush=True)
    return results, healthy


def main():
    import torch

    options = parse()
    begin = perf_counter()
    beside = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.busy)]
    try:
        results, healthy = measure(options)
    finally:
        for process in beside:
            process.kill()
            process.wait()
    print_kinds(results)
    print_sums(results, healthy)
    print(f"torch {torch.__version__}, {perf_counter() - begin:.0f} s, {options.busy} other programs")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"runs": results, "healthy": healthy}, indent=1) + "\n")


if __name__ == "__main__":
    main()
