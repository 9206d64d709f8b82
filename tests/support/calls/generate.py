#!/usr/bin/env python3
"""Writes api_calls.h: for each public function one that calls it with arguments that `struct caller` chooses,
and a table of all of them. See calls.h.

usage: generate.py HEADER-FOLDER api_calls.h

A new function, struct or enum needs nothing here unless its right arguments do not follow from their types:
then an entry in RIGHT, or a function right_TYPE() in right_values.h. The test says "no call succeeds".
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "checks"))
import c_headers  # noqa: E402

NUMBER = r"-?\d[\d.]*(?:e[-+]?\d+)?"

# What takes the name of a file.
NOT_CALLED = {"tarn_scene_read", "tarn_scene_read_with_overrides", "tarn_mesh_file_inspect",
              "tarn_mesh_file_read", "tarn_mesh_file_free"}

# Pointers that may be null everywhere; for others their @param says "NULL: ..." or "may be NULL".
OPTIONAL = {"err", "notes", "allocator", "host", "filter", "tasks", "results", "ctx", "buffer",
            ("tarn_body_set_mass", "mass")}

# Right arguments that do not follow from their types: (function, parameter) or the name of a parameter.
RIGHT = {
    ("tarn_world_load", "ctx"): "c->file",
    ("tarn_world_snapshot", "buffer"): "pointer(c, allocate(c, c->snapshot_bytes), UNUSUAL)",
    ("tarn_world_snapshot", "capacity"): "size_of_bytes(c, c->snapshot_bytes)",
    ("tarn_world_restore", "buffer"): "pointer(c, c->snapshot, WRONG_ARGUMENT)",
    ("tarn_world_restore", "size"): "size_of_bytes(c, c->snapshot_bytes)",
    ("tarn_shape_release", "shape"): "shape_to_release(c)",
    ("tarn_shape_retain", "shape"): "retain_once(c)",
    ("tarn_thread_pool_destroy", "pool"): "make_pool()",
    ("tarn_thread_pool_tasks", "pool"): "owned(c, make_pool(), destroy_pool)",
    ("tarn_thread_pool_create", "thread_count"): "integer(c, 1, 1, 64)",
    ("tarn_scene_destroy", "scene"): "make_scene(c)",
    ("tarn_text_free", "text"): "tarn_scene_schema()",
    ("tarn_scene_parse", "text"): "pointer(c, c->scene_text, WRONG_ARGUMENT)",
    ("tarn_scene_parse", "size"): "strlen(c->scene_text)",
    ("tarn_kind_find", "category"): 'text_argument(c, "body", WRONG_ARGUMENT)',
    ("tarn_kind_at", "category"): 'text_argument(c, "body", WRONG_ARGUMENT)',
    ("tarn_kind_find", "name"): 'text_argument(c, "body", WRONG_ARGUMENT)',
    ("tarn_spec_init", "category"): 'text_argument(c, "body", WRONG_ARGUMENT)',
    ("tarn_spec_init", "kind"): 'text_argument(c, "body", WRONG_ARGUMENT)',
    ("tarn_body_find", "name"): 'text_argument(c, "crate", WRONG_ARGUMENT)',
    ("tarn_joint_find", "name"): 'text_argument(c, "hook", WRONG_ARGUMENT)',
    ("tarn_scene_parse", "name"): 'text_argument(c, "pond", WRONG_ARGUMENT)',
    ("tarn_scene_set", "path"): 'text_argument(c, "bodies[0].friction", WRONG_ARGUMENT)',
    ("tarn_mesh_inspect", "vertex_count"): "count_of(c, 4, WRONG_ARGUMENT)",
    ("tarn_mesh_inspect", "triangle_count"): "count_of(c, 4, WRONG_ARGUMENT)",
    ("tarn_mesh_inspect", "vertices"): "pointer(c, corners_of_solid, WRONG_ARGUMENT)",
    ("tarn_mesh_inspect", "triangles"): "pointer(c, faces_of_solid, WRONG_ARGUMENT)",
    ("tarn_value_table", "rows"): "pointer(c, corners_of_solid, UNUSUAL)",
    ("tarn_value_table", "count"): "2",
    ("tarn_value_text", "text"): 'text_argument(c, "a", UNUSUAL)',
    ("tarn_version_matches", "header_version"): "TARN_VERSION_NUMBER",
    ("tarn_worlds_step", "step_count"): "count_of(c, 1, WRONG_ARGUMENT)",
    ("tarn_worlds_step", "worlds"): "two_worlds(c)",
    ("tarn_worlds_advance", "worlds"): "two_worlds(c)",
    "data": "kind_data(c)",
    "dt": "number(c, 0.02, 1, 0, false)",
    "seconds": "number(c, 0.02, 1, 0, false)",
    "capacity": "count_of(c, 2, UNUSUAL)",
    "count": "count_of(c, 2, WRONG_ARGUMENT)",
    "index": "index_argument(c)",
    "name": 'text_argument(c, "density", WRONG_ARGUMENT)',
    "path": 'text_argument(c, "bodies[0].friction", WRONG_ARGUMENT)',
    ("tarn_body_create_with_shape", "def"): "body_def_for_shapes(c)",  # wrong ones: tarn_body_create
}

# Functions of the caller.
CALLBACKS = {"tarn_write_fn": "write_nowhere", "tarn_read_fn": "read_file", "tarn_flow_fn": "still_fluid"}

# Numbers of elements of arrays that a call takes, if not 2.
ELEMENTS = {"columns": "CELLS * CELLS", "void": "FIELD_BYTES"}

# What happens after a call.
AFTER = {"tarn_world_destroy": "if (world) c->world = NULL;",
         "tarn_frame_free": "", "tarn_diagnostics_free": ""}

# Functions that do not read every member: a wrong one may be accepted.
READS_SOME = {"tarn_shape_def_to_spec", "tarn_fluid_def_to_spec", "tarn_bed_def_to_spec",
              "tarn_emitter_def_to_spec", "tarn_world_apply_command", "tarn_body_set_def", "tarn_joint_set_def",
              "tarn_joint_def_to_spec", "tarn_obstacle_def_to_spec"}
# Functions that return a value for any argument.
RETURNS_ALWAYS = {"tarn_world_get_failure"}
# Queries at points: a point that is no number is outside of the domain.
ANYWHERE = {"tarn_flow_get_sample"}

# Objects behind pointers: how one is found or made.
OBJECTS = {"tarn_shape": "instance(c, 2) ? c->open_shape : c->shape",
           "tarn_scene": "owned(c, make_scene(c), destroy_scene)",
           "tarn_kind": 'tarn_kind_at("body", 0)', "tarn_param": "NULL"}
DESTROY = {"tarn_world": "destroy_world", "tarn_shape": "release_shape", "tarn_thread_pool": "destroy_pool",
           "tarn_scene": "destroy_scene"}

# Members that are right or wrong in other ways: a statement. `x` is the struct.
MEMBERS = {
    "tarn_strided.stride": "x->stride = stride_of(c, x->stride);",
    "tarn_value.row_count": "", "tarn_value.rows": "", "tarn_spec.data": "", "tarn_spec.kind": "",
    "tarn_joint_def.body_a": "x->body_a.value = wrong_id(c, x->body_a.value, WRONG_VALUE);",
    "tarn_world_def.coupling_strength": "",
    "tarn_frame.capacity": "", "tarn_frame.allocator": "", "tarn_ocean_source.sample": "",
}


class Writer:
    def __init__(self, header):
        self.header, self.lines, self.spoiled, self.passed = header, [], set(), set()
        by_hand = (HERE / "right_values.h").read_text()
        self.by_hand = set(re.findall(r"right_(tarn_\w+)\(struct caller", by_hand))
        self.id_kinds = [n for n in header.structs if re.fullmatch(r"tarn_\w+_id", n)]

    def put(self, *lines):
        self.lines += lines

    # ---- structs: right values, and members spoiled one at a time ----

    def right(self, name):
        """right_NAME(c, x) fills a struct: by hand, by its defaults function, or with zeros."""
        if name in self.by_hand:
            return
        short = re.sub(r"^tarn_|_def$", "", name)
        function = self.header.functions.get(f"tarn_default_{short}_def")
        body = "memset(x, 0, sizeof *x);"
        if function and not function[1]:
            body = f"*x = tarn_default_{short}_def();"
        elif function:
            enum = function[1][0].split()[0]
            body = f"*x = tarn_default_{short}_def(({enum})instance(c, {len(self.header.enums[enum])}));"
        self.put(f"static void right_{name}(struct caller *c, {name} *x)", "{", "    (void)c;", f"    {body}",
                 "}", "")

    def ranges(self, comment):
        found = re.search(rf"(?<![\w.])({NUMBER}) \.\. ({NUMBER})", comment)
        low, high = (found[1], found[2]) if found else ("1", "0")
        open_ = "NAN" in comment or "INFINITY" in comment
        return f"{low}, {high}, {'true' if open_ else 'false'}", f"{low}, {high}"

    def member(self, owner, member):
        key, place = f"{owner}.{member.path}", f"x->{member.path}"
        number, whole = self.ranges(member.comment)
        if key in MEMBERS:
            return [MEMBERS[key]]
        if "reserved" in member.path or member.type in ("bool", "function", "void"):
            return []
        if member.pointer:
            return [f"{place} = pointer(c, {place}, UNUSUAL);"]
        if member.type == "char":
            return [f"text_member(c, {place}, sizeof {place});"] if member.dims else []
        if member.dims:
            place += "[0]" * len(member.dims)
        if member.type in ("tarn_vec2", "tarn_vec3", "tarn_quat"):
            axes = {"tarn_vec2": "xy", "tarn_vec3": "xyz", "tarn_quat": "wxyz"}[member.type]
            return [f'c->member = "{member.path}.{a}", {place}.{a} = number(c, {place}.{a}, {number});'
                    for a in axes]
        if member.type in self.header.structs:
            if member.type in self.id_kinds:
                return [f"{place}.value = wrong_id(c, {place}.value, UNUSUAL);"]
            self.spoil(member.type)
            return [f"spoil_{member.type}(c, &{place});"]
        if member.type in self.header.enums:
            return [f"{place} = ({member.type})enumerator(c, (int){place}, WRONG_VALUE);"]
        if member.type in ("double", "float"):
            return [f"{place} = number(c, {place}, {number});"]
        if member.type in ("int", "int32_t"):
            if re.search(r"count$|^n[xyz]$|^stride$", member.path):
                return [f"{place} = count_of(c, {place}, UNUSUAL);"]
            return [f"{place} = integer(c, {place}, {whole});"]
        return [f"{place} = ({member.type})bits(c, {place});"]

    def spoil(self, name):
        if name in self.spoiled:
            return
        self.spoiled.add(name)
        members = self.header.structs[name]
        union = [m for m in members if m.in_union and m.type in self.header.structs]
        lines = []
        for member in members:
            statements = self.member(name, member) if not member.in_union else []
            lines += [f'c->member = "{member.path}";'] * (statements not in ([], [""])) + statements
        tag = next((m.type for m in members if m.path == "type" and m.type in self.header.enums), None)
        if union and tag:
            lines.append("switch ((int)x->type) {")
            for enumerator in self.header.enums[tag]:
                kind = next((m for m in union if enumerator.endswith("_" + m.path.upper())), None)
                if kind:
                    lines.append(f"case {enumerator}: {' '.join(self.member(name, kind))} break;")
            lines.append("default: break;")
            lines.append("}")
        if not "".join(lines):
            lines = ["(void)c, (void)x;"]
        lines = ["    " + line for line in lines]
        self.put(f"static void spoil_{name}(struct caller *c, {name} *x)", "{", *lines, "}", "")

    def passing(self, name):
        """pass_NAME(c, count, null): an array whose first element may be spoiled."""
        if name in self.passed:
            return
        self.passed.add(name)
        if name in self.id_kinds:
            kind = "ID_" + name[5:-3]
            fill = f"x[i].value = wrong_id(c, id_at(c, {kind}, i), WRONG_ARGUMENT);"
            spoil = ""
        else:
            self.right(name)
            self.spoil(name)
            fill, spoil = f"right_{name}(c, &x[i]);", f'    spoil_{name}(c, &x[0]), c->member = "";'
        self.put(f"static {name} *pass_{name}(struct caller *c, int count, unsigned null)", "{",
                 f"    {name} *x = allocate(c, sizeof *x * (size_t)count);",
                 "    const unsigned wrong_before = c->wrong;",
                 f"    for (int i = 0; i < count; ++i) {fill}", spoil,
                 "    return pointer_to_spoiled(c, x, null, wrong_before);", "}", "")

    # ---- arguments ----

    def argument(self, function, parameter):
        """An expression for one argument."""
        const = parameter.startswith("const ")
        words = [w for w in parameter.split() if w not in ("const", "*")]
        base, name, stars = words[0], words[-1], parameter.count("*")
        right = RIGHT.get((function, name), RIGHT.get(name) if (name != "name" or base == "char") else None)
        if (function, name) in RIGHT or right is not None and base not in self.header.structs:
            return right
        said = re.search(rf"@param {name} [^@]*(NULL:|may be NULL)", self.header.comments.get(function, ""))
        optional = said or name in OPTIONAL or (function, name) in OPTIONAL
        null = "UNUSUAL" if optional else "WRONG_ARGUMENT"
        if self.header.functions[function][0] == "void":
            null = "UNUSUAL"
        if base in CALLBACKS:
            return f'(pointer(c, "", WRONG_ARGUMENT) ? {CALLBACKS[base]} : NULL)'
        if stars == 0:
            return self.value(base)
        if stars == 2:
            if base in DESTROY and not const:
                return f"new_object(c, {DESTROY[base]})"
            return f"pointer(c, allocate(c, sizeof(void *)), {null})"
        if base == "tarn_world":
            return f"pointer(c, {'c->second' if name in ('source', 'b') else 'c->world'}, {null})"
        if base == "tarn_error":
            return "error_argument(c)"
        if base in OBJECTS:
            return f"pointer(c, {OBJECTS[base]}, {null})"
        if base == "tarn_diagnostics":
            return f"owned(c, allocate(c, sizeof(tarn_diagnostics)), free_notes)"
        if base == "tarn_frame":
            return f"pointer(c, owned(c, allocate(c, sizeof(tarn_frame)), free_frame), {null})"
        listed = any(re.search(r"\bint (count|capacity)$", p) for p in self.header.functions[function][1])
        count = ELEMENTS.get(name, ELEMENTS.get(base, "2" if listed else "1"))
        if base in self.header.structs and (const or name == "spec"):
            self.passing(base)
            return f"pass_{base}(c, {count}, {null})"
        if base == "double" and const:
            return f"pass_doubles(c, {count}, {null})"
        size = "1" if base == "void" else f"sizeof({base})"
        if listed and re.search(r"capacity$", " ".join(self.header.functions[function][1])):
            null = "UNUSUAL"
        return f"pointer(c, allocate(c, {size} * (size_t)({count})), {null})"

    def value(self, base):
        if base in self.id_kinds:
            kind = "ID_" + base[5:-3]
            return f"({base}){{wrong_id(c, id_at(c, {kind}, instance(c, 2)), WRONG_ARGUMENT)}}"
        if base in self.header.structs:
            self.passing(base)
            return f"*pass_{base}(c, 1, 0)"
        if base in self.header.enums:
            count = len(self.header.enums[base])
            return f"({base})enumerator(c, instance(c, {count}), WRONG_ARGUMENT)"
        if base in ("double", "float"):
            return "number(c, 0.3, 1, 0, false)"
        if base == "int":
            return "integer(c, 1, 1, 0)"
        if base == "bool":
            return "true"
        if base == "size_t":
            return "size_of_bytes(c, 1)"
        return f"({base})bits(c, 1)"

    # ---- functions ----

    def call(self, function):
        result, parameters = self.header.functions[function]
        lines, names = [], []
        for parameter in parameters:
            name = parameter.split()[-1]
            expression = self.argument(function, parameter)
            kind = parameter[:parameter.rindex(name)].strip()
            lines.append(f'    c->argument = "{name}", c->member = "";')
            lines.append(f"    {kind} {name} = {expression};".replace(" * ", " *"))
            names.append(name)
        worlds = [p for p in parameters if re.match(r"(const )?tarn_world \*", p)]
        if function in READS_SOME | ANYWHERE:
            lines.append("    if (c->wrong & WRONG_VALUE) c->wrong = UNUSUAL;")
        reads_only = "true" if all(p.startswith("const") for p in worlds) else "false"
        lines.append(f"    c->reads_only = {reads_only};")
        call = f"{function}({', '.join(names)})"
        if result == "void":
            lines += [f"    {call};", "    c->result = TARN_OK;"]
        elif result == "tarn_result":
            lines.append(f"    end_of_result(c, {call});")
        elif result == "char *":
            lines += [f"    char *value = owned(c, {call}, free_text);",
                      "    end_of_value(c, &value, sizeof value);"]
        elif function in RETURNS_ALWAYS or function.startswith("tarn_default_"):
            lines += [f"    {call};", "    c->result = TARN_OK;"]
        else:
            parts = [f"value.{m.path}" for m in self.header.structs.get(result, []) if not m.in_union]
            lines.append(f"    {result} value = {call};")
            lines += [f"    end_of_value(c, &{v}, sizeof {v});" for v in parts or ["value"]]
        if AFTER.get(function):
            lines.append(f"    {AFTER[function]}")
        self.put(f"static void call_{function}(struct caller *c)", "{", *lines, "}", "")

    def write(self):
        self.put("// Written by tests/support/calls/generate.py from the public headers.")
        self.put('#include "calls.h"', "")
        self.put("enum { " + ", ".join("ID_" + n[5:-3] for n in self.id_kinds) + " };",
                 f'_Static_assert({len(self.id_kinds)} <= ID_KINDS, "kinds of ids");', "",
                 '#include "right_values.h"', "")
        functions = [f for f in self.header.functions if f not in NOT_CALLED]
        for function in functions:
            self.call(function)
        self.put("static const struct {", "    const char *name;", "    void (*call)(struct caller *c);",
                 "    bool has_result; // a tarn_result", "    bool has_world;",
                 "    bool has_const_world; // and no other", "} api_calls[] = {")
        for function in functions:
            result, parameters = self.header.functions[function]
            worlds = [p for p in parameters if "tarn_world *" in p]
            const = worlds != [] and all(p.startswith("const ") for p in worlds)
            flags = [result == "tarn_result", worlds != [], const]
            self.put(f'    {{"{function}", call_{function}, {", ".join(str(f).lower() for f in flags)}}},')
        self.put("};", "")
        return "\n".join(self.lines)


pathlib.Path(sys.argv[2]).write_text(Writer(c_headers.read_folder(sys.argv[1])).write())
