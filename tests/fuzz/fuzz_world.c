// libFuzzer target: sequences of calls of the public functions, chosen by bytes. Any world is rejected
// with a message or can be stepped, commanded, queried and saved; a loaded world continues to the same
// hash; and no successful step leaves a value that is not finite.
// Every byte is a choice: of a kind in its table, of a parameter in its list, of a value in its range. So
// new kinds and parameters are tested as soon as they are in their lists, and any bytes are a valid
// sequence.
#include <tarn/command.h>
#include <tarn/scene.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 256, MOST_BODIES = 4, MOST_DROPS = 200, FILE_BYTES = 1 << 18 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Limits of a sequence. Most are short, one in eight is long: defects usually show with few bodies and
// steps, and several short sequences run in the time of a long one.
struct limits {
    int cells, bodies, steps, substeps, loads; // cells: of a side, beyond 3
};
static const struct limits lengthy = {9, MOST_BODIES, 3, 10, 4}, middling = {5, 2, 2, 5, 1},
                           brief = {5, 1, 2, 5, 1};

enum { ROW_TABLES = 8 };

struct sequence {
    const uint8_t *data;
    size_t left;
    tarn_world *w;
    tarn_host host;
    tarn_joint_id joint; // the last one made
    double cell, size[2];
    int flow, steps, loads, tries; // tries: of bodies
    double rows[ROW_TABLES][64];   // of tables that definitions borrow
    int row_tables;
    struct limits most;
};

static int next_byte(struct sequence *s) { return s->left ? (--s->left, *s->data++) : 0; }
static int next_below(struct sequence *s, int n) { return next_byte(s) * n / 256; }
// -1 .. 1
static double random_signed(struct sequence *s) { return (next_byte(s) - 128) / 128.0; }

static tarn_vec3 random_position(struct sequence *s)
{
    if (s->flow)
        return (tarn_vec3){(0.5 + 0.6 * random_signed(s)) * s->size[0],
                           (0.5 + 0.6 * random_signed(s)) * s->size[1], 0.0};
    return (tarn_vec3){0.55 * random_signed(s) * s->size[0], 1.0 + 1.5 * random_signed(s),
                       0.55 * random_signed(s) * s->size[1]};
}

static tarn_vec3 random_velocity(struct sequence *s)
{
    const double most = next_byte(s) < 240 ? 3.0 : 1e3;
    return (tarn_vec3){most * random_signed(s), most * random_signed(s), most * random_signed(s)};
}

// ---- values -----------------------------------------------------------------------------------------

// Mostly near the default, sometimes an end of the range or any value in it, occasionally outside it.
static double number_of(struct sequence *s, const tarn_param *p, int k)
{
    const double usual = isfinite(p->initial[k]) ? p->initial[k] : 0.5;
    const int way = next_byte(s);
    const double t = next_byte(s) / 255.0;
    if (way < 170) return fmin(fmax(usual == 0.0 ? 2.0 * t - 1.0 : 2.0 * t * usual, p->min), p->max);
    if (way < 190) return p->min;
    if (way < 210) return p->max;
    if (way < 215) return NAN;
    if (way < 220) return p->max * 1.5 + 1.0;
    if (way < 240 && p->min > 0.0) return p->min * exp(t * log(p->max / p->min));
    return p->min + t * (p->max - p->min);
}

