// Tables of kinds that are defined in files of their own. After this include, a file with such a table has
//
//     #define KIND_PREFIX shape
//     #define SHAPE_KINDS(X) X(sphere) X(box)
//     SHAPE_KINDS(DECLARE_KIND)
//     static const struct shape_kind *const kinds[] = {SHAPE_KINDS(KIND_ADDRESS)};
//
// which declares  extern const struct shape_kind shape_sphere, shape_box  and lists their addresses.
#ifndef BASE_KIND_LIST_H
#define BASE_KIND_LIST_H

#define KIND_JOIN_TOKENS(a, b) a##_##b
#define KIND_JOIN(a, b)        KIND_JOIN_TOKENS(a, b)
#define DECLARE_KIND(name)     extern const struct KIND_JOIN(KIND_PREFIX, kind) KIND_JOIN(KIND_PREFIX, name);
#define KIND_ADDRESS(name)     &KIND_JOIN(KIND_PREFIX, name),

#endif
