"""Phonemes of other languages are what espeak-ng says of the same sentence when it is asked alone.

    QANAT_BIN=... python3 tests/integration/test_espeak.py --table    # what each language gave
"""
import json
import re
import subprocess
import sys
import unittest

from languages import ESPEAK, WORDS, draw_sentences
from program import QANAT, environment

SENTENCES = 100
# It says numbers of the first and most Chinese characters in English, which is refused.
IN_ENGLISH = {"ne", "zh", "ja"}
# 1.51 puts a consonant that is now this one and now that one into numbers, whoever asks.
UNSTEADY_NUMBERS = {"ar"}
MARKS = re.compile("[.,!?]")


def words_of(phonemes):
    """Without marks, of which espeak-ng says none; the point of its r. is one to this test."""
    return " ".join(MARKS.sub("", phonemes).split())


def of_qanat(language, sentences):
    """Phonemes, marks included, or None for what was refused."""
    result = subprocess.run([QANAT, "data", "text", "-", "--language", language, "--phonemes", "--json"],
                            input="\n".join(sentences) + "\n", text=True, capture_output=True, timeout=600,
                            env=environment())
    said = {row["text"]: row["phonemes"] for row in map(json.loads, result.stdout.splitlines())}
    return [said.get(sentence) for sentence in sentences]


def of_espeak(language, sentence):
    """Its own answer to this sentence alone, and whether it turned to English in it."""
    said = subprocess.run([ESPEAK, "-q", "--ipa", "-b", "1", "-v", language, sentence], text=True, capture_output=True,
                          timeout=60, stdin=subprocess.DEVNULL, check=True).stdout
    return " ".join(re.sub(r"\([^)]*\)", "", said).split()), "(en" in said


def compare(language):
    """How many sentences were equal, and those that were not; how many were refused because of English."""
    sentences = draw_sentences(language, SENTENCES)
    equal, refused, other = 0, 0, []
    for sentence, ours in zip(sentences, of_qanat(language, sentences)):
        theirs, english = of_espeak(language, sentence)
        if english and ours is None:
            refused += 1
        elif ours is not None and not english and words_of(ours) == words_of(theirs):
            equal += 1
        else:
            other.append((sentence, ours, theirs))
    return equal, refused, other


@unittest.skipUnless(ESPEAK, "espeak-ng is not installed")
class Agreement(unittest.TestCase):
    def test_with_espeak_in_every_language(self):
        for language in WORDS:
            with self.subTest(language=language):
                equal, refused, other = compare(language)
                wrong = [one for one in other if language not in UNSTEADY_NUMBERS or not re.search(r"\d", one[0])]
                self.assertEqual(wrong, [])
                self.assertEqual(equal + refused + len(other), SENTENCES)
                self.assertEqual(refused > 0, language in IN_ENGLISH)

    def test_every_mark_is_kept(self):
        for language in ("de", "ru", "hi", "ko"):
            sentences = draw_sentences(language, SENTENCES, numbers=False)
            for sentence, phonemes in zip(sentences, of_qanat(language, sentences)):
                self.assertEqual(re.findall("[,!?]", phonemes), re.findall("[,!?]", sentence), sentence)
                self.assertEqual(phonemes[-1], sentence[-1], sentence)


if __name__ == "__main__":
    if sys.argv[1:] == ["--table"]:
        for tag in WORDS:
            found = compare(tag)
            print(f"{tag}\t{found[0]} equal\t{found[1]} refused\t{len(found[2])} other", flush=True)
    else:
        unittest.main()
