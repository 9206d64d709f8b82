# tarn-view, the interactive window. It is built if GLFW, Dear ImGui and a C++ compiler are found.

include(CheckLanguage)
pkg_check_modules(tarn_glfw QUIET IMPORTED_TARGET glfw3>=3.3)
pkg_check_modules(tarn_imgui QUIET IMPORTED_TARGET imgui)
pkg_check_modules(tarn_epoxy QUIET IMPORTED_TARGET epoxy)
check_language(CXX)
if(tarn_glfw_FOUND AND tarn_imgui_FOUND AND CMAKE_CXX_COMPILER AND TARN_THREADS)
    enable_language(CXX)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS apps/view/*.c apps/view/*.cpp)
    add_executable(tarn_view ${sources})
    tarn_target(tarn_view)
    set_target_properties(tarn_view PROPERTIES OUTPUT_NAME tarn-view RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
        CXX_STANDARD 17 CXX_EXTENSIONS OFF LINKER_LANGUAGE C) # C's flags, sanitizers' too
    target_link_libraries(tarn_view PRIVATE tarn_app tarn_draw PkgConfig::tarn_glfw PkgConfig::tarn_imgui
        PkgConfig::tarn_epoxy stdc++ ${needs})
else()
    message(STATUS "GLFW, Dear ImGui, threads or a C++ compiler is missing: no tarn-view (scripts/setup view)")
endif()
