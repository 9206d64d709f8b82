// Bodies without a world: created, stepped, destroyed.
#ifndef TESTS_BODIES_FIXTURE_H
#define TESTS_BODIES_FIXTURE_H

#include "check.h"

#include "body/body.h"

struct bodies_fixture {
    struct memory memory;
    struct bodies bodies;
};

static inline struct bodies_fixture *fixture_create(void)
{
    struct bodies_fixture *s = calloc(1, sizeof *s);
    assert_non_null(s);
    memory_init(&s->memory, NULL);
    s->bodies.memory = &s->memory;
    return s;
}

static inline void fixture_destroy(struct bodies_fixture *s)
{
    bodies_free(&s->bodies);
    free(s);
}

static inline int add(struct bodies_fixture *s, const tarn_body_def *def)
{
    tarn_body_id id;
    tarn_error err = {0};
    const tarn_result r = bodies_add(&s->bodies, def, &id, &err);
    if (r != TARN_OK) print_message("%s: %s\n", err.key, err.message);
    CHECK_OK(r);
    return body_index(&s->bodies, id);
}

// Gravity, contacts, motion: the body part of a world step.
static inline void pass(struct bodies_fixture *s, const struct body_domain *w, double gravity, double dt,
                        int steps)
{
    const int parts = (int)ceil(dt / MAX_SOLVER_DT - 1e-6);
    for (int n = 0; n < steps; ++n) {
        assert_true(bodies_begin_step(&s->bodies, w, dt));
        for (int k = 0; k < parts; ++k) {
            for (int i = 0; i < s->bodies.slot_count; ++i) {
                const double m = s->bodies.slots[i].body->def.mass;
                s->bodies.applied[i] =
                    (struct applied_impulse){v3(0, -gravity * m * dt / parts, 0), .is_uniform = true};
            }
            bodies_advance(&s->bodies, w, dt / parts);
        }
        assert_true(bodies_end_step(&s->bodies, dt));
    }
}

#endif
