#!/usr/bin/env bash
# Weights to begin with: nano, English phonemes, from hours of speech by flite's statistical voices slt, rms and awb, which
# read the examples of use in WordNet.
#
#   examples/voices/start.sh FOLDER [STEP]...
#   START=FOLDER/voice examples/voices/prompts_en.sh OTHER
# shellcheck disable=SC2034 source=voice.sh
source "$(dirname "${BASH_SOURCE[0]}")/voice.sh"

voice=start
corpus=flite
language=en
packages=(flite wordnet-base)
licence="made by flite (voices of Carnegie Mellon University, free with their notice); sentences of WordNet 3.0 (free with its notice)"
takes="20 MB to load, 1 GB on disk; an hour on one idle core (estimated)"
corpus_flags=(--sentences 5000)
speech_steps=8000
speech_flags=(--batch-size 16 --speaker-table)

make_voice "$@"
