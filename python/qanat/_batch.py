"""A batch and its arrays: views of the loader's own memory, which is given back when the last of them
is dropped."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NoReturn, Optional, Tuple

from qanat._native import FIELDS, TYPES, Session

if TYPE_CHECKING:  # neither is needed, and importing this imports neither
    import numpy
    import torch

_TYPE_STRINGS = {"float32": "<f4", "int16": "<i2", "int32": "<i4"}
_FORMATS = {"float32": "f", "int16": "h", "int32": "i"}
_SIZES = {"float32": 4, "int16": 2, "int32": 4}
_CPU = (1, 0)  # as DLPack numbers devices


class Array:
    """An array of a batch in the loader's memory: `numpy.asarray(x)` and `torch.from_dlpack(x)` (or
    any library that knows DLPack) make arrays of it without a copy. Those, and this, keep the memory
    until they are dropped. Row by row, without gaps; it may be written to."""

    __slots__ = ("shape", "dtype", "_address", "_field", "_lease", "_session", "__weakref__")

    shape: Tuple[int, ...]
    dtype: str

    def __init__(self, session: Session, lease: Any, field: int,
                 layout: Tuple[int, int, Tuple[int, ...]]) -> None:
        self._address, number, self.shape = layout
        self.dtype = TYPES[number]
        self._field = field
        self._lease = lease  # gives the memory back with its last reference
        self._session = session

    @property
    def nbytes(self) -> int:
        """Bytes of all values."""
        size = _SIZES[self.dtype]
        for extent in self.shape:
            size *= extent
        return size

    @property
    def __array_interface__(self) -> Dict[str, Any]:
        return {"version": 3, "shape": self.shape, "typestr": _TYPE_STRINGS[self.dtype],
                "data": (self._address, False)}

    @property
    def __array_struct__(self) -> Any:
        """The same for numpy, which has less to do with it."""
        return self._session.array_struct(self._lease, self._field)

    def __dlpack_device__(self) -> Tuple[int, int]:
        return _CPU

    def __dlpack__(self, *, stream: Any = None, max_version: Optional[Tuple[int, int]] = None,
                   dl_device: Optional[Tuple[int, int]] = None, copy: Optional[bool] = None) -> Any:
        if dl_device is not None and tuple(dl_device) != _CPU:
            raise BufferError(f"{FIELDS[self._field]}: the memory is the host's, not of device "
                              f"{tuple(dl_device)}; move the tensor after taking it")
        if copy:
            raise BufferError(f"{FIELDS[self._field]}: made without a copy; copy the tensor after "
                              "taking it")
        self._session.handle()  # raises after a fork
        major = max_version[0] if max_version else 0
        return self._session.tensor(self._lease, self._field, major)

    def numpy(self) -> "numpy.ndarray[Any, Any]":
        """As an array of numpy, without a copy."""
        import numpy

        made: "numpy.ndarray[Any, Any]" = numpy.asarray(self)
        return made

    def torch(self) -> "torch.Tensor":
        """As a tensor of torch, without a copy."""
        import torch

        tensor: "torch.Tensor" = torch.from_dlpack(self)
        return tensor

    def __getitem__(self, index: Any) -> Any:
        """What numpy has there: a row, a number, a slice; views share the memory. Without numpy: a row or
        a number."""
        try:
            return self.numpy()[index]
        except ImportError:
            pass
        at = range(len(self))[index]  # raises what a list would
        if len(self.shape) == 1:
            return self.tolist()[at]
        size = self.nbytes // self.shape[0]
        flat = self.memoryview().cast("B")[at * size:(at + 1) * size]
        return flat.cast(_FORMATS[self.dtype], self.shape[1:])  # type: ignore[call-overload]

    def memoryview(self) -> memoryview:
        """For those without numpy: the values, without a copy."""
        owner = (ctypes.c_char * self.nbytes).from_address(self._address)
        owner.keeps = self  # type: ignore[attr-defined]
        values: memoryview = memoryview(owner).cast("B").cast(
            _FORMATS[self.dtype], self.shape)  # type: ignore[call-overload]
        return values

    def tolist(self) -> List[Any]:
        """The values as lists of lists."""
        if len(self.shape) == 1:
            values: List[Any] = self._session.values(self._lease, self._field)
            return values
        return self.memoryview().tolist()

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"qanat.Array({FIELDS[self._field]}, shape={self.shape}, dtype={self.dtype})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("an array of a batch cannot be pickled or copied: it is memory of its loader; "
                        "try numpy.array(x) or x.tolist() first")


def _array_property(name: str) -> Any:
    field = FIELDS.index(name)
    is_of_text = name in ("tokens", "token_lengths")

    def array(batch: "Batch") -> Optional[Array]:
        made = batch._made
        if field not in made:
            session, lease = batch._session, batch._lease
            layout = None if is_of_text and not session.has_tokens else session.layout(lease, field)
            made[field] = Array(session, lease, field, layout) if layout else None
        return made[field]

    def put(batch: "Batch", other: Any) -> None:
        batch._made[field] = other

    return property(array, put)


class Batch:
    """Utterances, padded to one shape. Arrays that the batch does not have are None: which it has depends on
    `payload` and `text` of the loader. A batch is also a mapping from names to its arrays.

    mel            float32 [rows, frames, mel_bins], padded with silence
    audio          int16   [rows, samples], padded with 0
    tokens         int32   [rows, tokens], padded with 0
    mel_lengths    int32   [rows]: frames of each row without padding
    audio_lengths  int32   [rows]: samples of each row without padding
    token_lengths  int32   [rows]
    speakers       int32   [rows]: positions in `Loader.speakers`; -1 for a speaker who is not there
    items          int32   [rows]: positions in the data set; `Loader.utterance(item)`
    texts          list of str: the texts as the data set has them
    """

    __slots__ = ("epoch", "index", "_lease", "_session", "_made", "__weakref__")

    epoch: int
    index: int

    def __init__(self, session: Session, lease: Any, position: Tuple[int, int]) -> None:
        self._session = session
        self._lease = lease
        self._made: Dict[int, Optional[Array]] = {}
        self.epoch, self.index = position

    # Arrays are made when they are first used.
    mel: Optional[Array] = _array_property("mel")
    audio: Optional[Array] = _array_property("audio")
    tokens: Optional[Array] = _array_property("tokens")
    mel_lengths: Array = _array_property("mel_lengths")
    audio_lengths: Optional[Array] = _array_property("audio_lengths")
    token_lengths: Optional[Array] = _array_property("token_lengths")
    speakers: Array = _array_property("speakers")
    items: Array = _array_property("items")

    @property
    def texts(self) -> Optional[List[str]]:
        """None with text=None."""
        if not self._session.has_texts:
            return None
        texts: List[str] = self._session.texts(self._lease)
        return texts

    def keys(self) -> List[str]:
        """Names of the arrays that this batch has."""
        return [name for name in FIELDS if getattr(self, name) is not None]

    def __getitem__(self, name: str) -> Array:
        array: Optional[Array] = getattr(self, name) if name in FIELDS else None
        if array is None:
            raise KeyError(f"{name}; this batch has {', '.join(self.keys())}")
        return array

    def __contains__(self, name: object) -> bool:
        return name in self.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def tensors(self) -> "Dict[str, torch.Tensor]":
        """Every array as a tensor of torch, by name, without a copy."""
        return {name: self[name].torch() for name in self.keys()}

    def to(self, device: Any) -> "Dict[str, torch.Tensor]":
        """Every array as a tensor on a device, by name; when it returns, the batch may be dropped. For copies
        that overlap with training see examples/pinned_memory.py."""
        return {name: tensor.to(device) for name, tensor in self.tensors().items()}

    def __len__(self) -> int:
        """Rows."""
        return len(self.items)

    def __repr__(self) -> str:
        payload = self.mel if self.mel is not None else self.audio
        return f"qanat.Batch(epoch={self.epoch}, index={self.index}, {payload!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a batch cannot be pickled or copied: it is memory of its loader; copy its "
                        "arrays first")
