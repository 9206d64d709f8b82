#!/usr/bin/env python3
"""run.py FOLDER: prove that a new kind is one file and one line.

A clean copy of the tree gets one sample file of each sort and one line in the table that CONTRIBUTING.md names.
The copy must build, and the samples must appear in the schema, in the help and in fuzzing, and work in a scene.
"""
import json
import math
import os
import re
import shutil
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.join(TOP, "tests", "extend")

# sample file, where it goes, file with the table, line after which the new line is inserted, new line
SAMPLES = [
    ("pulses.c", "src/emit", "src/emit/emitter.c", r"^    X\(hump\) +\\$", "    X(pulses) \\"),
    ("frustum.c", "src/body/shape", "src/body/shape/shape_kinds.c", r"^    X\(polygon\) +\\$", "    X(frustum) \\"),
    ("mesh_off.c", "src/scene/import", "src/scene/import/mesh.c", r"^    X\(ply\) +\\$", "    X(off) \\"),
    ("bed_terrace.c", "src/fluid", "src/fluid/bed.c", r"^    X\(beach\) +\\$", "    X(terrace) \\"),
    ("field_head.c", "draw/plot", "draw/plot/field_list.c", r"^    X\(speed\) +\\$", "    X(head) \\"),
    ("cells.c", "apps/cli/commands", "apps/cli/commands.h", r"^    X\(check\) +\\$", "    X(cells) \\"),
]

CUBE = """OFF
8 6 0
0 0 0  1 0 0  1 1 0  0 1 0  0 0 1  1 0 1  1 1 1  0 1 1
4 0 3 2 1  4 4 5 6 7  4 0 1 5 4  4 2 3 7 6  4 0 4 7 3  4 1 2 6 5
"""

SCENE = {
    "version": 2,
    "name": "samples",
    "description": "one of each sample kind",
    "fluid": {"model": "wave", "size": [8, 8], "cells": [32, 32], "depth": 1},
    "bodies": [
        {"shape": "frustum", "density": 500, "position": [2, 1.2, 0]},
        {"shape": "mesh", "file": "cube.off", "density": 300, "position": [-2, 1.2, 0]},
    ],
    "emitters": [{"kind": "pulses", "interval": 0.5, "position": [0, 2]}],
    "run": {"duration": 2},
}

TERRACE_SCENE = {
    "version": 2,
    "fluid": {"model": "shallow", "size": [4, 2], "cells": [32, 16], "depth": 1},
    "bed": {"kind": "terrace", "edge": 0, "height": 0.25},
    "run": {"duration": 0.5},
}


def run(*command, **options):
    """Run a command and return what it printed; on failure print it and stop."""
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{result.stdout}")
    return result.stdout


def expect(condition, message):
    if not condition:
        sys.exit(f"extend: {message}")


def check_near(value, reference, what):
    expect(abs(value - reference) <= 1e-5 * reference, f"{what} is {value}, expected {reference}")


def copy_tree(target):
    """Copy the source files, without build folders."""
    ignore = shutil.ignore_patterns("build", ".git", "gallery", "*.png")
    shutil.copytree(TOP, target, ignore=ignore)


