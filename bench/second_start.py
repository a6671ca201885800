#!/usr/bin/env python3
"""What phonemes cost a start on a large data set whose answers are known: at most 1.2 of one by characters.

    QANAT_BIN=build/release/bin/qanat QANAT_LIBRARY=build/release/lib/libqanat.so python3 bench/second_start.py

Makes a set of 100,000 short clips (links to one file) with German sentences, and an espeak-ng that counts how often it is
started and asked. The first start with phonemes asks for every sentence. Then starts by turns, characters and phonemes: of
`qanat.Loader` up to its first batch, and of `qanat train --max-steps 1`. Prints processor time and wall time of every round and the
medians of their ratios; exit code 1 when the program was asked anything, or processor time is beyond the limit.
"""
import argparse
import os
import pathlib
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import wave

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 1.2
SYLLABLES = "ba be bi bo bu da de di do du fa fe fi fo fu ga ge gi go gu ka ke ki ko ku la le li lo lu ma me mi mo mu".split()
COUNTING = """#!/bin/sh
case "$1" in
--version) echo 'counting 1.0  Data at: /nowhere' ;;
--voices) printf 'Pty Language\\n 5  de  --/M  German\\n' ;;
*) echo start >> "$0.asked"; exec sed -u 's/^/ə/' ;;
esac
"""
LOAD = """import sys, qanat
with qanat.Loader(sys.argv[1], batch_size=16, language="de", phonemes=sys.argv[2] == "phonemes", cache_dir=sys.argv[3]) as loader:
    next(iter(loader))
"""


def make_set(folder, rows):
    (folder / "wavs").mkdir(parents=True)
    clips = [folder / f"clip{n}.wav" for n in range(1 + rows // 50_000)]  # no file may have 65,000 names
    for clip in clips:
        with wave.open(str(clip), "wb") as sound:
            sound.setparams((1, 2, 22050, 0, "NONE", ""))
            sound.writeframes(random.Random(1).randbytes(22050 * 4))
    source = random.Random(2)
    with open(folder / "metadata.csv", "w", encoding="utf-8") as manifest:
        for n in range(rows):
            os.link(clips[n % len(clips)], folder / "wavs" / f"{n:06}.wav")
            words = ["".join(source.choices(SYLLABLES, k=source.randint(1, 3))) for _ in range(source.randint(5, 10))]
            manifest.write(f"{n:06}|{' '.join(words)} ü.\n")


def timed(command, environment):
    """Processor seconds and wall seconds."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command}: {done.returncode}\n{done.stderr}")
    wall, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--work", help="folder for the set; a temporary one")
    wanted = parser.parse_args()
    work = pathlib.Path(wanted.work or tempfile.mkdtemp(prefix="qanat second start "))
    espeak = work / "bin" / "espeak-ng"
    espeak.parent.mkdir(parents=True, exist_ok=True)
    espeak.write_text(COUNTING, encoding="utf-8")
    espeak.chmod(0o755)
    asked = espeak.with_name("espeak-ng.asked")
    if not (work / "set").exists():
        make_set(work / "set", wanted.rows)
    environment = {**os.environ, "PATH": f"{espeak.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "python"),
                   "OMP_NUM_THREADS": "1"}
    program = os.environ.get("QANAT_BIN", str(ROOT / "build/release/bin/qanat"))

    def load(way):
        return [sys.executable, "-c", LOAD, work / "set", way, work / "cache"]

    def train(way):
        shutil.rmtree(work / "run", ignore_errors=True)
        return [program, "train", "--data", work / "set", "--language", "de", "--model-size", "nano", "--batch-size", "2",
                "--max-steps", "1", "--render-every", "0", "--no-emoji", "--checkpoint-dir", work / "run", "--set",
                f"data.cache_dir={work / 'cache'}", *(["--use-phonemes"] if way == "phonemes" else [])]

    failed = False
    for name, command in (("Loader", load), ("train", train)):
        for way in ("characters", "phonemes"):
            seconds, wall = timed(command(way), environment)
            print(f"{name}, first start, {way}: {seconds:.2f} s of processor time, {wall:.2f} s", flush=True)
        asked.unlink(missing_ok=True)
        ratios = []
        for turn in range(wanted.rounds):
            took = {way: timed(command(way), environment)
                    for way in (("characters", "phonemes") if turn % 2 else ("phonemes", "characters"))}
            ratios.append([took["phonemes"][i] / took["characters"][i] for i in range(2)])
            print(f"{name}, round {turn + 1}: " + "; ".join(
                f"{way} {took[way][0]:.2f} s, {took[way][1]:.2f} s" for way in sorted(took)), flush=True)
        processor, wall = (statistics.median(ratio[i] for ratio in ratios) for i in range(2))
        calls = asked.read_text(encoding="utf-8").count("start") if asked.exists() else 0
        print(f"{name}: phonemes take {processor:.3f} of the processor time and {wall:.3f} of the wall time of characters; "
              f"espeak-ng was asked {calls} times", flush=True)
        failed = failed or calls > 0 or processor > LIMIT
    if not wanted.work:
        shutil.rmtree(work)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
