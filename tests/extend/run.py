#!/usr/bin/env python3
"""run.py FOLDER: prove that a new kind is one file and one line.

A clean copy of the tree gets one sample file of each sort and one line in the table that CONTRIBUTING.md names.
The copy must build, and the samples must appear in the schema, in the help, in the documents, in the panel of the
viewer and in fuzzing, and work in a scene.
"""
import csv
import glob
import json
import math
import os
import re
import shutil
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.join(TOP, "tests", "extend")

# sample file, its folder, file with the list of its kind, name of the list, name of the sample
SAMPLES = [
    ("pulses.c", "src/emit", "src/emit/emitter.c", "EMITTER_KINDS", "pulses"),
    ("frustum.c", "src/body/shape", "src/body/shape/shape_kinds.c", "SHAPE_KINDS", "frustum"),
    ("rod.c", "src/body/joint", "src/body/joint/joints.c", "JOINT_KINDS", "rod"),
    ("mesh_off.c", "src/scene/import", "src/scene/import/mesh.c", "MESH_FORMATS", "off"),
    ("bed_terrace.c", "src/fluid", "src/fluid/bed.c", "BED_KINDS", "terrace"),
    ("field_head.c", "draw/plot", "draw/plot/field_list.c", "FIELDS", "head"),
    ("cells.c", "apps/cli/commands", "apps/cli/commands.h", "COMMANDS", "cells"),
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
        {"name": "bob", "shape": "sphere", "radius": 0.1, "position": [1, 4, 2]},
    ],
    "joints": [{"kind": "rod", "body_a": "bob", "anchor_a": [1, 4, 2], "anchor_b": [0, 4, 2]}],
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


def append_line(text, macro, name):
    """The text with one more line X(name) at the end of a list `#define MACRO(X) ...`."""
    found = re.search(rf"^#define {macro}\(X\)(?:.*\\\n)+.*$", text, re.M)
    expect(found, f"there is no list {macro}")
    return text[:found.end()] + f" \\\n    X({name})" + text[found.end():]


def add_samples(tree):
    for sample, folder, table, macro, name in SAMPLES:
        expect(os.path.isdir(os.path.join(tree, folder)), f"there is no folder {folder}")
        shutil.copy(os.path.join(HERE, sample), os.path.join(tree, folder))
        path = os.path.join(tree, table)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(append_line(text, macro, name))


def build(tree, folder):
    run("cmake", "-G", "Ninja", "-S", tree, "-B", folder, "-DTARN_PEERS=OFF", "-DTARN_EXAMPLES=OFF")
    run("cmake", "--build", folder)
    return os.path.join(folder, "tarn")


def check_schema(tarn):
    schema = run(tarn, "schema")
    for kind in ("pulses", "frustum", "rod", "terrace"):
        expect(f'"{kind}"' in schema, f"the schema does not have {kind}")


def check_docs(tree, tarn):
    """scripts/update-docs writes the parameters of the samples and misses the help of the command."""
    script = os.path.join(tree, "scripts/update-docs")
    run(sys.executable, script, tarn)
    with open(os.path.join(tree, "docs/scene-format.md"), encoding="utf-8") as document:
        text = document.read()
    for kind in ("pulses", "frustum", "rod", "terrace"):
        expect(f"`{kind}`" in text, f"docs/scene-format.md does not have {kind}")
    errors = subprocess.run([sys.executable, script, "--check", tarn], capture_output=True, text=True).stdout
    expect("there is no generated part 'help cells'" in errors, f"scripts/update-docs does not miss cells:\n{errors}")


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
    check_rod(tarn, scene, folder)


def check_rod(tarn, scene, folder):
    """A ball swings on a rod of 1 m; the tolerance is that of the position correction of joints."""
    out = os.path.join(folder, "out")
    run(tarn, "run", scene, "--csv", "-o", out, "--quiet")
    with open(os.path.join(out, "bodies.csv"), encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["name"] == "bob"]
    lengths = [math.dist([float(row[key]) for key in "xyz"], [0, 4, 2]) for row in rows]
    expect(len(lengths) > 10 and max(abs(length - 1) for length in lengths) < 1e-3, f"the rod is {lengths} m long")
    expect(min(float(row["y"]) for row in rows) < 3.1, "the ball does not swing")


