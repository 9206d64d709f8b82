#!/usr/bin/env bash
# determinism.sh FOLDER: the same bits from every compiler, optimisation, thread count and kernel. Compiles
# the libraries and hash_scene in every variant and compares what they print; then determinism.py has them run
# shipped scenes and compares with tests/golden.txt.
set -eu
unset LIBRARY_PATH
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$1
export folder
rm -rf "$folder"
mkdir -p "$folder"

# shellcheck disable=SC2317  # called through xargs
build() { # compiler, optimisation, threads|alone, v3|base
    local compiler=$1 level=$2 threads=$3 kernels=$4
    local out=$folder/$compiler$level-$threads-$kernels
    local flags=(-std=c17 "$level" -ffp-contract=off -Iinclude -Isrc -Wall -Wextra -Wno-psabi -Werror) objects=()
    [ "$threads" = alone ] || flags+=(-DTARN_THREADS=1 -pthread)
    if [ "$kernels" = v3 ]; then
        flags+=(-DTARN_HAVE_V3=1)
        while read -r rows; do
            objects+=("$out-$(basename "$rows" .c).o")
            "$compiler" "${flags[@]}" -fno-trapping-math -fno-math-errno -march=x86-64-v3 -DTARN_KERNELS_V3=1 -c "$rows" -o "${objects[-1]}"
        done < <(find src -name '*_rows.c' | sort)
    fi
    # shellcheck disable=SC2046  # several flags
    "$compiler" "${flags[@]}" $(find src -name '*.c' | sort) tests/checks/hash_scene.c "${objects[@]}" \
        $(pkg-config --cflags --libs jansson libpng) -lm -o "$out"
    rm -f "${objects[@]}"
}

# shellcheck disable=SC2317
run() { # program, workers
    "$1" "$2" >"$1-$2.txt"
}
export -f build run

# The quick run has every compiler, level, pool and kernel once or more; the long one all of them with each
# other.
variants() {
    local compiler level
    if [ -z "${TARN_LONG-}" ] && [ "$(uname -m)" = x86_64 ]; then
        printf '%s\n' "gcc -O0 alone base" "gcc -O3 threads v3" "clang -O2 threads base" "clang -O3 threads v3"
        return
    fi
    for compiler in gcc clang; do
        for level in -O0 -O1 -O2 -O3; do
            echo "$compiler $level threads base"
            echo "$compiler $level alone base"
            [ "$(uname -m)" != x86_64 ] || echo "$compiler $level threads v3"
        done
    done
}

cores=$(nproc)
variants | xargs -P "$cores" -L 1 bash -euc 'build "$@"' build
for program in "$folder"/*; do
    workers=(1 2 3 8)
    if [ -z "${TARN_LONG-}" ]; then
        case $program in
        *-alone-*) workers=(1) ;;
        *gcc*) workers=(1 3) ;;
        *) workers=(2 8) ;;
        esac
    fi
    for n in "${workers[@]}"; do
        echo "$program $n"
    done
done | xargs -P "$cores" -L 1 bash -euc 'run "$@"' run

results=("$folder"/*.txt)
[ "$(wc -l <"${results[0]}")" = 110 ] || {
    echo "expected 110 hashes, got: $(cat "${results[0]}")"
    exit 1
}
failed=0
for result in "${results[@]}"; do
    cmp -s "$result" "${results[0]}" || {
        echo "$(basename "$result") differs from $(basename "${results[0]}"):"
        diff "$result" "${results[0]}" || failed=1
    }
done
echo "${#results[@]} runs compared, last hash $(tail -n 1 "${results[0]}")"
python3 tests/checks/determinism.py "$folder" scenes || failed=1
exit $failed
