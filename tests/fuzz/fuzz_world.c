// libFuzzer: a story told by bytes. Whatever world they make through the public functions, it is refused with
// words or can be stepped, commanded, looked at and saved; what is loaded goes on to the same hash; and no
// step that was fine leaves a number that is not finite.
//
// Every byte is a choice: of a kind in its table, of a parameter in its list, of a value in its range. So new
// kinds and parameters are tried as soon as they are in their lists, and any bytes say something.
#include <tarn/command.h>
#include <tarn/scene.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 256, MOST_BODIES = 4, MOST_DROPS = 200, FILE_BYTES = 1 << 18 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// How much may happen. Most stories are short, one in eight is long: what is wrong with worlds shows in few
// bodies and steps as a rule, and several short stories are told in the time of a long one.
struct limits {
    int cells, bodies, steps, inner, loads; // cells: of a side, beyond 3
};
static const struct limits lengthy = {9, MOST_BODIES, 3, 10, 4}, middling = {5, 2, 2, 5, 1},
                           brief = {5, 1, 2, 5, 1};

struct story {
    const uint8_t *data;
    size_t left;
    tarn_world *w;
    tarn_host host;
    tarn_joint joint; // the last one made
    double cell, size[2];
    int flow, steps, loads, tries; // tries: of bodies
    struct limits most;
};

static int byte(struct story *s) { return s->left ? (--s->left, *s->data++) : 0; }
static int below(struct story *s, int n) { return byte(s) * n / 256; }
// -1 .. 1
static double part(struct story *s) { return (byte(s) - 128) / 128.0; }

static tarn_vec3 place(struct story *s)
{
    if (s->flow)
        return (tarn_vec3){(0.5 + 0.6 * part(s)) * s->size[0], (0.5 + 0.6 * part(s)) * s->size[1], 0.0};
    return (tarn_vec3){0.55 * part(s) * s->size[0], 1.0 + 1.5 * part(s), 0.55 * part(s) * s->size[1]};
}

static tarn_vec3 speed(struct story *s)
{
    const double most = byte(s) < 240 ? 3.0 : 1e3;
    return (tarn_vec3){most * part(s), most * part(s), most * part(s)};
}

// ---- values -----------------------------------------------------------------------------------------

// Mostly near the default, sometimes an end of the range or anything in it, now and then beyond it.
static double number_of(struct story *s, const tarn_param *p, int k)
{
    const double usual = isfinite(p->initial[k]) ? p->initial[k] : 0.5;
    const int way = byte(s);
    const double t = byte(s) / 255.0;
    if (way < 170) return fmin(fmax(usual == 0.0 ? 2.0 * t - 1.0 : 2.0 * t * usual, p->min), p->max);
    if (way < 190) return p->min;
    if (way < 210) return p->max;
    if (way < 215) return NAN;
    if (way < 220) return p->max * 1.5 + 1.0;
    if (way < 240 && p->min > 0.0) return p->min * exp(t * log(p->max / p->min));
    return p->min + t * (p->max - p->min);
}

// `rows` has room for a table.
static tarn_value value_of(struct story *s, const tarn_param *p, double rows[64])
{
    double x[4] = {0};
    for (int k = 0; k < 4; ++k) x[k] = k && p->type < TARN_VEC2 ? 0.0 : number_of(s, p, k);
    switch (p->type) {
    case TARN_INTEGER: return tarn_integer(fabs(x[0]) < 1e9 ? (int)x[0] : -1);
    case TARN_FLAG: return tarn_flag(x[0] > 0.5);
    case TARN_VEC2:
    case TARN_INT2: return tarn_pair(x[0], x[1]);
    case TARN_VEC3:
    case TARN_INT3: return tarn_triple(x[0], x[1], x[2]);
    case TARN_QUAT: return tarn_rotation(x[0], x[1], x[2], x[3]);
    case TARN_CHOICE: {
        int count = 0;
        while (p->choices[count]) ++count;
        return tarn_word(p->choices[below(s, count)]);
    }
    case TARN_TABLE: {
        const int columns = p->columns > 0 ? p->columns : 1, count = below(s, 64 / columns + 1);
        for (int i = 0; i < columns * count; ++i) rows[i] = number_of(s, p, 0);
        return tarn_table(rows, count);
    }
    case TARN_TEXT:
    case TARN_FILE: return tarn_word("a");
    default: return tarn_number(x[0]);
    }
}

