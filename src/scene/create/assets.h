// Reading files: those that a scene names and those that the user names.
#ifndef SCENE_ASSETS_H
#define SCENE_ASSETS_H

#include "scene/diagnostics.h"

// Why a file was not loaded; TARN_OK: it was.
struct load_error {
    tarn_result result;
    char message[200];
};
// Set the error. @return result
tarn_result load_fail(struct load_error *error, tarn_result result, const char *format, ...)
    PRINTF_LIKE(3, 4);

// @return why a scene may not name this file (the path is absolute or leaves the folder), NULL if it may
const char *asset_name_error(const char *name);

// Read all bytes of the file `name` of a scene; the result is zero-terminated and the caller frees it. The
// file is searched beneath the scene's folder, beneath each folder of TARN_PATH, then beneath a folder of
// installed models. It must be a regular file and no symbolic link may lead to it. A scene from memory has
// the folder of its name; if the name has no folder, the working directory is not searched, because the text
// may be untrusted.
tarn_result asset_read(const struct source_text *source, const char *name, size_t max_size, char **data,
                       size_t *size, struct load_error *error);

// Find the folder from which asset_read() reads, and read from a given folder only.
#define ASSET_FOLDER_BYTES 4096
tarn_result asset_find_folder(const struct source_text *source, const char *name, size_t max_size,
                              char folder[ASSET_FOLDER_BYTES], struct load_error *error);
tarn_result asset_read_in(const char *folder, const char *name, size_t max_size, char **data, size_t *size,
                          struct load_error *error);

// Read a regular file at a path that the user gave; `noun` says in messages what it should be ("scene"). The
// caller frees out->name and out->text, also after a failure.
// @return TARN_OK; TARN_BAD_INPUT, TARN_IO or TARN_NO_MEMORY with a diagnostic
tarn_result read_user_file(const char *path, const char *noun, size_t max_size, struct source_text *out,
                           tarn_diagnostics *diagnostics);

#endif
