#!/usr/bin/env python3
"""Every member of a typed definition has exactly one parameter, and every parameter exactly one member; unit,
default, range and `live` mark of the parameter are those in the comment of the member, and
tarn_default_..._def() returns these defaults.

usage: api_params.py LIBRARY [COMPILER-ARGUMENTS...]
       (LIBRARY: libtarn.a or libtarn.so)

Definitions are what functions tarn_default_X_def() return: with an argument `type`, a tagged union whose
members are the kinds of the category X in the order of its enum (other members belong to each kind); without
one, a struct whose members are the parameters of X. A C program that is generated from the headers prints
offsets, sizes, defaults and the tables.

The comment of a member:  [unit] default, lowest .. highest, live: meaning
  [unit]   is left out, or [-], for plain numbers
  default  a number, NAN, one for each component, an enumerator, true, false; nothing for texts
  range    left out for enumerators, flags, texts and bits; followed by "each" for vectors
  meaning  after a colon, a semicolon or a comma
Arrays say "[m] 2 .. 48 points: ..." and contain the range of their numbers.
"""
import copy
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import c_headers

# Members without a parameter: what no text can say, or what only C knows.
NO_PARAMETER = {
    "tarn_mesh_shape.mesh": "triangles; a scene names a file",
    "tarn_compound.children": "shapes; a scene has an array of parts",
    "tarn_compound.child_count": "of children",
    "tarn_body_def.shape": "a shape; a scene has an object",
    "tarn_body_def.user_data": "a number of the application",
    "tarn_heightmap_bed.map": "heights; a scene names a file",
    "tarn_esri_bed.map": "likewise",
    "tarn_world_def.fluid": "a definition; a scene has an object",
    "tarn_world_def.beds": "likewise",
    "tarn_world_def.bed_count": "of terms",
    "tarn_world_def.host": "no part of the state",
    "tarn_joint_def.name": "of scene files in general",
    "tarn_joint_def.body_a": "an id; a scene has a name",
    "tarn_joint_def.body_b": "likewise",
    "tarn_joint_def.anchor_a": "of all kinds; a scene has it beside the parameters of the kind",
    "tarn_joint_def.anchor_b": "likewise",
    "tarn_joint_def.user_data": "a number of the application",
    "tarn_obstacle_bitmap.cells": "bytes; a scene has rows of text or names a file",
    "tarn_obstacle_bitmap.nx": "likewise",
    "tarn_obstacle_bitmap.ny": "likewise",
}
# Live for the functions of the C API, but not by name: what is no part of the state.
LIVE_IN_C = {"tarn_body_def.colour", "tarn_body_def.appearance"}
# Parameters without a member: what only scene files have.
NO_MEMBER = {("shape", "mesh", "file"), ("obstacle", "bitmap", "file"), ("bed", "heightmap", "file"),
             ("bed", "esri", "file"), ("bed", "esri", "missing")}
# Category with parameters for every kind of another category, over the same struct.
COMMON = {"obstacle": "placement"}

TYPES = ["", "NUMBER", "INTEGER", "FLAG", "VEC2", "VEC3", "QUAT", "INT2", "CHOICE", "TEXT", "FILE", "TABLE",
         "INT3", "BITS"]
LAYOUT = {"NUMBER": "d", "INTEGER": "i", "FLAG": "?", "VEC2": "2d", "VEC3": "3d", "QUAT": "4d", "INT2": "2i",
          "CHOICE": "i", "INT3": "3i", "BITS": "Q"}
WHOLE = {"tarn_vec2", "tarn_vec3", "tarn_quat"}  # structs that are one value
LIVE, NAN_ALLOWED, DEGREES = 1, 2, 16
NUMBER = r"[-+]?(?:NAN|INFINITY|(?:\d+ )?pi|\d[\d.]*(?:e[-+]?\d+)?)(?:/\d+)?"
COMMENT = re.compile(rf"(?:\[[^\]]*\],? ?)?"
                     rf"(?:(?P<numbers>{NUMBER}(?: {NUMBER})*)(?!\s*\.\.)"
                     rf"|(?P<word>TARN_\w+|true|false|all bits))?"
                     rf"(?:,? ?(?P<low>{NUMBER}) \.\. (?P<high>{NUMBER})(?: each)?)?(?P<live>,? live)?"
                     r"(?=[,:;]|$)")


