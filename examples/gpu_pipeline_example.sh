#!/usr/bin/env bash
# Every mode on a corpus of synthetic speech: unbuffered serial, Single-GPU Buffered, Multi-GPU on two
# virtual GPUs. `qanat demo` does the same in one command; this shows the flags.
#
#   examples/gpu_pipeline_example.sh [FOLDER] [STEPS]
#
# Takes a few minutes on two cores. Virtual GPUs are emulated: they show that the modes work and
# overlap, not how fast a card is.
set -euo pipefail

folder="${1:-qanat-example}"
steps="${2:-40}"
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
qanat="${QANAT:-$(command -v qanat || printf '%s' "$root/build/release/bin/qanat")}"
[[ -x $qanat ]] || { echo "no qanat here: build it with ./dev test, or name it in QANAT" >&2; exit 1; }

mkdir -p "$folder"
corpus="$folder/corpus"
[[ -d $corpus ]] || "$qanat" data make-demo "$corpus" --utterances 200 --built-in --mean-seconds 3

# train <name> [flags]...
train() {
  local name="$1"
  shift
  echo "== $name"
  "$qanat" train --data "$corpus" --model-size nano --batch-size 8 --max-steps "$steps" \
    --checkpoint-dir "$folder/$name" --reset-training --render-every 0 --no-emoji \
    --set training.validation_batches=0 "$@"
}

train serial --num-workers 1 --buffer-size 0
train single
train multi --virtual-gpus 2 --data-gpu 0 --model-gpu 1

for name in single multi; do
  echo "== $name compared with serial"
  "$qanat" report "$folder/$name" --baseline "$folder/serial" --fail-on never || true
done
echo "journals, configurations and checkpoints: $folder"