// Some parameters of a struct; what is refused stays as it was.
static void tell(struct story *s, const tarn_kind *kind, void *data, int most)
{
    for (int n = below(s, most + 1); n > 0 && kind->param_count > 0; --n) {
        double rows[64];
        tarn_error err = {0};
        const tarn_param *p = &kind->params[below(s, kind->param_count)];
        const tarn_value value = value_of(s, p, rows);
        if (tarn_kind_set(kind, data, p->name, &value, &err) != TARN_OK && !err.text[0]) abort();
    }
}

// Any kind of a room, with some of its parameters set.
static void make_spec(struct story *s, const char *room, tarn_spec *spec)
{
    int count = 0;
    while (tarn_kind_at(room, count)) ++count;
    if (tarn_spec_init(spec, room, tarn_kind_at(room, below(s, count))->name, NULL) != TARN_OK) abort();
    tell(s, spec->kind, spec->data, 4);
}

// ---- what can be done -------------------------------------------------------------------------------

static void refused(tarn_result r, const tarn_error *err)
{
    if (r != TARN_OK && r != TARN_BAD_INPUT && r != TARN_BAD_ARGUMENT) abort();
    if (r != TARN_OK && !err->text[0]) abort();
}

static int begin(struct story *s)
{
    static const double map[4] = {0.0, 1.0, 0.3, 0.7};
    int models = 0;
    tarn_error err = {0};
    while (tarn_kind_at("fluid", models)) ++models;
    const tarn_kind *model = tarn_kind_at("fluid", below(s, models));
    tarn_world_def def = tarn_world_def_default(model->name);
    tell(s, tarn_kind_at("world", 0), &def, 4);
    tell(s, model, def.fluid.data, 6);
    const int nx = 4 + below(s, s->most.cells), nz = 4 + below(s, s->most.cells);
    s->cell = byte(s) < 200 ? 0.25 : 2.0 * exp(5.0 * part(s));
    s->size[0] = nx * s->cell, s->size[1] = nz * s->cell, s->flow = strcmp(model->name, "flow") == 0;
    tarn_spec_set(&def.fluid, "size", tarn_pair(s->size[0], s->size[1]), NULL);
    tarn_spec_set(&def.fluid, "cells", tarn_pair(nx, nz), NULL);
    def.bed_count = byte(s) < 128 ? 0 : below(s, 4);
    for (int n = 0; n < def.bed_count; ++n) make_spec(s, "bed", &def.bed[n]);
    def.map = (tarn_map){2, 2, map};
    s->host = def.host = (tarn_host){.retries = below(s, 3), .workers = byte(s) < 250 ? 1 : 2};
    const tarn_result r = tarn_world_create(&def, &s->w, &err);
    refused(r, &err);
    if ((r == TARN_OK) != (s->w != NULL)) abort();
    return r == TARN_OK;
}

// Corners of a cube, pulled about by bytes; some do not close.
static void make_mesh(struct story *s, double corners[24], tarn_triangles *out)
{
    static const int sides[] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    for (int i = 0; i < 24; ++i) corners[i] = 0.3 * (i / 3 >> i % 3 & 1) + (byte(s) < 240 ? 0.0 : part(s));
    *out = (tarn_triangles){8, byte(s) < 240 ? 12 : below(s, 12), corners, sides};
}

// Whether another body may be tried. To refuse one may take as long as to make it.
static int one_more(struct story *s)
{
    return tarn_world_status(s->w).bodies < s->most.bodies && s->tries++ < 2 * s->most.bodies;
}

static void add_body(struct story *s)
{
    tarn_body_def def = tarn_body_def_default("sphere");
    tarn_part parts[3] = {0};
    double corners[24];
    tarn_body id;
    tarn_error err = {0};
    if (!one_more(s)) return;
    make_spec(s, "shape", &def.shape);
    tell(s, tarn_kind_at("body", 0), &def, 4);
    def.position = place(s), def.velocity = speed(s), def.spin = speed(s);
    if (byte(s) < 128) def.rotation = (tarn_quat){1.0, part(s), part(s), part(s)};
    if (s->flow) def.velocity.z = def.spin.x = def.spin.y = 0.0, def.rotation = (tarn_quat){1, 0, 0, 0};
    if (strcmp(def.shape.kind->name, "mesh") == 0) make_mesh(s, corners, &def.mesh);
    if (strcmp(def.shape.kind->name, "compound") == 0) {
        def.parts = parts, def.part_count = below(s, 4);
        for (int k = 0; k < def.part_count; ++k) {
            make_spec(s, "shape", &parts[k].shape);
            parts[k].rotation = (tarn_quat){1.0, part(s), part(s), part(s)};
            parts[k].position = (tarn_vec3){part(s), part(s), part(s)};
        }
    }
    refused(tarn_body_create(s->w, &def, &id, &err), &err);
}