// `rows` has the capacity of a table.
static tarn_value value_of(struct sequence *s, const tarn_param *p, double rows[64])
{
    double x[4] = {0};
    for (int k = 0; k < 4; ++k) x[k] = k && p->type < TARN_PARAM_VEC2 ? 0.0 : number_of(s, p, k);
    switch (p->type) {
    case TARN_PARAM_INTEGER: return tarn_value_integer(fabs(x[0]) < 1e9 ? (int)x[0] : -1);
    case TARN_PARAM_FLAG: return tarn_value_flag(x[0] > 0.5);
    case TARN_PARAM_VEC2:
    case TARN_PARAM_INT2: return tarn_value_vec2(x[0], x[1]);
    case TARN_PARAM_VEC3:
    case TARN_PARAM_INT3: return tarn_value_vec3(x[0], x[1], x[2]);
    case TARN_PARAM_QUAT: return tarn_value_quat(x[0], x[1], x[2], x[3]);
    case TARN_PARAM_CHOICE: {
        int count = 0;
        while (p->choices[count]) ++count;
        return tarn_value_text(p->choices[next_below(s, count)]);
    }
    case TARN_PARAM_TABLE: {
        const int columns = p->columns > 0 ? p->columns : 1, count = next_below(s, 64 / columns + 1);
        for (int i = 0; i < columns * count; ++i) rows[i] = number_of(s, p, 0);
        return tarn_value_table(rows, count);
    }
    case TARN_PARAM_BITS: return tarn_value_text(x[0] > 0.5 ? "0x3" : "a");
    case TARN_PARAM_TEXT:
    case TARN_PARAM_FILE: return tarn_value_text("a");
    default: return tarn_value_number(x[0]);
    }
}

// Set some parameters of a struct; rejected values change nothing.
static void set_random_params(struct sequence *s, const tarn_kind *kind, void *data, int most)
{
    for (int n = next_below(s, most + 1); n > 0 && kind->param_count > 0; --n) {
        double copied[64];
        tarn_error err = {0};
        const tarn_param *p = &kind->params[next_below(s, kind->param_count)];
        double *rows = p->count_offset ? s->rows[s->row_tables++ % ROW_TABLES] : copied;
        const tarn_value value = value_of(s, p, rows);
        if (tarn_kind_set(kind, data, p->name, &value, &err) != TARN_OK && !err.message[0]) abort();
    }
}

// Any kind of a category, with some of its parameters set.
static void make_spec(struct sequence *s, const char *category, tarn_spec *spec)
{
    int count = 0;
    while (tarn_kind_at(category, count)) ++count;
    if (tarn_spec_init(spec, category, tarn_kind_at(category, next_below(s, count))->name, NULL) != TARN_OK)
        abort();
    set_random_params(s, spec->kind, spec->data, 4);
}

// ---- actions ----------------------------------------------------------------------------------------

static void check_result(tarn_result r, const tarn_error *err)
{
    if (r != TARN_OK && r != TARN_BAD_INPUT && r != TARN_BAD_ARGUMENT) abort();
    if (r != TARN_OK && !err->message[0]) abort();
}

static int begin(struct sequence *s)
{
    static const double map[4] = {0.0, 1.0, 0.3, 0.7};
    int models = 0;
    tarn_error err = {0};
    while (tarn_kind_at("fluid", models)) ++models;
    const tarn_kind *model = tarn_kind_at("fluid", next_below(s, models));
    tarn_spec spec;
    tarn_fluid_def fluid;
    tarn_bed_def beds[TARN_MAX_BEDS];
    tarn_world_def def = tarn_default_world_def();
    if (tarn_spec_init(&spec, "fluid", model->name, NULL) != TARN_OK) abort();
    set_random_params(s, tarn_kind_at("world", 0), &def, 4);
    set_random_params(s, model, spec.data, 6);
    if (tarn_fluid_def_from_spec(&spec, &fluid) != TARN_OK) abort();
    const int nx = 4 + next_below(s, s->most.cells), nz = 4 + next_below(s, s->most.cells);
    s->cell = next_byte(s) < 200 ? 0.25 : 2.0 * exp(5.0 * random_signed(s));
    s->size[0] = nx * s->cell, s->size[1] = nz * s->cell, s->flow = strcmp(model->name, "flow") == 0;
    fluid.wave.size = (tarn_vec2){s->size[0], s->size[1]}; // all models begin with it, and with the cells
    if (fluid.type != TARN_FLUID_DRY) fluid.wave.cells[0] = nx, fluid.wave.cells[1] = nz;
    def.fluid = &fluid, def.beds = beds;
    def.bed_count = next_byte(s) < 128 ? 0 : next_below(s, 4);
    for (int n = 0; n < def.bed_count; ++n) {
        make_spec(s, "bed", &spec);
        if (tarn_bed_def_from_spec(&spec, &beds[n]) != TARN_OK) abort();
        if (beds[n].type == TARN_BED_HEIGHTMAP) beds[n].heightmap.map = (tarn_bed_map){2, 2, map};
        if (beds[n].type == TARN_BED_ESRI) beds[n].esri.map = (tarn_bed_map){2, 2, map};
    }
    s->host = def.host = (tarn_host){.retries = next_below(s, 3), .workers = next_byte(s) < 250 ? 1 : 2};
    const tarn_result r = tarn_world_create(&def, &s->w, &err);
    check_result(r, &err);
    if ((r == TARN_OK) != (s->w != NULL)) abort();
    return r == TARN_OK;
}

