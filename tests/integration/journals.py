"""Journals with known contents, for tests of what is made from them."""
import json


def step_line(i, wall=0.1, wait=0.02):
    """Step `i`: waits `wait` of its `wall` seconds; its loss is 5 / (1 + i)."""
    phases = {"wait": wait, "transfer": 0.0, "forward": 0.03, "loss": 0.0,
              "backward": wall - wait - 0.03, "retry": 0.0, "optimizer": 0.0, "checkpoint": 0.0,
              "residual": 0.0}
    losses = {"total": 5 / (1 + i), "mel": 1.0, "refined": 0.0, "prior": 0.0, "forward_sum": 0.0,
              "binarisation": 0.0, "duration": 0.5}
    return {"kind": "step", "t": round(wall * (i + 1), 6), "step": i, "epoch": 0, "batch": i,
            "batches": 1, "shape": [4, 400 + 100 * (i % 3), 50], "frames": 4 * (380 + 100 * (i % 3)),
            "losses": losses, "lr": 0.001, "grad_norm": 2.0, "skipped": False, "wall": wall,
            "phases": phases}


def header(**fields):
    return {"kind": "journal", "t": 0.0, "format": 1, "started": "2024-05-01T10:00:00Z",
            "command": "train", "device": "virtual:1", **fields}


def machine_lines():
    """A sweep of two cells, and a GPU of 40 GiB of which 20 are in use."""
    gpu = {"uuid": "GPU-5a1b2c3d-0000", "name": "RTX", "memory": 40 * 2**30}
    sample = {"kernels_resident": 0.5, "clock": 1.5e9, "memory_used": 20 * 2**30, "power": 200,
              "limits": 4}
    cells = [{"batch": 8, "workers": 1, "rate": 50.0}, {"batch": 8, "workers": 2, "rate": 100.0}]
    return [{"kind": "sweep", "t": 0.1, "cells": cells, "recommended": cells[1]},
            {"kind": "devices", "t": 0.1, "setup": {"gpus": [gpu], "driver": "1", "pairs": []}},
            *({"kind": "devices", "t": t, "samples": [sample]} for t in (1.0, 3.0))]


def write_journal(path, steps, ended=True, config=None):
    with open(path, "w") as file:
        lines = [header(config=config or {"data": {"train_data": "</script><script>x"}}),
                 {"kind": "run", "t": 0.1, "allowed_cores": 8, "mode": "single", "last_step": steps,
                  "cadences": {}}, *machine_lines()]
        for line in lines:
            file.write(json.dumps(line) + "\n")
        for i in range(steps):
            file.write(json.dumps(step_line(i)) + "\n")
        if ended:
            file.write(json.dumps({"kind": "ended", "t": steps / 10, "ending": "max_steps",
                                   "step": steps}) + "\n")
    return path
