// libFuzzer target: sequences of calls of any public functions with right and wrong arguments, in worlds of all
// models. No call crashes; a wrong one is refused and changes nothing; no result is undocumented. The functions
// and their arguments come from the headers (support/calls/calls.h), so new ones are called without being listed.
#include "calls/fixture.h"

enum { MOST_BYTES = 512, MOST_CALLS = 40, MOST_BODIES = 6, MOST_EMITTERS = 6, MOST_SUBSTEPS = 10 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Worlds that a sequence continues with: larger ones only take longer.
static bool is_small(const tarn_world *w)
{
    const tarn_world_status s = tarn_world_get_status(w);
    return s.body_count <= MOST_BODIES && s.emitter_count <= MOST_EMITTERS &&
           s.substeps_next <= MOST_SUBSTEPS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct caller originals[MODELS];
    const int model = size ? data[0] % MODELS : 0;
    if (!originals[model].original) begin_calls(&originals[model], model);
    struct caller c = originals[model];
    c.choose = choose_random;
    c.data = data, c.left = size < MOST_BYTES ? size : MOST_BYTES;
    next_byte(&c);
    if (tarn_world_clone(originals[model].original, NULL, &c.world, NULL) != TARN_OK) abort();
    for (int n = 0; n < MOST_CALLS && c.left && is_small(c.world); ++n) {
        const int function = (next_byte(&c) + 256 * (next_byte(&c) & 1)) % FUNCTIONS;
        make_call(&c, function);
        if (c.problem[0]) {
            fprintf(stderr, "model %d, call %d, %s: %s\n", model, n, c.function, c.problem);
            abort();
        }
        if (!c.world) return 0; // destroyed
        fill_ids(&c);
    }
    tarn_world_destroy(c.world);
    return 0;
}
