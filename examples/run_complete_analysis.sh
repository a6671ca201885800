#!/usr/bin/env bash
# Everything that can be measured of a data set and this machine, into one folder; asks nothing.
#
#   examples/run_complete_analysis.sh DATASET [FOLDER] [flags of qanat train]...
set -euo pipefail

(($# >= 1)) || { echo "usage: $0 DATASET [FOLDER] [flags of qanat train]..." >&2; exit 2; }
data="$1"
folder="${2:-analysis}"
shift $(($# >= 2 ? 2 : 1))
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
qanat="${QANAT:-$(command -v qanat || printf '%s' "$root/build/release/bin/qanat")}"
[[ -x $qanat ]] || { echo "no qanat here: build it with ./dev test, or name it in QANAT" >&2; exit 1; }

mkdir -p "$folder"
"$qanat" version >"$folder/version.txt"
"$qanat" devices --memory-table >"$folder/devices.txt"
"$qanat" analyze "$data" --out "$folder" "$@"
echo "all of it: $folder; begin with $folder/report.html"
