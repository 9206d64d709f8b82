// Plots of curves with axes, legend and title, drawn without OpenGL.
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

enum { PLOT_WIDTH = 960, PLOT_HEIGHT = 600 };

enum plot_style {
    PLOT_FILLED,    // filled down to the axis
    PLOT_REFERENCE, // wide and pale; drawn below the other curves
    PLOT_COMPUTED,
    PLOT_SECONDARY
};

struct plot_curve {
    const char *name; // in the legend; empty: not listed
    int n;
    const double *x, *y; // a point that is not finite makes a gap
    enum plot_style style;
};

struct plot {
    const char *title, *x_label, *y_label;
    const struct plot_curve *curves; // drawn in this order
    int curve_count;
};

// Draw into rows from the top, 3 bytes per pixel. Returns 0, or -1 without memory.
int plot_draw(const struct plot *plot, unsigned char *rgb);

#endif
