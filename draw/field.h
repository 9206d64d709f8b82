// Views of one field of a frame as a flat picture with a scale.
#ifndef DRAW_FIELD_H
#define DRAW_FIELD_H

// The names of the fields, in a fixed order: each is the name of a view. NULL past the last.
const char *field_name(int index);

#endif
