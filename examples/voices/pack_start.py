#!/usr/bin/env python3
"""Makes start weights out of a voice: the averaged weights in 16 bits, without what only a resumed run needs.

    pack_start.py VOICE TARGET [--xxhsum PROGRAM]

VOICE is the folder of a training (`--checkpoint-dir`), or one checkpoint of it. Of a folder the best is taken, or the
latest where none was validated; of VOICE/vocoder, where there is one, likewise. TARGET appears complete or not at all; a TARGET that is
there is replaced.
"""
import argparse
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys

# What a network needs; a checkpoint also tells where its run stood, and on which machine.
KEYS = ("format", "version", "task", "model", "text", "vocoder", "speakers", "default_speakers", "languages", "mel")
ALIGNMENT = 64


def checkpoint_of(folder):
    if (folder / "DONE").is_file():
        return folder
    best = folder / "best"
    if best.is_file():
        return folder / f"step-{int(best.read_text()):09d}"
    steps = sorted(path for path in folder.glob("step-*") if (path / "DONE").is_file())
    if not steps:
        raise ValueError(f"{folder}: no complete checkpoint; expected a folder that `qanat train` has saved into")
    return steps[-1]


def read_tensors(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        values = file.read()
    header.pop("__metadata__", None)
    return {name: (entry["dtype"], entry["shape"], values[slice(*entry["data_offsets"])])
            for name, entry in sorted(header.items())}


def halved(name, kind, values):
    if kind != "F32":
        raise ValueError(f"{name}: {kind}; expected F32")
    count = len(values) // 4
    try:
        return struct.pack(f"<{count}e", *struct.unpack(f"<{count}f", values))
    except OverflowError:
        raise ValueError(f"{name}: holds values that 16 bits cannot") from None


def write_tensors(path, tensors, step):
    header, at, parts = {"__metadata__": {"step": str(step)}}, 0, []
    for name, (kind, shape, values) in tensors.items():
        half = halved(name, kind, values)
        header[name] = {"dtype": "F16", "shape": shape, "data_offsets": [at, at + len(half)]}
        parts.append(half)
        at += len(half)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % ALIGNMENT)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(parts))


def checksum(path, program):
    with open(path, "rb") as file:  # so that no digits of a name are read as those of the sum
        said = subprocess.run([program, "-H3", "-"], stdin=file, check=True, capture_output=True, text=True).stdout
    return re.search(r"[0-9a-f]{16}", said)[0]


def pack(source, target, program):
    target.mkdir(parents=True)
    step = json.loads((source / "DONE").read_text())["step"]
    state = json.loads((source / "state.json").read_text(encoding="utf-8"))
    kept = {key: state[key] for key in KEYS if key in state}
    (target / "state.json").write_text(json.dumps(kept, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    write_tensors(target / "ema.safetensors", read_tensors(source / "ema.safetensors"), step)
    files = {name: {"bytes": (target / name).stat().st_size, "xxh3": checksum(target / name, program)}
             for name in ("ema.safetensors", "state.json")}
    seal = {"format": "qanat-checkpoint-seal", "version": 1, "step": step, "save": 1, "best": True, "files": files}
    (target / "DONE").write_text(json.dumps(seal, indent=2) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("voice", type=pathlib.Path)
    parser.add_argument("target", type=pathlib.Path)
    parser.add_argument("--xxhsum", default="xxhsum", help="of the package xxhash (xxhsum)")
    options = parser.parse_args()
    part = options.target.with_name(options.target.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        pack(checkpoint_of(options.voice), part, options.xxhsum)
        if (options.voice / "vocoder").is_dir():
            pack(checkpoint_of(options.voice / "vocoder"), part / "vocoder", options.xxhsum)
    except (OSError, ValueError, KeyError, subprocess.CalledProcessError) as error:
        print(f"pack_start.py: {error}", file=sys.stderr)
        shutil.rmtree(part, ignore_errors=True)
        return 1
    shutil.rmtree(options.target, ignore_errors=True)
    part.rename(options.target)
    size = sum(path.stat().st_size for path in options.target.rglob("*") if path.is_file())
    print(f"{options.target}: {size / 1e6:.2f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
