// Save a world to a file, load it, and continue: the loaded world computes the same bits. Its bodies are
// found again by name or id, and the numbers of the program come back with them.
#include <stdio.h>
#include <tarn/tarn.h>

static tarn_result write_file(void *file, const void *data, size_t size)
{
    return fwrite(data, 1, size, file) == size ? TARN_OK : TARN_IO;
}

static tarn_result read_file(void *file, void *data, size_t size)
{
    return fread(data, 1, size, file) == size ? TARN_OK : TARN_IO;
}

static tarn_result make_world(tarn_world **world, tarn_error *err)
{
    const tarn_fluid_def water = tarn_default_fluid_def(TARN_FLUID_SHALLOW);
    const tarn_shape_def barrel = {.type = TARN_SHAPE_CYLINDER, .cylinder = {.radius = 0.3, .height = 0.8}};
    tarn_world_def def = tarn_default_world_def();
    tarn_body_def body = tarn_default_body_def();

    def.fluid = &water;
    body.name[0] = 'B', body.user_data = 42; // a number of the program
    const tarn_result r = tarn_world_create(&def, world, err);
    return r == TARN_OK ? tarn_body_create_with_shape(*world, &body, &barrel, NULL, err) : r;
}

static tarn_result copy_by_file(const tarn_world *world, FILE *file, tarn_world **out, tarn_error *err)
{
    const tarn_result r = tarn_world_save(world, write_file, file);

    rewind(file);
    return r == TARN_OK ? tarn_world_load(read_file, file, NULL, out, err) : r;
}

int main(void)
{
    tarn_world *first = NULL, *second = NULL;
    tarn_error err = {0};
    FILE *file = tmpfile();
    tarn_result r = file ? make_world(&first, &err) : TARN_IO;

    if (r == TARN_OK) r = tarn_world_advance(first, 1.0);
    if (r == TARN_OK) r = copy_by_file(first, file, &second, &err);
    if (r == TARN_OK) r = tarn_world_advance(first, 2.0);
    if (r == TARN_OK) r = tarn_world_advance(second, 2.0);
    const int equal = r == TARN_OK && tarn_world_hash(first) == tarn_world_hash(second);
    const uint64_t number = tarn_body_get_user_data(second, tarn_body_find(second, "B"));
    printf("after 2 s more the states are %s; the barrel's number is %d\n", equal ? "equal" : "different",
           (int)number);
    if (r != TARN_OK) fprintf(stderr, "%s: %s\n", err.key, err.message);
    tarn_world_destroy(first);
    tarn_world_destroy(second);
    if (file) fclose(file);
    return !equal || number != 42;
}
