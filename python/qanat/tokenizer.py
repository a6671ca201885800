"""`qanat.Tokenizer`: the symbols that tokens stand for, and what becomes of a sentence."""
from __future__ import annotations

import weakref
from ctypes import byref, c_void_p
from typing import Any, Dict, Iterable, List, NoReturn, Optional

from qanat._native import Library, Session, library, library_path, to_json


class Tokenizer:
    """Makes tokens of texts as `qanat.Loader` does, one sentence at a time.

        tokenizer = qanat.Tokenizer()
        tokenizer("Dr. Smith paid $5.")     # [2, 1, ...]
        tokenizer.symbols[2]                # "[en]"

    phonemes    make phonemes by espeak-ng, instead of letters
    language    of sentences whose call does not give one; None: the script decides
    """

    def __init__(self, *, phonemes: bool = False, language: Optional[str] = None) -> None:
        native = library(library_path())
        handle, why = c_void_p(), c_void_p()
        settings = to_json({"use_phonemes": phonemes})
        native.check(native.waiting.qanat_text_open(settings, byref(handle), byref(why)), why)
        self._adopt(native, handle, language)

    @classmethod
    def _of_session(cls, session: Session, language: Optional[str]) -> "Tokenizer":
        """The one of a loader, with the symbols that the texts of its data set taught."""
        tokenizer = cls.__new__(cls)
        tokenizer._adopt(session.library, session.text(), language)
        return tokenizer

    def _adopt(self, native: Library, handle: c_void_p, language: Optional[str]) -> None:
        self._library, self._handle, self._language = native, handle, language
        self._finalizer = weakref.finalize(self, self._library.waiting.qanat_text_free, self._handle)
        self._symbols: List[str] = self._library.json(self._library.quick.qanat_text_symbols, self._handle)

    @property
    def symbols(self) -> List[str]:
        """The symbol of each token. Symbols of several letters, such as "[pad]" and "[en]", are no part of the text."""
        return self._symbols

    def read(self, text: str, language: Optional[str] = None) -> Dict[str, Any]:
        """A dict: the text as it is read aloud, its phonemes, tokens and language, and how often each unknown
        symbol was left out."""
        tag = language if language is not None else self._language
        if "\0" in text:
            raise ValueError("text: holds a zero byte")
        reading: Dict[str, Any] = self._library.json(
            self._library.waiting.qanat_text_read, self._handle, text.encode("utf-8"),
            None if tag is None else tag.encode("utf-8"))
        return reading

    def __call__(self, text: str, language: Optional[str] = None) -> List[int]:
        tokens: List[int] = self.read(text, language)["tokens"]
        return tokens

    def decode(self, tokens: Iterable[int]) -> str:
        """The text or the phonemes that tokens stand for."""
        return "".join(symbol for symbol in map(self._symbols.__getitem__, tokens) if len(symbol) == 1)

    def __len__(self) -> int:
        """Tokens are from 0 to below this."""
        return len(self._symbols)

    def __repr__(self) -> str:
        return f"qanat.Tokenizer({len(self)} symbols)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a qanat.Tokenizer cannot be pickled or copied: make one in each process")
