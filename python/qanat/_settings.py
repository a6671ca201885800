"""What a caller of `Loader` wrote, as the library takes it."""
from __future__ import annotations

import operator
import os
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, TypedDict, Union

from qanat import _rows
from qanat._native import LoaderError, read_rows

Path = Union[str, "os.PathLike[str]"]
Data = Union[str, bytes, "os.PathLike[Any]", Iterable[Any]]
TEXTS = {"tokens": "tokens", "raw": "kept", None: "none"}


class Settings(TypedDict, total=False):
    """What `Loader` takes in addition to the data and the size of batches."""

    payload: str
    mel: Union[str, Dict[str, Any]]
    text: Optional[str]
    tokenizer: Optional[Callable[[str], Sequence[int]]]
    columns: Optional[Mapping[str, str]]
    weights: Union[None, str, Mapping[str, float], Sequence[float]]
    split: str
    val_split: Optional[float]
    rank: int
    world: int
    seed: int
    num_workers: Optional[int]
    prefetch: Optional[int]
    spare_cores: int
    shuffle: bool
    drop_last: bool
    static_shapes: bool
    buckets: Optional[int]
    frame_budget: Optional[int]
    max_frames: Optional[int]
    max_tokens: Optional[int]
    language: Optional[str]
    phonemes: bool
    memory_mb: Optional[int]
    cache_mb: Optional[int]
    cache_dir: Optional[Path]
    view: Optional[Path]
    max_bad_fraction: Optional[float]
    allocate: Optional[Callable[[int], Any]]

# Keyword to key of the configuration, for those that are whole numbers, and for the others.
_NUMBERS = {"batch_size": "data.batch_size", "num_workers": "data.num_workers",
            "prefetch": "data.pipeline_buffer_size", "max_frames": "data.max_mel_frames",
            "max_tokens": "data.max_text_length", "buckets": "pipeline.bucket_edges",
            "frame_budget": "pipeline.frame_budget", "memory_mb": "pipeline.memory_budget",
            "cache_mb": "pipeline.feature_cache", "seed": "training.seed"}
_OTHERS = {"shuffle": "pipeline.shuffle", "static_shapes": "data.enable_static_shapes",
           "language": "data.language", "phonemes": "data.use_phonemes",
           "val_split": "data.val_split", "max_bad_fraction": "pipeline.max_bad_fraction",
           "cache_dir": "data.cache_dir", "view": "data.view"}


_KEYWORDS = {key: name for name, key in (*_NUMBERS.items(), *_OTHERS.items())}
_KEYWORDS.update({"data.train_data": "data", "part": "split", "consumer_threads": "spare_cores"})


def in_keywords(problems: str) -> str:
    """Problems that the library names by key of the configuration, by what the caller wrote."""
    lines = (line.partition(":") for line in problems.split("\n"))
    return "\n".join(_KEYWORDS.get(key, key) + colon + rest for key, colon, rest in lines)


def whole(name: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: {value!r}; expected a whole number") from None


def configuration(data: Data, given: Dict[str, Any]) -> Dict[str, Dict[str, Any]]:
    """Sections and keys as `qanat config` knows them, of what is not None."""
    sections: Dict[str, Dict[str, Any]] = {"data": {}, "pipeline": {}, "training": {}}
    if isinstance(data, (str, bytes, os.PathLike)):
        folder = os.fsdecode(data)
        if not folder:
            raise ValueError("data: an empty path; expected a folder with metadata.csv or a manifest file")
        sections["data"]["train_data"] = folder
    if given["text"] != "tokens" or given["tokenizer"] is not None:
        given["language"] = None  # nobody reads the texts, so any will do
    if given["num_workers"] == 0:  # one thread, which works while the loop waits
        if given["prefetch"]:
            raise ValueError(f"prefetch: {given['prefetch']} with num_workers=0; expected None or 0")
        given.update(num_workers=1, prefetch=0)
    for names, convert in ((_NUMBERS, whole), (_OTHERS, lambda name, value: value)):
        for name, key in names.items():
            value = given.pop(name)
            if value is not None:
                section, field = key.split(".")
                sections[section][field] = convert(name, value)
    for key in ("cache_dir", "view"):
        if key in sections["data"]:
            sections["data"][key] = os.fsdecode(sections["data"][key])
    return sections


def weighted(weights: Any, rows: Optional[List[_rows.Row]]) -> Tuple[Dict[str, Any], Optional[List[_rows.Row]]]:
    """Settings and rows with weights in them."""
    if weights is None:
        return {}, rows
    if isinstance(weights, str):
        if weights != "speakers":
            raise ValueError(f"weights: {weights!r}; expected 'speakers', a dict by speaker, or a number for "
                             "each row")
        return {"balance": "speakers"}, rows
    if isinstance(weights, Mapping):
        return {"speaker_weights": {str(name): float(weight) for name, weight in weights.items()}}, rows
    numbers = [float(weight) for weight in weights]
    if rows is None:
        raise ValueError("weights: numbers for rows of a folder, whose order is not known; expected 'speakers' "
                         "or a dict by speaker")
    if len(numbers) != len(rows):
        raise ValueError(f"weights: {len(numbers)} numbers for {len(rows)} rows; expected one for each")
    return {}, [row._replace(weight=row.weight * number) for row, number in zip(rows, numbers)]


def rows_of(data: Data, settings: Dict[str, Any], given: Dict[str, Any]) -> Optional[List[_rows.Row]]:
    """Those of data that the library does not read by itself; None for a data set on disk."""
    tokenizer = given["tokenizer"]
    if tokenizer is not None and not callable(tokenizer):
        raise TypeError(f"tokenizer: {tokenizer!r}; expected a function of a text")
    if tokenizer is not None and given["text"] != "tokens":
        raise ValueError(f"tokenizer: with text={given['text']!r} nobody asks for tokens")
    if isinstance(data, (str, bytes, os.PathLike)):
        if given["columns"]:
            settings["config"].setdefault("data", {})["columns"] = ",".join(
                f"{role}={name}" for role, name in given["columns"].items())
        settings["rows_root"] = os.fsdecode(data)
        if given["text"] is None and _rows.without_manifest(data):
            rows = _rows.collect(data, {})
            if not rows:
                raise LoaderError(f"{os.fsdecode(data)}: no audio file; expected some that end in "
                                  f"{', '.join(_rows.AUDIO_FILES)}")
            return rows
        root = settings.pop("rows_root")
        if tokenizer is None:
            return None
        settings["rows_root"] = root if os.path.isdir(root) else os.path.dirname(os.path.abspath(root))
        rows = [_rows.Row(row["path"], None, row["id"], row["text"], row["speaker"], row["language"],
                          part=row["part"]) for row in read_rows({"config": settings["config"]})]
    else:
        rows = _rows.collect(data, given["columns"] or {})
    return rows if tokenizer is None else _rows.tokenized(rows, tokenizer)
