#!/usr/bin/env bash
# valgrind.sh BUILD: unit tests and runs of small scenes under valgrind's memcheck: no error, nothing lost.
# With TARN_LONG alone: ASan sees the same but for values that were never set, and takes a tenth of the time.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$1
if [ -z "${TARN_LONG-}" ] || ! command -v valgrind >/dev/null; then
    echo "only in the long run, and with valgrind: skipped"
    exit 77
fi

check() {
    echo "valgrind $*"
    valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite "$@" >/dev/null
}
unset TARN_LONG # the tests keep their quick length
# (Not test_base: valgrind has no denormal modes.)
for name in param shapes mesh_repair mesh_files gltf heightmap_files scene checkpoint_sections joint no_fluid flow_sources; do
    [ ! -x "$build/tests/test_$name" ] || check "$build/tests/test_$name"
done
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for job in "pond 48,48" "dam 32,16" "raft 28,14" "eight 40,40" "lift 16,24" "karman 110,-" "cradle -"; do
    name=${job% *} cells=${job#* }
    set=()
    case $cells in
    -) ;;
    *-) set=(--set "fluid.cells=[110,20]" --set "fluid.size=[2.2,0.4]") ;;
    *) set=(--set "fluid.cells=[$cells]") ;;
    esac
    check "$build/tarn" run "scenes/$name.json" "${set[@]}" --duration 0.1 --csv --vtk --checkpoint 0.05 \
        -o "$out/$name" --quiet
    check "$build/tarn" resume "$out/$name" --duration 0.15 --quiet
done
echo "all clean"
