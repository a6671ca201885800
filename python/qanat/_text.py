"""Text as it is read aloud, by the readers of the library."""
from __future__ import annotations

from ctypes import byref, c_void_p

from qanat._native import library, library_path


def normalize(text: str, language: str) -> str:
    """`text` as it is read aloud: `normalize("It cost $3.50.", "en")` is "it cost three dollars and fifty
    cents.".

    English ("en") and Persian ("fa") have readers of numbers, dates and short forms. In every other language
    (a BCP 47 tag: "de", "pt-BR") letters come back in one form; digits and signs, which only a reader could
    say, are a ValueError. So is what is no language tag. Thread-safe; other Python threads run meanwhile."""
    if "\0" in text or "\0" in language:
        raise ValueError("text: a null character; expected none")
    lib = library(library_path())
    result, why = c_void_p(), c_void_p()
    status = lib.waiting.qanat_normalize(text.encode("utf-8", "replace"), language.encode("utf-8", "replace"),
                                         byref(result), byref(why))
    lib.check(status, why)
    return lib.text(result)