static void add_joint(struct story *s)
{
    tarn_joint_def def = tarn_joint_def_default("ball");
    tarn_error err = {0};
    make_spec(s, "joint", &def.kind);
    def.a = tarn_body_at(s->w, below(s, MOST_BODIES)), def.b = tarn_body_at(s->w, below(s, MOST_BODIES));
    def.at = place(s), def.to = byte(s) < 128 ? def.at : place(s);
    refused(tarn_joint_create(s->w, &def, &s->joint, &err), &err);
}

static double number_named(const tarn_spec *spec, const char *name)
{
    tarn_value v;
    if (tarn_spec_get(spec, name, &v) != TARN_OK) abort();
    return v.number[0];
}

// Whether so many drops fall in a step that it would take seconds: up to 100,000 are allowed.
static int pelts(const struct story *s, const tarn_spec *spec)
{
    tarn_value dt;
    if (strcmp(spec->kind->name, "rain") != 0) return 0;
    if (tarn_world_get(s->w, "run.dt", &dt) != TARN_OK) abort();
    const double radius = number_named(spec, "radius"), drop = 4.19 * radius * radius * radius;
    return number_named(spec, "rate") * dt.number[0] * s->size[0] * s->size[1] > MOST_DROPS * drop;
}

static void add_emitter(struct story *s)
{
    tarn_spec spec;
    tarn_error err = {0};
    if (tarn_world_status(s->w).emitters >= 4) return;
    make_spec(s, "emitter", &spec);
    if (pelts(s, &spec)) return;
    refused(tarn_emitter_create(s->w, &spec, &err), &err);
}

static void add_obstacle(struct story *s)
{
    static const unsigned char cells[] = {1, 0, 1, 1, 1, 0};
    tarn_obstacle_def def = tarn_obstacle_def_default("circle");
    tarn_error err = {0};
    make_spec(s, "obstacle", &def.shape);
    def.position[0] = place(s).x, def.position[1] = place(s).y;
    def.angle = 360.0 * part(s), def.spin = 90.0 * part(s), def.boundary = byte(s) < 128;
    def.velocity[0] = part(s), def.velocity[1] = part(s);
    def.map = (tarn_bitmap){3, 2, cells};
    refused(tarn_obstacle_create(s->w, &def, &err), &err);
}

static void give_command(struct story *s)
{
    tarn_command c = {.kind = (tarn_command_kind)(1 + below(s, TARN_RAISE))};
    tarn_error err = {0};
    c.body = tarn_body_at(s->w, below(s, MOST_BODIES));
    c.at = place(s), c.way = speed(s), c.spin = speed(s);
    c.radius = byte(s) < 200 ? 2.0 * s->cell * fabs(part(s)) : 100.0 * part(s);
    c.strength = byte(s) < 200 ? part(s) : 100.0 * part(s);
    c.density = 10.0 + 10.0 * byte(s);
    if (c.kind == TARN_SPAWN && !one_more(s)) return;
    if (c.kind == TARN_SPAWN) make_spec(s, "shape", &c.spec);
    if (c.kind == TARN_EMIT && tarn_world_status(s->w).emitters >= 4) return;
    if (c.kind == TARN_EMIT) make_spec(s, "emitter", &c.spec);
    if (c.kind == TARN_EMIT && pelts(s, &c.spec)) return;
    if (c.kind == TARN_SET) {
        double rows[64];
        const tarn_kind *model = NULL;
        tarn_value sleep;
        for (int k = 0; (model = tarn_kind_at("fluid", k)); ++k) { // that of this world
            snprintf(c.path, sizeof c.path, "fluid.%s", model->params[below(s, model->param_count)].name);
            if (tarn_world_get(s->w, c.path, &sleep) == TARN_OK) break;
        }
        if (!model) return;
        c.value = value_of(s, tarn_param_find(model, c.path + 6), rows);
    }
    refused(tarn_world_command(s->w, &c, &err), &err);
}

static void touch(struct story *s)
{
    const tarn_body id = tarn_body_at(s->w, below(s, MOST_BODIES));
    tarn_motion m;
    tarn_load load;
    if (tarn_body_motion(s->w, id, &m) != TARN_OK) return;
    if (tarn_body_load(s->w, id, &load) != TARN_OK) abort();
    switch (below(s, 4)) {
    case 0: tarn_body_push(s->w, id, speed(s), place(s)); break;
    case 1:
        m.position = place(s), m.velocity = speed(s);
        tarn_body_move(s->w, id, &m);
        break;
    case 2: tarn_joint_move(s->w, s->joint, place(s)); break;
    default: tarn_body_remove(s->w, id);
    }
}

