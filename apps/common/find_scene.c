// Scenes by name: finds scene files in the search path, reads them and creates worlds.
//
// Folders, first wins: those of $TARN_PATH (separated by ':', on Windows by ';'), ./scenes, scenes beside the
// folder of the program (a build tree), share/tarn/scenes of an installation, seen from bin or libexec/tarn.
#include "posix.h"

#include "app.h"

#include <stdlib.h>

enum { PATH_BYTES = 4096 };

// The index-th folder; returns 0 past the last. A folder that is too long or unknown comes out empty.
static int folder_at(int index, char *dir, size_t size)
{
    static const char *const beside[] = {"/../scenes", "/../share/tarn/scenes", "/../../share/tarn/scenes"};
    enum { BESIDE = sizeof beside / sizeof beside[0] };
#ifdef _WIN32
    static const char separator[] = ";";
#else
    static const char separator[] = ":";
#endif
    const char *p = getenv("TARN_PATH");
    char program[PATH_BYTES];

    for (; p && *p; --index) {
        const size_t n = strcspn(p, separator);
        if (index == 0) {
            snprintf(dir, size, "%.*s", n < size ? (int)n : 0, p);
            return 1;
        }
        p += n + (p[n] != '\0');
    }
    if (index == 0) {
        snprintf(dir, size, "scenes");
        return 1;
    }
    if (index > BESIDE) return 0;
    dir[0] = '\0';
    executable_dir(program, sizeof program);
    if (program[0] && strlen(program) + strlen(beside[index - 1]) < sizeof program) {
        strcat(program, beside[index - 1]);
        char *real = realpath(program, NULL); // NULL if there is no such folder
        if (real && strlen(real) < size) strcpy(dir, real);
        free(real);
    }
    return 1;
}

void scene_name_of(const char *path, char *name, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(name, size, "%s", slash ? slash + 1 : path);
    char *end = strrchr(name, '.');
    if (end && end != name && strcmp(end, ".json") == 0) *end = '\0';
}

static int has_name(const struct scene_list *gallery, const char *file)
{
    for (int i = 0; i < gallery->count; ++i) {
        const char *slash = strrchr(gallery->paths[i], '/');
        if (strcmp(slash + 1, file) == 0) return 1;
    }
    return 0;
}

static int add_path(struct scene_list *gallery, const char *dir, const char *file)
{
    if (gallery->count == gallery->capacity) {
        const int capacity = gallery->capacity ? 2 * gallery->capacity : 32;
        char **paths = realloc(gallery->paths, (size_t)capacity * sizeof *paths);
        if (!paths) return -1;
        gallery->paths = paths;
        gallery->capacity = capacity;
    }
    const size_t size = strlen(dir) + strlen(file) + 2;
    char *path = malloc(size);
    if (!path) return -1;
    snprintf(path, size, "%s/%s", dir, file);
    gallery->paths[gallery->count++] = path;
    return 0;
}

static int add_folder(struct scene_list *gallery, const char *dir)
{
    DIR *d = opendir(dir);
    int bad = 0;

    if (!d) return 0;
    for (struct dirent *e = readdir(d); e && !bad; e = readdir(d)) {
        const size_t length = strlen(e->d_name);
        if (length < 6 || e->d_name[0] == '.' || strcmp(e->d_name + length - 5, ".json") != 0) continue;
        if (!has_name(gallery, e->d_name)) bad = add_path(gallery, dir, e->d_name);
    }
    closedir(d);
    return bad;
}

static int by_file_name(const void *a, const void *b)
{
    const char *pa = *(char *const *)a, *pb = *(char *const *)b;
    return strcmp(strrchr(pa, '/'), strrchr(pb, '/'));
}

int list_scenes(struct scene_list *gallery)
{
    char dir[PATH_BYTES];

    *gallery = (struct scene_list){0};
    for (int i = 0; folder_at(i, dir, sizeof dir); ++i) {
        if (dir[0] && add_folder(gallery, dir) != 0) {
            free_scene_list(gallery);
            return -1;
        }
    }
    if (gallery->count) qsort(gallery->paths, (size_t)gallery->count, sizeof *gallery->paths, by_file_name);
    return 0;
}

