# x86-64 Linux with the C library musl instead of glibc.
set(CMAKE_C_COMPILER musl-gcc)
# Libraries that scripts/cross-libraries has built.
if(NOT DEFINED ENV{PKG_CONFIG_LIBDIR})
    set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_CURRENT_LIST_DIR}/../../build/cross-libraries/musl/lib/pkgconfig)
    set(PKG_CONFIG_ARGN --static)
endif()
