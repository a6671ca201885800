#!/usr/bin/env python3
"""Makes data sets in LJSpeech form out of what Debian's archive holds; see README.md for whose voices these are.

    corpora.py prompts-en FOLDER --packages DIR     recordings: 25 minutes, one woman
    corpora.py prompts-es FOLDER --packages DIR     the same woman in Spanish: 31 minutes
    corpora.py russian FOLDER --packages DIR        100 minutes, one man
    corpora.py persian FOLDER                       espeak-ng: robotic
    corpora.py start FOLDER --packages DIR          hours by three statistical voices, and Persian by espeak-ng

DIR holds unpacked packages (voice.sh unpacks them). A run that was interrupted goes on: a clip appears complete or not
at all, and the lists are written last. `heldout/` in FOLDER is a data set of its own, with sentences that are in no
list for training. Which these are follows from a hash of their names, so it is the same everywhere.
"""
import argparse
import concurrent.futures
import gzip
import hashlib
import os
import pathlib
import random
import re
import subprocess
import sys
import wave

RATE = 22050
SHORTEST = 0.8  # seconds
HELD_OUT_WORDS = 5  # a sentence with fewer says little about a voice
HELD_OUT_CHARACTERS = 160  # longer ones are refused by a model with the usual limits
ROOT = pathlib.Path(__file__).resolve().parents[2]


def digest(name):
    return hashlib.sha256(name.encode()).hexdigest()


def words(text):
    return re.findall(r"\w+", text.lower())


def seconds(path):
    with wave.open(str(path)) as sound:
        return sound.getnframes() / sound.getframerate()


def run_to(target, command):
    """Runs a command whose last argument is the file it writes; the file appears complete or not at all."""
    if target.exists():
        return
    part = target.with_suffix(f".part{os.getpid()}.wav")
    try:
        subprocess.run([*command, str(part)], check=True, stdout=subprocess.DEVNULL)
        part.replace(target)
    except FileNotFoundError as error:
        if error.filename == command[0]:
            raise ValueError(f"{command[0]} is not installed; try: sudo apt-get install {command[0]}") from error
        raise
    finally:
        part.unlink(missing_ok=True)


def decode(source, target, *form):
    run_to(target, ["ffmpeg", "-nostdin", "-loglevel", "error", "-y", *form, "-i", str(source), "-ac", "1", "-ar",
                    str(RATE), "-c:a", "pcm_s16le"])


def make_clips(jobs, threads):
    """jobs: (function, target, ...). Says how far it is; the first failure ends it."""
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        waiting = [pool.submit(job[0], *job[1:]) for job in jobs]
        for done, future in enumerate(concurrent.futures.as_completed(waiting), 1):
            future.result()
            if done % 500 == 0 or done == len(waiting):
                print(f"{done} of {len(waiting)} clips", file=sys.stderr)


def write_list(folder, rows):
    part = folder / "metadata.csv.part"
    with open(part, "w", encoding="utf-8") as out:
        out.write("id|text|normalised|speaker|language\n")
        for name, text, speaker, language in rows:
            out.write(f"{name}|{text}|{text}|{speaker}|{language}\n")
    part.replace(folder / "metadata.csv")


def write_lists(folder, rows, options, language):
    """Divides rows (name, text, speaker, language) into those for training and those that no run sees, of `language`."""
    eligible = [row for row in rows if row[3] == language and len(words(row[1])) >= HELD_OUT_WORDS
                and len(row[1]) <= HELD_OUT_CHARACTERS]
    held, texts = [], set()
    for row in sorted(eligible, key=lambda row: digest(row[0])):
        if len(held) < options.held_out and " ".join(words(row[1])) not in texts:
            held.append(row)
            texts.add(" ".join(words(row[1])))

    # A held-out sentence is not trained on as a part of a longer one, or under another name, either.
    def leaks(text):
        said = f" {' '.join(words(text))} "
        return any(f" {other} " in said for other in texts)

    kept = [row for row in rows if row not in held and not leaks(row[1])]
    (folder / "heldout").mkdir(exist_ok=True)
    inside = folder / "heldout" / "wavs"
    inside.mkdir(exist_ok=True)
    for name, *_ in held:
        source, target = folder / "wavs" / f"{name}.wav", inside / f"{name}.wav"
        if not target.exists():
            os.link(source, target)
    write_list(folder / "heldout", sorted(held))
    write_list(folder, sorted(kept))
    length = sum(seconds(folder / "wavs" / f"{name}.wav") for name, *_ in kept)
    print(f"{folder}: {len(kept)} clips, {length / 60:.1f} minutes for training; {len(held)} sentences held out "
          f"(list {digest(' '.join(sorted(row[0] for row in held)))[:12]}); "
          f"{len(rows) - len(kept) - len(held)} left out because they repeat a held-out sentence")


