// Categories of kinds by name: tarn_kind_at(), tarn_kind_find(), tarn_spec_init().
#include "base/error.h"
#include "body/joint/joint.h"
#include "fluid/bed.h"
#include "fluid/flow/obstacle/obstacle.h"
#include "world.h"

#include <string.h>

static const tarn_kind *fluid_at(int i) { return fluid_kind_at(i) ? &fluid_kind_at(i)->kind : NULL; }
static const tarn_kind *shape_at(int i) { return shape_kind_at(i) ? &shape_kind_at(i)->kind : NULL; }
static const tarn_kind *emitter_at(int i) { return emitter_kind_at(i) ? &emitter_kind_at(i)->kind : NULL; }
static const tarn_kind *bed_at(int i) { return bed_kind_at(i) ? &bed_kind_at(i)->kind : NULL; }
static const tarn_kind *joint_at(int i) { return joint_kind_at(i) ? &joint_kind_at(i)->kind : NULL; }
static const tarn_kind *obstacle_at(int i) { return obstacle_kind_at(i) ? &obstacle_kind_at(i)->kind : NULL; }
static const tarn_kind *placement_at(int i) { return i == 0 ? &placement_kind : NULL; }
static const tarn_kind *body_at(int i) { return i == 0 ? &body_kind : NULL; }
static const tarn_kind *part_at(int i) { return i == 0 ? &compound_child_kind : NULL; }
static const tarn_kind *world_at(int i) { return i == 0 ? &world_kind : NULL; }

static const struct {
    const char *name;
    const tarn_kind *(*at)(int index);
} categories[] = {
    {"world", world_at},       {"fluid", fluid_at},         {"bed", bed_at},     {"body", body_at},
    {"part", part_at},         {"shape", shape_at},         {"joint", joint_at}, {"emitter", emitter_at},
    {"obstacle", obstacle_at}, {"placement", placement_at},
};
#define CATEGORY_COUNT ((int)(sizeof categories / sizeof categories[0]))

const char *tarn_category_at(int index)
{
    return 0 <= index && index < CATEGORY_COUNT ? categories[index].name : NULL;
}

const tarn_kind *tarn_kind_at(const char *category, int index)
{
    for (int r = 0; category && r < CATEGORY_COUNT; ++r)
        if (strcmp(categories[r].name, category) == 0) return categories[r].at(index);
    return NULL;
}

const tarn_kind *tarn_kind_find(const char *category, const char *name)
{
    const tarn_kind *kind = NULL;
    for (int i = 0; name && (kind = tarn_kind_at(category, i)) && strcmp(kind->name, name) != 0;) ++i;
    return name ? kind : NULL;
}

tarn_result tarn_spec_init(tarn_spec *spec, const char *category, const char *kind, tarn_error *err)
{
    if (!spec || !category || !kind) return fail(err, TARN_BAD_ARGUMENT, "", "null pointer");
    memset(spec, 0, sizeof *spec);
    spec->kind = tarn_kind_find(category, kind);
    if (!spec->kind) return fail(err, TARN_BAD_INPUT, "", "unknown %s '%s'", category, kind);
    tarn_kind_init(spec->kind, spec->data);
    return TARN_OK;
}
