#!/usr/bin/env bash
# The start weights that come with the program: nano, phonemes, from hours of speech by flite's statistical voices slt, rms
# and awb, which read examples of use and words of WordNet, and an hour of Persian by espeak-ng.
#
#   examples/voices/start.sh FOLDER [STEP]...
#
# The step pack makes FOLDER/start out of them; the program finds them in share/start of this repository.
# shellcheck disable=SC2034 source=voice.sh
source "$(dirname "${BASH_SOURCE[0]}")/voice.sh"

voice=start
corpus=start
language=en
packages=(flite libflite1 wordnet-base xxhash)
license="made by flite (voices of Carnegie Mellon University, free with their notice) and espeak-ng (its output is free);
sentences of WordNet 3.0 (free with its notice) and of this project"
takes="20 MB to load, 1 GB on disk; an hour on two idle cores (estimated); espeak-ng has to be installed"
corpus_flags=(--sentences 4200)
speech_steps=3000
speech_flags=(--batch-size 16 --processes 2 --speaker-table --set training.save_every=250)
voice_steps=(packages corpus check precompute speech evaluate pack)

# What speaks: averaged weights in 16 bits. Notices and the description are written by hand, and stay.
pack_weights() {
  python3 "$here/pack_start.py" "$folder/voice" "$folder/start" --xxhsum "$folder/packages/root/usr/bin/xxhsum"
  cp "$root/share/start/NOTICE" "$root/share/start/README.md" "$folder/start"
}

make_voice "$@"