def prompt_texts(path):
    """`name: text` a line; what is in brackets is a sound, not a sentence."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            name, colon, text = line.strip().partition(":")
            text = text.replace("|", " ").replace("...", ".").replace("*", "star")
            text = re.sub(r"\s+", " ", text).strip(" .-") + ("." if text.rstrip().endswith(".") else "")
            if colon and not name.startswith(";") and text and not re.search(r"[\[\]<>()]", text):
                yield name.strip(), text


def make_prompts(options, language, voice):
    packages = options.packages
    sounds = packages / "usr/share/asterisk/sounds" / voice
    texts = packages / f"usr/share/doc/asterisk-core-sounds-{language}/core-sounds-{language}.txt.gz"
    found = [(sounds / f"{name}.g722", name.replace("/", "_"), text) for name, text in prompt_texts(texts)]
    found = [row for row in found if row[0].exists()]
    wavs = options.folder / "wavs"
    make_clips([(decode, source, wavs / f"{name}.wav", "-f", "g722") for source, name, _ in found], options.threads)
    rows = [(name, text, "allison", language) for _, name, text in found if seconds(wavs / f"{name}.wav") >= SHORTEST]
    write_lists(options.folder, rows, options, language)


def make_russian(options):
    voice = options.packages / "usr/share/festival/voices/russian/msu_ru_nsh_clunits"
    rows = []
    for line in open(voice / "etc/txt.done.data", encoding="utf-8"):
        match = re.match(r'\( *(\S+) +"(.*)" *\)', line.strip())
        if match:  # `+` marks the stress of the next vowel; espeak-ng finds it itself
            rows.append((match[1], match[2].replace("+", ""), "nsh", "ru"))
    wavs = options.folder / "wavs"
    make_clips([(decode, voice / "wav" / f"{name}.wav", wavs / f"{name}.wav") for name, *_ in rows],
               options.threads)
    write_lists(options.folder, rows, options, "ru")


def wordnet_sentences(packages):
    """Examples of use: short, of all subjects, and 28,000 of them. In an order of their own, always the same."""
    found = set()
    for part in ("adj", "adv", "noun", "verb"):
        for line in open(packages / f"usr/share/wordnet/data.{part}", encoding="utf-8"):
            for text in re.findall(r'"([^"]+)"', line):
                text = text.strip(" ;:,-`'")
                if 5 <= len(text.split()) <= 14 and re.fullmatch(r"[A-Za-z ,.'?!;-]+", text):
                    text = text[0].upper() + text[1:]
                    found.add(text if text[-1] in ".?!" else text + ".")
    return sorted(found, key=digest)


def wordnet_phrases(packages):
    """Words and names of one to four words, so that a voice also learns to say little: "hello", "canal boat"."""
    found = set()
    for part in ("adj", "adv", "noun", "verb"):
        for line in open(packages / f"usr/share/wordnet/index.{part}", encoding="utf-8"):
            text = line.split(" ", 1)[0].replace("_", " ")
            if re.fullmatch(r"[a-z]+( [a-z]+){0,3}", text) and 4 <= len(text):
                found.add(text[0].upper() + text[1:] + ".")
    return sorted(found, key=digest)


def flite_rows(options):
    """Six sentences to one phrase; one voice after the other, as named."""
    voices = options.voices.split(",")
    texts = wordnet_sentences(options.packages)[:options.sentences * 6 // 7]
    texts += wordnet_phrases(options.packages)[:options.sentences - len(texts)]
    return [(f"{voices[number % len(voices)]}-{number:05d}", text, voices[number % len(voices)], "en")
            for number, text in enumerate(texts)]


def speak_flite(rows, options):
    root = options.packages / "usr"
    libraries = str(root / "lib" / "x86_64-linux-gnu")
    wavs = options.folder / "wavs"
    flite = ["env", f"LD_LIBRARY_PATH={libraries}", str(root / "bin/flite")]
    make_clips([(run_to, wavs / f"{name}.wav", [*flite, "-voice", speaker, "-t", text, "-o"])
                for name, text, speaker, _ in rows], options.threads)


def persian_sentences():
    """Of this project's own pages, so that nobody else's words are needed."""
    found = set()
    for page in sorted((ROOT / "docs" / "fa").glob("*.md")):
        text = re.sub(r"```.*?```", " ", page.read_text(encoding="utf-8"), flags=re.S)
        for line in text.splitlines():
            if line.startswith(("|", "<", "#", " ")):
                continue
            for sentence in re.split(r"(?<=[.؟!:؛])\s+", line.strip("- ")):
                if re.fullmatch(r"[\u0600-\u06ff\u200c\s.،؛؟!:«»()]+", sentence) and 4 <= len(sentence.split()) <= 16:
                    found.add(sentence.strip())
    return sorted(found, key=digest)


def persian_catalogue():
    """Sentences of the program, where they are Persian only."""
    text = (ROOT / "locale" / "fa.po").read_text(encoding="utf-8")
    for entry in re.findall(r'^msgstr ((?:".*"\n?)+)', text, flags=re.M):
        said = "".join(re.findall(r'"(.*)"', entry)).strip()
        if re.fullmatch(r"[\u0600-\u06ff\u200c\s.،؛؟!:«»()]+", said) and 2 <= len(said.split()) <= 16:
            yield said


def persian_texts(count):
    """The sentences there are; then their words in other orders, two to nine at a time: a voice by rules says them
    like any other sentence, and every sound meets more neighbours."""
    texts = sorted(set(persian_sentences()) | set(persian_catalogue()), key=digest)
    vocabulary = sorted({word.strip(".،؛؟!:«»()") for text in texts for word in text.split()} - {""}, key=digest)
    draw = random.Random(1)
    while len(texts) < count:
        texts.append(" ".join(draw.sample(vocabulary, draw.randint(2, 9))) + ".")
    return texts[:count]


def persian_rows(count):
    return [(f"fa-{number:05d}", text, "espeak", "fa") for number, text in enumerate(persian_texts(count))]


def speak_persian(rows, options):
    wavs = options.folder / "wavs"
    make_clips([(run_to, wavs / f"{name}.wav", ["espeak-ng", "-v", "fa", text, "-w"]) for name, text, *_ in rows],
               options.threads)


def make_persian(options):
    rows = persian_rows(options.sentences)
    speak_persian(rows, options)
    write_lists(options.folder, rows, options, "fa")


def make_start(options):
    """English by flite, and a sixth as many Persian clips by espeak-ng. The held-out sentences are English."""
    english, persian = flite_rows(options), persian_rows(options.sentences // 6)
    speak_flite(english, options)
    speak_persian(persian, options)
    write_lists(options.folder, english + persian, options, "en")


MAKERS = {
    "prompts-en": lambda options: make_prompts(options, "en", "en_US_f_Allison"),
    "prompts-es": lambda options: make_prompts(options, "es", "es_MX_f_Allison"),
    "russian": make_russian,
    "persian": make_persian,
    "start": make_start,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", choices=MAKERS)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--packages", type=pathlib.Path, help="folder of unpacked packages")
    parser.add_argument("--held-out", type=int, default=30, help="sentences that no run sees (30)")
    parser.add_argument("--sentences", type=int, default=6000, help="of a synthetic voice, at most (6000)")
    parser.add_argument("--voices", default="slt,rms,slt,awb", help="of flite, in turn (slt,rms,slt,awb)")
    parser.add_argument("--threads", type=int, default=1, help="clips that are made at the same time (1)")
    options = parser.parse_args()
    if options.corpus != "persian" and not options.packages:
        parser.error(f"{options.corpus} needs --packages")
    (options.folder / "wavs").mkdir(parents=True, exist_ok=True)
    try:
        MAKERS[options.corpus](options)
    except (OSError, subprocess.CalledProcessError, ValueError) as error:
        print(f"corpora.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
