#!/usr/bin/env bash
# A Persian voice from espeak-ng: robotic, because its teacher is; it shows the language from end to end. Its sentences
# are those of this project's own Persian pages.
#
#   examples/voices/persian.sh FOLDER [STEP]...
# shellcheck disable=SC2034 source=voice.sh
source "$(dirname "${BASH_SOURCE[0]}")/voice.sh"

voice=persian
corpus=persian
language=fa
packages=()
license="none: made by espeak-ng, whose output is free; the sentences are this project's"
takes="nothing to load, 200 MB on disk; half an hour on one idle core (estimated); espeak-ng has to be installed"
sentences=

make_voice "$@"