// ---- what must hold ---------------------------------------------------------------------------------

static void finite(const float *values, size_t count)
{
    for (size_t i = 0; values && i < count; ++i)
        if (!isfinite(values[i])) abort();
}

static void look(struct story *s)
{
    tarn_frame f = {0};
    if (tarn_world_frame(s->w, byte(s) / 255.0, &f) != TARN_OK) abort();
    const size_t count = (size_t)f.nx * (size_t)f.nz;
    finite(f.height, count), finite(f.speed_x, count), finite(f.speed_z, count), finite(f.bed, count);
    finite(f.dye, count), finite(f.heat, count), finite(f.pressure, count), finite(f.open, count);
    for (int i = 0; i < f.body_count; ++i) {
        const tarn_motion *m = &f.bodies[i].motion;
        if (!isfinite(m->position.x + m->position.y + m->position.z + m->rotation.w)) abort();
        if (!isfinite(m->velocity.x + m->velocity.y + m->velocity.z + m->spin.x + m->spin.y + m->spin.z))
            abort();
    }
    tarn_water_at(s->w, part(s) * s->size[0], part(s) * s->size[1]);
    if (!isfinite(tarn_world_ledger(s->w).volume)) abort();
    tarn_frame_free(&f);
}

// Slow worlds are not wrong ones.
static int quick(const tarn_world *w, const struct limits *most)
{
    const tarn_status s = tarn_world_status(w);
    return s.inner_per_step <= most->inner && s.bodies <= most->bodies;
}

// Whether the world can go on.
static int step(struct story *s)
{
    tarn_value dt;
    if (!quick(s->w, &s->most) || s->steps >= s->most.steps) return 1;
    ++s->steps;
    if (tarn_world_get(s->w, "run.dt", &dt) != TARN_OK) abort();
    const tarn_result r = tarn_world_step(s->w, dt.number[0]);
    if (r != TARN_OK && r != TARN_DIVERGED) abort();
    if ((r != TARN_OK) != (tarn_world_trouble(s->w)[0] != '\0')) abort();
    if (r == TARN_OK) look(s);
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

// Save, load, and let both take a step: the same hash. The story goes on with the loaded one.
static int reload(struct story *s)
{
    static struct file file;
    tarn_world *again = NULL;
    tarn_error err = {0};
    if (++s->loads > s->most.loads) return 1;
    file.size = file.at = 0;
    const tarn_result saved = tarn_world_save(s->w, put, &file);
    if (saved == TARN_IO) return 1; // too long for the file
    if (saved != TARN_OK || tarn_world_load(get, &file, &s->host, &again, &err) != TARN_OK) {
        fprintf(stderr, "%s %s\n", err.key, err.text);
        abort();
    }
    if (tarn_world_hash(again) != tarn_world_hash(s->w)) abort();
    const int taken = s->steps, fine = step(s);
    tarn_world *first = s->w;
    s->w = again, s->steps = taken;
    const int then = step(s);
    if (then != fine || tarn_world_hash(again) != tarn_world_hash(first)) {
        fprintf(stderr, "loaded in step %d, goes on otherwise: %d %s and %d %s\n",
                (int)tarn_world_status(again).steps, fine, tarn_world_trouble(first), then,
                tarn_world_trouble(again));
        abort();
    }
    tarn_world_destroy(first);
    return fine;
}

// All bytes together say how long a story is (FNV-1a). Were it one of them, the fuzzer would soon tell long
// ones only: they reach more, so it keeps them, and what it makes of them is like them.
static struct limits length_of(const uint8_t *data, size_t size)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; ++i) hash = (hash ^ data[i]) * 16777619u;
    hash >>= 29;
    return hash == 0 ? lengthy : hash < 4 ? middling : brief;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct story s = {.data = data, .left = size < MOST_BYTES ? size : MOST_BYTES};
    s.most = length_of(data, s.left);
    int fine = begin(&s);
    while (fine && s.left) switch (byte(&s) % 12) {
        case 0:
        case 1: add_body(&s); break;
        case 2: add_joint(&s); break;
        case 3: add_emitter(&s); break;
        case 4: add_obstacle(&s); break;
        case 5:
        case 6: give_command(&s); break;
        case 7: touch(&s); break;
        case 8: fine = reload(&s); break;
        case 9: tarn_world_keep(s.w, byte(&s) % 2); break;
        default: fine = step(&s);
        }
    if (fine) fine = reload(&s);
    if (s.w) tarn_world_hash(s.w), tarn_world_ledger(s.w);
    tarn_world_destroy(s.w);
    return 0;
}
