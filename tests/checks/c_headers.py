"""Reads the public headers: structs with members and their comments, enums, functions. It knows as much of C
as include/tarn uses.

A comment of a member is what follows it (///<, also on the next lines) or stands above it (///)."""
import dataclasses
import pathlib
import re

FOLDER = pathlib.Path(__file__).parents[2] / "include/tarn"
TOKEN = re.compile(r'(?P<behind>///<[^\n]*)|(?P<above>///[^\n]*)'
                   r'|(?P<skip>//[^\n]*|/\*.*?\*/|#(?:[^\n]*\\\n)*[^\n]*|"C"|\s+)'
                   r"|(?P<word>\w+|.)", re.DOTALL)


@dataclasses.dataclass
class Member:
    """`path` is what follows the dot in C, `type` a word such as "double", `dims` the sizes of an array."""
    path: str
    type: str
    pointer: bool
    dims: list
    comment: str
    line: int
    in_union: bool = False


@dataclasses.dataclass
class Header:
    structs: dict = dataclasses.field(default_factory=dict)    # name: list of Member
    enums: dict = dataclasses.field(default_factory=dict)      # name: list of enumerators, in their order
    functions: dict = dataclasses.field(default_factory=dict)  # name: (type of result, list of parameters)
    comments: dict = dataclasses.field(default_factory=dict)   # name of a function: the comment above it
    places: dict = dataclasses.field(default_factory=dict)     # name of a struct: (file, line)


def tokens_of(text):
    line, out = 1, []
    for found in TOKEN.finditer(text):
        if not found["skip"]:
            out.append((found.lastgroup, found.group(), line))
        line += found.group().count("\n")
    return out


def clean(comment):
    return re.sub(r"^///<?\s?", "", comment).strip()


def declared(words, prefix, line, in_union):
    """The members of one declaration without its semicolon: "const double * x , * z", "int cells [ 2 ]"."""
    words = [w for w in words if w not in ("const", "struct", "enum")]
    if words[0] == "unsigned" and words[1] in ("char", "int"):
        words = words[1:]
    if "(" in words:  # a pointer to a function
        name = words[words.index("(") + 2]
        return [Member(prefix + name, "function", True, [], "", line, in_union)]
    kind, out, rest = words[0], [], " ".join(words[1:]) if words[1:] else ""
    for part in rest.split(","):
        name = re.search(r"[A-Za-z_]\w*", part)
        dims = re.findall(r"\[ (\w+) \]", part)
        out.append(Member(prefix + name.group(), kind, "*" in part, dims, "", line, in_union))
    return out


def read_members(tokens, at, prefix="", in_union=False):
    """The members from after an opening brace up to its closing one, and the place after that brace."""
    members, words, above, last = [], [], [], []
    while True:
        group, text, line = tokens[at]
        at += 1
        if group == "behind":
            for member in last:
                member.comment = f"{member.comment} {clean(text)}".strip()
        elif group == "above":
            above.append(clean(text))
        elif text == "}":
            return members, at
        elif text == "{":  # a struct or union within; it has a name or none
            is_union = "union" in words
            inner, at = read_members(tokens, at, "", in_union or is_union)
            name = tokens[at][1] + "." if tokens[at][1] != ";" else ""
            while tokens[at][1] != ";":
                at += 1
            at += 1
            for member in inner:
                member.path = prefix + name + member.path
            members += inner
            words, above, last = [], [], []
        elif text == ";":
            last = declared(words, prefix, line, in_union)
            for member in last:
                member.comment = " ".join(above)
            members += last
            words, above = [], []
        else:
            words.append(text)


def read_text(text, file="", header=None):
    header = header or Header()
    tokens, at = tokens_of(text), 0
    code = [t for t in tokens if t[0] == "word"]
    while at < len(tokens):
        words = [t[1] for t in tokens[at:at + 4]]
        if words[:2] == ["typedef", "struct"] and words[3:] == ["{"]:
            header.places[words[2]] = (file, tokens[at][2])
            header.structs[words[2]], at = read_members(tokens, at + 4)
        else:
            at += 1
    plain = " ".join(t[1] for t in code)
    for found in re.finditer(r"typedef enum (\w+) \{ (.*?) \}", plain):
        header.enums[found[1]] = re.findall(r"(?:^|, )(TARN_\w+)", found[2])
    for found in re.finditer(r"TARN_API ([^;{}()]*?) ?(tarn_\w+) \( (.*?) \) ;", plain):
        parameters = [p for p in found[3].split(" , ") if p != "void"]
        header.functions[found[2]] = (found[1], parameters)
    for found in re.finditer(r"((?:^///.*\n)+)TARN_API\b[^(]*?\b(\w+)\(", text, re.M):
        header.comments[found[2]] = re.sub(r"^/// ?", "", found[1], flags=re.M)
    return header


def read_folder(folder=FOLDER):
    header = Header()
    for path in sorted(pathlib.Path(folder).glob("*.h")):
        read_text(path.read_text(), path.name, header)
    return header
