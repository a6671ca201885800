#!/usr/bin/env python3
"""Lets every system call of a small training run fail in turn, once, and judges what the run makes of it.

  campaign.py --qanat build/release/bin/qanat-torch --library libqanat_inject_fault.so --work DIR
              [--points N] [--jobs N] [--together N] [--again] [--until HH:MM]

A point is one call (what it does, its file, how often before) and one errno. The run has to end by itself
with the weights of the run in which nothing failed. It may end with an error only where what failed is
data or a folder that cannot be used, and the error names the file; it may end with other weights only
where it says which data it left out. What has been judged is in DIR/judged.jsonl (`@` is the folder of a
job): a campaign that was stopped goes on where it was.
"""
import argparse
import array
import collections
import errno
import hashlib
import json
import math
import os
import pathlib
import random
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
import wave

ERRORS = ["EINTR", "EAGAIN", "EIO", "ENOSPC", "EDQUOT", "EACCES", "ESTALE", "EMFILE", "ENOMEM", "EROFS", "ENFILE"]
# What passes by itself is tried again, so it may end nothing.
PASSING = {"EINTR", "EAGAIN", "EIO", "ESTALE", "EMFILE", "ENFILE", "ENOMEM"}
STEPS = 2  # each is saved: the second save finds the first one's checkpoint
TIMEOUT = 240  # seconds: the waits of a save are bounded by less, also on a busy machine


def write_clip(path, hertz, seconds, rate=22050):
    samples = array.array("h", (int(9000 * math.sin(2 * math.pi * hertz * i / rate) * math.sin(math.pi * i / (rate * seconds)))
                                for i in range(int(rate * seconds))))
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        file.writeframes(samples.tobytes())


def make_data(folder):
    """Ten clips of two speakers, of unequal length."""
    (folder / "wavs").mkdir(parents=True)
    words = "one two three four five six seven eight nine ten".split()
    lines = []
    for i, word in enumerate(words):
        write_clip(folder / "wavs" / f"clip{i}.wav", 180 + 25 * i, 0.4 + 0.05 * i)
        lines.append(f"clip{i}|{word} and {words[i - 1]}|{word} and {words[i - 1]}|{'ann' if i % 2 else 'ben'}")
    (folder / "metadata.csv").write_text("\n".join(["id|text|normalized_text|speaker", *lines]) + "\n")


