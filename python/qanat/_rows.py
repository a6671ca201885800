"""Data sets that are no folder: lists of dicts, tuples and paths, generators, Hugging Face data sets, and
folders of audio without a manifest. All of them become an array of `qanat_row` (qanat.h), whose audio is
a path or memory that Python keeps until the loader is gone."""
from __future__ import annotations

import array
import ctypes
import os
import struct
from ctypes import POINTER, c_char_p, c_double, c_int32, c_size_t, c_void_p
from typing import (Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence,
                    Tuple)

AUDIO_FILES = (".wav", ".flac", ".ogg", ".opus", ".mp3", ".aiff", ".aif", ".au", ".caf", ".w64")
MANIFESTS = ("metadata.csv", "metadata_train.csv", "metadata_eval.csv")
PARTS = {None: 0, "train": 1, "validation": 2}

# What columns are usually called, by what they are taken for; `columns` names others.
COLUMNS = {
    "audio": ("audio", "audio_filepath", "audio_path", "audio_file", "wav", "wav_path", "file", "path"),
    "text": ("text", "sentence", "transcription", "transcript", "normalized_text", "raw_text"),
    "speaker": ("speaker", "speaker_id", "speaker_name", "client_id"),
    "language": ("language", "lang", "locale"),
    "id": ("id", "utterance_id", "utt_id"),
    "tokens": ("tokens", "token_ids", "input_ids"),
    "weight": ("weight",),
    "split": ("split",),
}


class Row(NamedTuple):
    audio: Any  # a path (str), or an object whose buffer holds what a file would
    name: Optional[bytes] = None  # what to call audio that is in memory
    id: Optional[str] = None
    text: Optional[str] = None
    speaker: Optional[str] = None
    language: Optional[str] = None
    tokens: Optional[Sequence[int]] = None
    weight: float = 1.0
    part: int = 0


class CRow(ctypes.Structure):
    _fields_ = [("id", c_char_p), ("path", c_char_p), ("bytes", c_void_p), ("num_bytes", c_size_t),
                ("text", c_char_p), ("speaker", c_char_p), ("language", c_char_p),
                ("tokens", POINTER(c_int32)), ("num_tokens", c_size_t), ("part", c_int32),
                ("weight", c_double)]


class _View(ctypes.Structure):
    """Py_buffer."""

    _fields_ = [("buf", c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
                ("format", c_char_p), ("shape", c_void_p), ("strides", c_void_p),
                ("suboffsets", c_void_p), ("internal", c_void_p)]


class Buffer:
    """Where the bytes of an object lie, read-only ones included, and that they stay there."""

    __slots__ = ("_view", "_reference", "_held", "_release", "address", "size")

    def __init__(self, holder: Any) -> None:
        self._held = False
        self._view = _View()
        # At the end of Python modules are empty.
        self._reference = ctypes.byref(self._view)
        self._release = ctypes.pythonapi.PyBuffer_Release
        ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(holder), self._reference, 0)
        self._held = True
        self.address: int = self._view.buf or 0
        self.size: int = self._view.len

    def __del__(self) -> None:
        if self._held:
            self._held = False
            self._release(self._reference)


def wav_of(samples: Any, rate: int) -> bytearray:
    """A WAV file in memory of mono samples: float32 (or what is rounded to it) or int16."""
    if not hasattr(samples, "__buffer__") and hasattr(samples, "numpy"):
        samples = samples.numpy()
    try:
        view = memoryview(samples)
    except TypeError:
        view = memoryview(array.array("f", samples))
    if view.ndim != 1:
        raise TypeError(f"samples of {view.ndim} dimensions; expected one, of a single channel")
    if view.format == "d":
        view = memoryview(array.array("f", view.tolist()))
    if view.format not in ("f", "h"):
        raise TypeError(f"samples of type {view.format!r}; expected float32, float64 or int16")
    size, kind = view.itemsize, 3 if view.format == "f" else 1
    header = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + view.nbytes, b"WAVE", b"fmt ", 16, kind, 1,
                         int(rate), int(rate) * size, size, 8 * size, b"data", view.nbytes)
    file = bytearray(header)
    file += view.cast("B") if view.c_contiguous else view.tobytes()
    return file


