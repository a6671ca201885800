#!/usr/bin/env python3
"""qanat.Loader on data that is no folder with a manifest; checked by mypy --strict and pyright.

    pip install dist/*.whl
    qanat data make-demo demo && python3 examples/loader_any_data.py demo/wavs
"""
from __future__ import annotations

import importlib
import pathlib
import sys
from typing import Any, Dict, List

import qanat


def rows_of_dicts(clips: List[pathlib.Path]) -> int:
    rows: List[Dict[str, Any]] = [{"audio": clip, "text": clip.stem, "speaker": "anna"} for clip in clips]
    return sum(batch["mel"].shape[0] for batch in qanat.Loader(rows, batch_size=4))


def bytes_in_memory(clips: List[pathlib.Path]) -> int:
    loader = qanat.Loader([(clip.read_bytes(), clip.stem) for clip in clips], batch_size=4, payload="both")
    return sum(batch["audio"].nbytes for batch in loader)


def folder_without_text(folder: str) -> int:
    return sum(len(batch) for batch in qanat.Loader(folder, batch_size=4, text=None))


def chinese_and_arabic(clips: List[pathlib.Path]) -> List[int]:
    texts = ["你好世界", "مرحبا بالعالم"]
    symbols = {symbol: i for i, symbol in enumerate(sorted(set("".join(texts))), 1)}
    rows = [(clip, texts[i % 2]) for i, clip in enumerate(clips)]
    loader = qanat.Loader(rows, batch_size=4, tokenizer=lambda text: [symbols[symbol] for symbol in text])
    return [int(length) for batch in loader for length in batch["token_lengths"].tolist()]


def hugging_face(clips: List[pathlib.Path]) -> int:
    datasets: Any = importlib.import_module("datasets")  # it has no types
    rows = {"audio": [{"bytes": clip.read_bytes(), "path": None} for clip in clips],
            "sentence": [clip.stem for clip in clips]}
    return sum(len(batch) for batch in qanat.Loader(datasets.Dataset.from_dict(rows), batch_size=4))


def seconds_of(batch: qanat.Batch) -> float:
    return float(sum(batch["audio_lengths"].tolist())) / 22050


def main(folder: str) -> None:
    clips = sorted(pathlib.Path(folder).rglob("*.wav"))
    print(f"dicts: {rows_of_dicts(clips)} rows; bytes: {bytes_in_memory(clips)} bytes of samples")
    print(f"folder: {folder_without_text(folder)} rows; tokens: {chinese_and_arabic(clips)[:4]}")
    transformed: qanat.Loader[float] = qanat.Loader(clips, text=None, payload="audio", transform=seconds_of)
    print(f"{sum(transformed):.1f} seconds")
    try:
        print(f"Hugging Face: {hugging_face(clips)} rows")
    except ImportError:
        print("Hugging Face: `datasets` is not installed")


if __name__ == "__main__":
    main(*sys.argv[1:])
