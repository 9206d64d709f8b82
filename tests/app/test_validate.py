#!/usr/bin/env python3
"""test_validate.py TARN SCENES: `tarn validate`, with every quick published case."""
import json
import os
import subprocess
import sys

import program
from program import check, expect, fresh, tarn, test
from test_render import read_png

program.LIMIT = 600  # [s] all quick cases in one call: under 40 s on one free core, more on a busy machine
KEYS = ["case", "quantity", "computed", "reference", "error", "limit", "unit", "verdict"]
FAST = "basin-modes"  # the fastest case


def can_plot():
    return subprocess.run([program.TARN, "render", "--help"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


def names():
    return [c["case"] for c in json.loads(expect(tarn("validate", "--list", "--json"), 0).stdout)]


@test
def every_case_passes():
    arguments = ["validate", "--json"]
    folder = fresh("plots")
    if can_plot():
        arguments += ["--plot", folder]
    if os.environ.get("TARN_LONG"):
        arguments.append("--long")
    done = tarn(*arguments)
    lines = json.loads(done.stdout)
    failed = [line for line in lines if line["verdict"] == "fail"]
    check(not failed, "\n", "\n".join(map(str, failed)), "\n", done.stderr)
    expect(done, 0)
    for line in lines:
        check(list(line) == KEYS, line)
        check((line["verdict"] == "shown") == (line["limit"] is None), line)
    cases = {line["case"] for line in lines if line["verdict"] == "pass"}
    quick = {c["case"] for c in json.loads(tarn("validate", "--list", "--json").stdout) if c["quick"]}
    check(quick <= cases, "without a check:", quick - cases)
    if can_plot():
        check_plots(folder, cases)


def check_plots(folder, cases):
    check(sorted(os.listdir(folder)) == sorted(c + ".png" for c in cases), os.listdir(folder))
    for case in cases:
        width, height, rows = read_png(os.path.join(folder, case + ".png"))
        pixels = [row[i: i + 3] for row in rows for i in range(0, 3 * width, 3)]
        check(pixels.count(b"\xff\xff\xff") > len(pixels) // 4, case, "has little paper")
        curve_pixels = sum(p == bytes((14, 84, 160)) for p in pixels)  # the line that is drawn last
        check(curve_pixels > width // 2, case, "shows", curve_pixels, "pixels of our curve")


@test
def list_prints_all_cases():
    listed = names()
    check(len(listed) == len(set(listed)) >= 11, listed)
    text = expect(tarn("validate", "--list"), 0).stdout
    check([line.split()[0] for line in text.splitlines()] == listed, text)


@test
def every_case_has_its_folder():
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "validation")
    for name in names():
        for file in ("README.md", "case.c"):
            check(os.path.isfile(os.path.join(folder, name, file)), name, "has no", file)
    folders = [f for f in os.listdir(folder) if os.path.isdir(os.path.join(folder, f))]
    check(sorted(folders) == sorted(names()), folders)


@test
def unknown_names_exit_with_2():
    done = expect(tarn("validate", "stokre"), 2)
    check(done.stdout == "" and "did you mean stoker?" in done.stderr, done.stderr)
    check("--list" in expect(tarn("validate", "frobnicate"), 2).stderr)
    expect(tarn("validate", "--no-such-option"), 2)


@test
def text_output_is_a_table():
    done = expect(tarn("validate", FAST), 0)
    lines = done.stdout.splitlines()
    check(lines[0].split() == ["case", "quantity", "computed", "reference", "error", "limit"], lines[0])
    check(len(lines) > 1 and all(line.startswith(FAST) and line.endswith(" pass") for line in lines[1:]), lines)
    check("1 case, " in done.stderr and "0 failed" in done.stderr, done.stderr)


@test
def help_has_an_example():
    text = expect(tarn("validate", "--help"), 0).stdout
    check(text.startswith("usage: tarn validate") and "example" in text, text)
    check(max(map(len, text.splitlines())) <= 110)


@test
def other_images_are_kept():
    if not can_plot():
        check("TARN_DRAW" in expect(tarn("validate", FAST, "--plot", fresh("none")), 1).stderr)
        return
    folder = fresh("kept")
    for _ in range(2):  # the second time it replaces its own images
        expect(tarn("validate", FAST, "--plot", folder), 0)
    path = os.path.join(folder, FAST + ".png")
    with open(path, "w") as file:
        file.write("mine")
    done = expect(tarn("validate", FAST, "--plot", folder), 4)
    check("was not created by tarn" in done.stderr and open(path).read() == "mine", done.stderr)
    expect(tarn("validate", FAST, "--plot", folder, "-f"), 0)
    read_png(path)


if __name__ == "__main__":
    sys.exit(program.main())
