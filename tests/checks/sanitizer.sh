#!/usr/bin/env bash
# sanitizer.sh PRESET FOLDER LABELS [CTEST-ARGUMENTS...]: build a preset in a folder and run its tests that
# have one of the labels; without TARN_LONG only those that are not slow, and that the arguments choose. Under
# a sanitizer every suite keeps its quick length: the long ones would take hours.
set -eu
unset LIBRARY_PATH
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
preset=$1 folder=$2 labels=$3
shift 3
if [ -n "${TARN_LONG-}" ]; then set --; else set -- "$@" -LE slow; fi
[ "$preset" = fuzz ] || unset TARN_LONG

cmake --preset "$preset" -B "$folder" >/dev/null
cmake --build "$folder"
ctest --test-dir "$folder" --timeout 7200 -j "$(nproc)" --output-on-failure --no-tests=error -L "$labels" "$@"
