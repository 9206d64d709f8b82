#!/usr/bin/env python3
"""cffi reads the public headers after the preprocessor alone (cc -E -P -DTARN_CFFI), and the sizes that it finds for all
structs are those of the compiler. Skipped without cffi."""
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import cffi
except ImportError:
    print("skipped: python3-cffi is not installed")
    sys.exit(77)

INCLUDE = pathlib.Path(__file__).parents[2] / "include"
HEADERS = "".join(f"#include <tarn/{p.name}>\n" for p in sorted((INCLUDE / "tarn").glob("*.h")))
COMPILER = os.environ.get("CC", "cc")

text = subprocess.run([COMPILER, "-E", "-P", "-DTARN_CFFI", f"-I{INCLUDE}", "-xc", "-"], input=HEADERS, check=True,
                      capture_output=True, text=True).stdout
ffi = cffi.FFI()
ffi.cdef(text)
types = [t for t in ffi.list_types()[0] if ffi.typeof(t).kind == "struct" and ffi.typeof(t).fields is not None]
source = HEADERS + "#include <stdio.h>\nint main(void) {\n" + "".join(
    f'printf("{t} %zu\\n", sizeof({t}));\n' for t in types) + "return 0; }\n"
with tempfile.TemporaryDirectory() as folder:
    program = pathlib.Path(folder) / "sizes"
    subprocess.run([COMPILER, f"-I{INCLUDE}", "-xc", "-", "-o", program], input=source, check=True, text=True)
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
wrong = [line for line in printed.splitlines() if ffi.sizeof(line.split()[0]) != int(line.split()[1])]
print("\n".join(f"{line} for the compiler, {ffi.sizeof(line.split()[0])} for cffi" for line in wrong))
print(f"{len(types)} structs, {len(wrong)} of another size")
sys.exit(len(types) < 20 or len(wrong) > 0)