void free_scene_list(struct scene_list *gallery)
{
    for (int i = 0; i < gallery->count; ++i) free(gallery->paths[i]);
    free(gallery->paths);
    *gallery = (struct scene_list){0};
}

static int report_unknown(const char *word, const struct scene_list *gallery)
{
    enum { NAME = 128, MOST = 256 };
    static const char hint[] = "`tarn scenes` lists them";
    char(*names)[NAME] = calloc(MOST, sizeof *names);
    const char *list[MOST + 1] = {0};

    for (int i = 0; names && i < gallery->count && i < MOST; ++i) {
        scene_name_of(gallery->paths[i], names[i], NAME);
        list[i] = names[i];
    }
    const char *meant = closest_name(word, list);
    if (meant)
        print_error(0, "no scene '%s' in the gallery; did you mean %s? %s", word, meant, hint);
    else
        print_error(0, "no scene '%s' in the gallery; %s", word, hint);
    free(names);
    return TARN_IO;
}

int find_scene(const char *word, char *path, size_t size)
{
    const size_t length = strlen(word);
    const int is_path =
        strpbrk(word, FOLDER_SEPARATORS) || (length > 5 && strcmp(word + length - 5, ".json") == 0);
    struct scene_list gallery;
    int found = is_path || access(word, F_OK) == 0, n = snprintf(path, size, "%s", word);

    if (!found) {
        if (list_scenes(&gallery) != 0)
            return print_error(TARN_NO_MEMORY, "%s", result_message(TARN_NO_MEMORY));
        for (int i = 0; i < gallery.count && !found; ++i) {
            char name[256];
            scene_name_of(gallery.paths[i], name, sizeof name);
            found = strcmp(name, word) == 0;
            if (found) n = snprintf(path, size, "%s", gallery.paths[i]);
        }
        const int code = found ? 0 : report_unknown(word, &gallery);
        free_scene_list(&gallery);
        if (code != 0) return code;
    }
    use_slashes(path);
    if (n < 0 || (size_t)n >= size) return print_error(TARN_IO, "%s: the path is too long", word);
    return 0;
}

// Print the diagnostics of a failed call, or the message of its result.
static int report_failure(const char *name, tarn_result result, const tarn_diagnostics *diagnostics)
{
    fflush(stdout);
    print_diagnostics(stderr, diagnostics);
    if (diagnostics->count == 0) print_error(0, "%s: %s", name, result_message(result));
    return (int)result;
}

int load_scene(const char *word, const struct option_list *sets, tarn_scene **out, char *path, size_t size)
{
    char own[PATH_BYTES];
    tarn_diagnostics diagnostics = {0};

    *out = NULL;
    if (!path) {
        path = own;
        size = sizeof own;
    }
    int code = find_scene(word, path, size);
    if (code != 0) return code;
    const tarn_result r = tarn_scene_read_with_overrides(path, sets ? sets->items : NULL,
                                                         sets ? sets->count : 0, out, &diagnostics);
    if (r != TARN_OK) code = report_failure(path, r, &diagnostics);
    tarn_diagnostics_free(&diagnostics);
    return code;
}

// Prints a message of the library.
static void log_message(void *ctx, tarn_log_level level, const char *text)
{
    (void)ctx;
    (void)level;
    print_status("%s", text);
}

tarn_host app_host(int threads, int quiet)
{
    enum { DEFAULT_THREADS = 8, RETRIES = 3 };
    const int n = processor_count();

    if (threads == 0) threads = n < DEFAULT_THREADS ? n : DEFAULT_THREADS;
    return (tarn_host){.workers = threads, .retries = RETRIES, .log = {quiet ? NULL : log_message, NULL}};
}

int create_world(const tarn_scene *scene, const tarn_host *host, tarn_world **out)
{
    tarn_diagnostics diagnostics = {0};
    const tarn_result r = tarn_scene_create_world(scene, host, out, &diagnostics);
    tarn_scene_info info = {0};

    tarn_scene_get_info(scene, &info);
    const int code = r == TARN_OK ? 0 : report_failure(info.name, r, &diagnostics);
    tarn_diagnostics_free(&diagnostics);
    return code;
}
