# How everything of tarn is compiled and linked.

include(CheckCCompilerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)

set(TARN_HAVE_V3 OFF)
if(TARN_SIMD_V3 AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
    check_c_compiler_flag(-march=x86-64-v3 TARN_COMPILER_KNOWS_V3)
    set(TARN_HAVE_V3 ${TARN_COMPILER_KNOWS_V3})
endif()

# A static library is one object whose inner names are local, so that a program may have its own fail() or
# grid_init(). Sanitizers and link-time optimisation want the objects as they are.
set(TARN_MERGE OFF)
if(NOT BUILD_SHARED_LIBS AND CMAKE_OBJCOPY AND CMAKE_SYSTEM_NAME STREQUAL Linux
   AND NOT "${CMAKE_C_FLAGS}" MATCHES "-fsanitize|-flto" AND NOT CMAKE_INTERPROCEDURAL_OPTIMIZATION)
    set(TARN_MERGE ON)
endif()

function(tarn_target name)
    set_target_properties(${name} PROPERTIES C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
    # The same bits from every compiler: no fused multiply-add.
    target_compile_options(${name} PRIVATE -ffp-contract=off
        $<$<CONFIG:Release>:-O2>
        -Wall -Wextra -Wshadow -Wvla
        $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
        -Wno-psabi # vectors are passed between inlined functions only
        $<$<BOOL:${TARN_WERROR}>:-Werror>)
    if(NOT MINGW) # which has no library for these checks
        target_compile_options(${name} PRIVATE -fstack-protector-strong
            $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE>
            $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-D_FORTIFY_SOURCE=2>)
    else()
        # printf() of the C standard instead of that of Microsoft's library, and one file per program.
        target_compile_definitions(${name} PRIVATE __USE_MINGW_ANSI_STDIO=1 _FILE_OFFSET_BITS=64)
        target_link_options(${name} PRIVATE -static)
    endif()
    if(CMAKE_SYSTEM_NAME STREQUAL Linux)
        target_link_options(${name} PRIVATE -Wl,-z,relro -Wl,-z,now)
    endif()
endfunction()

# Object files of a library; they see the public headers and each other.
function(tarn_objects name)
    add_library(${name} OBJECT ${ARGN})
    tarn_target(${name})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    if(BUILD_SHARED_LIBS)
        target_compile_definitions(${name} PRIVATE TARN_SHARED=1 TARN_BUILD=1) # a DLL exports its functions
    endif()
endfunction()

# The number in the SONAME: versions that have the same can replace each other. Below 1.0 a minor version may break.
set(TARN_ABI_VERSION ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(TARN_ABI_VERSION 0.${PROJECT_VERSION_MINOR})
endif()

# A library of objects that are compiled already.
function(tarn_library name)
    if(TARN_MERGE)
        set(merged ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
        add_custom_command(OUTPUT ${merged} DEPENDS ${ARGN} COMMAND_EXPAND_LISTS VERBATIM
            COMMAND ${CMAKE_LINKER} -r -o ${merged} ${ARGN}
            COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${merged})
        add_library(${name} STATIC ${merged})
    else()
        add_library(${name} ${ARGN})
    endif()
    tarn_target(${name})
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C
        VERSION ${PROJECT_VERSION} SOVERSION ${TARN_ABI_VERSION})
    if(BUILD_SHARED_LIBS)
        target_compile_definitions(${name} INTERFACE TARN_SHARED=1)
    endif()
    target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()
