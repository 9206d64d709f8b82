#!/usr/bin/env python3
"""use_cffi.py PREFIX: call an installed shared libtarn with the installed declarations, without a preprocessor."""
import pathlib
import sys

import cffi

prefix = pathlib.Path(sys.argv[1])
ffi = cffi.FFI()
ffi.cdef((prefix / "share/tarn/tarn.cdef").read_text())
lib = ffi.dlopen(str(prefix / "lib/libtarn.so"))
print(lib.tarn_version_number(), ffi.string(lib.tarn_version_string()).decode())
shape = ffi.new("tarn_shape_def *", {"type": lib.TARN_SHAPE_TORUS, "torus": {"radius": 0.3, "tube_radius": 0.1}})
out, error = ffi.new("tarn_shape **"), ffi.new("tarn_error *")
shape_result = lib.tarn_shape_create(shape, ffi.NULL, out, error)
assert shape_result == lib.TARN_OK, ffi.string(error.message)
info = ffi.new("tarn_shape_info *")
lib.tarn_shape_get_info(out[0], info)
lib.tarn_shape_release(out[0])
sys.exit(not (lib.tarn_version_matches(lib.tarn_version_number()) and info.volume > 0))
