"""`qanat.Loader`: padded batches of speech and text from a data set, made by native threads."""
from __future__ import annotations

import warnings
import weakref
from threading import get_ident
from time import perf_counter
from types import TracebackType
from typing import (TYPE_CHECKING, Any, Callable, Dict, Generic, Iterator, List, Mapping, NoReturn, Optional, Sequence, Set,
                    Tuple, Type, TypeVar, Union, cast, overload)

from qanat import _rows
from qanat._batch import Batch
from qanat._native import LoaderError, Session
from qanat._settings import TEXTS, Data, Path, Settings, configuration, in_keywords, rows_of, weighted, whole
from qanat.tokenizer import Tokenizer

if TYPE_CHECKING:
    from typing_extensions import Unpack

STATE_VERSION = 1
T = TypeVar("T")
S = TypeVar("S")


class DataWarning(UserWarning):
    """Rows of a data set that are not used, or could not be read."""


class _Epoch(Iterator[T]):
    """What is left of one epoch."""

    def __init__(self, loader: "Loader[T]") -> None:
        self._loader = loader
        self._epoch = loader.epoch
        self._number = loader._iterators

    def __next__(self) -> T:
        loader = self._loader
        if loader._iterators != self._number:
            raise LoaderError("another iterator of this loader was begun after this one; a loader has "
                              "one at a time: make two loaders to go through the data twice")
        if loader._position[0] != self._epoch:
            raise StopIteration
        return loader._take()

    def __reduce__(self) -> NoReturn:
        self._loader.__reduce__()


