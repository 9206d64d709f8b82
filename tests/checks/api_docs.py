#!/usr/bin/env python3
"""Every symbol of the public headers is documented: functions, types and enums by a comment above them, or above the group
that they are in (no blank line between), members that are not explained by their name by a comment behind them.

usage: api_docs.py [FOLDER]   (default: include/tarn)
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2] / "include/tarn")
START = re.compile(r"^(TARN_API\b|typedef\b|static inline\b|#define TARN_(?!\w+_H$|API\b))")


def name_of(lines, number):
    text = " ".join(lines[number:number + 12])
    if text.startswith("#"):
        return re.search(r"#define (\w+)", text)[1]
    first = re.split(r"[;{]", text)[0]
    found = (re.search(r"\(\*(\w+)\)", first) or re.search(r"typedef (?:struct|enum|union) (\w+)", first)
             or re.search(r"(\w+)\(", first))
    return found[1] if found else lines[number]


def undocumented(lines):
    documented, depth = False, 0
    for number, line in enumerate(lines):
        if depth == 0 and START.match(line):
            if not documented and "///<" not in line:
                yield number + 1, name_of(lines, number)
        elif depth == 0 and line.startswith("///"):
            documented = not line.startswith("/// @file")
        elif not line.strip():
            documented = False
        depth += line.count("{") - line.count("}")
        if line.startswith('extern "C" {'):
            depth = 0


def self_test():
    good = ["/// What.", "typedef struct a {", "    int x;", "} a;", "TARN_API int f(a x);", "", "/// Two.", "TARN_API int g(void);"]
    bad = good + ["", "TARN_API int h(void);"]
    return not list(undocumented(good)) and [n for _, n in undocumented(bad)] == ["h"]


if not self_test():
    sys.exit("api_docs.py does not find what it should")
count = 0
for path in sorted(ROOT.glob("*.h")):
    for number, name in undocumented(path.read_text().split("\n")):
        print(f"{path}:{number}: {name} has no comment")
        count += 1
print(f"{count} undocumented symbols")
sys.exit(count > 0)
