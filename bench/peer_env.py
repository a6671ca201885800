#!/usr/bin/env python3
"""The loaders we compare with, and Python environments that have them: newest versions from the package
index, each optional. ./dev bench calls it before it measures.

    bench/peer_env.py --at build     # makes or completes build/peers-env and build/peers-tf-env
"""
import argparse
import dataclasses
import json
import pathlib
import subprocess
import sys

from harness import PYTHON, say


@dataclasses.dataclass(frozen=True)
class Peer:
    key: str
    name: str
    package: str
    module: str
    variants: tuple = ((),)  # of arguments; the fastest is measured
    environment: str = "peers-env"
    needs: tuple = ("numpy", "torch")


PEERS = [
    Peer("torch", "PyTorch DataLoader", "torch", "torch",
         (("--prefetch", 2), ("--prefetch", 4))),
    Peer("spdl", "SPDL", "spdl", "spdl.io", (("--per", "batch"), ("--per", "clip"))),
    Peer("mlx", "MLX Data", "mlx-data", "mlx.data"),
    Peer("grain", "Grain", "grain", "grain", (("--by", "threads"), ("--by", "processes"))),
    # It imports urllib3 and does not ask for it.
    Peer("lhotse", "Lhotse", "lhotse", "lhotse", needs=("numpy", "torch", "urllib3")),
    Peer("dali", "DALI (CPU)", "nvidia-dali-cuda130", "nvidia.dali",
         (("--executor", "dynamic"), ("--executor", "classic")), needs=("numpy",)),
    # An environment of its own: what it needs of others does not go with theirs.
    Peer("tfdata", "tf.data", "tensorflow-cpu", "tensorflow",
         (("--per", "clip", "--parallel", 2), ("--per", "clip", "--parallel", 0),
          ("--per", "batch", "--parallel", 2)), "peers-tf-env", ("numpy",)),
]

LOOK = ("import importlib, importlib.metadata, json, sys\n"
        "[importlib.import_module(name) for name in sys.argv[2:]]\n"
        "print(json.dumps(importlib.metadata.version(sys.argv[1])))\n")


def python_of(folder, peer):
    return folder / peer.environment / "bin" / "python3"


def look_at(folder, peer):
    """(version, None) or (None, why it cannot run here)."""
    python = python_of(folder, peer)
    if not python.exists():
        return None, "not installed; try ./dev bench peers"
    done = subprocess.run([python, "-c", LOOK, peer.package, peer.module, *peer.needs],
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return json.loads(done.stdout.splitlines()[-1]), None
    return None, (done.stderr.strip().splitlines() or ["it cannot be imported"])[-1]


def install(folder, peer):
    """Nothing, or why it cannot be had."""
    python = python_of(folder, peer)
    if not python.exists():
        made = subprocess.run([PYTHON, "-m", "venv", folder / peer.environment],
                              capture_output=True, text=True, check=False)
        if made.returncode != 0:
            return "no Python environment could be made; try the package python3-venv"
    done = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                           "--upgrade", *peer.needs, peer.package], capture_output=True, text=True,
                          check=False)
    return None if done.returncode == 0 else (done.stderr.strip().splitlines() or ["pip failed"])[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--at", type=pathlib.Path, required=True, help="folder for the environments")
    options = parser.parse_args()
    folder = options.at.resolve()
    for peer in PEERS:
        if look_at(folder, peer)[0]:
            continue
        say(f"installing {peer.package} into {folder / peer.environment}")
        reason = install(folder, peer)
        if reason:
            say(f"continuing without {peer.name}: {reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
