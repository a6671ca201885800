#!/usr/bin/env python3
"""Fails if a module includes one it may not know, or libtorch where it has no business.

A module may include itself and what is listed. Keep the lines in the order the data takes;
every line may only name modules above it.
"""
import pathlib
import re
import sys

MAY_INCLUDE = {
    "base": "",
    "locale": "base",
    "launch": "locale base",
    "config": "locale base",
    "metrics": "locale base",
    "dataset": "metrics locale base",
    "text": "locale base",
    "audio": "locale base",
    "features": "audio metrics locale base",
    "batch": "locale base",
    "pipeline": "batch features audio text dataset metrics locale base",
    "device": "pipeline batch metrics locale base",
    "cuda_runtime": "device locale base",
    "torch_binding": "device locale base",
    "transfer": "device pipeline batch features metrics locale base",
    "torch_features": "transfer torch_binding device batch features locale base",
    "model": "cuda_runtime locale base",
    "vocoder": "torch_features features locale base",
    "checkpoint_files": "features text config locale base",
    "checkpoint": "checkpoint_files locale base",
    "replicas": "launch config locale base",
    "train": "replicas cuda_runtime checkpoint checkpoint_files vocoder model transfer torch_binding device pipeline batch metrics "
    "config locale base",
    "monitor": "metrics launch locale base",
    "telemetry": "monitor pipeline features batch audio metrics locale base",
    "diagnose": "monitor metrics locale base",
    "history": "diagnose monitor metrics locale base",
    "page": "metrics locale base",
    "report": "page history diagnose monitor dataset config metrics locale base",
    "evaluate": "report page features audio text metrics locale base",
    "serve": "report page history diagnose metrics locale base",
    "voice_server": "serve page audio locale base",
    "app": "report history diagnose telemetry monitor pipeline batch features audio text dataset metrics config locale base",
    "capi": "app monitor pipeline batch features audio text dataset metrics config locale base",
    "corpus": "batch dataset text audio locale base",
    "experiment": "app report diagnose monitor pipeline metrics config locale base",
    "session": "app transfer torch_features torch_binding cuda_runtime device monitor pipeline batch "
    "audio metrics config locale base",
    "selftest": "session experiment app report diagnose monitor train transfer device pipeline batch audio "
    "text metrics config locale base",
    "speech": "voice_server train checkpoint checkpoint_files vocoder model monitor features audio text dataset metrics locale base",
    "export": "speech history train checkpoint checkpoint_files vocoder model features text locale base",
    "training": "launch replicas selftest speech session app report history diagnose monitor train checkpoint "
    "checkpoint_files torch_binding device pipeline batch features audio text dataset metrics config locale base",
    "diagnosing": "training session experiment app report history diagnose monitor pipeline batch features "
    "text dataset metrics config locale base",
    "validation": "training session speech experiment app report diagnose monitor train torch_binding device pipeline "
    "config locale base",
    "cli": "launch experiment corpus app serve evaluate report history diagnose telemetry device pipeline features audio text "
    "dataset metrics config locale base",
    "torch_cli": "voice_server launch cli validation diagnosing training export speech selftest session experiment corpus app "
    "serve report history diagnose train metrics config locale base",
}
USES_TORCH = {"cuda_runtime", "torch_binding", "torch_features", "model", "vocoder", "checkpoint", "replicas",
              "train", "training"}
CUDA_FOLDER = "cuda_runtime"
CUDA_HEADER = re.compile(r"^(c10/cuda|ATen/cuda|cuda|nccl)\b|^cuda_|^nv")
CUDA_CONDITION = re.compile(r"^\s*#\s*(if|ifdef|ifndef|elif)\b.*(CUDA|NVCC)")
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')


def table_problems():
    seen = set()
    for module, allowed in MAY_INCLUDE.items():
        for name in allowed.split():
            if name not in seen:
                yield f"check_layers: {module} lists {name}, which is not above it"
        seen.add(module)


def problems(src: pathlib.Path):
    for path in sorted(p for ext in ("*.h", "*.cpp") for p in src.rglob(ext)):
        module = path.relative_to(src).parts[0]
        if module not in MAY_INCLUDE:
            yield f"{path}: folder {module}/ has no line in MAY_INCLUDE"
            continue
        allowed = set(MAY_INCLUDE[module].split()) | {module}
        for number, line in enumerate(path.read_text().splitlines(), 1):
            in_cuda = module == CUDA_FOLDER
            if CUDA_CONDITION.match(line) and not in_cuda:
                yield f"{path}:{number}: what is compiled for CUDA is decided in cuda_runtime/ only"
            match = INCLUDE.match(line)
            if not match:
                continue
            target = match[1].split("/")[0]
            if target in MAY_INCLUDE:
                if target not in allowed:
                    yield f"{path}:{number}: {module}/ may not include {target}/"
                continue
            if CUDA_HEADER.match(match[1]) and not in_cuda:
                yield f"{path}:{number}: headers of CUDA belong in cuda_runtime/ only"
            if target in ("torch", "ATen", "c10") and module not in USES_TORCH:
                yield f"{path}:{number}: libtorch is not allowed in {module}/"


if __name__ == "__main__":
    root = pathlib.Path(__file__).resolve().parent.parent / "src"
    found = list(table_problems()) + list(problems(root))
    print("\n".join(found) or "layers: ok")
    sys.exit(1 if found else 0)
