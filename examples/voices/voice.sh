# shellcheck shell=bash disable=SC2154  # the script that sources this sets voice, corpus and the others
# What the scripts of this folder share: a voice from a package to a page with its sounds. Sourced, not run.
#
# A script sets voice, corpus, language, packages, license, takes and the settings below, then calls make_voice "$@".
# Every step that is done leaves a mark in the folder and is skipped the next time; a step that was interrupted goes on
# where it was, because clips, shards and checkpoints appear complete or not at all.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)"
root="$(cd "$here/../.." && pwd -P)"
qanat="${QANAT:-$(command -v qanat || printf '%s' "$root/build/release/bin/qanat")}"
judges="${JUDGES:-}"           # a Python with the packages of docs/en/evaluating.md; empty: not judged

size=nano
speech_steps=2500
vocoder_steps=1800
tuned_steps=600
corpus_flags=()
check_flags=(--phonemes)       # as the features are made
speech_flags=(--batch-size 16)
vocoder_flags=(--batch-size 6 --lr 3e-3)
sentences="$here/sentences_en.txt"  # that are in no data set; empty: none
voice_steps=(packages corpus check precompute speech vocoder tune evaluate)
start="${START:-}"

say() { printf '%s: %s\n' "$voice" "$*" >&2; }
die() {
  say "$@"
  exit 1
}

usage() {
  cat >&2 <<HELP
usage: $0 FOLDER [STEP]...

Makes the voice $voice in FOLDER. Steps, all of them unless some are named:
  ${voice_steps[*]}
Recordings: $license
It takes: $takes
START names the weights to begin with: start, which come with the program, or a folder of checkpoints; empty: random ones.
QANAT names the program; JUDGES a Python that has the judges of docs/en/evaluating.md.
HELP
  exit 2
}

# Unpacks Debian packages without installing them; needs no root.
unpack_packages() {
  mkdir -p "$folder/packages/root"
  local package
  for package in "${packages[@]}"; do
    compgen -G "$folder/packages/${package}_*.deb" >/dev/null ||
      (cd "$folder/packages" && apt-get download "$package") ||
      die "cannot load $package; it is in Debian's main archive, and apt-get update may help"
    dpkg-deb -x "$folder"/packages/"${package}"_*.deb "$folder/packages/root"
  done
}

make_corpus() {
  python3 "$here/corpora.py" "$corpus" "$folder/data" --packages "$folder/packages/root" "${corpus_flags[@]}"
}

# 10: something was found, such as prompts that are too short; training leaves those out and lists them.
check_corpus() {
  local code=0
  "$qanat" data check "$folder/data" "${check_flags[@]}" >"$folder/check.txt" || code=$?
  tail -n 3 "$folder/check.txt" >&2
  ((code == 0 || code == 10)) || die "the data set cannot be used; see $folder/check.txt"
}

text_settings=(--set data.use_phonemes=true)
precompute_features() { "$qanat" precompute --data "$folder/data" "${text_settings[@]}" >&2; }

# A table of speakers also where there is one: the new one begins as the mean of those the weights know.
train_speech() {
  local begin=()
  [[ -z $start ]] || begin=(--speaker-table --init-from "$start")
  "$qanat" train --data "$folder/data" --model-size "$size" "${text_settings[@]}" --max-steps "$speech_steps" \
    --checkpoint-dir "$folder/voice" --name "$voice" "${speech_flags[@]}" "${begin[@]}" >&2
}

train_vocoder() {
  local begin=()
  [[ -z $start || $start == start ]] || begin=(--init-from "$start/vocoder")  # those of the program have none
  "$qanat" train --task vocoder --data "$folder/data" --model-size "$size" "${text_settings[@]}" \
    --max-steps "$vocoder_steps" --checkpoint-dir "$folder/vocoder" --name "$voice-vocoder" "${vocoder_flags[@]}" \
    "${begin[@]}" >&2
}

# The vocoder continues on the spectrograms that the speech model makes: those are what it will be fed.
tune_vocoder() {
  "$qanat" train --task vocoder --data "$folder/data" --model-size "$size" --max-steps "$tuned_steps" \
    --init-from "$folder/vocoder" --mel-from "$folder/voice" "${text_settings[@]}" --lr 5e-4 --batch-size 6 \
    --checkpoint-dir "$folder/voice/vocoder" --name "$voice-vocoder-tuned" >&2
}

judge() { printf 'exec %q %q' "$judges" "$root/examples/judge_$1.py"; }

# Sentences that no run has seen, next to their recordings; then those that are in no data set.
evaluate_voice() {
  local flags=() similarity=()
  if [[ -n $judges ]]; then
    flags+=(--quality "$(judge dnsmos)")
    [[ $language != en ]] || flags+=(--word-errors "$(judge moonshine)")
    similarity=(--speaker-similarity "$(judge resemblyzer)")  # needs recordings to compare with
  fi
  evaluate_texts heldout "$folder/data/heldout" "${flags[@]}" "${similarity[@]}"
  [[ -z $sentences ]] || evaluate_texts sentences "$sentences" "${flags[@]}"
  say "listen: $folder/heldout.html"
}

evaluate_texts() {
  local name="$1" texts="$2" code=0
  shift 2
  "$qanat" evaluate --checkpoint "$folder/voice" --pick best --texts "$texts" --out "$folder/$name" \
    --html "$folder/$name.html" --json "$@" >"$folder/$name.json" || code=$?
  ((code == 0 || code == 10)) || die "the evaluation of $texts failed with $code"
}

run_step() {
  local step="$1" work="$2"
  if [[ -e $folder/.done-$step ]]; then
    say "$step: done before"
    return
  fi
  say "$step"
  "$work"
  touch "$folder/.done-$step"
}

make_voice() {
  (($# >= 1)) || usage
  [[ $1 != -* ]] || usage
  [[ -x $qanat ]] || die "no qanat here: build it with ./dev test, or name it in QANAT"
  folder="$1"
  shift
  mkdir -p "$folder"
  say "recordings: $license"
  say "takes: $takes"
  local step
  local -A work=([packages]=unpack_packages [corpus]=make_corpus [check]=check_corpus [precompute]=precompute_features
    [speech]=train_speech [vocoder]=train_vocoder [tune]=tune_vocoder [evaluate]=evaluate_voice [pack]=pack_weights)
  local steps=("$@")
  ((${#steps[@]})) || steps=("${voice_steps[@]}")
  for step in "${steps[@]}"; do
    [[ -n ${work[$step]:-} ]] || usage
    run_step "$step" "${work[$step]}"
  done
}