def _audio_of(value: Any) -> Tuple[Any, Optional[bytes]]:
    """What a row says its audio is: (path or buffer, name)."""
    if isinstance(value, (str, os.PathLike)):
        return os.fsdecode(value), None
    if isinstance(value, Mapping):
        path = value.get("path")
        name = None if path is None else os.fsencode(path)
        if value.get("bytes") is not None:
            return value["bytes"], name
        if value.get("array") is not None:
            return wav_of(value["array"], value["sampling_rate"]), name
        if path is not None:
            return os.fsdecode(path), None
    elif isinstance(value, tuple) and len(value) == 2:
        return wav_of(*value), None
    else:
        try:
            memoryview(value)
            return value, None
        except TypeError:
            pass
    raise TypeError(f"audio: {type(value).__name__}; expected a path, the bytes of a file, (samples, rate), "
                    "or a dict with bytes, path, or array and sampling_rate; of a Hugging Face data set, "
                    "give the data set itself, or cast the column to Audio(decode=False)")


def _text(value: Any) -> Optional[str]:
    return None if value is None else str(value)


class _Columns:
    """Which key of a dict is taken for what."""

    def __init__(self, columns: Mapping[str, str]) -> None:
        unknown = sorted(set(columns) - set(COLUMNS))
        if unknown:
            raise ValueError(f"columns: {unknown[0]!r}; expected some of {', '.join(COLUMNS)}")
        self._given = columns
        self._found: Dict[Tuple[Any, ...], Dict[str, str]] = {}

    def of(self, keys: Iterable[str]) -> Dict[str, str]:
        names = tuple(keys)
        if names not in self._found:
            self._found[names] = self._look_up(names)
        return self._found[names]

    def _look_up(self, names: Tuple[str, ...]) -> Dict[str, str]:
        found = {}
        for role, usual in COLUMNS.items():
            given = self._given.get(role)
            if given is not None and given not in names:
                raise ValueError(f"columns: no {given!r} for {role}; there are {', '.join(names)}")
            for name in (given,) if given is not None else usual:
                if name in names:
                    found[role] = name
                    break
        if "audio" not in found:
            raise ValueError(f"a row has {', '.join(names) or 'nothing'}; expected one of "
                             f"{', '.join(COLUMNS['audio'])}, or columns={{'audio': ...}}")
        return found

    def row(self, values: Mapping[str, Any]) -> Row:
        keys = self.of(values)

        def get(role: str) -> Any:
            return values[keys[role]] if role in keys else None

        audio, name = _audio_of(get("audio"))
        part, weight = get("split"), get("weight")
        if part not in PARTS:
            raise ValueError(f"split: {part!r}; expected 'train' or 'validation'")
        return Row(audio, name, _text(get("id")), _text(get("text")), _text(get("speaker")),
                   _text(get("language")), get("tokens"), 1.0 if weight is None else float(weight),
                   PARTS[part])


def _plain_row(value: Any) -> Row:
    """(audio, text, speaker), of which all but the first may be missing, or audio alone."""
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], int):  # (samples, rate)
        return Row(*_audio_of(value))
    if isinstance(value, (tuple, list)):
        if not 1 <= len(value) <= 3:
            raise TypeError(f"a tuple of {len(value)}; expected (audio, text, speaker)")
        audio, name = _audio_of(value[0])
        text, speaker = (*map(_text, value[1:]), None, None)[:2]
        return Row(audio, name, None, text, speaker)
    return Row(*_audio_of(value))


def _arrow_rows(dataset: Any, columns: _Columns) -> Iterator[Row]:
    """Of a Hugging Face data set. Its tables are read as they lie in memory or in mapped files: nothing is
    decoded or copied."""
    for table in dataset.with_format("arrow").iter(batch_size=1000):
        keys = columns.of(table.column_names)
        audio = table.column(keys["audio"]).combine_chunks()
        wanted = {role: table.column(name).to_pylist() for role, name in keys.items() if role != "audio"}
        kind = str(audio.type)
        if "string" in kind and not kind.startswith("struct"):
            contents, paths = None, audio.to_pylist()
        elif kind.startswith("struct"):
            contents, paths = audio.field("bytes"), audio.field("path").to_pylist()
        else:
            contents, paths = audio, [None] * len(audio)
        for i, path in enumerate(paths):
            values = {role: column[i] for role, column in wanted.items()}
            values["audio"] = {"bytes": None if contents is None else contents[i].as_buffer(), "path": path}
            yield _ROLES.row(values)


