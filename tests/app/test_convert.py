#!/usr/bin/env python3
"""test_convert.py TARN: scripts/convert-scene makes scenes of format 2 from scenes of format 1.

tests/data/scenes-v1 has scenes that use every key and value that was renamed, tests/data/scenes-v2 what they must become.
"""
import importlib.machinery
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TARN = os.path.abspath(sys.argv[1])
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SCRIPT = os.path.join(ROOT, "scripts", "convert-scene")
OLD, NEW = (os.path.join(ROOT, "tests", "data", name) for name in ("scenes-v1", "scenes-v2"))
WITHOUT_FILES = "files.json"  # names files that do not exist


def check(condition, *message):
    if not condition:
        sys.exit(" ".join(str(m) for m in message))


def convert(*paths):
    return subprocess.run([sys.executable, SCRIPT, *paths], capture_output=True, text=True)


def read(path):
    with open(path) as file:
        return file.read()


def check_scene(folder, name):
    """A scene is refused with the command that converts it, and is afterwards what it must be."""
    path = os.path.join(folder, name)
    shutil.copy(os.path.join(OLD, name), path)
    refused = subprocess.run([TARN, "check", name], capture_output=True, text=True, cwd=folder)
    message = f"{name}:2:3: version: this is scene format 1; run scripts/convert-scene {name}"
    check(refused.returncode == 3 and message in refused.stderr + refused.stdout, name, refused)
    done = convert(path)
    check(done.returncode == 0, name, done)
    check(json.loads(read(path)) == json.loads(read(os.path.join(NEW, name))), name, "is not", read(path))
    if name != WITHOUT_FILES:
        accepted = subprocess.run([TARN, "check", path], capture_output=True, text=True)
        check(accepted.returncode == 0, name, accepted)
    text = read(path)
    check(convert(path).returncode == 0 and read(path) == text, name, "is converted twice")


def check_coverage(names):
    """Every row of the script's tables is used by a scene."""
    loader = importlib.machinery.SourceFileLoader("convert_scene", SCRIPT)
    sys.dont_write_bytecode = True
    script = importlib.util.module_from_spec(importlib.util.spec_from_loader("convert_scene", loader))
    loader.exec_module(script)
    old = [leaf for name in names for leaf in script.leaves(json.loads(read(os.path.join(OLD, name))))]
    unused = [row for row in script.PATHS
              if not any(re.fullmatch(f"{row[0]}(/.*)?", path) for path, _ in old)]
    new = [script.convert_leaf(path, value) for path, value in old]
    for pattern, values in script.VALUES:
        found = [value for path, value in new if re.fullmatch(pattern, path)]
        unused += [(pattern, value) for value in values.values() if value not in found]
    check(not unused, "no scene of format 1 has", unused)


def check_failures(folder):
    path = os.path.join(folder, "bad.json")
    for text in ("{", "[]", '{"version": 1, "run": {"time": 1, "duration": 2}}'):
        with open(path, "w") as file:
            file.write(text)
        done = convert(path)
        check(done.returncode == 1 and "bad.json: " in done.stderr and read(path) == text, text, done)
    check(convert(os.path.join(folder, "none.json")).returncode == 1)
    check(convert().returncode == 2)


def main():
    names = sorted(os.listdir(OLD))
    check(names == sorted(os.listdir(NEW)) and len(names) > 3, names)
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            check_scene(folder, name)
        check_failures(folder)
    check_coverage(names)


main()