def number(text):
    sign, text = (-1.0, text[1:]) if text.startswith("-") else (1.0, text)
    above, _, below = text.partition("/")
    if above.endswith(" pi"):
        return sign * float(above[:-3]) * math.pi / float(below or 1)
    words = {"NAN": math.nan, "INFINITY": math.inf, "pi": math.pi}
    return sign * (words[above] if above in words else float(above)) / float(below or 1)


def same(a, b):
    return a == b or math.isclose(a, b, rel_tol=1e-15) or (math.isnan(a) and math.isnan(b))


# ---- what the headers say --------------------------------------------------------------------------

def leaves(header, name, prefix=""):
    """Members of a struct that are one value each; structs within are followed, other definitions are not."""
    for member in header.structs[name]:
        member = copy.copy(member)
        inner = member.type in header.structs and not member.pointer and member.type not in WHOLE
        member.key = f"{name}.{member.path}"
        member.path = prefix + member.path
        if member.dims and (inner or member.type in header.enums):
            for index in range(int(member.dims[0])):
                yield from elements(header, member, index)
            continue
        if inner and member.type.endswith("_def") or "reserved" in member.path:
            continue
        if inner and member.key not in NO_PARAMETER and not is_table(header, member):
            for part in leaves(header, member.type, member.path + "."):
                part.comment = inherit(member.comment, part.comment)
                part.in_union = part.in_union or member.in_union
                yield part
        else:
            yield member


def elements(header, member, index):
    """The element of an array of structs or of enumerators."""
    element = copy.copy(member)
    element.path, element.dims = f"{member.path}[{index}]", []
    if member.type in header.structs:
        yield from leaves(header, member.type, element.path + ".")
    else:
        yield element


def components(member):
    """The components of a vector, which may have a parameter each: the default of one of them."""
    found = re.match(rf"((?:\[[^\]]*\],? ?)?)({NUMBER}) ({NUMBER})(.*)", member.comment)
    for index, name in enumerate(("x", "y") if found and member.type == "tarn_vec2" else ()):
        part = copy.copy(member)
        part.path, part.type = f"{member.path}.{name}", "double"
        part.comment = found[1] + found[2 + index] + found[4]
        yield part


def inherit(outer, comment):
    """The comment of a member of a struct whose own comment is a unit and a range for all of its members."""
    found = re.fullmatch(rf"(\[[^\]]*\]) ({NUMBER} \.\. {NUMBER})", outer)
    return re.sub(r"^([^,:]*)", rf"{found[1]} \1, {found[2]}", comment) if found else comment


def is_table(header, member):
    return [m.path for m in header.structs[member.type]] == ["count", "rows"]


def definitions(header):
    """(call, base within the struct, type of the struct, category, index or name of the kind, members)"""
    for function, (result, parameters) in header.functions.items():
        found = re.fullmatch(r"tarn_default_(\w+)_def", function)
        if not found or result not in header.structs:
            continue
        if not parameters:
            members = [m for m in leaves(header, result) if not m.in_union]
            yield f"{function}()", "", result, found[1], 0, members
            continue
        enum = parameters[0].split()[0]
        union = [m for m in header.structs[result] if m.in_union and m.type in header.structs]
        common = [m for m in leaves(header, result) if not m.in_union and m.type != enum]
        for index, enumerator in enumerate(header.enums[enum]):
            kind = next((m for m in union if enumerator.endswith("_" + m.path.upper())), None)
            members = list(leaves(header, kind.type, kind.path + ".")) if kind else []
            base = "" if common else "space"
            yield f"{function}({enumerator})", base, result, found[1], index, common + members


# ---- what the library says -------------------------------------------------------------------------

