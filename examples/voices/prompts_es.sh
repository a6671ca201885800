#!/usr/bin/env bash
# A Spanish voice from 31 minutes of real speech, by the same speaker as prompts_en.sh, which comes first:
#
#   START=english/voice examples/voices/prompts_es.sh FOLDER [STEP]...
#
# Not run yet.
# shellcheck disable=SC2034 source=voice.sh
source "$(dirname "${BASH_SOURCE[0]}")/voice.sh"

voice=prompts-es
corpus=prompts-es
language=es
packages=(asterisk-core-sounds-es asterisk-core-sounds-es-g722)
license="CC-BY-SA 3.0, Allison Smith; what is made of them has to be passed on under the same license, with her name"
takes="13 MB to load, 350 MB on disk; half an hour on one idle core (estimated)"
sentences=

make_voice "$@"
