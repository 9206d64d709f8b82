# tarn-view, the interactive window. It is built if GLFW, Dear ImGui and a C++ compiler are found.

include(CheckLanguage)
pkg_check_modules(tarn_glfw QUIET IMPORTED_TARGET glfw3>=3.3)
pkg_check_modules(tarn_imgui QUIET IMPORTED_TARGET imgui)
pkg_check_modules(tarn_epoxy QUIET IMPORTED_TARGET epoxy)
check_language(CXX)
if(tarn_glfw_FOUND AND tarn_imgui_FOUND AND CMAKE_CXX_COMPILER AND TARN_THREADS)
    enable_language(CXX)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS apps/view/*.c apps/view/*.cpp)
    # What it shares with the headless program: options, words, scenes, videos, recordings.
    set(shared encoder film gallery journal json look options output file png say system)
    list(TRANSFORM shared REPLACE "(.+)" "apps/cli/\\1.c")
    add_executable(tarn_view ${sources} ${shared})
    tarn_target(tarn_view)
    set_target_properties(tarn_view PROPERTIES OUTPUT_NAME tarn-view RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
        CXX_STANDARD 17 CXX_EXTENSIONS OFF LINKER_LANGUAGE C) # C's flags, sanitizers' too
    target_include_directories(tarn_view PRIVATE ${PROJECT_SOURCE_DIR}) # draw/
    target_link_libraries(tarn_view PRIVATE tarn_scene tarn tarn_draw PkgConfig::tarn_glfw PkgConfig::tarn_imgui
        PkgConfig::tarn_epoxy PkgConfig::tarn_png stdc++ ${needs})
else()
    message(STATUS "GLFW, Dear ImGui, threads or a C++ compiler is missing: no tarn-view (scripts/setup view)")
endif()