PRINTER = r"""#include <tarn/tarn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#define MEMBER(type, base, path) \
    printf(" M %s %ld %zu\n", #path, (long)offsetof(type, path) - (long)(base), sizeof((type *)0)->path)

static void print_params(const tarn_kind *k, const tarn_kind *common)
{
    if (!k) printf(" K none\n");
    else printf(" K %s %s\n", k->category, k->name);
    for (int i = 0; k && i < k->param_count; ++i) {
        const tarn_param *p = &k->params[i];
        int choices = 0;
        while (p->choices && p->choices[choices]) ++choices;
        printf(" P %s|%d|%s|%u|%zu|%d|%d|%zu|%d|%.17g|%.17g", p->name, (int)p->type, p->unit, p->flags,
               p->offset, p->columns, p->rows, p->count_offset, choices, p->min, p->max);
        for (int n = 0; n < 4; ++n) printf("|%.17g", p->initial[n]);
        printf("\n");
    }
    if (common) print_params(common, NULL);
}

// The kind of a category, or of the only category that has one of this name.
static const tarn_kind *kind_of(const char *name, int index)
{
    const tarn_kind *k = tarn_kind_at(name, index);
    for (int i = 0; tarn_category_at(i) && !k; ++i) k = tarn_kind_find(tarn_category_at(i), name);
    return k;
}

static void print_bytes(const void *data, size_t base, size_t size)
{
    printf("D ");
    for (size_t i = base; i < size; ++i) printf("%02x", ((const unsigned char *)data)[i]);
    printf("\n");
}
"""


def common(category):
    return f'tarn_kind_at("{COMMON[category]}", 0)' if category in COMMON else "NULL"


def program(definitions_):
    lines = [PRINTER, "int main(void)", "{"]
    for call, base, result, category, index, members in definitions_:
        offset = f"offsetof({result}, {base})" if base else "0"
        lines += [f"    {{ const {result} d = {call};", f"      print_bytes(&d, {offset}, sizeof d);",
                  f'      print_params(kind_of("{category}", {index}), {common(category)});']
        lines += [f"      MEMBER({result}, {offset}, {m.path});" for m in members]
        lines += ["    }"]
    return "\n".join(lines + ["    return 0;", "}", ""])


def run(source, library, arguments):
    include = c_headers.FOLDER.parent
    with tempfile.TemporaryDirectory() as folder:
        exe = pathlib.Path(folder) / "params"
        subprocess.run([os.environ.get("CC", "cc"), "-std=c17", f"-I{include}", "-xc", "-", "-xnone", library,
                        "-o", exe, f"-Wl,-rpath,{pathlib.Path(library).parent}", "-lm",
                        "-lpthread", *arguments],
                       input=source, text=True, check=True)
        return subprocess.run([exe], check=True, capture_output=True, text=True).stdout


def read_output(text):
    """For each definition: kind (None: no such kind), parameters, bytes of the default, places of members."""
    out = []
    for line in text.splitlines():
        mark, rest = line.split(maxsplit=1)
        if mark == "D":
            out.append({"kind": None, "params": [], "bytes": bytes.fromhex(rest), "places": {}})
        elif mark == "K":
            out[-1]["kind"] = out[-1]["kind"] or (None if rest == "none" else tuple(rest.split()))
        elif mark == "M":
            path, offset, size = rest.split()
            out[-1]["places"][path] = (int(offset), int(size))
        elif mark == "P":
            name, type_, unit, *numbers = rest.split("|")
            keys = ["flags", "offset", "columns", "rows", "count_offset", "choices"]
            out[-1]["params"].append({"name": name, "type": TYPES[int(type_)], "unit": unit,
                                      **dict(zip(keys, map(int, numbers[:6]))), "min": float(numbers[6]),
                                      "max": float(numbers[7]), "initial": [float(x) for x in numbers[8:]]})
    return out


# ---- comparison ------------------------------------------------------------------------------------

def param_size(param):
    if param["type"] in LAYOUT:
        return struct.calcsize("=" + LAYOUT[param["type"]])
    if param["type"] == "TABLE":
        return 8 if param["count_offset"] else 8 + 8 * param["columns"] * param["rows"]
    return {"TEXT": 64, "FILE": 256}[param["type"]]


