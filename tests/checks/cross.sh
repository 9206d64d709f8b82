#!/usr/bin/env bash
# cross.sh FOLDER: the same bits on other platforms. The core library is built by the cross compilers that
# `scripts/setup cross` installs: AArch64 Linux (run by qemu-user), 64-bit Windows (run by Wine) and x86-64
# Linux with the C library musl. hash_scene, built with each, must print the hashes that the compiler of this
# machine gives. A platform whose compiler or emulator is missing is left out; the quick run has one thread
# alone on AArch64.
set -eu
unset LIBRARY_PATH
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$1
mkdir -p "$folder"
export WINEDEBUG=-all WINEPREFIX=$folder/wine

build() { # name, further options of cmake
    local out=$folder/$1 name=$1
    shift
    {
        cmake -S . -B "$out" -G Ninja -DCMAKE_BUILD_TYPE=Release -DTARN_SCENE=OFF -DTARN_APPS=OFF \
            -DTARN_EXAMPLES=OFF -DTARN_TESTS=OFF -DTARN_HASH_WORLDS=ON "$@" && cmake --build "$out"
    } >"$folder/$name.log" 2>&1 || {
        echo "$name: the build failed"
        tail -n 30 "$folder/$name.log"
        exit 1
    }
}

has() { command -v "$1" >/dev/null; }

if [ -z "${TARN_LONG-}" ]; then
    echo "only in the long run: skipped"
    exit 77
fi
platforms=()
has aarch64-linux-gnu-gcc && has qemu-aarch64 && platforms+=(aarch64)
has x86_64-w64-mingw32-gcc-posix && has wine && platforms+=(windows)
has musl-gcc && platforms+=(musl)
if [ ${#platforms[@]} = 0 ]; then
    echo "no cross compiler is installed (scripts/setup cross): skipped"
    exit 77
fi

workers=(1 3)
build native
"$folder/native/hash_worlds" 1 >"$folder/native.txt"
[ "$(wc -l <"$folder/native.txt")" = 110 ] || {
    echo "expected 110 hashes, got: $(cat "$folder/native.txt")"
    exit 1
}
failed=0
for platform in "${platforms[@]}"; do
    build "$platform" "-DCMAKE_TOOLCHAIN_FILE=cmake/toolchains/$platform.cmake"
    case $platform in
    aarch64) run=(qemu-aarch64 -L /usr/aarch64-linux-gnu "$folder/aarch64/hash_worlds") ;;
    windows) run=(wine "$folder/windows/hash_worlds.exe") ;;
    musl) run=("$folder/musl/hash_worlds") ;;
    esac
    for n in "${workers[@]}"; do
        "${run[@]}" "$n" 2>"$folder/$platform.err" | tr -d '\r' >"$folder/$platform-$n.txt" || {
            echo "$platform: $(cat "$folder/$platform.err")"
            failed=1
        }
        if cmp -s "$folder/native.txt" "$folder/$platform-$n.txt"; then
            echo "$platform, $n workers: 110 hashes equal"
        else
            echo "$platform, $n workers: hashes differ:"
            diff "$folder/native.txt" "$folder/$platform-$n.txt" | head -n 20
            failed=1
        fi
    done
done
exit $failed