def add_samples(tree):
    for sample, folder, table, after, line in SAMPLES:
        expect(os.path.isdir(os.path.join(tree, folder)), f"there is no folder {folder}")
        shutil.copy(os.path.join(HERE, sample), os.path.join(tree, folder))
        path = os.path.join(tree, table)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        new, count = re.subn(after, lambda match: match.group(0) + "\n" + line, text, flags=re.M)
        expect(count == 1, f"{table}: expected one line {after}, found {count}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(new)


def build(tree, folder):
    run("cmake", "-G", "Ninja", "-S", tree, "-B", folder, "-DTARN_VIEW=OFF", "-DTARN_PEERS=OFF", "-DTARN_EXAMPLES=OFF")
    run("cmake", "--build", folder)
    return os.path.join(folder, "tarn")


def check_schema(tarn):
    schema = run(tarn, "schema")
    for kind in ("pulses", "frustum", "terrace"):
        expect(f'"{kind}"' in schema, f"the schema does not have {kind}")


def check_scene(tarn, folder):
    """The samples must run and have their effect: water from the emitter, two bodies afloat."""
    with open(os.path.join(folder, "cube.off"), "w", encoding="utf-8") as file:
        file.write(CUBE)
    scene = os.path.join(folder, "samples.json")
    with open(scene, "w", encoding="utf-8") as file:
        json.dump(SCENE, file)
    run(tarn, "check", scene)
    result = json.loads(run(tarn, "run", scene, "--set", "emitters[0].height=0.02", "--quiet", "--json"))
    # Four humps (t = 0, 0.5, 1, 1.5 s) of volume pi r^2 h; the sum over cells of a Gaussian is exact to
    # rounding.
    check_near(result["volume_source"], 4 * math.pi * 0.5**2 * 0.02, "the water of the emitter")
    # The frustum's pi h/3 (R^2 + R r + r^2), the cube's 1 m^3.
    volumes = [body["volume"] for body in result["bodies"]]
    check_near(volumes[0], math.pi * 0.4 / 3 * (0.25**2 + 0.25 * 0.15 + 0.15**2), "the volume of the frustum")
    check_near(volumes[1], 1.0, "the volume of the cube")


def check_help(tarn):
    """A command and a field view appear in the help."""
    expect(re.search(r"^  cells +print the number", run(tarn, "--help"), re.M), "the help does not list the command")
    expect("usage: tarn cells SCENE" in run(tarn, "cells", "--help"), "the command has no help")
    views = re.search(r"Views: (.*?)\.", run(tarn, "render", "--help"), re.S).group(1)
    expect("head" in views.replace("\n", " ").replace(" ", "").split(","), f"the views lack the field: {views}")


def check_terrace(tarn, folder):
    """The bed displaces water, the command counts the cells, the field is drawn."""
    scene = os.path.join(folder, "terrace.json")
    with open(scene, "w", encoding="utf-8") as file:
        json.dump(TERRACE_SCENE, file)
    result = json.loads(run(tarn, "run", scene, "--quiet", "--json"))
    check_near(result["volume"], 4 * 2 * 1 - 2 * 2 * 0.25, "the volume above the terrace")
    expect(run(tarn, "cells", scene) == f"{32 * 16}\n", "the command does not count the cells")
    image = os.path.join(folder, "head.png")
    moving = os.path.join(folder, "samples.json")  # water at rest gives an image of one colour
    run(tarn, "render", moving, "--view", "head", "-o", image, "--low-quality", "--size", "160x90", "--at", "0.3",
        "--quiet")
    expect(os.path.getsize(image) > 1000, "the field is not drawn")


def check_fuzzing(tree, folder):
    program = os.path.join(folder, "fuzz_driver")
    run("gcc", "-std=c17", "-O1", "-I", os.path.join(tree, "include"), os.path.join(tree, "tests/fuzz/fuzz_world.c"),
        os.path.join(HERE, "fuzz_driver.c"), os.path.join(folder, "build/libtarn.a"), "-lm", "-pthread",
        "-Wl,--wrap=tarn_emitter_create,--wrap=tarn_body_create,--wrap=tarn_world_create", "-o", program)
    kinds = run(program).splitlines()
    for kind in ("emitter pulses", "shape frustum", "bed terrace"):
        expect(kind in kinds, f"fuzzing does not reach the {kind}")


def main():
    os.environ.pop("LIBRARY_PATH", None)
    folder = os.path.abspath(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    tree = os.path.join(folder, "tree")
    copy_tree(tree)
    add_samples(tree)
    tarn = build(tree, os.path.join(folder, "build"))
    check_schema(tarn)
    check_help(tarn)
    check_scene(tarn, folder)
    check_terrace(tarn, folder)
    check_fuzzing(tree, folder)
    print(f"{len(SAMPLES)} samples were added with one file and one line each")


if __name__ == "__main__":
    main()