// Vertices of a cube, displaced by bytes; some meshes do not close.
static void make_mesh(struct sequence *s, double corners[24], tarn_mesh *out)
{
    static const int sides[] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    for (int i = 0; i < 24; ++i)
        corners[i] = 0.3 * (i / 3 >> i % 3 & 1) + (next_byte(s) < 240 ? 0.0 : random_signed(s));
    *out = (tarn_mesh){8, next_byte(s) < 240 ? 12 : next_below(s, 12), corners, sides};
}

// Whether another body may be tried. Rejecting one may take as long as creating it.
static int may_add_body(struct sequence *s)
{
    return tarn_world_get_status(s->w).body_count < s->most.bodies && s->tries++ < 2 * s->most.bodies;
}

static void make_shape_def(struct sequence *s, tarn_shape_def *out)
{
    tarn_spec spec;
    make_spec(s, "shape", &spec);
    if (tarn_shape_def_from_spec(&spec, out) != TARN_OK) abort();
}

static void make_child(struct sequence *s, tarn_compound_child *child)
{
    tarn_shape_def def;
    tarn_shape *shape = NULL;
    tarn_error err = {0};
    make_shape_def(s, &def);
    check_result(tarn_shape_create(&def, NULL, &shape, &err), &err);
    *child = (tarn_compound_child){.shape = shape, .density = next_byte(s) < 40 ? 300.0 : 0.0};
    child->pose.rotation = (tarn_quat){1.0, random_signed(s), random_signed(s), random_signed(s)};
    child->pose.position = (tarn_vec3){random_signed(s), random_signed(s), random_signed(s)};
}

static void add_body(struct sequence *s)
{
    tarn_body_def def = tarn_default_body_def();
    tarn_shape_def shape;
    tarn_compound_child children[3] = {0};
    double corners[24];
    tarn_body_id id;
    tarn_error err = {0};
    if (!may_add_body(s)) return;
    make_shape_def(s, &shape);
    set_random_params(s, tarn_kind_at("body", 0), &def, 4);
    def.position = random_position(s), def.velocity = random_velocity(s),
    def.angular_velocity = random_velocity(s);
    if (next_byte(s) < 128)
        def.rotation = (tarn_quat){1.0, random_signed(s), random_signed(s), random_signed(s)};
    if (s->flow)
        def.velocity.z = def.angular_velocity.x = def.angular_velocity.y = 0.0,
        def.rotation = (tarn_quat){1, 0, 0, 0};
    if (shape.type == TARN_SHAPE_MESH) make_mesh(s, corners, &shape.mesh.mesh);
    if (shape.type == TARN_SHAPE_COMPOUND) {
        shape.compound = (tarn_compound){children, next_below(s, 4)};
        for (int k = 0; k < shape.compound.child_count; ++k) make_child(s, &children[k]);
    }
    tarn_shape *own = NULL;
    check_result(tarn_shape_create(&shape, NULL, &own, &err), &err);
    def.shape = own;
    check_result(tarn_body_create(s->w, &def, &id, &err), &err);
    tarn_shape_release(own);
    for (int k = 0; k < 3; ++k) tarn_shape_release(children[k].shape);
}

