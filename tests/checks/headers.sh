#!/usr/bin/env bash
# Public headers stand alone in C11, C17 and C++17 without a warning or an extension of gcc or clang, also as
# Microsoft's compiler reads them (clang in its mode, with no system headers); private ones stand alone in C17.
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

strict=(-pedantic-errors -Wshadow -Wconversion)
clang=("${strict[@]}" -Wgnu -Wextra-semi)
microsoft=(--target=x86_64-pc-windows-msvc -fms-compatibility -ffreestanding -nostdlibinc "${strict[@]}")
for header in include/tarn/*.h; do
    name=${header#include/}
    compile "$name" gcc -x c -std=c11 "${strict[@]}" -Wstrict-prototypes -Wc++-compat
    compile "$name" gcc -x c -std=c17 "${strict[@]}" -Wstrict-prototypes
    compile "$name" clang -x c -std=c17 "${clang[@]}" -Wstrict-prototypes
    compile "$name" g++ -x c++ -std=c++17 "${strict[@]}"
    compile "$name" clang++ -x c++ -std=c++17 "${clang[@]}"
    compile "$name" clang -x c -std=c17 "${microsoft[@]}"
    compile "$name" clang -x c++ -std=c++17 "${microsoft[@]}"
done
# What no warning finds: attributes outside of TARN_API, `long`, whose size differs between systems, bit fields.
extensions='__attribute__|__extension__|__typeof__|__builtin_|\b(unsigned )?long\b|^ *[a-z_0-9]+ [a-z_0-9]+ : [0-9]+;'
if grep -nE "$extensions" include/tarn/*.h | grep -vE '#define TARN_API|//.*\blong\b'; then
    echo "the lines above are not portable to all compilers"
    failed=1
fi
while read -r header; do
    compile "${header#src/}" gcc -x c -std=c17 -Wno-psabi
done < <(find src -name '*.h' | sort)
exit $failed
