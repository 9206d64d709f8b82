// Creates bodies in worlds and reads their state.
#ifndef TESTS_BODY_QUERIES_H
#define TESTS_BODY_QUERIES_H

#include "check.h"

#include <tarn/tarn.h>

static inline tarn_body_id put(tarn_world *w, const tarn_body_def *def)
{
    tarn_body_id id = {0};
    tarn_error err = {0};
    const tarn_result r = tarn_body_create(w, def, &id, &err);
    if (r != TARN_OK) print_message("%s: %s\n", err.key, err.message);
    CHECK_OK(r);
    return id;
}

static inline tarn_body_state motion_of(const tarn_world *w, tarn_body_id id)
{
    tarn_body_state m;
    CHECK_OK(tarn_body_get_state(w, id, &m));
    return m;
}

static inline tarn_load load_of(const tarn_world *w, tarn_body_id id)
{
    tarn_load l;
    CHECK_OK(tarn_body_get_load(w, id, &l));
    return l;
}

#endif
