#!/usr/bin/env python3
"""Runs benchmarks, prints their tables and writes their figures; ./dev bench calls it."""
import argparse
import json
import os
import pathlib
import platform
import sys
import time

import pieces
import tables
import targets
from company import run_company
from harness import ProgramFailed, run_lines, say
from loader import full_setup, quick_setup, run_loader
from modes import run_modes
from peers import run_peers, run_python
from replicas import run_replicas
from ring import run_ring
from step import run_step
from tools import run_tools
from variation import run_variation
from watch import Watch

IDLE = 0.1  # cores that others may use on a machine that counts as idle
NAMED = ("peers", "python")  # parts whose table names what they compare with


def run_mel(options):
    """(figures, raw) of qanat_mel_bench and of the way back, qanat_griffin_lim_bench."""
    quick = ["--quick"] if options.quick else []
    say("mel extraction against its FFT")
    mel = run_lines([options.bin / "qanat_mel_bench", "--json", *quick])[-1]
    say("Griffin-Lim")
    back = run_lines([options.bin / "qanat_griffin_lim_bench", *quick])[-1]
    figures = {"mel_cost_over_fft": mel["mel_cost_over_fft"],
               "griffin_lim_rtf": back["griffin_lim_rtf"],
               "griffin_lim_l1": back["griffin_lim_l1"]}
    return figures, {"mel": mel, "griffin_lim": back}


def run_text(options):
    """(figures, raw) of qanat_text_bench."""
    say("normalising text")
    text = run_lines([options.bin / "qanat_text_bench", *(["--quick"] if options.quick else [])])[-1]
    return dict(text), {"text": text}


def machine():
    model = "unknown"
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return {"cpu": model, "cores": len(os.sched_getaffinity(0)), "kernel": platform.release(),
            "load_before": os.getloadavg()[0]}


def print_verdicts(wanted, figures):
    """How many figures miss their target."""
    missed = 0
    print()
    for target in wanted:
        if target.key not in figures:
            print(f"  unknown  {target.key:32}{'-':>10}  {target.text():10} {target.what}")
            continue
        value = figures[target.key]
        met = target.met(value)
        missed += not met
        verdict = "seen" if target.bound is None else "met" if met else "not met"
        print(f"  {verdict:8} {target.key:32}{value:>10.4g}  {target.text():10} {target.what}")
    return missed


def parse(arguments):
    parser = argparse.ArgumentParser(description="Measures the loader, its parts and the training step.")
    parser.add_argument("which", nargs="?", default="all", choices=[*targets.PARTS, "all"])
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the programs")
    parser.add_argument("--work", type=pathlib.Path, required=True,
                        help="folder for corpora and shards; kept between runs")
    parser.add_argument("--quick", action="store_true",
                        help="little of everything, to see that it runs; no figure to quote")
    parser.add_argument("--json", type=pathlib.Path, help="write the figures to this file")
    parser.add_argument("--publish", choices=["idle", "always", "never"], default="idle",
                        help="write the tables of the documentation: when the machine was idle, "
                        "whatever it did meanwhile, or not at all")
    parser.add_argument("--piece", choices=["prepare", "round", "publish"],
                        help="of python and peers together, a few minutes each: see bench/pieces.py")
    options = parser.parse_args(arguments)
    if options.piece and options.which != "python":
        parser.error("--piece: only the benchmark python has pieces; try ./dev bench python --piece prepare")
    return options


def run_piece(options):
    if options.piece == "prepare":
        pieces.prepare(options)
    elif options.piece == "round":
        pieces.measure(options, Watch())
    else:
        found, raw, others = pieces.merge(options, IDLE)
        for name, (figures, names) in found.items():
            publish(name, figures, {**machine(), "others_cores": others}, options, names)
            print_verdicts(targets.PARTS[name], figures)
        if options.json:
            options.json.write_text(json.dumps({"raw": raw}, indent=2) + "\n")
    return 0


def run_part(name, options):
    """(figures, raw) of one benchmark."""
    if name == "loader":
        return run_loader((quick_setup if options.quick else full_setup)(options.bin, options.work))
    return {"ring": run_ring, "mel": run_mel, "step": run_step, "modes": run_modes,
            "variation": run_variation, "company": run_company, "replicas": run_replicas, "tools": run_tools,
            "text": run_text, "peers": run_peers, "python": run_python}[name](options)


def publish(name, figures, facts, options, names=None):
    """Into bench/figures.json and from there into the documentation."""
    if options.quick or options.publish == "never" or not figures:
        return
    if facts["others_cores"] > IDLE and options.publish != "always":
        say(f"{name}: other programs kept {facts['others_cores']:.2f} cores busy meanwhile; these "
            "figures are not for the documentation (--publish always writes them nevertheless)")
        return
    kept = {key: facts[key] for key in ("cpu", "cores", "others_cores")}
    kept["kernel"] = ".".join(facts["kernel"].split(".")[:2])
    tables.keep(name, figures, kept, names)
    for page in tables.write_tables():
        say(f"wrote the figures into {page}")


def main(arguments):
    options = parse(arguments)
    options.work.mkdir(parents=True, exist_ok=True)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
    if options.piece:
        return run_piece(options)
    names = list(targets.PARTS) if options.which == "all" else [options.which]
    result = {"figures": {}, "targets": {}, "machine": machine(), "quick": options.quick, "raw": {}}
    wanted = []
    others = {}
    for name in names:
        watch = Watch()
        figures, raw = run_part(name, options)
        others[name] = watch.others_cores()
        wanted += targets.PARTS[name]
        result["figures"].update(figures)
        result["raw"].update(raw)
        shown_as = raw[name]["names"] if name in NAMED else None
        publish(name, figures, {**machine(), "others_cores": others[name]}, options, shown_as)
    result["targets"] = {x.key: {"bound": x.bound, "at_least": x.at_least,
                                 "met": x.met(result["figures"][x.key])}
                         for x in wanted if x.key in result["figures"] and x.bound is not None}
    result["machine"]["others_cores"] = max(others.values())
    missed = print_verdicts(wanted, result["figures"])
    if options.quick:
        print("\nquick run: it works; for figures run it without --quick on an idle machine")
    elif missed:
        print(f"\n{missed} of {len(wanted)} targets not met here")
    if max(others.values()) > IDLE:
        print(f"\nnot an idle machine: other programs kept {max(others.values()):.2f} cores busy "
              "meanwhile; do not quote these figures")
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n")
        say(f"wrote {options.json}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (ProgramFailed, OSError) as failure:
        say(str(failure))
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
