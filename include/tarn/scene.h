/// @file scene.h
/// Scene files: a JSON text that describes a world, checked and turned into one (libtarn-scene; needs jansson
/// and libpng).
///
/// A scene may live longer than its world. It also has what the world does not need (description, duration,
/// gauges, camera), and can be written as JSON again.
///
/// A file that a scene names (a height map, a mesh) is searched for below the folder of the scene, then below
/// each folder of the environment variable TARN_PATH (separated by ':', on Windows by ';'), then in
/// /usr/share/glmark2/models, where Debian's package glmark2-data has the Stanford bunny. It must be a
/// regular file; an absolute name, "..", and symbolic links are rejected.
#ifndef TARN_SCENE_H
#define TARN_SCENE_H

#include "tarn.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A scene that has been read and checked.
typedef struct tarn_scene tarn_scene;

/// One error of a scene file, ready to print: place, value, remedy.
typedef struct tarn_diagnostic {
    char where[256];   ///< "pond.json:9:40" or "--set fluid.depth"
    char path[128];    ///< "bodies[0].radius"; empty for a syntax error, or if `where` contains the path
    char message[256]; ///< "-0.3 m is outside 0.001 .. 100"
    char excerpt[128]; ///< the line of the file, cut to fit; empty if there is none
    int caret;         ///< column in the excerpt, from 0; -1: none
} tarn_diagnostic;

/// All errors of a call. Initialise it with zeros, free it with tarn_diagnostics_free().
typedef struct tarn_diagnostics {
    tarn_diagnostic *list;
    int count, capacity;
} tarn_diagnostics;

/// Free the list and set `notes` to zeros. NULL is allowed.
TARN_API void tarn_diagnostics_free(tarn_diagnostics *notes);

/// Read a scene file and check it. All errors are collected in the order of the file; checking ends at a
/// syntax error and after 100 errors. Only regular files of at most 16 MiB are read.
/// @param notes  receives the errors; may be NULL
/// @return TARN_OK; TARN_BAD_INPUT with at least one diagnostic; TARN_IO; TARN_NO_MEMORY. *out is NULL unless
/// TARN_OK
TARN_API tarn_result tarn_scene_read(const char *path, tarn_scene **out, tarn_diagnostics *notes);

/// Do the same with a text in memory.
/// @param name  name of the file in messages. If it has a slash, the part before the last one is the folder
///              of the scene; otherwise the scene has no folder, and files are searched for only in
///              TARN_PATH.
TARN_API tarn_result tarn_scene_parse(const char *name, const char *text, size_t size, tarn_scene **out,
                                      tarn_diagnostics *notes);

/// Read a scene with overrides: each `sets[i]` is "fluid.depth=2" or "bodies[0].density=300". The value is
/// JSON, or a string without quotation marks. Overrides are applied before the scene is checked.
TARN_API tarn_result tarn_scene_read_with_overrides(const char *path, const char *const *sets, int set_count,
                                                    tarn_scene **out, tarn_diagnostics *notes);

/// Set one value by its path. The whole scene is checked again; if that fails, it is unchanged. The name of a
/// choice that has parameters of its own ("fluid.boundary.west" to "open") replaces the group of parameters.
TARN_API tarn_result tarn_scene_set(tarn_scene *scene, const char *path, tarn_value value,
                                    tarn_diagnostics *notes);

/// Destroy a scene. Worlds that were made from it are not affected. NULL is allowed.
TARN_API void tarn_scene_destroy(tarn_scene *scene);

/// Create the world that a scene describes: fluid, bed, emitters, bodies, joints. Errors that can only be
/// found here (a body outside the domain, a height map that does not exist) are diagnostics with their place
/// in the file. A height map that is resampled or stretched is reported through the host's log.
/// @return TARN_OK; TARN_BAD_INPUT; TARN_IO if a file could not be read; TARN_NO_MEMORY
TARN_API tarn_result tarn_scene_create_world(const tarn_scene *scene, const tarn_host *host, tarn_world **out,
                                             tarn_diagnostics *notes);

/// A point where the water is measured.
typedef struct tarn_gauge {
    char name[TARN_NAME_BYTES];
    tarn_vec2 position; ///< [m] x and z, in the model "flow" x and y
} tarn_gauge;

#define TARN_MAX_CAMERA_KEYS 32 ///< limit of the points of a camera path

/// What a scene describes besides the world.
typedef struct tarn_scene_info {
    char name[TARN_NAME_BYTES];
    char description[TARN_NAME_BYTES * 4];
    double duration; ///< [s] simulated time of a run
    double dt;       ///< [s] world step
    const char *model;
    int gauge_count, emitter_count;
    int body_count; ///< including the copies of arrays
    const tarn_gauge *gauges;
    char view[TARN_NAME_BYTES]; ///< view mode of images; empty: the default of the renderer
    tarn_vec3 view_from;        ///< [m] position of the camera
    tarn_vec3 view_to;          ///< [m] target of the camera; equal to view_from: the renderer chooses both
    char view_map[TARN_NAME_BYTES]; ///< colour map of a field view; empty: the default of the field
    double view_range[2]; ///< [m], [m/s] ... least and largest value of the colours; equal: from each image
    bool view_arrows, view_streamlines; ///< false; true: draw them in a field view
    double view_moment;                 ///< [s] time of a single image; 0: at the end
    int view_key_count;                 ///< points of the camera path; 0: the camera does not move
    /// Camera path: time [s], position and target [m] of each point, times ascending. Valid as long as the
    /// scene.
    const double (*view_keys)[7];
} tarn_scene_info;

/// Get what a scene describes besides the world. Pointers are valid as long as the scene.
/// @return TARN_OK or TARN_BAD_ARGUMENT (a null pointer)
TARN_API tarn_result tarn_scene_get_info(const tarn_scene *scene, tarn_scene_info *out);

/// Read a mesh file and inspect it with tarn_mesh_inspect(). The content decides between OBJ, PLY, STL and
/// glTF; if it is ambiguous, the extension does. Any regular file of at most 512 MiB is read; a .gltf may
/// name files of its folder. For an open mesh the result is TARN_OK and out->closed is 0. `notes` may be
/// NULL.
/// @return TARN_OK; TARN_BAD_INPUT; TARN_IO; TARN_NO_MEMORY; TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_mesh_file_inspect(const char *path, tarn_mesh_report *out, tarn_diagnostics *notes);

/// Read the triangles of such a file without repairing them, for tarn_mesh_shape.mesh. Free them with
/// tarn_mesh_file_free().
TARN_API tarn_result tarn_mesh_file_read(const char *path, tarn_mesh *out, tarn_diagnostics *notes);

/// Free the triangles of tarn_mesh_file_read().
TARN_API void tarn_mesh_file_free(tarn_mesh *triangles);

/// @return a scene as JSON text in canonical order, to be freed with tarn_text_free(); NULL: no memory
TARN_API char *tarn_scene_write(const tarn_scene *scene);

/// @return the JSON Schema of scene files, made from the parameter lists, to be freed with tarn_text_free();
///         NULL: no memory
TARN_API char *tarn_scene_schema(void);

/// Free a text of tarn_scene_write() or tarn_scene_schema(). NULL is allowed.
TARN_API void tarn_text_free(char *text);

#ifdef __cplusplus
}
#endif
#endif
