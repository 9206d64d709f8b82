"""What the public headers declare: functions, callback types, enums and structs with the layout that a compiler gives them.

The preprocessor's output (cc -E -P -DTARN_CFFI) is parsed by pycparser, which cffi uses too; sizes and offsets come
from a program that is compiled and run.
"""
import dataclasses
import pathlib
import re
import subprocess
import tempfile

from pycparser import c_ast, c_generator, c_parser

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "include"
BASIC = ("bool", "size_t", "ptrdiff_t", *(f"{sign}int{bits}_t" for bits in (8, 16, 32, 64) for sign in ("", "u")))
PRELUDE = "".join(f"typedef int {name};\n" for name in BASIC)


@dataclasses.dataclass
class Api:
    functions: dict = dataclasses.field(default_factory=dict)  # name: "tarn-scene int (const char *)"
    callbacks: dict = dataclasses.field(default_factory=dict)  # name of a typedef: its declaration
    enums: dict = dataclasses.field(default_factory=dict)      # name: [names of constants]
    structs: dict = dataclasses.field(default_factory=dict)    # name: [(path of a member, type)]; none: opaque
    by_value: set = dataclasses.field(default_factory=set)     # types of arguments and results


def include_lines(include, libraries=("tarn", "tarn-scene")):
    """Include directives of the headers of these libraries: scene.h is that of libtarn-scene."""
    names = sorted(p.name for p in (include / "tarn").glob("*.h"))
    return "".join(f"#include <tarn/{n}>\n" for n in names
                   if ("tarn-scene" if n == "scene.h" else "tarn") in libraries)


def preprocess(source, include):
    command = ["cc", "-E", "-P", "-DTARN_CFFI", f"-I{include}", "-xc", "-"]
    return subprocess.run(command, input=source, check=True, capture_output=True, text=True).stdout


class NamelessGenerator(c_generator.CGenerator):
    """C source of a declaration without the names of parameters, which are no part of the interface."""

    def visit_ParamList(self, node):
        return ", ".join(self.visit(anonymous(p)) for p in node.params)


def anonymous(param):
    if isinstance(param, c_ast.EllipsisParam):
        return param
    return c_ast.Typename(None, param.quals, None, without_name(param.type))


def without_name(node):
    """The same type with no declared name in its innermost TypeDecl."""
    if isinstance(node, c_ast.TypeDecl):
        return c_ast.TypeDecl(None, node.quals, None, node.type)
    if isinstance(node, c_ast.FuncDecl):
        return c_ast.FuncDecl(node.args, without_name(node.type))
    if isinstance(node, c_ast.PtrDecl):
        return c_ast.PtrDecl(node.quals, without_name(node.type))
    return c_ast.ArrayDecl(without_name(node.type), node.dim, node.dim_quals)


def type_text(node):
    if is_record(node):
        return "struct" if isinstance(node.type, c_ast.Struct) else "union"
    return NamelessGenerator().visit(c_ast.Typename(None, [], None, without_name(node)))


def is_record(node):
    return isinstance(node, c_ast.TypeDecl) and isinstance(node.type, (c_ast.Struct, c_ast.Union))


def members(record, prefix=""):
    """(path, type) of every member; those of nested structs and unions without a type name follow them."""
    for member in record.decls or []:
        kind = member.type
        if isinstance(kind, (c_ast.Struct, c_ast.Union)):  # anonymous: its members belong to the outer struct
            yield from members(kind, prefix)
            continue
        yield prefix + member.name, type_text(kind)
        if is_record(kind):
            yield from members(kind.type, f"{prefix}{member.name}.")


def value_type(node):
    """The name of a type that is passed itself and not by a pointer."""
    return node.type.names[-1] if isinstance(node, c_ast.TypeDecl) and isinstance(
        node.type, c_ast.IdentifierType) else None


def add_enum(api, node, name):
    if isinstance(node, c_ast.Enum) and node.values:
        constants = [e.name for e in node.values.enumerators]
        api.enums[name or node.name or constants[0]] = constants


def add_declaration(api, node, library):
    kind = node.type
    if isinstance(kind, c_ast.FuncDecl):
        params = kind.args.params if kind.args else []
        api.functions.setdefault(node.name, f"{library} {type_text(kind)}")
        api.by_value |= {value_type(kind.type)} | {value_type(p.type) for p in params if hasattr(p, "type")}
    elif isinstance(node, c_ast.Typedef) and is_record(kind):
        if kind.type.decls is not None or node.name not in api.structs:
            api.structs[node.name] = list(members(kind.type))
    elif isinstance(node, c_ast.Typedef) and node.name not in BASIC:
        if isinstance(kind, c_ast.TypeDecl) and isinstance(kind.type, c_ast.Enum):
            add_enum(api, kind.type, node.name)
        else:
            api.callbacks[node.name] = type_text(kind)
    else:
        add_enum(api, kind, None)


def versions(include=INCLUDE):
    """[major, minor, patch] of base.h."""
    text = (include / "tarn" / "base.h").read_text()
    return [int(re.search(rf"define TARN_VERSION_{part}\s+(\d+)", text)[1]) for part in ("MAJOR", "MINOR", "PATCH")]


def abi_version(include=INCLUDE):
    """Versions with the same one can replace each other: that of the SONAME."""
    major, minor, _ = versions(include)
    return str(major) if major else f"0.{minor}"


def read_api(include=INCLUDE):
    api = Api()
    for library in ("tarn", "tarn-scene"):  # scene.h includes those of libtarn: setdefault() leaves it its functions
        tree = c_parser.CParser().parse(PRELUDE + preprocess(include_lines(include, [library]), include))
        for node in tree.ext:
            add_declaration(api, node, library)
    api.by_value &= set(api.structs)
    return api


def layout_program(api, include):
    """C source that prints every size, alignment, offset and constant, one to a line."""
    lines = []
    for name, fields in api.structs.items():
        if not fields:
            continue
        lines.append(f'printf("{name} %zu %zu\\n", sizeof({name}), _Alignof({name}));')
        for path, _ in fields:
            lines.append(f'printf("{name}.{path} %zu %zu\\n", offsetof({name}, {path}), sizeof((({name} *)0)->{path}));')
    for name, constants in api.enums.items():
        lines += [f'printf("{c} %d %zu\\n", (int){c}, sizeof {c});' for c in constants]
        if name not in constants:
            lines.append(f'printf("{name} %zu 0\\n", sizeof({name}));')
    return ("#include <stddef.h>\n#include <stdio.h>\n" + include_lines(include) +
            "int main(void)\n{\n" + "\n".join(lines) + "\nreturn 0;\n}\n")


def read_layout(api, include=INCLUDE):
    """{name: (first number, second number)} of layout_program()."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "layout"
        subprocess.run(["cc", "-std=c17", f"-I{include}", "-xc", "-", "-o", program], input=layout_program(api, include),
                       check=True, text=True)
        printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return {line.split()[0]: tuple(int(n) for n in line.split()[1:]) for line in printed.splitlines()}
