// A recording of an interactive session: the scene, commands with their step numbers, and state hashes.
//
//   tarn recording 2
//   scene BYTES PATH            then BYTES bytes of JSON and a line end
//   12 grab body=0:1 at=0.1,1.2,0
//   60 hash 0123456789abcdef
//   75 end
//
// Numbers are written with enough digits to be read back exactly, meshes with all vertices.
#ifndef APP_RECORDING_H
#define APP_RECORDING_H

#include <stdio.h>
#include <tarn/command.h>
#include <tarn/scene.h>

void recording_write_header(FILE *out, const char *path, const char *scene);
void recording_write_command(FILE *out, const tarn_command *command);
void recording_write_hash(FILE *out, uint64_t step, uint64_t hash);
void recording_write_end(FILE *out, uint64_t step);

enum recording_entry { RECORDING_COMMAND, RECORDING_HASH, RECORDING_END };

struct recording {
    char *text; // of the file
    size_t size, at;
    int line;
    char path[1024];   // of the scene
    const char *scene; // its JSON
    size_t scene_size;
    double *rows;     // of the last command's table
    double *vertices; // and of its mesh
    int *triangles;
    tarn_mesh mesh;
    tarn_spec spec;    // kind of shape or emitter of the last command
    tarn_shape *shape; // of the last command
};

// Read a file. Returns 0, or an exit code after an error message.
int recording_open(struct recording *recording, const char *path);
void recording_close(struct recording *recording);

// The next entry; commands and hashes have a step number. Returns 0, or an exit code after an error message.
int recording_next(struct recording *recording, enum recording_entry *kind, tarn_command *command,
                   uint64_t *hash);

#endif
