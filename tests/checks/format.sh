#!/usr/bin/env bash
# Every C file is as clang-format 14 would write it (other versions differ in details).
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if ! command -v clang-format-14 >/dev/null; then
    echo "clang-format-14 is missing: skipped"
    exit 77
fi
find src include apps examples draw validation tests bench -name '*.[ch]' -print0 2>/dev/null |
    xargs -0 clang-format-14 --dry-run -Werror --ferror-limit=3
