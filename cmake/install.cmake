# What `cmake --install` puts where: libraries, headers, pkg-config files, a CMake package, examples, program,
# scenes.
# Nothing installed knows the prefix, so the tree may be moved as a whole.

include(CMakePackageConfigHelpers)

install(TARGETS tarn EXPORT tarn)
install(DIRECTORY include/tarn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h" PATTERN scene.h EXCLUDE)
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples FILES_MATCHING PATTERN "*.c")
if(TARN_SCENE)
    install(TARGETS tarn_scene EXPORT tarn_scene)
    install(FILES include/tarn/scene.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tarn)
endif()
if(TARGET tarn_cli)
    install(TARGETS tarn_cli)
    install(DIRECTORY scenes/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tarn/scenes FILES_MATCHING PATTERN "*.json"
        PATTERN "*.png" PATTERN "*.asc")
endif()
if(TARGET tarn_view)
    install(TARGETS tarn_view DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/tarn)
endif()
if(TARGET tarn_peers)
    install(TARGETS tarn_peers DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/tarn)
endif()
if(BUILD_SHARED_LIBS AND TARN_SCENE)
    set_target_properties(tarn_scene PROPERTIES INSTALL_RPATH "$ORIGIN")
endif()
if(BUILD_SHARED_LIBS AND TARGET tarn_cli)
    file(RELATIVE_PATH to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(tarn_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib}")
endif()
if(BUILD_SHARED_LIBS AND TARGET tarn_view)
    file(RELATIVE_PATH to_lib ${CMAKE_INSTALL_FULL_LIBEXECDIR}/tarn ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(tarn_view PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib}")
endif()

# ---- declarations for bindings ----

# All declarations as one text without preprocessor directives, as cffi reads it: share/tarn/tarn.cdef.
set(cdef ${PROJECT_BINARY_DIR}/tarn.cdef)
file(GLOB public_headers CONFIGURE_DEPENDS include/tarn/*.h)
add_custom_command(OUTPUT ${cdef} DEPENDS ${public_headers} VERBATIM
    COMMAND ${CMAKE_C_COMPILER} -E -P -DTARN_CFFI -I ${PROJECT_SOURCE_DIR}/include
        -include tarn/command.h -o ${cdef} ${PROJECT_SOURCE_DIR}/include/tarn/$<IF:$<BOOL:${TARN_SCENE}>,scene,tarn>.h)
add_custom_target(tarn_cdef ALL DEPENDS ${cdef})
install(FILES ${cdef} DESTINATION ${CMAKE_INSTALL_DATADIR}/tarn)

# ---- pkg-config ----

# A static library does not record its dependencies, so pkg-config lists them for every link.
set(kind "")
if(BUILD_SHARED_LIBS)
    set(kind "_private")
endif()
set(libs${kind} "-lm")
if(TARN_THREADS)
    string(APPEND libs${kind} " -pthread")
endif()
set(requires${kind} "jansson libpng")
set(pc_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH to_prefix ${pc_dir} ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH to_include ${pc_dir} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(cmake/tarn.pc.in tarn.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tarn.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TARN_SCENE)
    configure_file(cmake/tarn-scene.pc.in tarn-scene.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/tarn-scene.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

# ---- find_package(tarn [COMPONENTS scene]) ----

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tarn)
configure_package_config_file(cmake/tarn-config.cmake.in tarn-config.cmake INSTALL_DESTINATION ${package_dir})
# Below 1.0 a minor version may break: 0.1.x serves who asks for 0.1, nobody else.
write_basic_package_version_file(tarn-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tarn-config.cmake ${PROJECT_BINARY_DIR}/tarn-config-version.cmake
    DESTINATION ${package_dir})
install(EXPORT tarn NAMESPACE tarn:: FILE tarn-targets.cmake DESTINATION ${package_dir})
if(TARN_SCENE)
    install(EXPORT tarn_scene NAMESPACE tarn:: FILE tarn-scene-targets.cmake DESTINATION ${package_dir})
endif()