static void add_joint(struct sequence *s)
{
    tarn_joint_def def;
    tarn_spec spec;
    tarn_error err = {0};
    make_spec(s, "joint", &spec);
    if (tarn_joint_def_from_spec(&spec, &def) != TARN_OK) abort();
    def.body_a = tarn_body_at(s->w, next_below(s, MOST_BODIES)),
    def.body_b = tarn_body_at(s->w, next_below(s, MOST_BODIES));
    def.anchor_a = random_position(s), def.anchor_b = next_byte(s) < 128 ? def.anchor_a : random_position(s);
    check_result(tarn_joint_create(s->w, &def, &s->joint, &err), &err);
}

static double number_named(const tarn_spec *spec, const char *name)
{
    tarn_value v;
    if (tarn_spec_get(spec, name, &v) != TARN_OK) abort();
    return v.number[0];
}

// Whether so many drops fall in a step that it would take seconds: up to 100,000 are allowed.
static int has_too_many_drops(const struct sequence *s, const tarn_spec *spec)
{
    tarn_value dt;
    if (strcmp(spec->kind->name, "rain") != 0) return 0;
    if (tarn_world_get_param(s->w, "run.dt", &dt) != TARN_OK) abort();
    const double radius = number_named(spec, "radius"), drop = 4.19 * radius * radius * radius;
    return number_named(spec, "rate") * dt.number[0] * s->size[0] * s->size[1] > MOST_DROPS * drop;
}

// Returns 0 for an emitter that is too slow to be worth a test.
static int make_emitter(struct sequence *s, tarn_emitter_def *out)
{
    tarn_spec spec;
    make_spec(s, "emitter", &spec);
    if (tarn_emitter_def_from_spec(&spec, out) != TARN_OK) abort();
    return !has_too_many_drops(s, &spec);
}

// An emitter goes, or gets the live parameters of another one of its kind.
static void change_emitter(struct sequence *s)
{
    tarn_emitter_id ids[4];
    tarn_emitter_def def;
    tarn_error err = {0};
    const int count = tarn_world_get_emitters(s->w, ids, 4);
    if (count == 0) return;
    const tarn_emitter_id id = ids[next_below(s, count)];
    if (next_byte(s) < 100) {
        if (tarn_emitter_destroy(s->w, id) != TARN_OK) abort();
    } else if (make_emitter(s, &def)) {
        check_result(tarn_emitter_set_def(s->w, id, &def, &err), &err);
    }
}

static void add_emitter(struct sequence *s)
{
    tarn_emitter_def def;
    tarn_error err = {0};
    if (tarn_world_get_status(s->w).emitter_count >= 4) return;
    if (make_emitter(s, &def)) check_result(tarn_emitter_create(s->w, &def, NULL, &err), &err);
}

static tarn_obstacle_motion random_motion(struct sequence *s)
{
    const tarn_vec3 at = random_position(s);
    tarn_obstacle_motion m = {.position = {at.x, at.y}, .angle = 6.0 * random_signed(s)};
    m.angular_velocity = 1.5 * random_signed(s);
    m.velocity.x = random_signed(s), m.velocity.y = random_signed(s);
    return m;
}

static void add_obstacle(struct sequence *s)
{
    static const unsigned char cells[] = {1, 0, 1, 1, 1, 0};
    tarn_obstacle_def def;
    tarn_obstacle_id id;
    tarn_spec spec;
    tarn_error err = {0};
    make_spec(s, "obstacle", &spec);
    if (tarn_obstacle_def_from_spec(&spec, &def) != TARN_OK) abort();
    def.motion = random_motion(s), def.boundary = (tarn_obstacle_boundary)(next_byte(s) < 128);
    if (def.type == TARN_OBSTACLE_BITMAP) def.bitmap.cells = cells, def.bitmap.nx = 3, def.bitmap.ny = 2;
    check_result(tarn_obstacle_create(s->w, &def, NULL, &err), &err);
    if (tarn_world_get_obstacles(s->w, &id, 1) > 0 && next_byte(s) < 128) {
        const tarn_obstacle_motion motion = random_motion(s);
        check_result(tarn_obstacle_set_motion(s->w, id, &motion, &err), &err);
    }
}

