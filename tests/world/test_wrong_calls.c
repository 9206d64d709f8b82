// Every public function, in a world of every model, with each of its arguments wrong in turn: the result is
// the documented one, the world is unchanged, and nothing is lost. See support/calls/calls.h.
#include "check.h"

#include "calls/fixture.h"

static int calls, problems;
static bool accepted[FUNCTIONS];

static void report(const struct caller *c, int model)
{
    static const char *const names[MODELS] = {"wave", "shallow", "implicit", "flow", "none", "ocean"};
    if (!c->problem[0]) return;
    print_message("%s, %s: %s, wrong value %d: %s\n", names[model], c->function,
                  c->place[0] ? c->place : "right arguments", c->wrong_variant, c->problem);
    ++problems;
}

// A call on a clone of the world; one that a call has changed is not used again.
static void call_on_clone(struct caller *c, int function)
{
    if (!c->world) CHECK_OK(tarn_world_clone(c->original, NULL, &c->world, NULL));
    make_call(c, function);
    ++calls;
    if (c->reads_only || c->result == TARN_BAD_ARGUMENT || c->result == TARN_BAD_INPUT) return;
    tarn_world_destroy(c->world);
    c->world = NULL;
}

// One site after the other gets each of its wrong values. `strict`: the call with right arguments succeeds.
static void spoil_each_site(struct caller *c, int function, int model, bool strict)
{
    int variants[MOST_SITES];
    const int sites = c->site;
    memcpy(variants, c->variants, sizeof variants);
    for (c->wrong_site = 0; c->wrong_site < sites; ++c->wrong_site)
        for (c->wrong_variant = 1; c->wrong_variant < variants[c->wrong_site]; ++c->wrong_variant) {
            call_on_clone(c, function);
            if (strict && c->wrong & WRONG_ARGUMENT && c->result != TARN_BAD_ARGUMENT &&
                api_calls[function].has_result)
                PROBLEM(c, "returns %d instead of TARN_BAD_ARGUMENT", (int)c->result);
            if (strict && c->wrong & WRONG_VALUE && c->result != TARN_BAD_ARGUMENT &&
                c->result != TARN_BAD_INPUT && api_calls[function].has_result)
                PROBLEM(c, "returns %d instead of TARN_BAD_INPUT", (int)c->result);
            report(c, model);
        }
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    for (int model = 0; model < MODELS; ++model) {
        struct caller *c = calloc(1, sizeof *c);
        assert_non_null(c);
        c->choose = choose_planned;
        begin_calls(c, model);
        for (int f = 0; f < FUNCTIONS; ++f) {
            if (model > 0 && !api_calls[f].has_world) continue;
            c->instances = 1;
            for (c->instance = 0; c->instance < c->instances; ++c->instance) {
                c->wrong_site = -1, c->wrong_variant = 0;
                call_on_clone(c, f);
                report(c, model);
                accepted[f] = accepted[f] || c->result == TARN_OK;
                spoil_each_site(c, f, model, c->result == TARN_OK);
            }
        }
        end_calls(c);
        free(c);
    }
    for (int f = 0; f < FUNCTIONS; ++f)
        if (!accepted[f]) print_message("%s: no call succeeds\n", api_calls[f].name), ++problems;
    print_message("%d calls of %d functions, %d problems\n", calls, FUNCTIONS, problems);
    assert_int_equal(problems, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_calls_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