def is_angle(param):
    return param["flags"] & DEGREES != 0


def told(param, text):
    """A number of a comment in the unit of the parameter: angles are radians in C and degrees in files."""
    return math.degrees(number(text)) if is_angle(param) else number(text)


def compare_table(member, param):
    pairs = [(number(a), number(b)) for a, b in re.findall(rf"({NUMBER}) \.\. ({NUMBER})", member.comment)]
    if not any(high == param["rows"] for _, high in pairs) and str(param["rows"]) not in member.comment:
        yield f"at most {param['rows']} rows, which '{member.comment}' does not say"
    if not any(low == param["min"] for low, _ in pairs) or not any(high == param["max"] for _, high in pairs):
        yield f"numbers of {param['min']:g} .. {param['max']:g}, which '{member.comment}' does not say"


def compare_default(header, member, param, said):
    """The default in the comment against that of the parameter."""
    count = {"VEC2": 2, "INT2": 2, "VEC3": 3, "INT3": 3, "QUAT": 4}.get(param["type"], 1)
    initial = param["initial"][:count]
    word = said["word"]
    if param["type"] == "FLAG":
        value = [{"true": 1.0, "false": 0.0}.get(word, math.nan)]
    elif param["type"] == "CHOICE":
        names = next((e for e in header.enums.values() if word in e), [])
        value = [float(names.index(word))] if names else [math.nan]
        if len(names) != param["choices"]:
            yield f"{param['choices']} choices and {len(names)} enumerators beside {word}"
    elif word == "all bits":
        value = [-1.0]
    else:
        value = [told(param, x) for x in (said["numbers"] or "").split()]
    if len(value) != count or not all(same(a, b) for a, b in zip(value, initial)):
        yield f"default {initial}, the comment says {said['numbers'] or word}"


def compare_comment(header, member, param):
    if param["type"] in ("TEXT", "FILE"):
        return
    unit = (re.match(r"\[([^\]]*)\]", member.comment) or ["", "-"])[1]
    if {"-": "", "rad": "degrees" if is_angle(param) else "rad"}.get(unit, unit) != param["unit"]:
        yield f"unit '{param['unit']}', the comment says '{unit}'"
    if param["type"] == "TABLE":
        yield from compare_table(member, param)
        return
    said = COMMENT.match(member.comment)
    if not said:
        yield f"the comment '{member.comment}' is not of the form 'default, lowest .. highest: meaning'"
        return
    yield from compare_default(header, member, param, said)
    live = param["flags"] & LIVE != 0 or member.key in LIVE_IN_C
    if live != (said["live"] is not None):
        yield "live in one of comment and parameter only"
    if (param["flags"] & NAN_ALLOWED != 0) != (said["numbers"] == "NAN"):
        yield "NAN in one of comment and parameter only"
    if param["type"] in ("CHOICE", "FLAG", "BITS", "QUAT"):
        return
    if said["low"] is None:
        yield f"range {param['min']:g} .. {param['max']:g}, none in the comment '{member.comment}'"
    elif not all(same(told(param, said[k]), param[v]) for k, v in (("low", "min"), ("high", "max"))):
        text = f"{said['low']} .. {said['high']}"
        yield f"range {param['min']:g} .. {param['max']:g}, the comment says {text}"


def compare_value(param, data):
    """What tarn_default_X_def() returned against the default of the parameter."""
    if param["type"] not in LAYOUT:
        size = 8 if param["type"] == "TABLE" else param_size(param)  # of a table, its number of rows is 0
        if any(data[param["offset"]:param["offset"] + size]):
            yield "the default function does not return an empty one"
        return
    values = struct.unpack_from("=" + LAYOUT[param["type"]], data, param["offset"])
    initial = [math.radians(x) if is_angle(param) else x for x in param["initial"][:len(values)]]
    if param["type"] == "BITS":
        initial = [2**64 - 1 if initial[0] < 0 else int(initial[0])]
    if not all(same(float(a), float(b)) for a, b in zip(values, initial)):
        yield f"default {initial}, the default function returns {list(values)}"