static void give_command(struct sequence *s)
{
    tarn_command c = {.kind = (tarn_command_kind)(1 + next_below(s, TARN_COMMAND_RAISE_BED))};
    tarn_error err = {0};
    c.body = tarn_body_at(s->w, next_below(s, MOST_BODIES));
    c.position = random_position(s), c.velocity = random_velocity(s), c.angular_velocity = random_velocity(s);
    c.radius = next_byte(s) < 200 ? 2.0 * s->cell * fabs(random_signed(s)) : 100.0 * random_signed(s);
    c.amount = next_byte(s) < 200 ? random_signed(s) : 100.0 * random_signed(s);
    c.density = 10.0 + 10.0 * next_byte(s);
    if (c.kind == TARN_COMMAND_SPAWN && !may_add_body(s)) return;
    tarn_shape_def def;
    tarn_shape *shape = NULL;
    if (c.kind == TARN_COMMAND_SPAWN) {
        make_shape_def(s, &def);
        check_result(tarn_shape_create(&def, NULL, &shape, &err), &err);
        c.shape = shape;
    }
    if (c.kind == TARN_COMMAND_ADD_EMITTER && tarn_world_get_status(s->w).emitter_count >= 4) return;
    if (c.kind == TARN_COMMAND_ADD_EMITTER && !make_emitter(s, &c.emitter)) return;
    if (c.kind == TARN_COMMAND_SET_PARAM) {
        double rows[64];
        const tarn_kind *model = NULL;
        tarn_value sleep;
        for (int k = 0; (model = tarn_kind_at("fluid", k)); ++k) { // that of this world
            snprintf(c.path, sizeof c.path, "fluid.%s",
                     model->params[next_below(s, model->param_count)].name);
            if (tarn_world_get_param(s->w, c.path, &sleep) == TARN_OK) break;
        }
        if (!model) return;
        c.value = value_of(s, tarn_param_find(model, c.path + 6), rows);
    }
    check_result(tarn_world_apply_command(s->w, &c, &err), &err);
    tarn_shape_release(shape);
}

static void change_body(struct sequence *s)
{
    const tarn_body_id id = tarn_body_at(s->w, next_below(s, MOST_BODIES));
    tarn_body_state m;
    tarn_load load;
    if (tarn_body_get_state(s->w, id, &m) != TARN_OK) return;
    if (tarn_body_get_load(s->w, id, &load) != TARN_OK) abort();
    switch (next_below(s, 4)) {
    case 0: tarn_body_apply_force(s->w, id, random_velocity(s), random_position(s)); break;
    case 1:
        m.position = random_position(s), m.velocity = random_velocity(s);
        tarn_body_set_state(s->w, id, &m);
        break;
    case 2: tarn_joint_set_anchor(s->w, s->joint, random_position(s)); break;
    default: tarn_body_destroy(s->w, id);
    }
}

// ---- checks ------------------------------------------------------------------------------------------

static void check_finite(const float *values, size_t count)
{
    for (size_t i = 0; values && i < count; ++i)
        if (!isfinite(values[i])) abort();
}

static void check_values(struct sequence *s)
{
    tarn_frame f = {0};
    if (tarn_world_get_frame(s->w, next_byte(s) / 255.0, &f) != TARN_OK) abort();
    const size_t count = (size_t)f.nx * (size_t)f.nz;
    check_finite(f.height, count), check_finite(f.velocity_x, count), check_finite(f.velocity_z, count),
        check_finite(f.bed, count);
    check_finite(f.dye, count), check_finite(f.temperature, count), check_finite(f.pressure, count),
        check_finite(f.open, count);
    for (int i = 0; i < f.body_count; ++i) {
        const tarn_body_state *m = &f.bodies[i].state;
        if (!isfinite(m->position.x + m->position.y + m->position.z + m->rotation.w)) abort();
        if (!isfinite(m->velocity.x + m->velocity.y + m->velocity.z + m->angular_velocity.x +
                      m->angular_velocity.y + m->angular_velocity.z))
            abort();
    }
    tarn_world_get_surface(s->w, random_signed(s) * s->size[0], random_signed(s) * s->size[1]);
    if (!isfinite(tarn_world_get_ledger(s->w).volume)) abort();
    tarn_frame_free(&f);
}

