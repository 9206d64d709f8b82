// A recording of what was done to a scene by hand: the scene, commands with their step numbers, and hashes.
//
//   tarn recording 1
//   scene BYTES PATH            then so many bytes of JSON and a line end
//   12 grab body=0:1 at=0.1,1.2,0
//   60 hash 0123456789abcdef
//   75 end
//
// Numbers are written with all their digits, and meshes with all their corners, so that what is read is what was done.
#ifndef CLI_JOURNAL_H
#define CLI_JOURNAL_H

#include <stdio.h>
#include <tarn/command.h>
#include <tarn/scene.h>

void journal_begin(FILE *out, const char *path, const char *scene);
void journal_command(FILE *out, const tarn_command *command);
void journal_hash(FILE *out, uint64_t step, uint64_t hash);
void journal_end(FILE *out, uint64_t step);

enum journal_line { JOURNAL_COMMAND, JOURNAL_HASH, JOURNAL_END };

struct journal {
    char *text; // of the file
    size_t size, at;
    int line;
    char path[1024];   // of the scene
    const char *scene; // its JSON
    size_t scene_size;
    double *rows;     // of the last command's table
    double *vertices; // and of its mesh
    int *triangles;
};

// Read a file. 0, or an exit code after telling why.
int journal_open(struct journal *journal, const char *path);
void journal_close(struct journal *journal);

// The next line. A command or hash comes with its step. 0, or an exit code after telling why.
int journal_next(struct journal *journal, enum journal_line *kind, tarn_command *command, uint64_t *hash);

#endif
