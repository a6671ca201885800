#!/usr/bin/env bash
# A Russian voice from 100 minutes of real speech: the recordings behind Festival's Russian voice.
#
#   examples/voices/russian.sh FOLDER [STEP]...
#
# Not run yet.
# shellcheck disable=SC2034 source=voice.sh
source "$(dirname "${BASH_SOURCE[0]}")/voice.sh"

voice=russian
corpus=russian
language=ru
packages=(festvox-ru)
license="BSD-like, Nickolay V. Shmyrev; his name and the notice stay with copies"
takes="179 MB to load, 900 MB on disk; two hours on one idle core (estimated)"
speech_steps=9000
sentences=
# Sentences of up to 18 s.
check_flags+=(--max-mel-frames 1600 --max-text-length 300)
text_settings+=(--set data.max_mel_frames=1600 --set data.max_text_length=300)

make_voice "$@"