def check_mesh_format(tarn, folder):
    """The format is recognised by its signature, and named where a file has none."""
    unknown, renamed = os.path.join(folder, "unknown.txt"), os.path.join(folder, "cube.txt")
    shutil.copy(os.path.join(folder, "cube.off"), renamed)
    report = json.loads(run(tarn, "mesh-info", renamed, "--json"))[0]
    expect(report["closed"] and abs(report["volume"] - 1) < 1e-12, f"mesh-info: {report}")
    with open(unknown, "w", encoding="utf-8") as file:
        file.write("nothing\n")
    result = subprocess.run([tarn, "mesh-info", unknown], capture_output=True, text=True)
    expect("OFF" in result.stderr, f"an unknown format: {result.stderr}")


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
        "-Wl," + ",".join(f"--wrap=tarn_{kind}_create" for kind in ("emitter", "body", "joint", "world")), "-o", program)
    kinds = run(program).splitlines()
    for kind in ("emitter pulses", "shape frustum", "joint rod", "bed terrace"):
        expect(kind in kinds, f"fuzzing does not reach the {kind}")


def check_mesh_fuzzing(tree, folder):
    """The fuzz target of all mesh formats reaches the sample."""
    program = os.path.join(folder, "fuzz_mesh_driver")
    sources = glob.glob(os.path.join(tree, "src/scene/**/*.c"), recursive=True)
    flags = run("pkg-config", "--cflags", "--libs", "jansson", "libpng").split()
    run("gcc", "-std=c17", "-O1", "-I", os.path.join(tree, "include"), "-I", os.path.join(tree, "src"), *sources,
        os.path.join(tree, "tests/fuzz/fuzz_mesh.c"), os.path.join(HERE, "fuzz_mesh_driver.c"),
        os.path.join(folder, "build/libtarn.a"), *flags, "-lm", "-pthread", "-Wl,--wrap=mesh_format_at", "-o", program)
    expect("OFF" in run(program).splitlines(), "fuzzing does not reach the mesh format")


def check_viewer(folder):
    """The panel has the parameters of the emitter, the shape and the field view; a mesh of the format is added."""
    sys.path.insert(0, os.path.join(TOP, "tests", "app"))
    import program
    import window
    window.VIEW = os.path.join(folder, "build", "tarn-view")
    program.WORK = folder
    for name in ("Xvfb", "xdotool", window.VIEW):
        if not shutil.which(name):
            print(f"the viewer is not tested: {name} is missing")
            return
    screen = window.open_screen()
    try:
        mesh = os.path.join(folder, "cube.off")
        scene = os.path.join(folder, "view.json")
        with open(scene, "w", encoding="utf-8") as file:
            json.dump({**SCENE, "view": {"mode": "head"}}, file)
        with window.Window(scene, mesh, size=(1000, 600)) as w:
            w.until("state", lambda s: s["view"] == "head")
            w.until("param emitters[0].height", lambda p: p.get("value") == 0.05)
            w.until("body cube.off", lambda body: "position" in body)
            before = w.state()["bodies"]
            w.click("frustum")
            w.point(*w.ask("water 1 1")["pixel"])
            w.xdo("click", 1)
            w.until("state", lambda s: s["bodies"] == before + 1)
            w.click("Add body")  # closed, so that the parameters fit into the window
            w.click("Brush")
            w.until("item emitters[0].height", lambda item: "rect" in item)
    finally:
        screen.close()


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
    check_mesh_format(tarn, folder)
    check_docs(tree, tarn)
    check_fuzzing(tree, folder)
    check_mesh_fuzzing(tree, folder)
    check_viewer(folder)
    print(f"{len(SAMPLES)} samples were added with one file and one line each")


if __name__ == "__main__":
    main()
