#!/usr/bin/env python3
"""Injects thirteen kinds of faults into real speech and counts which of them `qanat data doctor` finds.

  data_faults.py --qanat build/release/bin/qanat --work DIR --voice DIR [--voice DIR...] --other DIR [--other DIR...]
                 [--sets 10] [--first-seed 1000] [--rows 320] [--share 0.05] [--kinds a,b] [--asr COMMAND] [--json FILE]

Each set is a random part of one voice (a data set in LJSpeech form, see examples/voices/) with one kind of fault in 5 % of
its rows. --other are data sets of other speakers and languages, which those kinds take clips from. Recall: the share of
injected rows with a finding of a rule that is for the kind. Precision: the share of rows with such a finding that were
injected. The clean sets are the same rows without a fault. Needs numpy and ffmpeg. Kinds marked `asr` are judged only with
--asr: nothing else hears words.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import wave

import numpy as np

KINDS = {  # kind: the rules that are for it
    "wrong_transcript": ("asr", {"DOC016", "DOC019"}),
    "swapped_pair": ("asr", {"DOC016", "DOC019"}),
    "cut_start": ("", {"DOC005", "DOC016", "DOC019"}),
    "cut_end": ("", {"DOC006", "DOC016", "DOC019"}),
    "long_silence": ("", {"DOC003", "DOC004"}),
    "clipping": ("", {"DOC007"}),
    "upsampled_8k": ("", {"DOC010"}),
    "mp3_32k": ("", {"DOC010", "DOC011"}),
    "duplicate": ("", {"DOC014"}),
    "other_speaker": ("", {"DOC018"}),
    "other_language": ("", {"DOC017", "DOC018", "DOC019"}),
    "babble_5db": ("", {"DOC012"}),
    "wrong_speed": ("", {"DOC018", "DOC016"}),
}


class Voice:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder).absolute()
        lines = (self.folder / "metadata.csv").read_text(encoding="utf-8").splitlines()
        self.rows = [tuple(line.split("|")[:2]) for line in lines if "|" in line]

    def file(self, row):
        return self.folder / "wavs" / f"{row}.wav"


def read(path):
    with wave.open(str(path)) as sound:
        rate, channels = sound.getframerate(), sound.getnchannels()
        samples = np.frombuffer(sound.readframes(sound.getnframes()), dtype="<i2").astype(np.float64) / 32768
    return samples.reshape(-1, channels).mean(axis=1), rate


def write(path, samples, rate):
    with wave.open(str(path), "wb") as sound:
        sound.setparams((1, 2, rate, 0, "NONE", ""))
        sound.writeframes((np.clip(samples, -1, 32767 / 32768) * 32768).round().astype("<i2").tobytes())


def resample(samples, old, new):
    """By the spectrum: nothing is left above the lower of the two Nyquist frequencies."""
    count = max(1, round(len(samples) * new / old))
    spectrum = np.fft.rfft(samples)
    out = np.zeros(count // 2 + 1, dtype=complex)
    keep = min(len(spectrum), len(out))
    out[:keep] = spectrum[:keep]
    return np.fft.irfft(out, count) * (count / len(samples))


def sounding(samples, rate):
    """First and last sample of what is heard."""
    frame = rate // 100
    levels = np.sqrt(np.add.reduceat(samples ** 2, np.arange(0, len(samples), frame)) / frame)
    heard = np.flatnonzero(levels > max(0.001, np.quantile(levels, 0.9) * 0.05))
    return (0, len(samples)) if len(heard) == 0 else (heard[0] * frame, min((heard[-1] + 1) * frame, len(samples)))


def ffmpeg(source, target, *arguments):
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", "-i", source, *arguments, target], check=True)


class Set:
    """A folder that a fault is written into; clips that are not touched are links."""

    def __init__(self, folder, voice, others, rows, chance):
        self.folder, self.voice, self.others, self.chance = folder, voice, others, chance
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "wavs").mkdir(parents=True)
        self.rows = dict(rows)
        for row in self.rows:
            os.symlink(voice.file(row), self.path(row))
        self.bad = set()

    def path(self, row):
        return self.folder / "wavs" / f"{row}.wav"

    def put(self, row, samples, rate):
        self.path(row).unlink(missing_ok=True)
        write(self.path(row), samples, rate)

    def finish(self):
        self.folder.joinpath("metadata.csv").write_text("".join(f"{row}|{text}|{text}\n" for row, text in self.rows.items()),
                                                        encoding="utf-8")

    def inject(self, kind, count):
        chosen = self.chance.sample(sorted(self.rows), count)
        getattr(self, kind)(chosen)
        self.bad |= set(chosen)

    def wrong_transcript(self, chosen):
        """The text of another clip of the voice, about as long: what a slip in a spreadsheet leaves."""
        unused = [text for row, text in self.voice.rows if row not in self.rows] or [text for _, text in self.voice.rows]
        for row in chosen:
            own = self.rows[row]
            near = sorted((text for text in unused if text != own), key=lambda text: abs(len(text) - len(own)))
            self.rows[row] = self.chance.choice(near[:10])

    def swapped_pair(self, chosen):
        if len(chosen) % 2:
            chosen.pop()
        for first, second in zip(chosen[::2], chosen[1::2]):
            self.rows[first], self.rows[second] = self.rows[second], self.rows[first]

    def cut(self, row, at_start):
        samples, rate = read(self.path(row))
        first, last = sounding(samples, rate)
        gone = int(self.chance.uniform(0.2, 0.4) * (last - first))
        self.put(row, samples[first + gone:] if at_start else samples[:last - gone], rate)

    def cut_start(self, chosen):
        for row in chosen:
            self.cut(row, True)

    def cut_end(self, chosen):
        for row in chosen:
            self.cut(row, False)

    def long_silence(self, chosen):
        for row in chosen:
            samples, rate = read(self.path(row))
            quiet = np.random.default_rng(self.chance.getrandbits(32)).normal(0, 2e-4, int(self.chance.uniform(1.2, 3) * rate))
            parts = self.chance.choice([(quiet, samples), (samples, quiet)])
            self.put(row, np.concatenate(parts), rate)

    def clipping(self, chosen):
        for row in chosen:
            samples, rate = read(self.path(row))
            self.put(row, samples / np.abs(samples).max() * 10 ** (self.chance.uniform(8, 14) / 20), rate)

    def upsampled_8k(self, chosen):
        for row in chosen:
            samples, rate = read(self.path(row))
            self.put(row, resample(resample(samples, rate, 8000), 8000, rate), rate)

    def mp3_32k(self, chosen):
        for row in chosen:
            source, coded = self.path(row).resolve(), self.folder / "coded.mp3"
            ffmpeg(source, coded, "-b:a", "32k", "-ac", "1")
            rate = read(source)[1]
            self.path(row).unlink()
            ffmpeg(coded, self.path(row), "-ar", str(rate))
            coded.unlink()

    def duplicate(self, chosen):
        """Under another id; half of them with another text, some stored at another level."""
        rest = [row for row in sorted(self.rows) if row not in chosen]
        for i, row in enumerate(chosen):
            source = self.chance.choice(rest)
            samples, rate = read(self.path(source))
            self.put(row, samples * self.chance.choice([1, 0.5]), rate)
            if i % 2 == 0:
                self.rows[row] = self.rows[source]

    def take(self, row, other, with_text):
        name, text = self.chance.choice(other.rows)
        samples, rate = read(other.file(name))
        own, own_rate = read(self.path(row))
        samples = resample(samples, rate, own_rate) * (np.sqrt(np.mean(own ** 2)) / max(np.sqrt(np.mean(samples ** 2)), 1e-6))
        self.put(row, samples, own_rate)
        self.rows[row] = text if with_text else self.rows[row]

    def other_speaker(self, chosen):
        for row in chosen:
            self.take(row, self.chance.choice(self.others), False)

    def other_language(self, chosen):
        for row in chosen:
            self.take(row, self.chance.choice(self.others), True)

    def babble_5db(self, chosen):
        for row in chosen:
            samples, rate = read(self.path(row))
            babble = np.zeros(len(samples))
            for _ in range(8):
                name, _ = self.chance.choice(self.voice.rows)
                talker, talker_rate = read(self.voice.file(name))
                first, last = sounding(talker, talker_rate)
                babble += np.resize(resample(talker[first:last], talker_rate, rate * self.chance.uniform(0.9, 1.15)), len(samples))
            first, last = sounding(samples, rate)
            gain = np.sqrt(np.mean(samples[first:last] ** 2) / np.mean(babble ** 2)) * 10 ** (-5 / 20)
            mixed = samples + gain * babble
            self.put(row, mixed / max(1, np.abs(mixed).max() / 0.98), rate)

    def wrong_speed(self, chosen):
        """Stored with the rate of another format: pitch and pace change alike."""
        for row in chosen:
            samples, rate = read(self.path(row))
            self.put(row, resample(samples, rate, rate / self.chance.choice([0.726, 0.8, 1.25, 1.378])), rate)


def flagged(options, folder):
    command = [options.qanat, "data", "doctor", folder, "--json", "--fail-on", "never"]
    if options.asr:
        command += ["--asr", options.asr]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = {}
    for finding in json.loads(run.stdout)["findings"]:
        rows.setdefault(finding["id"], set()).add(finding["rule"])
    return rows


def measure(options, kind, number, voices, others):
    chance = random.Random(f"{kind} {options.first_seed + number}")
    voice = voices[number % len(voices)]
    rows = chance.sample(voice.rows, min(options.rows, len(voice.rows)))
    made = Set(options.work / f"{kind}-{number}", voice, others, rows, chance)
    if kind != "clean":
        made.inject(kind, round(options.share * len(rows)))
    made.finish()
    found = flagged(options, made.folder)
    if not options.keep:
        shutil.rmtree(made.folder)
    rules = set.union(*(rules for _, rules in KINDS.values())) if kind == "clean" else KINDS[kind][1]
    hits = {row for row, of in found.items() if of & rules}
    return {"kind": kind, "set": number, "voice": voice.folder.name, "rows": len(rows), "injected": len(made.bad),
            "found": len(hits & made.bad), "flagged": len(hits), "all_flagged": len(found),
            "missed": sorted(made.bad - hits)[:5], "extra": {row: sorted(found[row]) for row in sorted(hits - made.bad)[:8]}}


def table(results, kinds):
    lines = ["| kind | needs | rules | injected | recall | precision |", "|---|---|---|---:|---:|---:|"]
    for kind in kinds:
        of = [one for one in results if one["kind"] == kind]
        injected, found, flagged_rows = (sum(one[key] for one in of) for key in ("injected", "found", "flagged"))
        if not of:
            continue
        if kind == "clean":
            rows = sum(one["rows"] for one in of)
            lines.append(f"| clean sets | | all | 0 of {rows} | | flagged: {sum(one['all_flagged'] for one in of) / rows:.1%} |")
            continue
        lines.append(f"| {kind.replace('_', ' ')} | {KINDS[kind][0]} | {', '.join(sorted(KINDS[kind][1]))} | {injected} | "
                     f"{found / max(injected, 1):.2f} | {found / max(flagged_rows, 1):.2f} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--qanat", required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--voice", action="append", required=True)
    parser.add_argument("--other", action="append", required=True)
    parser.add_argument("--sets", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=1000)
    parser.add_argument("--rows", type=int, default=320)
    parser.add_argument("--share", type=float, default=0.05)
    parser.add_argument("--kinds", default=",".join([*KINDS, "clean"]))
    parser.add_argument("--asr", help="a command as for `qanat data doctor --asr`")
    parser.add_argument("--json", type=pathlib.Path, help="write every set's figures to this file")
    parser.add_argument("--keep", action="store_true", help="keep the sets")
    options = parser.parse_args()
    kinds = options.kinds.split(",")
    unknown = set(kinds) - set(KINDS) - {"clean"}
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: expected some of {', '.join([*KINDS, 'clean'])}")
    options.work.mkdir(parents=True, exist_ok=True)
    voices, others = [Voice(one) for one in options.voice], [Voice(one) for one in options.other]
    results = []
    for kind in kinds:
        if kind != "clean" and KINDS[kind][0] == "asr" and not options.asr:
            print(f"{kind}: needs --asr", file=sys.stderr)
            continue
        for number in range(options.sets):
            results.append(measure(options, kind, number, voices, others))
            print(json.dumps(results[-1], ensure_ascii=False), file=sys.stderr, flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1, ensure_ascii=False))
    print(table(results, kinds))


if __name__ == "__main__":
    main()
