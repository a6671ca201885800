#!/usr/bin/env python3
"""Everything that has to be seen on real GPUs, run in one go and kept in one folder to send back.

    ./dev gpu-acceptance [--out FOLDER] [--data DIR]       with a build of the sources
    QANAT_BIN=PROGRAM qanat gpu-acceptance ...             with the wheel, and a program that trains

About ten minutes with two cards; with one, what needs two is left out and says so, and without any
only the installation is tried, on the CPU. Every check keeps its command, exit code, output and time; summary.md says what was expected and what was seen.
The folder holds no audio and no weights. docs/en/gpu_acceptance.md explains the checks.
"""
import argparse
import gzip
import json
import math
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import time

STEPS = 60  # of each run; enough for a median behind the warm-up
# Calls into CUDA that launch work, and those in which the caller waits for the card.
LAUNCHES = ("cudaLaunchKernel", "cuLaunchKernel", "cudaGraphLaunch", "cuGraphLaunch")
WAITS = {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize", "cuCtxSynchronize",
         "cuStreamSynchronize", "cuEventSynchronize", "cudaMemcpy", "cudaMemcpy2D", "cudaFree"}


class Acceptance:
    def __init__(self, qanat, out, data, steps):
        self.qanat, self.out, self.data, self.steps = qanat, out, data, steps
        self.results = []

    def run(self, name, *arguments, timeout=300, environment=None):
        """(exit code, stdout, stderr) of the program; all of it is kept."""
        command = [*self.qanat, *map(str, arguments)]
        begin = time.monotonic()
        try:
            done = subprocess.run(command, text=True, capture_output=True, timeout=timeout,
                                  stdin=subprocess.DEVNULL, env={**os.environ, **(environment or {})})
            code, stdout, stderr = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as error:
            code, stdout, stderr = None, error.stdout or "", f"no end within {timeout} s"
        took = time.monotonic() - begin
        (self.out / f"{name}.out").write_text(str(stdout))
        (self.out / f"{name}.err").write_text(str(stderr))
        self.last = {"command": " ".join(command[len(self.qanat):]), "exit": code, "seconds": round(took, 1)}
        return code, stdout, stderr

    def check(self, name, expected, seen, passed):
        self.results.append({"check": name, "expected": expected, "seen": str(seen),
                             "outcome": "PASS" if passed else "FAIL", **self.last})
        print(f"{'PASS' if passed else 'FAIL'}  {name}: {seen} (expected: {expected})", flush=True)

    def check_losses(self, name, steps, others, limit):
        """That two runs learn the same: the losses of the first 10 steps."""
        pairs = [(step["losses"]["total"], other["losses"]["total"])
                 for step, other in zip(steps, others)][:10]
        apart = max((abs(a - b) / abs(b) for a, b in pairs), default=float("inf"))
        self.check(name, f"the losses of the first 10 steps at most {100 * limit:g} % apart",
                   f"{100 * apart:.4f} % apart over {len(pairs)} steps", len(pairs) == 10 and apart <= limit)

    def leave_out(self, name, why):
        self.results.append({"check": name, "outcome": "LEFT OUT", "seen": why})
        print(f"----  {name}: left out, {why}", flush=True)

    def train(self, name, *flags, steps=None, **environment):
        """(summary or None, step lines of the journal) of a run of its own."""
        with tempfile.TemporaryDirectory() as folder:
            code, stdout, _ = self.run(
                name, "train", "--data", self.data, "--model-size", "nano", "--batch-size", 16,
                "--max-steps", steps or self.steps, "--epochs", 1000, "--seed", 1, "--checkpoint-dir",
                folder, "--render-every", 0, "--no-emoji", "--json", *flags, timeout=600,
                environment=environment)
            journal = pathlib.Path(folder) / "journal.jsonl"
            lines = []
            if journal.exists():
                shutil.copy(journal, self.out / f"{name}.journal.jsonl")
                lines = [json.loads(line) for line in journal.read_text().splitlines()]
        self.lines = lines
        return json.loads(stdout) if code == 0 else None, of_kind(lines, "step")

    def judge_host(self, name):
        """Of the last run: whether the host ever waited for the card, or the card for the host."""
        steps = of_kind(self.lines, "step")
        warm = steps[len(steps) // 3:]
        readings = of_kind(self.lines, "pipeline")
        # A run waits once, at its end, for the steps that it has launched ahead: one for every slot of the ring.
        ahead = max((line["ring"]["slots"] for line in readings if line.get("ring")), default=0)
        launched = warm[:-ahead] if ahead else warm
        waits = [device["host_waits"] for line in readings
                 if launched and launched[0]["t"] <= line["t"] <= launched[-1]["t"]
                 for device in line.get("devices", []) if device["role"] == "model"]
        self.check(f"host waits, {name}", f"0 from the warm-up to the last {ahead} steps, which the run waits for "
                   "when it ends",
                   f"{waits[-1] - waits[0]}, from {len(waits)} readings" if waits else "no reading",
                   len(waits) > 1 and waits[-1] == waits[0])
        launch = share(warm, "launch")
        self.check(f"launches, {name}", "the card waits for the host to launch less than 5 % of a step",
                   f"{100 * launch:.1f} %", launch < 0.05)
        busy = share(warm, "forward", "loss", "backward", "retry", "optimizer")
        resident = [sample["kernels_resident"] for line in of_kind(self.lines, "devices")
                    for sample in line.get("samples", [])[:1]
                    if isinstance(sample.get("kernels_resident"), (int, float))]
        if not resident:
            self.leave_out(f"busy against NVML, {name}", "NVML told no utilization")
            return
        seen = sum(resident) / len(resident)
        self.check(f"busy against NVML, {name}", "within 10 points of each other",
                   f"{100 * busy:.0f} % by events, {100 * seen:.0f} % by NVML", abs(busy - seen) < 0.1)

    def judge_trace(self, name, *flags):
        """Of a run of its own: what CUDA's own profiler saw the launching threads wait for. It sees libtorch's waits
        too, which the program does not count."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trace.json"
            self.train(f"traced-{name}", *flags, QANAT_CUDA_TRACE=str(path))
            if not path.exists():
                self.leave_out(f"host waits by CUDA's profiler, {name}", "there is no trace of it")
                return
            trace = path.read_bytes()
        (self.out / f"traced-{name}.trace.json.gz").write_bytes(gzip.compress(trace))
        launches, waits = host_waits(json.loads(trace))
        seen = ", ".join(f"{count} x {what}" for what, count in sorted(waits.items())) or "none"
        self.check(f"host waits by CUDA's profiler, {name}", "none in the last steps",
                   f"{seen} next to {launches} launches", launches > 0 and not waits)

    def devices(self):
        code, stdout, _ = self.run("devices", "devices", "--json")
        found = json.loads(stdout) if code == 0 else {"devices": []}
        cards = [device for device in found["devices"] if device["id"].startswith("cuda:")]
        if not cards and not found.get("driver_gpus"):
            self.leave_out("devices", f"there is no card: {found.get('no_cuda')}")
            return 0
        self.check("devices", "every card with name, memory and bus, as nvidia-smi lists them",
                   "; ".join(card["description"] for card in cards) or found.get("no_cuda"), cards)
        if shutil.which("nvidia-smi"):
            listed = subprocess.run(["nvidia-smi"], text=True, capture_output=True, check=False)
            (self.out / "nvidia-smi.out").write_text(listed.stdout + listed.stderr)
        return len(cards)

    def one_card(self):
        flags = ["--no-mixed-precision", "--set", "training.enable_graph_mode=false"]
        _, on_gpu = self.train("single", *flags)
        self.judge_host("computed")
        self.judge_trace("computed", *flags)
        # Two runs of the same length: the learning rate depends on it.
        _, first = self.train("first", *flags, steps=10)
        _, on_cpu = self.train("processor", *flags, steps=10, CUDA_VISIBLE_DEVICES="")
        self.check_losses("the same losses as the CPU", first, on_cpu, 1e-3)
        warm = on_gpu[len(on_gpu) // 3:]
        wall = sum(step["wall"] for step in warm)
        waited = share(warm, "wait", "transfer") if wall else 1.0
        self.check("waiting for data", "less than 1 % of a step", f"{100 * waited:.2f} %", waited < 0.01)
        _, mixed = self.train("mixed", "--mixed-precision", "--set", "training.enable_graph_mode=false")
        finite = len(mixed) == self.steps and all(step["losses"]["total"] < 20 for step in mixed)
        self.check("mixed precision", "every step finite; time per step not above single precision",
                   f"{len(mixed)} steps, median {median(mixed):.4f} s against {median(on_gpu):.4f} s",
                   finite and median(mixed) <= 1.02 * median(on_gpu))
        self.check_losses("mixed precision against single", mixed, on_gpu, 0.05)
        played = ["--mixed-precision", "--set", "training.enable_graph_mode=true"]
        _, graphs = self.train("graphs", *played)
        self.judge_host("played from graphs")
        states = [line["state"] for line in of_kind(self.lines, "step_graph")]
        recorded = states.count("recorded")
        self.check("graph mode", "every step finite; shapes are recorded, none refused; no slower than mixed "
                   "precision without",
                   f"{len(graphs)} steps, {recorded} shapes recorded, {states.count('refused')} refused, median "
                   f"{median(graphs):.4f} s against {median(mixed):.4f} s",
                   len(graphs) == self.steps and recorded == len(states) > 0
                   and median(graphs) <= 1.02 * median(mixed))
        self.check_losses("graphs against computing", graphs, mixed, 0.02)
        self.judge_trace("played from graphs", *played)

    def processor(self):
        """What a machine without a card can show: that what is installed trains."""
        summary, steps = self.train("processor", "--no-mixed-precision", steps=10)
        losses = [step["losses"]["total"] for step in steps]
        self.check("training on the CPU", "10 steps, every loss finite",
                   f"{len(losses)} steps", summary and len(losses) == 10 and all(map(math.isfinite, losses)))

    def two_cards(self, cards):
        if cards < 2:
            for name in ("validate", "both orders", "budgets", "profile dual"):
                self.leave_out(name, f"it needs two cards, there are {cards}")
            return
        code, stdout, _ = self.run("validate", "validate", "--data-gpu", 0, "--model-gpu", 1,
                                   "--data", self.data, "--json", timeout=600)
        self.check("validate", "all five checks pass; GB/s near what the link allows",
                   f"exit {code}", code == 0)
        code, _, _ = self.run("validate-reversed", "validate", "--data-gpu", 1, "--model-gpu", 0,
                              "--data", self.data, "--json", timeout=600)
        self.check("both orders", "the same with the cards exchanged", f"exit {code}", code == 0)
        summary, _ = self.train("budgets", "--data-gpu", 0, "--model-gpu", 1,
                                "--enable-memory-isolation", "--data-gpu-memory", 1024,
                                "--model-gpu-memory", 4096)
        self.check("budgets", "a run inside 1024 and 4096 MB ends as usual",
                   "done" if summary else "failed", summary)
        code, _, _ = self.run("profile-dual", "profile", "dual", "--data", self.data, "--data-gpu",
                              0, "--model-gpu", 1, "--json", timeout=600)
        self.check("profile dual", "a verdict with intervals", f"exit {code}", code in (0, 3))

    def faults(self):
        code, _, stderr = self.run("too-much", "train", "--data", self.data, "--model-size", "nano",
                                   "--max-steps", 2, "--enable-memory-isolation", "--model-gpu-memory", 1,
                                   "--checkpoint-dir", self.out / "none", "--no-emoji")
        shutil.rmtree(self.out / "none", ignore_errors=True)
        self.check("a budget that is too small", "exit 1, and the flag that would help",
                   stderr.strip().splitlines()[-1:] or "", code == 1 and "--model-gpu-memory" in stderr)

    def analyze(self):
        code, _, _ = self.run("analyze", "analyze", self.data, "--out", self.out / "analysis",
                              timeout=900)
        self.check("analyze", "one folder with a report; findings name the GPU's own figures",
                   f"exit {code}", code in (0, 10))

    def write(self):
        passed = sum(result["outcome"] == "PASS" for result in self.results)
        failed = sum(result["outcome"] == "FAIL" for result in self.results)
        left_out = len(self.results) - passed - failed
        lines = ["# Acceptance on GPUs", "",
                 f"{platform.platform()}, {passed} passed, {failed} failed, {left_out} left out", "",
                 "| check | outcome | seen | expected | command | exit | s |", "|---|---|---|---|---|---|---|"]
        for result in self.results:
            cells = [str(result.get(key, "")) for key in
                     ("check", "outcome", "seen", "expected", "command", "exit", "seconds")]
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        (self.out / "summary.md").write_text("\n".join(lines) + "\n")
        (self.out / "results.json").write_text(json.dumps(self.results, indent=2) + "\n")
        return failed


def of_kind(lines, kind):
    return [line for line in lines if line.get("kind") == kind]


def share(steps, *parts):
    """Of the time of the steps, that these parts of the breakdown took."""
    wall = sum(step["wall"] for step in steps)
    return sum(step["phases"].get(part, 0) for step in steps for part in parts) / wall if wall else 0.0


def host_waits(trace):
    """(launches, {call: how often the host waited in it}) of a trace of CUDA's profiler, near the end of the time with
    launches: by then shapes are recorded. Only threads that launch count; others wait by design."""
    calls = [event for event in trace["traceEvents"] if event.get("cat") in ("cuda_runtime", "cuda_driver")]
    launches = [call for call in calls if call["name"].startswith(LAUNCHES)]
    if not launches:
        return 0, {}
    by_thread = {}
    for launch in launches:
        by_thread[launch["tid"]] = by_thread.get(launch["tid"], 0) + 1
    launching = {thread for thread, count in by_thread.items() if count >= 0.1 * len(launches)}
    first, last = (pick(launch["ts"] for launch in launches) for pick in (min, max))
    begin, end = first + 0.7 * (last - first), first + 0.95 * (last - first)
    near = [call for call in calls if call["tid"] in launching and begin <= call["ts"] <= end]
    # A copy from or to memory that is not pinned waits, whatever it is called.
    pageable = {event["args"].get("correlation") for event in trace["traceEvents"]
                if event.get("cat") == "gpu_memcpy" and "Pageable" in event["name"]}
    waits = {}
    for call in near:
        name = call["name"].split("_v")[0]
        if name not in WAITS and call.get("args", {}).get("correlation") in pageable:
            name += " (pageable)"
        elif name not in WAITS:
            continue
        waits[name] = waits.get(name, 0) + 1
    return sum(call["name"].startswith(LAUNCHES) for call in near), waits


def median(steps):
    walls = sorted(step["wall"] for step in steps)
    return walls[len(walls) // 2] if walls else float("nan")


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="qanat gpu-acceptance", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--qanat", help="the program; else that of this Python, or QANAT_BIN")
    parser.add_argument("--out", type=pathlib.Path, default="gpu-acceptance")
    parser.add_argument("--data", type=pathlib.Path, help="a data set; else one is made")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--without-analyze", action="store_true", help="leave out the longest part")
    options = parser.parse_args(arguments)
    if options.out.exists():
        sys.exit(f"{options.out}: is there already; name another folder with --out")
    options.out.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as temporary:
        data = options.data or pathlib.Path(temporary) / "corpus"
        program = [options.qanat] if options.qanat else [sys.executable, "-m", "qanat"]
        acceptance = Acceptance(program, options.out, data, options.steps)
        acceptance.run("version", "version")
        if options.data is None:
            acceptance.run("corpus", "data", "make-demo", data, "--utterances", 200)
        cards = acceptance.devices()
        if cards > 0:
            acceptance.one_card()
            acceptance.two_cards(cards)
            acceptance.faults()
        else:
            acceptance.processor()
        if not options.without_analyze:
            acceptance.analyze()
        failed = acceptance.write()
    print(f"{options.out}: send this folder back; summary.md is the first thing to read")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
