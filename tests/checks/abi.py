#!/usr/bin/env python3
"""abi.py [LIBRARY...]: the binary interface. Called without libraries it does all that needs only the headers.

1. The shared libraries export every declared public function and nothing else, and have the SONAME of the version.
2. All structs have the same layout, and enums have 4 bytes, on 64-bit Linux, Windows (Microsoft's compiler) and macOS.
3. No struct above 512 bytes is passed or returned by value.
4. Since the last release of the same ABI version (tests/data/abi.txt, written by scripts/update-abi) there are only
   additions: functions, constants at the end of an enum, members in the place of reserved ones.
5. Each kind of forbidden change is found (on a small header of its own).

abi.py --update: write tests/data/abi.txt. Skipped without pycparser.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import public_api
except ImportError:
    print("skipped: python3-pycparser (with python3-cffi) is not installed")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORD = ROOT / "tests" / "data" / "abi.txt"
LARGEST = 512  # [bytes] of a struct that is passed or returned by value
TARGETS = ("x86_64-linux-gnu", "aarch64-linux-gnu", "x86_64-pc-windows-msvc", "aarch64-pc-windows-msvc",
           "x86_64-apple-macos11", "arm64-apple-macos11")
# To be replaced by typed definitions that refer to their parts.
TOO_LARGE = set()


# ---- the record ------------------------------------------------------------------------------------

def describe(include):
    """{("function", name): text, ("enum", name, constant): value, ("struct", name): size and alignment,
    ("member", struct, path): (type, offset, size)}"""
    api = public_api.read_api(include)
    layout = public_api.read_layout(api, include)
    found = {("function", name): text for name, text in api.functions.items()}
    found |= {("callback", name): text for name, text in api.callbacks.items()}
    for name, constants in api.enums.items():
        found |= {("constant", name, c): str(layout[c][0]) for c in constants}
    for name, fields in api.structs.items():
        found["struct", name] = "size {} alignment {}".format(*layout[name]) if fields else "opaque"
        for path, kind in fields:
            found["member", name, path] = "offset {} size {} ".format(*layout[f"{name}.{path}"]) + kind
    return found


def write_record(found, version, path):
    lines = [f"abi version {version}, 64-bit machines; written by scripts/update-abi"]
    lines += [" ".join(key) + ": " + text for key, text in sorted(found.items())]
    path.write_text("\n".join(lines) + "\n")


def read_record(path):
    """ABI version and what describe() returned."""
    first, *lines = path.read_text().splitlines()
    return re.match(r"abi version ([0-9.]+)", first)[1], {
        tuple(key.split()): text for key, text in (line.split(": ", 1) for line in lines)}


def extent(text):
    _, offset, _, size, _ = text.split(" ", 4)
    return int(offset), int(offset) + int(size)


def is_reserved(key):
    return re.match(r"(reserved|space)\d*$", key[2].split(".")[-1]) is not None


def incompatible_changes(old, new):
    for key, text in old.items():
        if key not in new and not (key[0] == "member" and is_reserved(key)):
            yield f"{' '.join(key)}: removed"
        elif key in new and new[key] != text and not (key[0] == "member" and is_reserved(key)):
            yield f"{' '.join(key)}: was {text}, is {new[key]}"
    for key in new:
        if key in old or is_allowed_addition(key, old, new):
            continue
        yield f"{' '.join(key)}: neither at the end of an enum nor in the place of reserved bytes"


def is_allowed_addition(key, old, new):
    if key[0] == "constant":
        return all(int(new[key]) > int(value) for k, value in old.items() if k[:2] == key[:2])
    if key[0] != "member" or ("struct", key[1]) not in old:
        return True
    if old["struct", key[1]] == "opaque":
        return False
    start, end = extent(new[key])
    spaces = [extent(text) for k, text in old.items() if k[:2] == key[:2] and k[0] == "member" and is_reserved(k)]
    return any(first <= start and end <= last for first, last in spaces)


# ---- self-test: changes of a small header, and the complaint that each must cause ----------------------

SAMPLE = """
#include <stdint.h>
#define TARN_VERSION_MAJOR 0
#define TARN_VERSION_MINOR 1
#define TARN_VERSION_PATCH 0
typedef struct tarn_world tarn_world;
typedef enum tarn_colour { TARN_RED, TARN_GREEN } tarn_colour;
typedef void (*tarn_done_fn)(void *context, int count);
typedef struct tarn_disc { double radius; int32_t count; int32_t reserved0; double reserved[2]; } tarn_disc;
typedef struct tarn_shape { tarn_colour colour; union { tarn_disc disc; double space[8]; }; } tarn_shape;
int tarn_add(tarn_world *world, const tarn_shape *shape);
tarn_shape tarn_default(void);
"""
CHANGES = (
    ("int tarn_add(tarn_world *world,", "int tarn_add(tarn_world *w,", None),
    ("tarn_shape tarn_default", "void tarn_new(tarn_world *);\ntarn_shape tarn_default", None),
    ("TARN_GREEN }", "TARN_GREEN, TARN_BLUE }", None),
    ("int32_t reserved0;", "uint32_t flags;", None),
    ("double reserved[2]", "double density, reserved", None),
    ("tarn_disc disc;", "tarn_disc disc; double edge;", None),
    ("int tarn_add(", "int tarn_put(", "function tarn_add: removed"),
    ("const tarn_shape *shape)", "tarn_shape *shape)", "function tarn_add: was"),
    ("int tarn_add(tarn_world *world,", "int tarn_add(tarn_world *world, int n,", "function tarn_add: was"),
    ("TARN_RED, TARN_GREEN", "TARN_BLUE, TARN_RED, TARN_GREEN", "constant tarn_colour TARN_RED: was"),
    ("TARN_GREEN }", "TARN_GREEN, TARN_BLUE = -1 }", "constant tarn_colour TARN_BLUE: neither"),
    ("int count);", "uint32_t count);", "callback tarn_done_fn: was"),
    ("double radius;", "float radius;", "member tarn_disc radius: was"),
    ("double radius; int32_t count;", "int32_t count; double radius;", "member tarn_disc count: was"),
    ("double reserved[2];", "double reserved[3];", "struct tarn_disc: was"),
    ("int32_t count;", "int32_t number;", "member tarn_disc count: removed"),
    ("double radius;", "float radius, depth;", "member tarn_disc depth: neither"),
    ("typedef struct tarn_world tarn_world;", "typedef struct tarn_world { int n; } tarn_world;", "struct tarn_world: was"),
)


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        include = pathlib.Path(folder)
        (include / "tarn").mkdir()
        header, record = include / "tarn" / "base.h", include / "abi.txt"
        header.write_text(SAMPLE)
        write_record(describe(include), "0.1", record)
        version, old = read_record(record)
        if version != "0.1" or list(incompatible_changes(old, describe(include))):
            yield "the record does not describe the header that it was made from"
        for before, after, complaint in CHANGES:
            header.write_text(SAMPLE.replace(before, after, 1))
            found = list(incompatible_changes(old, describe(include)))
            if bool(complaint) != bool(found) or (found and not any(f.startswith(complaint) for f in found)):
                yield f"\"{after}\" for \"{before}\": found {found}, expected {complaint or 'nothing'}"


# ---- checks of the headers and libraries ---------------------------------------------------------------

def check_exports(path, api):
    """The library's dynamic symbols against the declarations of its header."""
    name = re.match(r"lib(.*)\.so", path.name)[1]
    declared = {f for f, text in api.functions.items() if text.split()[0] == name}
    listing = subprocess.run(["nm", "-D", "--defined-only", path], check=True, capture_output=True, text=True).stdout
    exported = {line.split()[-1] for line in listing.splitlines()}
    dynamic = subprocess.run(["readelf", "-d", path], check=True, capture_output=True, text=True).stdout
    yield from (f"{path.name}: {f} is declared and not exported" for f in sorted(declared - exported))
    yield from (f"{path.name}: {f} is exported and not declared" for f in sorted(exported - declared))
    if f"[lib{name}.so.{public_api.abi_version()}]" not in dynamic:
        yield f"{path.name}: its SONAME is not lib{name}.so.{public_api.abi_version()}"


