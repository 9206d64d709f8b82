// A duck falls into a pond.
#include <stdio.h>
#include <tarn/tarn.h>

int main(void)
{
    const tarn_fluid_def pond = tarn_default_fluid_def(TARN_FLUID_WAVE); // 4 m x 4 m, 1 m deep
    const tarn_shape_def ball = {.type = TARN_SHAPE_SPHERE, .sphere = {.radius = 0.2}};
    tarn_world_def def = tarn_default_world_def();
    tarn_body_def duck = tarn_default_body_def(); // 500 kg/m^3, 2 m above the ground
    tarn_world *world;
    tarn_body_id id;
    tarn_load load;
    def.fluid = &pond;
    if (tarn_world_create(&def, &world, NULL)) return 1;
    if (tarn_body_create_with_shape(world, &duck, &ball, &id, NULL)) return 1;
    if (tarn_world_advance(world, 10.0) || tarn_body_get_load(world, id, &load)) return 1;
    printf("after 10 s %.0f %% of the duck are under water\n", 100 * load.submerged_fraction);
    tarn_world_destroy(world);
}
