/// @file scene.h
/// Scene files: JSON in, a world out (libtarn-scene; needs jansson and libpng).
///
/// A scene outlives its world: it keeps what the world does not need (names, run time, gauges) and is what
/// gets written back.
///
/// A file that a scene names (a height map, a mesh) is looked for beneath the scene's folder, then beneath
/// each folder of the environment variable TARN_PATH (separated by ':'), then where Debian's glmark2-data has the
/// Stanford bunny, /usr/share/glmark2/models. It must be a regular file there: no absolute name, no "..", no
/// symbolic link on the way, no device or pipe.
#ifndef TARN_SCENE_H
#define TARN_SCENE_H

#include "tarn.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A scene that was read and checked.
typedef struct tarn_scene tarn_scene;

/// One mistake, ready to print: place, value, remedy.
typedef struct tarn_diagnostic {
    char where[256];   ///< "pond.json:9:40" or "--set fluid.depth"
    char path[128];    ///< "bodies[0].radius"; empty for a syntax error, or if `where` says it
    char message[256]; ///< "-0.3 m is outside 0.001 .. 100"
    char excerpt[128]; ///< the line of the file, cut to fit; empty if there is none
    int caret;         ///< column in the excerpt, from 0; -1: none
} tarn_diagnostic;

/// All mistakes of a pass. Begin with zero, end with tarn_diagnostics_free().
typedef struct tarn_diagnostics {
    tarn_diagnostic *list;
    int count, capacity;
} tarn_diagnostics;
TARN_API void tarn_diagnostics_free(tarn_diagnostics *notes);

/// Read a scene file and check it, collecting every mistake in the order of the file (a syntax error ends
/// the pass, and so do 100 mistakes). Only regular files of at most 16 MiB are read. `notes` may be NULL.
/// @return TARN_OK; TARN_BAD_INPUT with at least one note; TARN_IO; TARN_NO_MEMORY. *out is NULL then
TARN_API tarn_result tarn_scene_read(const char *path, tarn_scene **out, tarn_diagnostics *notes);

/// The same from memory; `name` stands for the file in messages. If it has a slash, what stands before the
/// last one is the scene's folder; otherwise the scene has none, and files are found through TARN_PATH alone.
TARN_API tarn_result tarn_scene_parse(const char *name, const char *text, size_t size, tarn_scene **out,
                                      tarn_diagnostics *notes);

/// Read with changes: each `sets[i]` is "fluid.depth=2" or "bodies[0].density=300"; the value is JSON, or
/// a bare word. Changes are made before anything is checked.
TARN_API tarn_result tarn_scene_read_with_overrides(const char *path, const char *const *sets, int set_count,
                                                    tarn_scene **out, tarn_diagnostics *notes);

/// Change one value by path; the scene is checked as a whole again and unchanged if that fails. A word for
/// a choice that heads a group ("fluid.sides.west") replaces the group.
TARN_API tarn_result tarn_scene_set(tarn_scene *scene, const char *path, tarn_value value,
                                    tarn_diagnostics *notes);

/// Destroying NULL is fine.
TARN_API void tarn_scene_destroy(tarn_scene *scene);

/// Build the world: fluid, bed, emitters, bodies, joints. Mistakes that only show when things come together (a body
/// outside the tank, a height map that is not there) are notes with their place in the file. That a map is
/// resampled or stretched is said through the host's log.
/// @return TARN_OK; TARN_BAD_INPUT; TARN_IO if a file could not be read; TARN_NO_MEMORY
TARN_API tarn_result tarn_scene_create_world(const tarn_scene *scene, const tarn_host *host, tarn_world **out,
                                             tarn_diagnostics *notes);

/// A point where the water is measured.
typedef struct tarn_gauge {
    char name[TARN_NAME_BYTES];
    double position[2]; ///< [m] x, z
} tarn_gauge;

#define TARN_MAX_CAMERA_KEYS 32 ///< most places of a moving camera

/// What a scene says besides the world.
typedef struct tarn_scene_info {
    char name[TARN_NAME_BYTES];
    char description[TARN_NAME_BYTES * 4];
    double duration; ///< [s] how long to run
    double dt;       ///< [s] the world's step
    const char *model;
    int gauge_count, emitter_count;
    int body_count; ///< copies included
    const tarn_gauge *gauges;
    char view[TARN_NAME_BYTES];         ///< what pictures of it show; empty: the renderer's first choice
    tarn_vec3 view_from;                ///< [m] where the eye is
    tarn_vec3 view_to;                  ///< [m] what it looks at; the same: chosen by the renderer
    char view_map[TARN_NAME_BYTES];     ///< colour map of a field; empty: the field's own
    double view_range[2];               ///< low and high end of its colours; the same: each picture's own
    bool view_arrows, view_streamlines; ///< false; true: of the velocity, over a field
    double view_moment;                 ///< [s] when a single picture shows it; 0: at the end
    int view_key_count;                 ///< places of a camera that moves; 0: it stands
    const double (
        *view_keys)[7]; ///< time [s], eye, what it looks at [m]; later and later. As long as the scene
} tarn_scene_info;
TARN_API tarn_scene_info tarn_scene_get_info(const tarn_scene *scene);

/// Read a mesh file (OBJ, PLY, STL, glTF: what is in it decides, then how its name ends) and look at it with
/// tarn_mesh_inspect(). The path is the user's, so any regular file of at most 512 MiB is read; a .gltf may name files
/// beside it. An open mesh is TARN_OK with facts.closed 0. `notes` may be NULL.
/// @return TARN_OK; TARN_BAD_INPUT; TARN_IO; TARN_NO_MEMORY; TARN_BAD_ARGUMENT
TARN_API tarn_result tarn_mesh_file_inspect(const char *path, tarn_mesh_report *out, tarn_diagnostics *notes);

/// The triangles of such a file as they stand there, for tarn_body_def.mesh. Freed by tarn_mesh_file_free().
TARN_API tarn_result tarn_mesh_file_read(const char *path, tarn_mesh *out, tarn_diagnostics *notes);
TARN_API void tarn_mesh_file_free(tarn_mesh *triangles);

/// The scene as JSON text, in canonical order. Freed by tarn_text_free(). @return NULL without memory
TARN_API char *tarn_scene_write(const tarn_scene *scene);

/// The JSON Schema of scene files, made from the parameter lists. @return NULL without memory
TARN_API char *tarn_scene_schema(void);
TARN_API void tarn_text_free(char *text);

#ifdef __cplusplus
}
#endif
#endif
