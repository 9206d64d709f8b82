#!/usr/bin/env bash
# fuzz.sh PROGRAM: feed a fuzz target for 10 s, starting from tests/data/<its name> and, for scenes, from the
# gallery. With TARN_LONG a number of times: 10 million for what reads text, 1 million for what reads bytes
# alone or builds a world; TARN_FUZZ_RUNS says another number. Worlds take long: two processes share their
# number and their finds. Finds are kept in the working directory, so that the next run begins with them; so
# is the input of a crash.
set -eu
program=$1
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
name=$(basename "$program")

seeds=()
[ ! -d "$tests/data/$name" ] || seeds+=("$tests/data/$name")
[ "$name" != fuzz_scene ] || seeds+=("$tests/../scenes")
longest=20000 runs=10000000 parts=1
case $name in
fuzz_bed_png | fuzz_checkpoint) runs=1000000 ;;
fuzz_world) longest=256 runs=1000000 ;;
fuzz_api) longest=512 runs=1000000 ;;
esac
limit=(-max_total_time=10)
if [ -n "${TARN_LONG-}${TARN_FUZZ_RUNS-}" ]; then
    [ "$name" != fuzz_world ] || [ "$(nproc)" -lt 2 ] || parts=2
    limit=(-runs=$((${TARN_FUZZ_RUNS:-$runs} / parts)))
fi
if [ "$name" = fuzz_world ] || [ "$name" = fuzz_api ]; then
    # Any bytes are a valid input, so inputs need not begin short. Weighting inputs by the rarity of their
    # features (entropic) would cost a third of the time.
    limit+=(-len_control=0 -entropic=0)
    # A quarantine of 4 MB of freed memory instead of 256 MB: memory is used again instead of being allocated
    # from the system.
    export ASAN_OPTIONS="quarantine_size_mb=4:${ASAN_OPTIONS-}"
fi
mkdir -p "$name.corpus"

failed=0 pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true' INT TERM
for seed in $(seq $parts); do
    "$program" -seed="$seed" "${limit[@]}" -max_len=$longest -timeout=10 -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="$name." "$name.corpus" "${seeds[@]}" &
    pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || failed=$?; done
exit $failed
