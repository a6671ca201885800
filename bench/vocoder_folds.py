#!/usr/bin/env python3
"""How a vocoder speaks recordings it has never seen: cross-validation on a small data set.

    bench/vocoder_folds.py train --qanat build/release/bin/qanat --data DIR [--work DIR] [--fold K]
    bench/vocoder_folds.py measure --qanat build/release/bin/qanat --data DIR [--work DIR] [-- FLAGS]

`train` trains one nano vocoder for each fold, on all clips but every fourth, with one thread and
without validation, so that nothing is chosen by the clips that are held out: the last checkpoint
counts. Ctrl-C saves; the same command goes on. `measure` lets each vocoder copy the clips it has not
seen, Griffin-Lim copies them all, and `qanat evaluate` compares the two with its paired test; FLAGS
are for it (--word-errors, --quality). The multi-resolution STFT distance, which `evaluate` does not
have because it needs clips of the same length, is computed here, with the same test. Needs numpy.
"""
import argparse
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import wave

FOLDS = 4
RESOLUTIONS = ((512, 128), (1024, 256), (2048, 512))
SILENCE = 1e-3


def rows_of(data):
    return [row for row in (data / "metadata.csv").read_text(encoding="utf-8").splitlines() if row.strip()]


def make_fold(options, fold):
    """The data set that is trained on, and the folder of clips that is not; clips are links."""
    folder = options.work / f"fold-{fold}"
    for name in ("data/wavs", "unseen"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    kept = []
    for number, row in enumerate(rows_of(options.data)):
        clip = options.data / "wavs" / (row.split("|")[0] + ".wav")
        unseen = number % FOLDS == fold
        link = folder / ("unseen" if unseen else "data/wavs") / clip.name
        if not link.exists():
            link.symlink_to(clip.resolve())
        kept += [] if unseen else [row]
    (folder / "data/metadata.csv").write_text("\n".join(kept) + "\n", encoding="utf-8")
    return folder


def train_fold(options, fold, more):
    """Adds the processor time to `cpu_seconds` of the fold, so that a run in pieces has it all."""
    folder = make_fold(options, fold)
    command = [options.qanat, "train", "--task", "vocoder", "--model-size", "nano", "--data", folder / "data",
               "--set", "data.val_split=0", "--batch-size", "6", "--segment-frames", "64", "--lr", "3e-3",
               "--max-steps", str(options.steps), "--num-workers", "1", "--render-every", "0",
               "--checkpoint-dir", folder / "vocoder", *more]
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"})
    signal.signal(signal.SIGINT, lambda *_: run.send_signal(signal.SIGINT))
    code = run.wait()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    record = folder / "cpu_seconds"
    before = float(record.read_text()) if record.exists() else 0.0
    record.write_text(f"{before + used.ru_utime + used.ru_stime:.1f}\n")
    if code != 0:
        sys.exit(code if code > 0 else 128 - code)
    print(f"fold {fold}: {float(record.read_text()) / 60:.1f} CPU-minutes", flush=True)


def read_wav(path):
    import numpy

    with wave.open(str(path)) as file:
        assert (file.getsampwidth(), file.getnchannels()) == (2, 1), path
        return numpy.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768.0


def magnitudes(samples, size, hop):
    import numpy

    padded = numpy.pad(samples, (size - hop) // 2, mode="reflect")
    frames = numpy.lib.stride_tricks.sliding_window_view(padded, size)[::hop]
    window = 0.5 - 0.5 * numpy.cos(2 * numpy.pi * numpy.arange(size) / size)
    return numpy.abs(numpy.fft.rfft(frames * window))


def stft_distance(made, recorded):
    """Spectral convergence plus mean difference of the logs, over three resolutions: the loss of training."""
    import numpy

    length = min(len(made), len(recorded))
    distances = []
    for size, hop in RESOLUTIONS:
        a, b = (magnitudes(samples[:length], size, hop) for samples in (made, recorded))
        logs = numpy.abs(numpy.log(numpy.maximum(a, SILENCE)) - numpy.log(numpy.maximum(b, SILENCE))).mean()
        distances.append(numpy.linalg.norm(a - b) / numpy.linalg.norm(b) + logs)
    return float(numpy.mean(distances))


def p_value(differences):
    """Exact, over all signs of the differences, as in `qanat evaluate`."""
    import numpy

    assert len(differences) <= 20, "too many clips for all signs"
    sums = numpy.zeros(1)
    for one in differences:
        sums = numpy.concatenate([sums + one, sums - one])
    return float((numpy.abs(sums) >= abs(sum(differences)) * (1 - 1e-12)).mean())


def copy(options, clips, vocoder, out):
    answer = subprocess.run([options.qanat, "synth", "--copy", clips, "--vocoder", vocoder, "--out", out, "--json"],
                            check=True, stdout=subprocess.PIPE, env={**os.environ, "OMP_NUM_THREADS": "1"})
    return json.loads(answer.stdout)


def measure(options, more):
    copies = {name: options.work / name for name in ("recordings", "vocoder", "griffin-lim")}
    for folder in copies.values():
        shutil.rmtree(folder, ignore_errors=True)
    copies["recordings"].mkdir(parents=True)
    reports = []
    for fold in range(FOLDS):
        folder = make_fold(options, fold)
        for clip in (folder / "unseen").iterdir():
            (copies["recordings"] / clip.name).symlink_to(clip.resolve())
        reports.append(copy(options, folder / "unseen", folder / "vocoder", copies["vocoder"]))
    plain = copy(options, copies["recordings"], "griffin-lim", copies["griffin-lim"])
    rows = []
    for clip in sorted(copies["recordings"].iterdir()):
        recorded = read_wav(clip)
        rows.append([stft_distance(read_wav(copies[name] / clip.name), recorded) for name in ("vocoder", "griffin-lim")])
    means = [sum(column) / len(rows) for column in zip(*rows)]
    work, audio = (sum(report[key] for report in reports) for key in ("work_s", "audio_s"))
    print(json.dumps({"clips": len(rows), "stft_distance": {"vocoder": means[0], "griffin-lim": means[1],
                      "p_value": p_value([a - b for a, b in rows]), "vocoder_ahead_on": sum(a < b for a, b in rows)},
                      "real_time_factor": {"vocoder": work / audio, "griffin-lim": plain["real_time_factor"]}}, indent=2),
          flush=True)
    done = subprocess.run([options.qanat, "evaluate", "--recordings", copies["recordings"], "--made", copies["vocoder"],
                           "--baseline", copies["griffin-lim"], "--texts", options.data, *more], check=False)
    return done.returncode


def main():
    own, more = sys.argv[1:], []
    if "--" in own:
        own, more = own[:own.index("--")], own[own.index("--") + 1:]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=("train", "measure"))
    parser.add_argument("--qanat", required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("folds"))
    parser.add_argument("--steps", type=int, default=2400)
    parser.add_argument("--fold", type=int, choices=range(FOLDS), help="only this one")
    options = parser.parse_args(own)
    if options.part == "measure":
        return measure(options, more)
    for fold in range(FOLDS) if options.fold is None else [options.fold]:
        train_fold(options, fold, more)
    return 0


if __name__ == "__main__":
    sys.exit(main())