class Run:
    """One kind of run, forked again and again from one that has been loaded."""

    def __init__(self, options, folder, name, arguments=()):
        self.name, self.folder, self.work, self.data = name, folder, folder / name, folder / "data"
        self.work.mkdir(parents=True, exist_ok=True)
        self.out, self.said, self.log = self.work / "run", self.work / "said.txt", self.work / "calls.txt"
        self.command = [options.qanat, "train", "--train-data", self.data, "--checkpoint-dir", self.out, "--model-size", "nano",
                        "--max-steps", STEPS, "--batch-size", 2, "--save-every", 1, "--validate-every", 1, "--render-every", STEPS,
                        "--set", "data.val_split=0.2", "--num-workers", 1, "--log-every", 1, *arguments]
        self.environment = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "dumb", "LD_PRELOAD": str(options.library),
                            "QANAT_FAULT_SERVER": "1", "QANAT_FAULT_SCOPE": ":".join(map(str, (self.work, self.data, folder / "features"))),
                            "QANAT_FAULT_LOG": str(self.log), "QANAT_FAULT_OUTPUT": str(self.said),
                            "ONEDNN_MAX_CPU_ISA": "AVX512_CORE_BF16", "MKL_CBWR": "AUTO", "OMP_NUM_THREADS": "1",
                            "OPENBLAS_NUM_THREADS": "1", "XDG_CACHE_HOME": str(self.work / "cache")}
        self.server = None

    def start(self):
        self.server = subprocess.Popen(list(map(str, self.command)), env=self.environment, text=True, bufsize=1,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def stop(self):
        if self.server:
            self.server.stdin.close()
            self.server.wait()
            self.server = None

    def line(self, timeout):
        if not select.select([self.server.stdout], [], [], timeout)[0]:
            return None
        return self.server.stdout.readline()

    def once(self, *points):
        """`points` are (name of an errno, call); without any the calls are logged. Exit status (None: it had to be killed) and what it said."""
        if self.server is None:
            self.start()
        shutil.rmtree(self.out, ignore_errors=True)
        shutil.rmtree(self.work / "cache", ignore_errors=True)
        for cache in self.data.glob(".qanat*"):
            shutil.rmtree(cache, ignore_errors=True) if cache.is_dir() else cache.unlink()
        line = "\t".join(f"{getattr(errno, name)} {what}" for name, what in points) or "0 -"
        self.server.stdin.write(line + "\n")
        child = int(self.line(60))
        answer = self.line(TIMEOUT)
        if answer is None:
            os.kill(child, signal.SIGKILL)
            self.line(60)
        said = self.said.read_text(errors="replace")
        return None if answer is None else int(answer), said

    def weights(self):
        """Of the last checkpoint, by the bytes of its tensors."""
        folder = self.out / f"step-{STEPS:09}"
        if not (folder / "DONE").exists():
            return None
        return {name: hashlib.sha256((folder / f"{name}.safetensors").read_bytes()).hexdigest()
                for name in ("model", "ema", "optimizer")}

    def calls(self):
        """The names of all calls of a run in which nothing fails, and its weights."""
        status, said = self.once()
        if status != 0 or self.weights() is None:
            sys.exit(f"{self.name}: the unbroken run ended with {status}\n{said}")
        numbers = collections.Counter(line.rpartition(" ")[0] for line in self.log.read_text(errors="replace").splitlines() if line)
        # The first, the last and one between: a tensor more or less of the same file is no other case.
        names = [f"{call.replace(str(self.folder), '@')} {number}" for call, count in numbers.items()
                 for number in sorted({0, count // 2, count - 1})]
        return names, self.weights()


LEFT_OUT = ("cannot be used", "left out", "skipped", "cannot open", "cannot read", "cannot be read", "without", "no validation")


def may_end_run(run, name, what):
    """Whether the run may end with an error: data, or a folder, that cannot be used."""
    file = pathlib.Path(what.split(" ")[1])
    if file.parent.name == "tensorboard" and name in ("ENOSPC", "EDQUOT"):
        return False  # it was asked for, but is not what the run is for
    given = (run.data, run.folder / "features")
    return name not in PASSING and (any(file.is_relative_to(folder) for folder in given) or what.startswith("mkdir")
                                    or file.name in ("run", "training.lock", "journal.jsonl")
                                    or file.parent.name == "tensorboard")


def judge(run, point, whole):
    """(verdict, why): ok, told (other weights, and it says why), ended (an error that may end it); else what is wrong."""
    name, what = point[0], point[1].replace("@", str(run.folder))
    status, said = run.once((name, what))
    if status is None:
        return "HANG", said[-500:]
    happened = f"failed {what}" in said
    told = said.replace(f"failed {what}\n", "")
    if os.WIFSIGNALED(status):
        return "CRASH", f"signal {os.WTERMSIG(status)}: {told[-700:]}"
    if os.WEXITSTATUS(status) == 0:
        weights = run.weights()
        if weights == whole:
            return ("ok" if happened else "ok: not reached"), ""
        if weights is None:
            return "LOST", told[-700:]
        return ("told" if any(word in told for word in LEFT_OUT) else "SILENT"), told[-900:]
    file = pathlib.Path(what.split(" ")[1])
    names_it = file.name.split(".part-")[0] in told or file.parent.name in told
    if may_end_run(run, name, what) and names_it:
        return "ended", told[-400:]
    return "DEATH", told[-900:]


def judge_together(run, points, whole):
    """Of calls that fail in one run, each once: those that it went through. The others have to be judged alone."""
    whats = [(name, call.replace("@", str(run.folder))) for name, call in points]
    status, said = run.once(*whats)
    if status != 0 or run.weights() != whole:
        return []
    return [point for point, (_, what) in zip(points, whats) if f"failed {what}" in said]


class Job:
    """A folder with data of its own and the runs that are made of them: jobs do not meet."""

    def __init__(self, options, number):
        self.folder = options.work / f"job{number}"
        data, shards = self.folder / "data", self.folder / "features"
        if not (data / "metadata.csv").exists():
            shutil.rmtree(data, ignore_errors=True)
            make_data(data)
        if not shards.exists():
            subprocess.run([str(options.qanat.with_name("qanat")), "precompute", "--train-data", str(data), "--out", str(shards)],
                           check=True, stdout=subprocess.DEVNULL)
        self.runs = {"speech": Run(options, self.folder, "speech"),
                     "shards": Run(options, self.folder, "shards", ["--set", f"data.feature_dir={shards}", "--tensorboard"]),
                     "vocoder": Run(options, self.folder, "vocoder", ["--task", "vocoder"])}
        self.calls, self.wholes = {}, {}
        for name, run in self.runs.items():
            self.calls[name], self.wholes[name] = run.calls()

    def stop(self):
        for run in self.runs.values():
            run.stop()


class Judged:
    """What has been judged, in a file and in memory; for several jobs."""

    def __init__(self, path):
        self.lock, self.verdicts, lines = threading.Lock(), {}, []  # the lock is for what follows
        if path.exists():
            lines = [json.loads(line) for line in path.read_text().splitlines()]
        for one in lines:
            self.verdicts[one["run"], one["errno"], one["call"]] = one["verdict"]
        self.file = open(path, "a", encoding="utf-8")

    def add(self, point, verdict, why, seconds):
        name, error, call = point
        with self.lock:
            self.verdicts[point] = verdict
            self.file.write(json.dumps({"run": name, "errno": error, "call": call, "verdict": verdict, "why": why,
                                        "seconds": round(seconds, 2)}) + "\n")
            self.file.flush()
            if verdict.isupper():
                print(f"{verdict}: {name} {error} {call}\n{why}\n", flush=True)


def groups_of(points, run, size):
    """Calls that fail in one run: of different files, and such that the run may not end of them."""
    groups = []
    for point in points:
        error, call = point[1], point[2].replace("@", str(run.folder))
        file = call.split(" ")[1]
        alone = may_end_run(run, error, call)
        fitting = None if alone else next((group for group, files in groups if files is not None and len(group) < size
                                           and file not in files), None)
        if fitting is None:
            groups.append(([point], None if alone else set()))
            fitting = groups[-1][0]
        else:
            fitting.append(point)
        files = next(files for group, files in groups if group is fitting)
        if files is not None:
            files.add(file)
    return [group for group, _ in groups]


def work_off(job, todo, judged, until):
    while todo and not (until and time.strftime("%H:%M") >= until):
        try:
            group = todo.popleft()
        except IndexError:  # the other job was faster
            return
        run, whole = job.runs[group[0][0]], job.wholes[group[0][0]]
        begin = time.monotonic()
        passed = judge_together(run, [point[1:] for point in group], whole) if len(group) > 1 else []
        for point in group:
            if point[1:] in passed:
                judged.add(point, "ok", f"beside {len(group) - 1} others", (time.monotonic() - begin) / len(group))
            else:
                begin = time.monotonic()
                judged.add(point, *judge(run, point[1:], whole), time.monotonic() - begin)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--qanat", required=True, type=pathlib.Path)
    parser.add_argument("--library", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--work", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--points", type=int, default=1000, help="to judge now, beside those that have been")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    parser.add_argument("--together", type=int, default=1,
                        help="calls of different files that fail in one run; judged alone where it does not go through them")
    parser.add_argument("--again", action="store_true", help="also those that went wrong before")
    parser.add_argument("--until", default="", help="HH:MM: ends then")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    judged = Judged(options.work / "judged.jsonl")
    jobs = [Job(options, number) for number in range(options.jobs)]
    for name, calls in jobs[0].calls.items():
        if any(job.wholes[name] != jobs[0].wholes[name] for job in jobs):
            sys.exit(f"{name}: unbroken runs of two jobs have different weights")
        print(f"{name}: {len(calls)} calls", flush=True)
    todo = [(name, error, call) for name, calls in jobs[0].calls.items() for call in calls for error in ERRORS
            if (name, error, call) not in judged.verdicts
            or (options.again and judged.verdicts[name, error, call].isupper())]
    random.Random(options.seed).shuffle(todo)
    groups = [group for name, run in jobs[0].runs.items()
              for group in groups_of([point for point in todo[:options.points] if point[0] == name], run, options.together)]
    random.Random(options.seed).shuffle(groups)
    todo = collections.deque(groups)
    threads = [threading.Thread(target=work_off, args=(job, todo, judged, options.until)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for job in jobs:
        job.stop()
    verdicts = judged.verdicts.values()
    print(dict(collections.Counter(verdicts)), f"of {len(verdicts)}")
    sys.exit(1 if any(verdict.isupper() for verdict in verdicts) else 0)


if __name__ == "__main__":
    main()