// Worlds with many substeps or bodies are correct but slow.
static int is_fast(const tarn_world *w, const struct limits *most)
{
    const tarn_world_status s = tarn_world_get_status(w);
    return s.substeps_next <= most->substeps && s.body_count <= most->bodies;
}

// Whether the world can be stepped on.
static int step(struct sequence *s)
{
    tarn_value dt;
    if (!is_fast(s->w, &s->most) || s->steps >= s->most.steps) return 1;
    ++s->steps;
    if (tarn_world_get_param(s->w, "run.dt", &dt) != TARN_OK) abort();
    const tarn_result r = tarn_world_advance(s->w, dt.number[0]);
    if (r != TARN_OK && r != TARN_DIVERGED) abort();
    if ((r != TARN_OK) != (tarn_world_get_failure(s->w)[0] != '\0')) abort();
    if (r == TARN_OK) check_values(s);
    return r == TARN_OK;
}

struct file {
    size_t size, at;
    uint8_t data[FILE_BYTES];
};

static tarn_result put(void *ctx, const void *data, size_t size)
{
    struct file *f = ctx;
    if (size > sizeof f->data - f->size) return TARN_IO;
    memcpy(f->data + f->size, data, size);
    f->size += size;
    return TARN_OK;
}

static tarn_result get(void *ctx, void *data, size_t size)
{
    struct file *f = ctx;
    if (size > f->size - f->at) return TARN_IO;
    memcpy(data, f->data + f->at, size);
    f->at += size;
    return TARN_OK;
}

// Save, load and step both worlds: the same hash. The sequence continues with the loaded world.
static int reload(struct sequence *s)
{
    static struct file file;
    tarn_world *again = NULL;
    tarn_error err = {0};
    if (++s->loads > s->most.loads) return 1;
    file.size = file.at = 0;
    const tarn_result saved = tarn_world_save(s->w, put, &file);
    if (saved == TARN_IO) return 1; // too long for the file
    if (saved != TARN_OK || tarn_world_load(get, &file, &s->host, &again, &err) != TARN_OK) {
        fprintf(stderr, "%s %s\n", err.key, err.message);
        abort();
    }
    if (tarn_world_hash(again) != tarn_world_hash(s->w)) abort();
    const int taken = s->steps, fine = step(s);
    tarn_world *first = s->w;
    s->w = again, s->steps = taken;
    const int then = step(s);
    if (then != fine || tarn_world_hash(again) != tarn_world_hash(first)) {
        fprintf(stderr, "loaded in step %d, continues differently: %d %s and %d %s\n",
                (int)tarn_world_get_status(again).steps, fine, tarn_world_get_failure(first), then,
                tarn_world_get_failure(again));
        abort();
    }
    tarn_world_destroy(first);
    return fine;
}

// The length of a sequence follows from a hash of all bytes (FNV-1a). If it were a byte, the fuzzer would
// soon generate long ones only: they cover more code, so it keeps and mutates them.
static struct limits length_of(const uint8_t *data, size_t size)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; ++i) hash = (hash ^ data[i]) * 16777619u;
    hash >>= 29;
    return hash == 0 ? lengthy : hash < 4 ? middling : brief;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sequence s = {.data = data, .left = size < MOST_BYTES ? size : MOST_BYTES};
    s.most = length_of(data, s.left);
    int fine = begin(&s);
    while (fine && s.left) switch (next_byte(&s) % 13) {
        case 0:
        case 1: add_body(&s); break;
        case 2: add_joint(&s); break;
        case 3: add_emitter(&s); break;
        case 4: add_obstacle(&s); break;
        case 5:
        case 6: give_command(&s); break;
        case 7: change_body(&s); break;
        case 8: fine = reload(&s); break;
        case 12: change_emitter(&s); break;
        case 9: tarn_world_keep_previous(s.w, next_byte(&s) % 2); break;
        default: fine = step(&s);
        }
    if (fine) fine = reload(&s);
    if (s.w) tarn_world_hash(s.w), tarn_world_get_ledger(s.w);
    tarn_world_destroy(s.w);
    return 0;
}
