# tarn-peers: the engines and solvers that are there, to be timed beside tarn.

pkg_check_modules(tarn_ode QUIET IMPORTED_TARGET ode)
pkg_check_modules(tarn_fftw QUIET IMPORTED_TARGET fftw3)
# hypre has no pkg-config file; it talks MPI even to itself.
pkg_check_modules(tarn_mpi QUIET IMPORTED_TARGET ompi-c)
find_path(TARN_HYPRE_INCLUDE HYPRE_struct_ls.h PATH_SUFFIXES hypre)
find_library(TARN_HYPRE_LIBRARY HYPRE)
mark_as_advanced(TARN_HYPRE_INCLUDE TARN_HYPRE_LIBRARY)

set(peers "")
set(peers_need m)
set(peers_have "")
if(tarn_ode_FOUND)
    list(APPEND peers apps/peers/ode.c apps/peers/block_scenes.c)
    list(APPEND peers_need PkgConfig::tarn_ode stdc++) # ODE is C++ inside
    list(APPEND peers_have PEERS_ODE=1)
endif()
if(tarn_fftw_FOUND)
    list(APPEND peers apps/peers/fftw.c)
    list(APPEND peers_need PkgConfig::tarn_fftw)
    list(APPEND peers_have PEERS_FFTW=1)
endif()
if(tarn_mpi_FOUND AND TARN_HYPRE_INCLUDE AND TARN_HYPRE_LIBRARY)
    list(APPEND peers apps/peers/hypre.c)
    list(APPEND peers_need ${TARN_HYPRE_LIBRARY} PkgConfig::tarn_mpi)
    list(APPEND peers_have PEERS_HYPRE=1)
    # Its headers declare functions in the old way.
    set_source_files_properties(apps/peers/hypre.c PROPERTIES COMPILE_OPTIONS "-isystem;${TARN_HYPRE_INCLUDE}")
endif()
if(peers)
    add_executable(tarn_peers apps/peers/main.c apps/peers/poisson_problem.c ${peers})
    tarn_target(tarn_peers)
    target_compile_definitions(tarn_peers PRIVATE ${peers_have})
    target_link_libraries(tarn_peers PRIVATE ${peers_need})
    set_target_properties(tarn_peers PROPERTIES OUTPUT_NAME tarn-peers
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endif()
