// A program may use names that tarn uses inside, and the library's version is that of its header.
#include <tarn/tarn.h>

#include <string.h>

int fail(void);
int grid_init(void);
int hash_init(void);
int memory_alloc(void);
int fail(void) { return 1; }
int grid_init(void) { return 2; }
int hash_init(void) { return 3; }
int memory_alloc(void) { return 4; }

int main(void)
{
    const tarn_world_def def = tarn_default_world_def();
    tarn_world *world = NULL;
    if (tarn_world_create(&def, &world, NULL) != TARN_OK) return 1;
    tarn_world_destroy(world);
    return !tarn_version_matches(TARN_VERSION_NUMBER) ||
           fail() + grid_init() + hash_init() + memory_alloc() != 10;
}
