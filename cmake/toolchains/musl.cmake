# x86-64 Linux with the C library musl instead of glibc.
set(CMAKE_C_COMPILER musl-gcc)
