#!/usr/bin/env bash
# run.sh FOLDER: what others get. Install tarn, static and shared, move it elsewhere and use it from there:
# README's first C program through pkg-config and find_package, the installed example where ODE is, the
# declarations for cffi, and tarn as a folder of C and C++ projects.
set -eu
unset LIBRARY_PATH
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
rm -rf "$1"
mkdir -p "$1"
cd "$1"
folder=$PWD

complain() {
    echo "package: $*"
    exit 1
}

quiet() { # command...: its words only if it fails
    "$@" >log.txt 2>&1 || {
        cat log.txt
        complain "failed: $*"
    }
}

[ -f "$top/README.md" ] || complain "there is no README.md, whose first C program should be tested here"
awk '/^```c$/ { on = 1; next } /^```/ && on { exit } on' "$top/README.md" >hello.c
[ -s hello.c ] || complain "README.md has no block that begins with \`\`\`c"

# ---- from an installed copy ----

installed() { # static|shared, ON|OFF
    local kind=$1 lib
    quiet cmake -G Ninja -S "$top" -B "$kind" -DBUILD_SHARED_LIBS="$2" -DCMAKE_INSTALL_LIBDIR=lib
    quiet cmake --build "$kind"
    quiet cmake --install "$kind" --prefix "$folder/$kind-first"
    mv "$kind-first" "$kind-moved"
    local prefix=$folder/$kind-moved
    lib=$prefix/lib

    # Every name that others can see is tarn's.
    local libraries=("$lib"/libtarn.a "$lib"/libtarn-scene.a) table=-g
    [ "$kind" = static ] || libraries=("$lib"/libtarn.so "$lib"/libtarn-scene.so) table=-D
    local foreign
    foreign=$(nm "$table" --defined-only "${libraries[@]}" | awk 'NF == 3 && $3 !~ /^tarn_/')
    [ -z "$foreign" ] || complain "names that do not begin with tarn_: $foreign"
    [ "$kind" = static ] || readelf -d "$lib/libtarn.so" | grep -q 'SONAME.*\[libtarn\.so\.0\.1\]' ||
        complain "the SONAME should be libtarn.so.0.1"

    # The program stands on its own feet, finds its scenes, and is hardened.
    (cd / && env -u TARN_PATH "$prefix/bin/tarn" scenes | grep -q .) || complain "tarn lists no scene"
    readelf -h "$prefix/bin/tarn" | grep -q 'Type:.*DYN' || complain "tarn is not position independent"
    readelf -d "$prefix/bin/tarn" | grep -q 'NOW' || complain "tarn binds lazily"

    export PKG_CONFIG_PATH=$lib/pkgconfig LD_LIBRARY_PATH=
    [ "$kind" = static ] || LD_LIBRARY_PATH=$lib
    local flags
    read -ra flags <<<"$(pkg-config --cflags --libs tarn)"
    gcc -std=c17 -Wall -Wextra -Werror hello.c "${flags[@]}" -o "$kind-hello"
    "./$kind-hello" || complain "README's program failed ($kind, pkg-config)"
    read -ra flags <<<"$(pkg-config --cflags --libs tarn-scene)"
    gcc -std=c17 -Wall -Wextra -Werror "$top/tests/package/scene.c" "${flags[@]}" -o "$kind-scene"
    "./$kind-scene" || complain "scene.c failed ($kind, pkg-config)"

    # Bindings: cffi reads the declarations as they were installed, and calls the library.
    if [ "$kind" = shared ] && python3 -c 'import cffi' 2>/dev/null; then
        python3 "$top/tests/package/use_cffi.py" "$prefix" || complain "use_cffi.py failed"
    fi

    if pkg-config --exists ode; then # C++ inside
        read -ra flags <<<"$(pkg-config --cflags --libs tarn ode) -lstdc++ -lm"
        gcc -std=c17 -Wall -Wextra -Werror "$prefix/share/doc/tarn/examples/ode.c" "${flags[@]}" -o "$kind-ode"
    fi

    stranger "$kind-found" C hello own_names scene -- -DCMAKE_PREFIX_PATH="$prefix"
    stranger "$kind-found-plus" CXX plus -- -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_STANDARD=17
}

# Build tests/package in a folder and run some of its programs.
stranger() { # folder, language, programs... -- options of cmake...
    local into=$1 language=$2 programs=()
    shift 2
    while [ "$1" != -- ]; do
        programs+=("$1")
        shift
    done
    shift
    quiet cmake -G Ninja -S "$top/tests/package" -B "$into" -DLANGUAGE="$language" -DHELLO="$folder/hello.c" "$@"
    quiet cmake --build "$into"
    for program in "${programs[@]}"; do
        quiet "$into/$program"
    done
}

installed static OFF
installed shared ON

# ---- as a folder of another project ----

stranger folder C hello own_names -- -DTARN_FOLDER="$top" -DCMAKE_BUILD_TYPE=Release
stranger folder-plus CXX plus -- -DTARN_FOLDER="$top"
echo "installed and moved, static and shared; as a folder of C and C++ projects: all fine"
