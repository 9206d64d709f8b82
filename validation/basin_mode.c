// Projection of the surface on a mode of a basin, and the frequency by Prony's method.
#include "basin_mode.h"

double mode_shape(const struct mode *mode, const tarn_frame *f, size_t c)
{
    const double x = ((double)(c % (size_t)f->nx) + 0.5) / f->nx;
    const double z = ((double)(c / (size_t)f->nx) + 0.5) / f->nz;
    return cos(mode->m * PI * x) * cos(mode->n * PI * z);
}

// Amplitude of a mode. The modes are orthogonal on the grid too.
static double project(const struct mode *mode, const tarn_frame *f)
{
    double sum = 0.0, norm = 0.0;

    for (size_t c = 0; c < (size_t)f->nx * (size_t)f->nz; ++c) {
        const double shape = mode_shape(mode, f, c);
        sum += shape * ((double)f->height[c] - f->level);
        norm += shape * shape;
    }
    return sum / norm;
}

// Prony's method: a damped oscillation satisfies a[k + s] = p a[k] - q a[k - s] with p = 2 sqrt(q) cos(w s
// dt). p and q are found by least squares, then w. s is chosen so that w s dt is about 1, where the cosine
// determines its argument well.
static double fit(const double *a, int count, double dt, double guess)
{
    const int s = (int)fmax(1.0, floor(1.0 / (guess * dt)));
    double xx = 0.0, xy = 0.0, yy = 0.0, xz = 0.0, yz = 0.0;

    for (int k = s; k + s < count; ++k) {
        xx += a[k] * a[k];
        xy += a[k] * a[k - s];
        yy += a[k - s] * a[k - s];
        xz += a[k] * a[k + s];
        yz += a[k - s] * a[k + s];
    }
    const double det = xx * yy - xy * xy, p = (xz * yy - yz * xy) / det, q = -(yz * xx - xz * xy) / det;
    return acos(p / (2.0 * sqrt(q))) / (s * dt);
}

double fit_mode_frequency(struct case_run *run, tarn_world *world, const struct mode *mode, double dt,
                          int count, double guess, double *time, double *amplitude)
{
    for (int k = 0; k < count; ++k) {
        case_steps(run, world, dt, 1);
        const tarn_frame *f = case_frame(run, world);
        if (!f) return NAN;
        time[k] = (k + 1) * dt;
        amplitude[k] = project(mode, f);
    }
    return fit(amplitude, count, dt, guess);
}
