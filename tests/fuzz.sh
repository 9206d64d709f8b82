#!/usr/bin/env bash
# fuzz.sh PROGRAM: feed a fuzz target for 10 s (TARN_LONG: 2 min), starting from tests/data/<its name> and,
# for scenes, from the gallery. Finds are kept in the working directory; so is the input of a crash.
set -eu
program=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=$(basename "$program")

seeds=()
[ ! -d "$here/data/$name" ] || seeds+=("$here/data/$name")
[ "$name" != fuzz_scene ] || seeds+=("$here/../scenes")
seconds=10
[ -z "${TARN_LONG-}" ] || seconds=120
mkdir -p "$name.corpus"
exec "$program" -seed=1 -max_total_time=$seconds -max_len=20000 -timeout=10 -print_final_stats=1 -verbosity=0 \
    -artifact_prefix="$name." "$name.corpus" "${seeds[@]}"
