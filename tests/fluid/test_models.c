// The properties of a fluid model that the public API states are those of its implementation.
#include "fluid/fluid.h"

#include "check.h"

static void flags_describe_the_model(void **state)
{
    (void)state;
    for (int i = 0; fluid_kind_at(i); ++i) {
        const struct fluid_model *model = fluid_kind_at(i);
        const unsigned flags = model->kind.flags;
        assert_int_equal((flags & TARN_MODEL_PLANAR) != 0, model->planar != NULL);
        assert_int_equal((flags & TARN_MODEL_NO_FLUID) != 0, model->no_fluid);
        assert_int_equal((flags & TARN_MODEL_TERRAIN) != 0, model->height_field && model->height_field->edit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(flags_describe_the_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
