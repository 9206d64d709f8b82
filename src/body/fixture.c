// What stands in the way of bodies or moves as it is told: it touches like a body, and gives way like a wall.
#include "contact.h"
#include "touch.h"

// A body and a fixture as it is seen, across a periodic side perhaps.
struct meeting {
    int body, number;
    const struct fixture *fixture;
    vec3 at;
    mat3 axes;
    double reach;
};

static bool add(struct bodies *b, const struct meeting *m, int piece, const struct manifold *f)
{
    struct contact like = {.a = m->body,
                           .b = -1,
                           .piece_a = piece,
                           .piece_b = m->number + 1,
                           .shift = 4,
                           .count = f->count,
                           .lay_at = m->at};
    const struct body_hot *h = &b->hot[m->body];
    like.normal = quat_turn_back(h->rotation, f->normal);
    for (int k = 0; k < f->count; ++k) {
        like.holds[k].on_a = quat_turn_back(h->rotation, v3_sub(f->spots[k].on_a, h->position));
        like.holds[k].on_b = f->spots[k].on_b;
    }
    return f->count == 0 || contact_add(b, &like) != NULL;
}

static bool meet(struct bodies *b, const struct meeting *m)
{
    const struct form *mine = &b->slots[m->body].cold->figure->form, *other = &m->fixture->form;
    for (int i = 0; i < mine->piece_count; ++i) {
        const struct placed p =
            piece_placed(&mine->pieces[i], b->hot[m->body].position, &b->engine->axes[m->body]);
        for (int k = 0; k < other->piece_count; ++k) {
            const struct placed q = piece_placed(&other->pieces[k], m->at, &m->axes);
            const vec3 apart = v3_sub(q.at, p.at);
            const double far = p.piece->radius + q.piece->radius + m->reach;
            struct manifold f;
            if (v3_dot(apart, apart) > far * far) continue;
            touch_pieces(&p, &q, m->reach, &f);
            if (!add(b, m, i, &f)) return false;
        }
    }
    return true;
}

bool fixture_contacts(struct bodies *b, const struct walls *w, int i)
{
    const double radius = b->slots[i].cold->figure->radius;
    const int far_x = w->wrap[0] > 0.0, far_z = w->wrap[1] > 0.0;
    for (int n = 0; n < w->fixture_count; ++n) {
        const struct fixture *f = &w->fixtures[n];
        const double speed = v3_length(f->velocity) + f->radius * v3_length(f->spin);
        struct meeting m = {.body = i, .number = n, .fixture = f, .axes = quat_matrix(f->rotation)};
        m.reach = b->engine->reach[i] + b->engine->within * speed;
        for (int x = -far_x; x <= far_x; ++x)
            for (int z = -far_z; z <= far_z; ++z) {
                m.at = v3_add(f->position, v3(x * w->wrap[0], 0.0, z * w->wrap[1]));
                const vec3 apart = v3_sub(m.at, b->hot[i].position);
                const double far = f->radius + radius + m.reach;
                if (v3_dot(apart, apart) <= far * far && !meet(b, &m)) return false;
            }
    }
    return true;
}