def check_targets(api, layout):
    """The layout of this machine, asserted with clang for other systems, which need no headers of their own."""
    lines = [f"_Static_assert(sizeof({e}) == 4, \"{e}\");" for e in api.enums if e.startswith("tarn_")]
    for name, fields in api.structs.items():
        if fields:
            lines.append(f"_Static_assert(sizeof({name}) == {layout[name][0]}, \"{name}\");")
        lines += [f"_Static_assert(offsetof({name}, {path}) == {layout[f'{name}.{path}'][0]}, \"{name}.{path}\");"
                  for path, _ in fields]
    source = "#include <stddef.h>\n" + public_api.include_lines(public_api.INCLUDE) + "\n".join(lines) + "\n"
    for target in TARGETS:
        for language in (["-xc", "-std=c17"], ["-xc++", "-std=c++17", "-D_Static_assert=static_assert"]):
            command = ["clang", f"--target={target}", "-ffreestanding", "-nostdlibinc", *language, "-fsyntax-only",
                       "-Wno-invalid-offsetof", f"-I{public_api.INCLUDE}", "-"]
            done = subprocess.run(command, input=source, capture_output=True, text=True)
            if done.returncode:
                yield f"{target}, {language[0][2:]}:\n{done.stderr}"


def check_sizes(api, layout):
    large = {name for name in api.by_value if layout[name][0] > LARGEST}
    yield from (f"{n}: {layout[n][0]} bytes are passed or returned by value" for n in sorted(large - TOO_LARGE))
    yield from (f"{n} is no longer too large: remove it from TOO_LARGE" for n in sorted(TOO_LARGE - large))


def check_record(found):
    if not RECORD.exists():
        print("no release is recorded yet: anything may change")
        return
    version, old = read_record(RECORD)
    if version != public_api.abi_version():
        print(f"version {public_api.abi_version()} need not be compatible with {version}, which is recorded")
        return
    yield from incompatible_changes(old, found)


def main():
    if sys.argv[1:] == ["--update"]:
        write_record(describe(public_api.INCLUDE), public_api.abi_version(), RECORD)
        return 0
    api = public_api.read_api()
    layout = public_api.read_layout(api)
    mistakes = list(self_test()) + list(check_sizes(api, layout)) + list(check_record(describe(public_api.INCLUDE)))
    for library in sys.argv[1:]:
        mistakes += check_exports(pathlib.Path(library), api)
    if shutil.which("clang"):
        mistakes += check_targets(api, layout)
    print("\n".join(mistakes))
    print(f"{len(api.functions)} functions, {len(api.structs)} structs, {len(api.enums)} enums, "
          f"{len(mistakes)} mistakes")
    return 1 if mistakes or len(api.functions) < 100 else 0


sys.exit(main())