class Loader(Generic[T]):
    """Iterates over the batches of an epoch; every further iteration is the next epoch.

        loader = qanat.Loader("LJSpeech-1.1", batch_size=32)
        for batch in loader:
            mel = torch.from_dlpack(batch.mel)      # float32 [rows, frames, mel_bins], no copy

    Which batches come, and every value in them, depends on the data and the settings, not on the
    number of workers or on restarts. An iteration that is left early continues where it stopped;
    `set_epoch(n)` begins another epoch.

    data            folder of a data set (LJSpeech, VCTK, LibriTTS, Common Voice, Kaldi, NeMo ...) or a
                    manifest file, as `qanat train` reads it; a folder of audio files (text=None); a
                    Hugging Face data set; or any iterable of dicts
                    ({"audio": ..., "text": ..., "speaker": ..., "language": ...}), of (audio, text,
                    speaker), or of audio. Audio is a path, the bytes of a file, (samples, rate), or
                    {"bytes": ..., "path": ...}. It is gone through once; bytes stay where they are.
    batch_size      rows of a batch, in each process
    payload         "mel"; "audio": int16 samples for those who make features themselves; or "both"
    mel             name of a definition (`qanat.mel_presets()`), or a dict of its settings: {"preset":
                    "f5", "mel_bins": 80}. It also says the sample rate of "audio".
    text            "tokens"; "raw": `Batch.texts` only, in any language; None: no text at all
    tokenizer       called with the text of each row when the loader is made; returns its tokens, from 0 on,
                    instead of Qanat's: any language, any symbols
    columns         what the columns of the rows are called, where that is not the usual: {"text":
                    "sentence"}; for audio, text, speaker, language, id, tokens, weight and split
    weights         "speakers": each has an equal share of an epoch; a dict of weights by speaker; or a
                    number for each row. Rows come more or less often then, in epochs of the same length.
    split           "all", or "train" or "validation" (metadata_eval.csv, else val_split of the rows)
    rank, world     this process, and how many there are; each gets an equal part of every batch
    seed            random seed of the batch order
    num_workers     threads; None: as few as keep the loop fed, changed while it runs; 0: one, which works
                    only while the loop waits
    prefetch        batches ahead; None: chosen while it runs
    spare_cores     cores that num_workers=None leaves to the rest of the program
    shuffle         False: by length, the same in every epoch
    drop_last       leaves out the rows that are left when no full batch is: others in every epoch
    static_shapes   batches have one of `buckets` shapes; False: as long as their longest row
    buckets         at most so many shapes
    frame_budget    frames of a batch, padding included, in place of batch_size
    max_frames, max_tokens
                    longer utterances are left out
    language, phonemes
                    of rows that do not say, such as "en" or "fa"; phonemes instead of letters (espeak-ng)
    memory_mb       memory limit for batches, including those you hold
    cache_mb        memory limit for features of earlier epochs; None: a quarter of what is free
    cache_dir       where the lengths of the clips are remembered; rows that are no folder: nowhere, unless
                    this says so
    view            file that `qanat data doctor --write-view` wrote: rows to leave out and ends to trim
    max_bad_fraction
                    largest share of damaged utterances before an error
    transform       called with each batch, in the loop's thread; what it returns is what the loop gets
    allocate        called with a size in bytes for the memory of batches, when more is needed; returns
                    a tensor, array or buffer of that size, which is kept as long as batches need it:
                    lambda size: torch.empty(size, dtype=torch.uint8, pin_memory=True). The loader's
                    threads call it.

    Warns (qanat.DataWarning) of rows that are not used; `left_out` and `damaged` list them.
    Raises ValueError for settings that cannot be used and LoaderError for everything else. Use it
    from one thread at a time. It does not survive a fork, and cannot be pickled.
    """

    @overload
    def __init__(self: "Loader[Batch]", data: Data, batch_size: int = ..., *, transform: None = ...,
                 **settings: "Unpack[Settings]") -> None: ...

    @overload
    def __init__(self: "Loader[S]", data: Data, batch_size: int = ..., *, transform: Callable[[Batch], S],
                 **settings: "Unpack[Settings]") -> None: ...

    def __init__(self, data: Data, batch_size: int = 16, *,
                 payload: str = "mel", mel: Union[str, Dict[str, Any]] = "hifigan",
                 text: Optional[str] = "tokens", tokenizer: Optional[Callable[[str], Sequence[int]]] = None,
                 columns: Optional[Mapping[str, str]] = None,
                 weights: Union[None, str, Mapping[str, float], Sequence[float]] = None,
                 split: str = "all", val_split: Optional[float] = None, rank: int = 0, world: int = 1,
                 seed: int = 0, num_workers: Optional[int] = None, prefetch: Optional[int] = None,
                 spare_cores: int = 0, shuffle: bool = True, drop_last: bool = False,
                 static_shapes: bool = True,
                 buckets: Optional[int] = None, frame_budget: Optional[int] = None,
                 max_frames: Optional[int] = None, max_tokens: Optional[int] = None,
                 language: Optional[str] = None, phonemes: bool = False,
                 memory_mb: Optional[int] = None, cache_mb: Optional[int] = None,
                 cache_dir: Optional[Path] = None, view: Optional[Path] = None, max_bad_fraction: Optional[float] = None,
                 transform: Optional[Callable[[Batch], Any]] = None,
                 allocate: Optional[Callable[[int], Any]] = None) -> None:
        given = dict(locals())
        if transform is not None and not callable(transform):
            raise TypeError(f"transform: {transform!r}; expected a function of a batch")
        if allocate is not None and not callable(allocate):
            raise TypeError(f"allocate: {allocate!r}; expected a function of a size in bytes")
        if text not in TEXTS:
            raise ValueError(f"text: {text!r}; expected 'tokens', 'raw' or None")
        self._language = language
        settings: Dict[str, Any] = {
            "config": configuration(data, given), "part": split, "payload": payload, "mel": mel,
            "text": TEXTS[text], "last": "dropped" if drop_last else "kept",
            "rank": whole("rank", rank), "world": whole("world", world),
            "consumer_threads": whole("spare_cores", spare_cores)}
        rows = rows_of(data, settings, given)
        by_weight, rows = weighted(weights, rows)
        settings.update(by_weight)
        has_own_tokens = rows is not None and any(row.tokens is not None for row in rows[:1])
        self._tokenizer: Optional[Tokenizer] = None
        self._makes_tokens = text == "tokens" and not has_own_tokens
        self._told: Set[int] = set()  # rows that a warning named
        self._group: int = settings["world"]  # batches are cut for
        self._transform = transform
        self._transform_calls = 0
        self._transform_seconds = 0.0
        self._inside: Dict[str, int] = {}  # the thread that takes a batch
        self._iterators = 0  # that were begun
        self._position = (0, 0)
        self._last_stats: Optional[Dict[str, Any]] = None
        try:
            self._session = Session(settings, allocate, None if rows is None else _rows.RowArray(rows))
        except ValueError as error:
            raise ValueError(in_keywords(str(error))) from None
        # Batches that are kept keep the session, but not its threads.
        self._finalizer = weakref.finalize(self, self._session.close)
        try:
            self._session.wait_until_open()
            self._facts = self._session.facts()
            if self._facts["left_out"]:
                self._warn_of_left_out()
        except BaseException:
            self._finalizer()
            raise

    def __repr__(self) -> str:
        return (f"qanat.Loader({self.num_utterances} utterances, {len(self)} batches of an epoch, at "
                f"epoch {self._position[0]}, batch {self._position[1]})")

    def __len__(self) -> int:
        """Batches of an epoch, on this rank."""
        length: int = self._facts["batches_per_epoch"]
        return length

    def __iter__(self) -> Iterator[T]:
        """The batches that are left of this epoch."""
        self._check_open()
        self._iterators += 1
        return _Epoch(self)

    def _take(self) -> T:
        # Few calls: between two workers that fill the caches each costs microseconds.
        thread = get_ident()
        if self._inside.setdefault("thread", thread) != thread:
            self._refuse()
        try:
            session = self._session
            lease, position, replaced = session.take() or session.next()
            if position != self._position:
                if lease is None:
                    session.fail(*position)
                del lease  # Ctrl-C kept the one before from the loop
                session.seek(*self._position)
                lease, position, replaced = session.next()
            if replaced:
                self._warn_of_failed()
            batch = Batch(session, lease, position)
            result = cast(T, batch) if self._transform is None else self._transformed(batch)
            epoch, index = position
            last = index + 1 == self._facts["batches_per_epoch"]
            self._position = (epoch + 1, 0) if last else (epoch, index + 1)
            return result
        finally:
            self._inside.pop("thread", None)

    def _enter(self) -> None:
        # Not a lock: a signal between taking one and `try` would leave it locked.
        thread = get_ident()
        if self._inside.setdefault("thread", thread) != thread:
            self._refuse()

    def _refuse(self) -> NoReturn:
        raise LoaderError("another thread is taking a batch from this loader; one thread at a time may")

    def _warn_of_left_out(self) -> None:
        rows = self.left_out
        first = rows[0]
        warnings.warn(f"{len(rows)} of {len(rows) + self.num_utterances} rows are not used; the first is row "
                      f"{first['row']}, {first['id'] or first['file']}: {first['problem']}, {first['reason']}; "
                      "loader.left_out lists them", DataWarning, stacklevel=3)

    def _warn_of_failed(self) -> None:
        for row in self._session.damaged()["failed"]:
            if row["item"] not in self._told:
                self._told.add(row["item"])
                warnings.warn(f"{row['reason']}; another row took its place; loader.damaged lists all",
                              DataWarning, stacklevel=4)

    def _transformed(self, batch: Batch) -> T:
        assert self._transform is not None
        begin = perf_counter()
        try:
            return cast(T, self._transform(batch))
        finally:
            self._transform_calls += 1
            self._transform_seconds += perf_counter() - begin

    def _check_open(self) -> None:
        self._session.handle()  # raises after a fork
        if not self._finalizer.alive:
            raise LoaderError("the loader is closed")

    @property
    def epoch(self) -> int:
        """The epoch that the next batch is of."""
        return self._position[0]

    def set_epoch(self, epoch: int) -> None:
        """The next batch is the first one of this epoch; nothing changes when the loader stands in it
        already."""
        number = whole("epoch", epoch)
        if number != self.epoch:
            self._go_to((number, 0))

    def _go_to(self, position: Tuple[int, int]) -> None:
        self._enter()
        try:
            self._check_open()
            self._session.seek(*position)
            self._position = position
        finally:
            self._inside.pop("thread", None)

    def _cut_for(self, processes: int) -> None:
        self._enter()
        try:
            self._check_open()
            self._session.cut_for(processes)
            self._group, self._position = processes, (0, 0)
            self._facts = self._session.facts()
        finally:
            self._inside.pop("thread", None)

    def state_dict(self) -> Dict[str, Any]:
        """Where the loader stands: after the last batch that the loop got. Small; JSON can hold it."""
        return {"version": STATE_VERSION, "epoch": self._position[0], "batch": self._position[1],
                "world": self._group, "plan": self._facts["plan"]}

    def load_state_dict(self, state: Dict[str, Any]) -> None:
        """Continues where a loader of the same data and settings stopped. The number of workers may
        differ, and so may `world`: then the old batches are split among the new processes, and each has
        more or fewer rows of them than `batch_size`."""
        try:
            version, plan = state["version"], state["plan"]
            epoch, batch, world = (whole(name, state[name]) for name in ("epoch", "batch", "world"))
        except (KeyError, TypeError) as error:
            raise ValueError(f"not the state of a loader: {error}") from None
        if version != STATE_VERSION or world < 1:
            raise ValueError(f"the state of a loader is of version {version} and {world} processes; "
                             f"expected version {STATE_VERSION} and at least one process")
        before = (self._group, self._position)
        if world != self._group:
            self._cut_for(world)
        try:
            if plan != self._facts["plan"]:
                raise ValueError(
                    "the state is of other data or settings, so its position means nothing here; "
                    "expected the same files, batch_size, seed, split, mel, shuffle, buckets and limits")
            self._go_to((epoch, batch))
        except BaseException:
            if world != before[0]:
                self._cut_for(before[0])
                self._go_to(before[1])
            raise

    def stats(self) -> Dict[str, Any]:
        """What the loader did and where its time went: workers, stages, waits, padding, memory, and
        what `transform` took, and what `allocate` gave. Of a closed loader: up to its end."""
        if self._last_stats is not None:
            return self._last_stats
        stats = self._session.stats()
        stats["transform"] = {"calls": self._transform_calls, "seconds": self._transform_seconds}
        memory = self._session.memory
        if memory is not None:
            stats["allocated"] = memory.stats()
        return stats

    def utterance(self, item: int) -> Dict[str, Any]:
        """id, text, speaker, language, file and samples of an utterance; `item` is of `Batch.items`."""
        self._check_open()
        return self._session.utterance(whole("item", item))

    @property
    def speakers(self) -> List[str]:
        """Names of the training part, sorted; `Batch.speakers` holds positions in this list, or -1."""
        names: List[str] = self._facts["speakers"]
        return names

    @property
    def num_utterances(self) -> int:
        """Utterances of an epoch."""
        count: int = self._facts["utterances"]
        return count

    @property
    def num_left_out(self) -> int:
        """Rows of the data set that are not used: see `left_out`."""
        count: int = self._facts["left_out"]
        return count

    @property
    def left_out(self) -> List[Dict[str, Any]]:
        """Rows that are not used since the loader was made: row (its number, from 1, or its line), id, file,
        problem, reason, and whether it is damaged, not only too long or too short."""
        return self._session.damaged()["left_out"]

    @property
    def damaged(self) -> List[Dict[str, Any]]:
        """Rows that are broken: damaged ones in `left_out`, and rows that could not be read when their turn came,
        with the item, the first epoch, and how many times. Another row took the place of the latter."""
        rows = self._session.damaged()
        return [row for row in rows["left_out"] if row["damaged"]] + rows["failed"]

    @property
    def num_symbols(self) -> int:
        """Tokens are from 0 to below this; 0 without tokens."""
        count: int = self._facts["symbols"]
        return count

    @property
    def tokenizer(self) -> Tokenizer:
        """What made the tokens, for texts of your own; LoaderError where the loader did not make them."""
        if not self._makes_tokens:
            raise LoaderError("the tokens of this loader are not Qanat's, or it has none")
        if self._tokenizer is None:
            self._tokenizer = Tokenizer._of_session(self._session, self._language)
        return self._tokenizer

    @property
    def symbols(self) -> List[str]:
        """The symbol of each token, as `tokenizer.symbols` has them."""
        return self.tokenizer.symbols

    @property
    def mel(self) -> Dict[str, Any]:
        """Settings of the mel spectrogram, sample_rate among them."""
        settings: Dict[str, Any] = self._facts["mel"]
        return settings

    def close(self) -> None:
        """Stops the threads. Batches and arrays that are kept stay valid. May be repeated."""
        if self._finalizer.alive:
            try:
                self._last_stats = self.stats()
            except LoaderError:
                pass
            self._finalizer()

    def __enter__(self) -> "Loader[T]":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a qanat.Loader cannot be pickled or copied: it has threads and memory of this "
                        "process; make one in each process, with rank= and world=")
