#!/usr/bin/env python3
"""Turn shader files into one C file, so that the program needs no data files.

usage: embed.py OUT.c FILE.glsl...

NAME.glsl becomes `const char shader_NAME[]`. A line `#include "other.glsl"` is replaced by that file, looked
up beside the one that asks for it; what only others include begins with an underscore and gets no array.
"""
import os
import re
import sys

INCLUDE = re.compile(r'^\s*#include\s+"([^"]+)"\s*$')


def lines_of(path, seen=()):
    if path in seen:
        sys.exit(f"{path}: includes itself")
    with open(path, encoding="ascii") as file:
        for line in file.read().splitlines():
            found = INCLUDE.match(line)
            if found:
                yield from lines_of(os.path.join(os.path.dirname(path), found.group(1)), seen + (path,))
            else:
                yield line


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    out, files = sys.argv[1], sorted(sys.argv[2:], key=os.path.basename)
    text = "// Made by tools/embed.py from draw/shaders.\n"
    for path in files:
        name = os.path.splitext(os.path.basename(path))[0]
        if name.startswith("_"):
            continue
        text += f"\nextern const char shader_{name}[];\nconst char shader_{name}[] =\n"
        for line in lines_of(path):
            quoted = line.replace("\\", "\\\\").replace('"', '\\"')
            text += f'    "{quoted}\\n"\n'
        text = text.rstrip("\n") + ";\n"
    with open(out, "w", encoding="ascii") as file:
        file.write(text)


if __name__ == "__main__":
    main()