_ROLES = _Columns({})


def is_folder(data: Any) -> bool:
    """Whether `data` names something on disk that the library reads by itself."""
    return isinstance(data, (str, bytes, os.PathLike)) and not without_manifest(data)


def without_manifest(data: Any) -> bool:
    folder = os.fsdecode(data)
    return os.path.isdir(folder) and not any(
        os.path.exists(os.path.join(folder, name)) for name in MANIFESTS)


def _files_below(folder: str) -> Iterator[Row]:
    for place, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            if name.lower().endswith(AUDIO_FILES):
                path = os.path.relpath(os.path.join(place, name), folder)
                yield Row(path, None, os.path.splitext(path)[0])


def collect(data: Any, columns: Mapping[str, str]) -> List[Row]:
    """The rows of whatever was given; raises TypeError and ValueError with the number of the row."""
    known = _Columns(columns)
    if isinstance(data, (str, bytes, os.PathLike)):
        return list(_files_below(os.fsdecode(data)))
    if hasattr(data, "with_format") and hasattr(data, "column_names") and hasattr(data, "iter"):
        return list(_arrow_rows(data, known))
    rows: List[Row] = []
    try:
        iterator = iter(data)
    except TypeError:
        raise TypeError(f"data: {type(data).__name__}; expected a folder, a manifest file, a Hugging Face data "
                        "set, or an iterable of dicts, (audio, text, speaker) or audio") from None
    for value in iterator:
        try:
            rows.append(known.row(value) if isinstance(value, Mapping) else _plain_row(value))
        except (TypeError, ValueError) as error:
            raise type(error)(f"row {len(rows)}: {error}") from None
    return rows


def tokenized(rows: List[Row], tokenizer: Callable[[str], Sequence[int]]) -> List[Row]:
    done = []
    for i, row in enumerate(rows):
        try:
            done.append(row._replace(tokens=list(tokenizer(row.text or ""))))
        except Exception as error:
            raise ValueError(f"tokenizer: row {i}, {row.text!r}: {error}") from error
    return done


def _encoded(number: int, what: str, value: Optional[str]) -> Optional[bytes]:
    if value is None:
        return None
    try:
        text = value.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(f"row {number}: {what} is not Unicode text") from None
    if b"\0" in text:
        raise ValueError(f"row {number}: {what} holds a zero byte")
    return text


class RowArray:
    """Rows as the library takes them, and all that they point to."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = (CRow * len(rows))()
        self.buffers: List[Buffer] = []  # as long as the loader is there
        self._seen: Dict[bytes, int] = {}
        for number, row in enumerate(rows):
            self._put(number, self.rows[number], row)

    def _put(self, number: int, to: CRow, row: Row) -> None:
        if isinstance(row.audio, str):
            to.path = os.fsencode(row.audio)
        else:
            buffer = Buffer(row.audio)
            if not buffer.size:
                raise ValueError(f"row {number}: audio of 0 bytes")
            self.buffers.append(buffer)
            to.bytes, to.num_bytes, to.path = buffer.address, buffer.size, row.name
        to.id = self._unique(_encoded(number, "id", row.id) or to.path or str(number).encode())
        to.text = _encoded(number, "text", row.text)
        to.speaker = _encoded(number, "speaker", row.speaker)
        to.language = _encoded(number, "language", row.language)
        to.part, to.weight = row.part, row.weight
        if row.tokens is not None:
            try:
                to.tokens = (c_int32 * max(len(row.tokens), 1))(*row.tokens)
            except TypeError:
                raise ValueError(f"row {number}: tokens that are not whole numbers") from None
            to.num_tokens = len(row.tokens)

    def _unique(self, name: bytes) -> bytes:
        """Rows may repeat a clip, or say the same id; the library tells rows by their ids."""
        count = self._seen[name] = self._seen.get(name, 0) + 1
        return name if count == 1 else self._unique(b"%s#%d" % (name, count))