def split_vectors(members, told):
    """Vectors that no parameter describes as a whole are replaced by their components."""
    places, out = {(p["offset"], param_size(p)) for p in told["params"]}, []
    for member in members:
        parts = list(components(member)) if told["places"][member.path] not in places else []
        for index, part in enumerate(parts):
            told["places"][part.path] = (told["places"][member.path][0] + 8 * index, 8)
        out += parts or [member]
    return out


def compare(header, definition, told):
    """All differences of one definition, as text."""
    call, _, _, _, _, members = definition
    if told["kind"] is None:
        yield f"{call}: there is no such kind"
        return
    members = split_vectors(members, told)
    used = {}  # number of a member: names of its parameters
    counts = {p["count_offset"] for p in told["params"] if p["count_offset"]}
    for param in told["params"]:
        if (*told["kind"], param["name"]) in NO_MEMBER:
            continue
        place = (param["offset"], param_size(param))
        found = [m for m in members if told["places"][m.path] == place]
        name = f"{call}: parameter '{param['name']}'"
        if len(found) != 1:
            yield f"{name} points to {len(found)} members (offset {place[0]}, {place[1]} bytes)"
            continue
        used.setdefault(found[0].path, []).append(param["name"])
        for text in [*compare_comment(header, found[0], param), *compare_value(param, told["bytes"])]:
            yield f"{name} of {found[0].path}: {text}"
    for member in members:
        names = used.get(member.path, [])
        is_count = told["places"][member.path][0] in counts and member.type == "int"
        if len(names) != 1 and not (is_count or member.key in NO_PARAMETER):
            yield f"{call}: {member.path} has {len(names)} parameters {names}"
        if names and member.key in NO_PARAMETER:
            yield f"{call}: {member.path} has a parameter; it is listed as one without"


def all_differences(header, definitions_, told):
    return [text for d, t in zip(definitions_, told) for text in compare(header, d, t)]


# ---- the check of the check ------------------------------------------------------------------------

def self_test(header, definitions_, told):
    """Each of these mistakes in the comment, the table or the defaults of the rain is found."""
    at = next(i for i, d in enumerate(definitions_) if "TARN_EMITTER_RAIN" in d[0])

    def differences(change):
        d, t = copy.deepcopy((definitions_[at], told[at]))
        change(d[5], t)
        return list(compare(header, d, t))

    def comment(old, new):
        def change(members, _):
            assert old in members[1].comment
            members[1].comment = members[1].comment.replace(old, new)
        return change

    def param(key, value):
        return lambda _, t: t["params"][1].update({key: value})

    mistakes = {
        "unit": comment("[m]", "[s]"),
        "default": comment("0.005", "0.05"),
        "range": comment(".. 1", ".. 2"),
        "live mark": comment(", live", ""),
        "form": comment("[m] 0.005, 0.0005 .. 1, live: of a drop", "of a drop"),
        "unit of a parameter": param("unit", ""),
        "default of a parameter": param("initial", [1.0] * 4),
        "range of a parameter": param("min", 0.0),
        "mark of a parameter": param("flags", 0),
        "offset": param("offset", 0),
        "type": param("type", "INTEGER"),
        "list without a parameter": lambda _, t: t["params"].pop(1),
        "list with a parameter twice": lambda _, t: t["params"].append(t["params"][1]),
        "struct without a member": lambda m, _: m.pop(1),
        "kind": lambda _, t: t.update(kind=None),
        "default function": lambda _, t: t.update(bytes=bytes(len(t["bytes"]))),
    }
    missed = [name for name, change in mistakes.items() if not differences(change)]
    return [f"self-test: a wrong {name} is not found" for name in missed]


def main():
    header = c_headers.read_folder()
    found = list(definitions(header))
    told = read_output(run(program(found), sys.argv[1], sys.argv[2:]))
    wrong = all_differences(header, found, told)
    wrong += self_test(header, found, told)
    for text in wrong:
        print(text)
    print(f"{len(found)} definitions, {sum(len(d[5]) for d in found)} members, {len(wrong)} differences")
    sys.exit(len(found) < 15 or len(wrong) > 0)


main()
