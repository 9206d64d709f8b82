#!/usr/bin/env bash
# variant.sh PRESET FOLDER CTEST-ARGUMENTS...: build a preset in a folder and run some of its tests, the slow
# ones only with TARN_LONG. Under a sanitizer every suite keeps its quick length: the long ones would take hours.
set -eu
unset LIBRARY_PATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=$1 folder=$2
shift 2
[ -n "${TARN_LONG-}" ] || set -- "$@" -LE slow
[ "$preset" = fuzz ] || unset TARN_LONG

cmake --preset "$preset" -B "$folder" >/dev/null
cmake --build "$folder"
ctest --test-dir "$folder" --timeout 7200 -j "$(nproc)" --output-on-failure --no-tests=error "$@"
