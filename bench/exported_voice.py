#!/usr/bin/env python3
"""Does an exported voice say in other programs what `qanat synth` says?

  exported_voice.py --checkpoint DIR [--vocoder DIR] [--qanat PROGRAM] [--fp16] [--each N] [--keep DIR] [--json FILE]

Exports the checkpoint, lets `qanat synth` speak fifty English and fifty Persian sentences, the speakers of the model
in turn, and compares sample by sample with Piper, sherpa-onnx and onnxruntime, all unmodified. Run it with a Python
that has piper-tts, sherpa-onnx, onnxruntime, onnx and numpy. Exits with 1 when a sample is further off than 0.001.
"""
import argparse
import importlib.metadata
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unicodedata
import wave

import numpy as np

TOLERANCE = 1e-3
# Sentences whose spelling nothing changes: numbers and abbreviations are read by `qanat synth` only.
WHO = {"en": ("The old canal", "A quiet engineer", "My neighbour's daughter", "Nobody in the village", "The second train"),
       "fa": ("قنات آب", "آن مهندس آرام", "دختر همسایه", "مسئول کتابخانه", "قطار بعدی")}
WHAT = {"en": ("carries water without a pump", "waits for the first light", "reads a letter, slowly",
               "knows every stone by name", "was late again, as always", "sings when the wind is warm",
               "has lost the key of the garden", "asks whether anybody is there", "comes home before the rain",
               "listens to the radio at night"),
        "fa": ("از راهی دور می‌آید", "هر روز صبح به باغ می‌رود", "نامه را آهسته می‌خواند", "نام همه سنگ‌ها را می‌داند",
               "باز هم دیر رسید", "وقتی هوا گرم است آواز می‌خواند", "کلید باغ را گم کرده است",
               "می‌پرسد آیا کسی آنجاست", "پیش از باران به خانه برمی‌گردد", "شب‌ها به رادیو گوش می‌دهد")}


def sentences(language):
    return [f"{who} {what}." for who in WHO[language] for what in WHAT[language]]


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"{program} {arguments[0]}: {done.stderr}")
    return done.stdout


def samples_of(path):
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), dtype="<i2").astype(np.float64) / 32768


class Onnxruntime:
    package = "onnxruntime"

    def __init__(self, voice):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(voice), options, providers=["CPUExecutionProvider"])
        self.config = json.loads(voice.with_name(voice.name + ".json").read_text(encoding="utf-8"))

    def speak(self, text, speaker):
        ids = self.config["phoneme_id_map"]
        found = [id for symbol in unicodedata.normalize("NFC", text) for id in ids.get(symbol, [])]
        sent = np.array([[*ids["^"], *found, *ids["$"]]], dtype=np.int64)
        inputs = {"input": sent, "input_lengths": np.array([sent.shape[1]]),
                  "scales": np.array([0, 1, 0], dtype=np.float32)}
        if self.config["num_speakers"] > 1:
            inputs["sid"] = np.array([speaker])
        return self.session.run(None, inputs)[0].ravel()


class Piper:
    package = "piper-tts"

    def __init__(self, voice):
        from piper import PiperVoice
        self.voice = PiperVoice.load(voice)
        self.unaligned = 0

    def speak(self, text, speaker):
        from piper import SynthesisConfig
        chunks = list(self.voice.synthesize(text, SynthesisConfig(speaker_id=speaker, normalize_audio=False),
                                            include_alignments=True))
        for chunk in chunks:
            aligned = chunk.phoneme_alignments
            if aligned is None or sum(one.num_samples for one in aligned) != len(chunk.audio_float_array):
                self.unaligned += 1
        return np.concatenate([chunk.audio_float_array for chunk in chunks])


class Sherpa:
    package = "sherpa-onnx"

    def __init__(self, voice):
        import sherpa_onnx
        tokens = voice.with_name(voice.stem + ".tokens.txt")
        vits = sherpa_onnx.OfflineTtsVitsModelConfig(model=str(voice), lexicon="", tokens=str(tokens))
        self.tts = sherpa_onnx.OfflineTts(sherpa_onnx.OfflineTtsConfig(
            model=sherpa_onnx.OfflineTtsModelConfig(vits=vits, num_threads=1)))
        self.how = sherpa_onnx.GenerationConfig()
        self.how.silence_scale = 1.0  # pauses as they are

    def speak(self, text, speaker):
        self.how.sid = speaker
        return np.array(self.tts.generate(text, self.how).samples)


def compare(peer, spoken):
    """What a peer says of `spoken`, [(text, speaker, samples)], beside it."""
    differences, lengths, audio, begin = [], 0, 0, time.perf_counter()
    for text, speaker, expected in spoken:
        said = np.clip(peer.speak(text, speaker), -1, 1)
        audio += len(said)
        if len(said) != len(expected):
            lengths += 1
            continue
        differences.append(float(np.abs(said - expected).max()))
    seconds = time.perf_counter() - begin
    return {"package": peer.package, "version": importlib.metadata.version(peer.package), "sentences": len(spoken),
            "max_difference": max(differences), "median_difference": float(np.median(differences)),
            "sentences_above": sum(one > TOLERANCE for one in differences), "other_lengths": lengths,
            "unaligned": getattr(peer, "unaligned", None), "real_time_factor": seconds / (audio / 22050)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--vocoder")
    parser.add_argument("--qanat", default="build/release/bin/qanat")
    parser.add_argument("--fp16", action="store_true")
    parser.add_argument("--each", type=int, default=50, help="sentences of each language, up to 50")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the exported files")
    parser.add_argument("--json", type=pathlib.Path)
    flags = parser.parse_args()
    import onnx
    with tempfile.TemporaryDirectory(prefix="qanat-export-") as temporary:
        folder = flags.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        voice = folder / "voice.onnx"
        of = ["--checkpoint", flags.checkpoint, *(["--vocoder", flags.vocoder] if flags.vocoder else [])]
        report = json.loads(run(flags.qanat, "export", *of, "--out", voice, "--json",
                                *(["--fp16"] if flags.fp16 else [])))
        onnx.checker.check_model(str(voice), full_check=True)
        speakers = report["voices"]
        spoken = []
        for language in ("en", "fa"):
            texts = sentences(language)[:flags.each]
            for number, name in enumerate(speakers):
                mine = texts[number::len(speakers)]
                lines = pathlib.Path(temporary) / f"{language}-{number}.txt"
                lines.write_text("".join(text + "\n" for text in mine), encoding="utf-8")
                chosen = ["--speaker", name] if len(speakers) > 1 else []
                said = json.loads(run(flags.qanat, "synth", *of, "--file", lines, *chosen, "--json",
                                      "--out", pathlib.Path(temporary) / f"{language}-{number}.wav"))
                spoken += [(text, number, samples_of(one["out"])) for text, one in zip(mine, said["texts"])]
        results = [compare(make(voice), spoken) for make in (Onnxruntime, Piper, Sherpa)]
    result = {"onnx_checker": "passed", "bytes": report["bytes"], "weights": report["weights"],
              "speakers": len(speakers), "peers": results}
    print(json.dumps(result, indent=2))
    if flags.json:
        flags.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return any(one["sentences_above"] or one["other_lengths"] or one["unaligned"] for one in results)


if __name__ == "__main__":
    sys.exit(main())
