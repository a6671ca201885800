"""Sentences in many languages, drawn from tests/text/words.tsv, and clips of them by espeak-ng."""
import pathlib
import random
import shutil
import subprocess

from program import SOURCE

ESPEAK = shutil.which("espeak-ng")
WORDS = dict(line.split("\t") for line in
             (SOURCE / "tests/text/words.tsv").read_text(encoding="utf-8").splitlines() if not line.startswith("#"))


def draw_sentences(language, count, numbers=True):
    """The same for the same language; every third one has a number, if they may have any."""
    source = random.Random(language)
    words = WORDS[language].split()
    sentences = []
    for n in range(count):
        chosen = [source.choice(words) for _ in range(source.randint(3, 9))]
        if numbers and n % 3 == 0:
            number = source.choice([source.randrange(10), source.randrange(100), source.randrange(10_000)])
            chosen.insert(source.randint(0, len(chosen)), str(number))
        if len(chosen) > 5:
            chosen[2] += ","
        sentences.append(" ".join(chosen) + source.choice(".!?"))
    return sentences


def record(path, voice, text):
    """A clip of `text` as espeak-ng says it."""
    subprocess.run([ESPEAK, "-b", "1", "-v", voice, "-w", str(path), text], check=True, timeout=60,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def make_corpus(folder, languages, rows=8, numbers=False):
    """Rows of several languages by turns, two speakers each, lengths as they come."""
    wavs = pathlib.Path(folder) / "wavs"
    wavs.mkdir(parents=True)
    lines = []
    for language in languages:
        for n, text in enumerate(draw_sentences(language, rows, numbers)):
            speaker, variant = (("anna", "+f2"), ("otto", "+m3"))[n % 2]
            record(wavs / f"{language}-{n:02}.wav", language + variant, text)
            lines.append((n, f"{language}-{n:02}|{text}||{language}-{speaker}|{language}\n"))
    manifest = pathlib.Path(folder) / "metadata.csv"
    manifest.write_text("".join(line for _, line in sorted(lines)), encoding="utf-8")
    return pathlib.Path(folder)
