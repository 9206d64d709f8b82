// A boat with a propeller and a rudder follows a course of marks through waves: the autopilot measures course
// and rate of turn before each step, and sets rudder and thrust by the live members of the body's definition.
#include <math.h>
#include <stdio.h>
#include <tarn/tarn.h>

static const tarn_vec2 marks[] = {{14, -14}, {26, 2}, {10, 15}, {-20, 10}}; // [m] x and z
enum { MARK_COUNT = sizeof marks / sizeof marks[0] };

struct boat {
    tarn_body_id body;
    int next_mark;
};

static double limit(double value, double most) { return fmax(-most, fmin(most, value)); }

// The x axis of a body in the world: the direction of its bow.
static tarn_vec3 get_bow(tarn_quat q)
{
    return (tarn_vec3){1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y + q.w * q.z),
                       2 * (q.x * q.z - q.w * q.y)};
}

// Steer to the next mark: rudder = 1.5 (course error) - 1.0 (rate of turn); less thrust in sharp turns.
static tarn_result steer(tarn_world *world, struct boat *boat)
{
    tarn_body_def def;
    tarn_result r = tarn_body_get_def(world, boat->body, &def);
    if (r != TARN_OK) return r;

    const double dx = marks[boat->next_mark].x - def.position.x,
                 dz = marks[boat->next_mark].y - def.position.z;
    const tarn_vec3 bow = get_bow(def.rotation);
    const double error = atan2(bow.x * dz - bow.z * dx, bow.x * dx + bow.z * dz); // above 0: turn to +z
    def.rudder.angle = limit(1.5 * error + 1.0 * def.angular_velocity.y, 0.6);
    def.thruster.force = fabs(error) > 0.5 ? 250 : 400;
    boat->next_mark += hypot(dx, dz) < 3.0;
    return tarn_body_set_def(world, boat->body, &def, NULL);
}

static tarn_result add_boat(tarn_world *world, struct boat *boat, tarn_error *err)
{
    tarn_shape_def hull = tarn_default_shape_def(TARN_SHAPE_WIGLEY);
    tarn_body_def def = tarn_default_body_def();

    hull.wigley = (tarn_wigley){.length = 3, .breadth = 1.2, .draft = 0.4, .freeboard = 0.2};
    def.position = (tarn_vec3){-26, 3, -14};
    def.mass = 450;
    def.thruster.position = (tarn_vec3){-1.2, -0.2, 0};
    def.rudder.position = (tarn_vec3){-1.4, -0.15, 0};
    def.rudder.area = 0.25;
    return tarn_body_create_with_shape(world, &def, &hull, &boat->body, err);
}

static tarn_result make_lake(tarn_world **world, tarn_error *err)
{
    tarn_fluid_def lake = tarn_default_fluid_def(TARN_FLUID_SHALLOW);
    tarn_world_def def = tarn_default_world_def();

    lake.shallow.size = (tarn_vec2){72, 48};
    lake.shallow.cells[0] = 96, lake.shallow.cells[1] = 64;
    lake.shallow.depth = 3;
    lake.shallow.boundary[TARN_WEST].type = TARN_BOUNDARY_WAVEMAKER;
    lake.shallow.boundary[TARN_WEST].amplitude = 0.1;
    lake.shallow.boundary[TARN_WEST].period = 4;
    lake.shallow.boundary[TARN_EAST].type = TARN_BOUNDARY_OPEN;
    def.fluid = &lake;
    return tarn_world_create(&def, world, err);
}

int main(void)
{
    tarn_world *world = NULL;
    struct boat boat = {0};
    tarn_error err = {0};
    tarn_result r = make_lake(&world, &err);

    if (r == TARN_OK) r = add_boat(world, &boat, &err);
    for (int n = 0; n < 60 * 120 && boat.next_mark < MARK_COUNT && r == TARN_OK; ++n) {
        const int mark = boat.next_mark;
        r = steer(world, &boat);
        if (r == TARN_OK) r = tarn_world_step(world);
        if (boat.next_mark > mark) printf("%5.1f s  mark %d\n", n / 60.0, boat.next_mark);
    }
    if (r != TARN_OK) fprintf(stderr, "%s: %s\n", err.key, err.message);
    tarn_world_destroy(world);
    return r != TARN_OK || boat.next_mark < MARK_COUNT;
}
