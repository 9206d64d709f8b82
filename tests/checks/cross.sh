#!/usr/bin/env bash
# cross.sh FOLDER HASH_WORLDS: the same bits on other platforms. libtarn is built by the compilers that
# `scripts/setup cross` installs: AArch64 Linux (run by qemu-user), 64-bit Windows (run by Wine) and x86-64
# Linux with the C library musl. hash_worlds, built with each, must print the hashes that HASH_WORLDS of this
# machine prints. Where scripts/cross-libraries has built jansson and libpng, the program is built too and must
# give the hashes of tests/golden.txt.
#
# The quick run is the first platform alone, with one hash of each world. A platform whose compiler or emulator is
# missing is left out.
set -eu
unset LIBRARY_PATH
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$1 native=$2
mkdir -p "$folder"
export WINEDEBUG=-all WINEPREFIX=$folder/wine

has() { command -v "$1" >/dev/null; }

platforms=()
has aarch64-linux-gnu-gcc && has qemu-aarch64 && platforms+=(aarch64)
has x86_64-w64-mingw32-gcc-posix && has wine && platforms+=(windows)
has musl-gcc && platforms+=(musl)
if [ ${#platforms[@]} = 0 ]; then
    echo "no cross compiler is installed (scripts/setup cross): skipped"
    exit 77
fi
workers=(1 3) hashes=10 # of each of 11 worlds
if [ -z "${TARN_LONG-}" ]; then
    platforms=("${platforms[0]}") workers=(3) hashes=1
fi

build() { # platform, scenes and program (ON or OFF)
    local out=$folder/$1
    if ! {
        cmake -S . -B "$out" -G Ninja -DCMAKE_TOOLCHAIN_FILE="cmake/toolchains/$1.cmake" \
            -DCMAKE_BUILD_TYPE=Release -DTARN_SCENE="$2" -DTARN_APPS="$2" -DTARN_DRAW=OFF -DTARN_PEERS=OFF \
            -DTARN_EXAMPLES=OFF -DTARN_HASH_WORLDS=ON && cmake --build "$out"
    } >"$folder/$1.log" 2>&1; then
        echo "$1: the build failed"
        tail -n 30 "$folder/$1.log"
        exit 1
    fi
}

# Write a script that runs a program of the platform, so that other tests can use it like one of this machine.
wrap() { # platform, program
    local run=("$folder/$1/$2")
    case $1 in
    aarch64) run=(qemu-aarch64 -L /usr/aarch64-linux-gnu "${run[@]}") ;;
    windows) run=(wine "${run[@]}.exe") ;;
    esac
    printf '#!/bin/sh\nexec %s "$@"\n' "${run[*]}" >"$folder/$1-$2"
    chmod +x "$folder/$1-$2"
}

compare() { # platform, workers
    local out=$folder/$1-$2.txt
    "$folder/$1-hash_worlds" "$2" "$hashes" 2>"$folder/$1.err" | tr -d '\r' >"$out"
    if cmp -s "$folder/native.txt" "$out"; then
        echo "$1, $2 workers: $(wc -l <"$out") hashes equal"
        return
    fi
    echo "$1, $2 workers: hashes differ:"
    diff "$folder/native.txt" "$out" | head -n 20
    tail -n 5 "$folder/$1.err"
    failed=1
}

run_scenes() { # platform
    local scenes=() # all
    [ "$1" != aarch64 ] || scenes=(beach bottles bubble dam karman pond) # an emulated processor is slow
    [ -n "${TARN_LONG-}" ] || scenes=(beach bubble dam)
    wrap "$1" tarn
    echo "$1, hashes of tests/golden.txt:"
    env -u TARN_LONG python3 tests/app/test_golden.py "$folder/$1-tarn" scenes "${scenes[@]}" 2>"$folder/$1.err" ||
        failed=1
}

"$native" 1 "$hashes" >"$folder/native.txt"
[ "$(wc -l <"$folder/native.txt")" = $((11 * hashes)) ] || {
    echo "expected $((11 * hashes)) hashes, got: $(cat "$folder/native.txt")"
    exit 1
}
failed=0
for platform in "${platforms[@]}"; do
    libraries=OFF
    [ ! -f "build/cross-libraries/$platform/complete" ] || libraries=ON
    build "$platform" $libraries
    wrap "$platform" hash_worlds
    for n in "${workers[@]}"; do
        compare "$platform" "$n"
    done
    if [ $libraries = ON ]; then
        run_scenes "$platform"
    else
        echo "$platform: no program; scripts/cross-libraries $platform builds its libraries"
    fi
done
exit $failed
