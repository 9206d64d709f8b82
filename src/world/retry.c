// Steps that diverge are repeated from a backup with shorter substeps (host.retries). Called by
// tarn_world_advance().
#include "base/error.h"
#include "world.h"

#include <limits.h>
#include <string.h>

static void log_retry(tarn_world *w, const char *failure)
{
    enum { MAX_RETRY_MESSAGES = 10 };
    w->retry_count += w->retry_count < INT_MAX;
    if (w->retry_count <= MAX_RETRY_MESSAGES)
        log_message(&w->def.host.log, TARN_LOG_WARNING, "%s; step repeated with substeps of at most %.3g s%s",
                    failure, w->max_substep,
                    w->retry_count == MAX_RETRY_MESSAGES ? "; further repetitions are not reported" : "");
}

// A linear model without bodies needs no backup, which would cost a third of its speed.
bool world_can_diverge(const tarn_world *w)
{
    return w->bodies.body_count > 0 || !w->fluid.model->cannot_diverge;
}

// A step that diverges is repeated from the state before it, with substeps half as long as the shortest of
// the last attempt. If no attempt succeeds the world keeps the state before the step.
tarn_result world_step_with_retry(tarn_world *w)
{
    char failure[sizeof w->failure];
    if (!world_save_backup(w)) return world_take_step(w); // no memory for a backup
    tarn_result r = world_take_step(w);
    for (int n = 1; r == TARN_DIVERGED; ++n) {
        const double half = 0.5 * w->shortest_substep;
        memcpy(failure, w->failure, sizeof failure);
        const tarn_result restored = world_restore_backup(w);
        if (restored != TARN_OK) { // the diverged state stays, for inspection
            if (restored == TARN_NO_MEMORY) r = restored;
            break;
        }
        w->max_substep = half;
        if (n > w->def.host.retries) {
            memcpy(w->failure, failure, sizeof failure);
            break;
        }
        if (n == 1) log_retry(w, failure);
        r = world_take_step(w);
    }
    w->max_substep = 0.0;
    return r;
}
