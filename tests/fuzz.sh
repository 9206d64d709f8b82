#!/usr/bin/env bash
# fuzz.sh PROGRAM: feed a fuzz target for 10 s, starting from tests/data/<its name> and, for scenes, from the gallery. With
# TARN_LONG a number of times: 10 million for what reads text, 1 million for what reads bytes alone or builds a world;
# TARN_FUZZ_RUNS says another number. Finds are kept in the working directory, so that the next run begins with them; so
# is the input of a crash.
set -eu
program=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=$(basename "$program")

seeds=()
[ ! -d "$here/data/$name" ] || seeds+=("$here/data/$name")
[ "$name" != fuzz_scene ] || seeds+=("$here/../scenes")
longest=20000 runs=10000000
case $name in
fuzz_bed_png | fuzz_checkpoint) runs=1000000 ;;
fuzz_world) longest=256 runs=1000000 ;;
esac
limit=(-max_total_time=10)
[ -z "${TARN_LONG-}${TARN_FUZZ_RUNS-}" ] || limit=(-runs="${TARN_FUZZ_RUNS:-$runs}")
# Any bytes tell fuzz_world a story: there is no reason to begin with short ones.
# Keeping book of how rare every feature is would take it a third of its time.
[ "$name" != fuzz_world ] || limit+=(-len_control=0 -entropic=0)
mkdir -p "$name.corpus"
exec "$program" -seed=1 "${limit[@]}" -max_len=$longest -timeout=10 -print_final_stats=1 -verbosity=0 \
    -artifact_prefix="$name." "$name.corpus" "${seeds[@]}"
