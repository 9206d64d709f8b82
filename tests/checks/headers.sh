#!/usr/bin/env bash
# Public headers stand alone in C11, C17 and C++17 without a warning; private ones stand alone in C17.
set -eu
unset LIBRARY_PATH
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

failed=0
compile() { # header, compiler, flags...
    local header=$1
    shift
    # Twice: the guard works.
    printf '#include "%s"\n#include "%s"\nint tarn_some_symbol;\n' "$header" "$header" |
        "$@" -Wall -Wextra -Werror -fsyntax-only -Iinclude -Isrc - || {
        echo "$header does not compile by itself: $*"
        failed=1
    }
}

for header in include/tarn/*.h; do
    for compiler in gcc clang; do
        compile "${header#include/}" $compiler -x c -std=c11 -pedantic
        compile "${header#include/}" $compiler -x c -std=c17 -pedantic -Wstrict-prototypes
    done
    compile "${header#include/}" g++ -x c++ -std=c++17 -pedantic
done
while read -r header; do
    compile "${header#src/}" gcc -x c -std=c17 -Wno-psabi
done < <(find src -name '*.h' | sort)
exit $failed
