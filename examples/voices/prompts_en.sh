#!/usr/bin/env bash
# An English voice from 25 minutes of real speech: the prompts of Asterisk, spoken by Allison Smith.
#
#   examples/voices/prompts_en.sh FOLDER [STEP]...
# shellcheck disable=SC2034 source=voice.sh
source "$(dirname "${BASH_SOURCE[0]}")/voice.sh"

voice=prompts-en
corpus=prompts-en
language=en
packages=(asterisk-core-sounds-en asterisk-core-sounds-en-g722)
license="CC-BY-SA 3.0, Allison Smith; what is made of them has to be passed on under the same license, with her name"
takes="11 MB to load, 300 MB on disk; half an hour on one idle core (estimated)"

make_voice "$@"
