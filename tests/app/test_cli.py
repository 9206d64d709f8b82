#!/usr/bin/env python3
"""test_cli.py TARN SCENES: the promises of the program tarn, tested by running it.

TARN is the program, SCENES the folder of the gallery. Needs only the standard library.
"""
import csv
import json
import os
import pty
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import xml.etree.ElementTree as tree

TARN = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
SCENES = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else ""
LIMIT = 120  # seconds for one call; far above what any needs
DT = 1 / 64  # exact in binary, so that whole steps are whole

POND = {
    "version": 2,
    "name": "Test pond",
    "fluid": {"model": "wave", "size": [4, 4], "cells": [32, 32], "depth": 1.0},
    "bodies": [
        {"name": "cork", "shape": "sphere", "radius": 0.3, "density": 240, "position": [0, 1.5, 0]},
        {"name": "brick, \"red\"", "shape": "box", "size": [0.4, 0.4, 0.4], "density": 700, "position": [1, 1.4, 1]},
    ],
    "emitters": [{"kind": "hump", "position": [-1, 0], "radius": 0.5, "height": 0.2}],
    "gauges": [{"name": "g1", "position": [1, -1]}, {"name": "g2", "position": [-1, 0.5]}],
    "run": {"duration": 1, "dt": DT},
}

BAD = """{
  "version": 2,
  "fluid": { "model": "wave", "cells": [32, 32], "size": [4, 4], "dephth": 1 },
  "bodies": [
    { "shape": "sphere", "radius": -0.3 }
  ]
}
"""


# ---- tools -----------------------------------------------------------------------------------------


def plain_environment(extra=None):
    env = {k: v for k, v in os.environ.items() if k not in ("TARN_PATH", "NO_COLOR")}
    env.update(extra or {})
    return env


def tarn(*args, env=None, cwd=None, **more):
    """Run the program; result with returncode, stdout, stderr."""
    return subprocess.run([TARN, *map(str, args)], stdout=more.pop("stdout", subprocess.PIPE),
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, encoding="utf-8",
                          timeout=LIMIT, env=plain_environment(env), cwd=cwd or WORK, **more)


def check(condition, *what):
    if not condition:
        raise AssertionError(" ".join(map(str, what)) or "not so")


def expect(done, code):
    check(done.returncode == code, "exit code", done.returncode, "instead of", code, "\n", done.stdout, done.stderr)
    return done


def fresh(name):
    """A path where no folder exists yet."""
    path = os.path.join(WORK, name)
    shutil.rmtree(path, ignore_errors=True)
    return path


def pond(name="pond.json", **changes):
    path = os.path.join(WORK, name)
    with open(path, "w") as out:
        json.dump({**POND, **changes}, out, indent=2)
    return path


def rows(folder, name):
    with open(os.path.join(folder, name), newline="") as file:
        return list(csv.reader(file))


def content(folder):
    """All visible files of a folder: name -> bytes."""
    found = {}
    for name in sorted(os.listdir(folder)):
        if not name.startswith("."):
            with open(os.path.join(folder, name), "rb") as file:
                found[name] = file.read()
    return found


def check_csv(folder):
    """Every line of every CSV file is complete; times increase. Returns rows per file."""
    counts = {}
    things = "obstacles.csv" if os.path.exists(os.path.join(folder, "obstacles.csv")) else "bodies.csv"
    for name in ("ledger.csv", things, "gauges.csv"):
        with open(os.path.join(folder, name), newline="") as file:
            text = file.read()
        check(text.endswith("\n"), name, "ends in mid-line")
        table = rows(folder, name)
        width = len(table[0])
        check(len(set(table[0])) == width, name, "has two columns of one name")
        last = -1.0
        for row in table[1:]:
            check(len(row) == width, name, row)
            when = float(row[0])
            check(when >= last if name == things else when > last, name, "time goes back at", row[0])
            last = when
        counts[name] = len(table) - 1
    return counts


TESTS = []


def test(function):
    TESTS.append(function)
    return function


# ---- help and exit codes ----------------------------------------------------------------------------


@test
def version_and_help():
    check(re.fullmatch(r"tarn \d+\.\d+\.\d+\S*\n", expect(tarn("--version"), 0).stdout))
    overview = expect(tarn("--help"), 0)
    check(overview.stdout == expect(tarn("help"), 0).stdout and overview.stderr == "")
    commands = re.findall(r"^  (\S+)  +\S", overview.stdout.split("\n\n")[2], re.M)
    check({"run", "resume", "check", "scenes", "schema", "mesh-info", "bench"} <= set(commands), commands)
    for command in commands:
        text = expect(tarn(command, "--help"), 0).stdout
        check(text.startswith(f"usage: tarn {command}") and "example" in text, text)
        check(text == expect(tarn("help", command), 0).stdout, command)
        check(max(map(len, text.splitlines())) <= 110, command, "has a line that is too long")


@test
def usage_errors_exit_with_2():
    scene = pond()
    for args, message in (
        ((), "missing command"),
        (("rnu",), "did you mean run?"),
        (("frobnicate",), "tarn --help"),
        (("help", "chekc"), "did you mean check?"),
        (("--csv",), "command comes first"),
        (("run",), "missing argument"),
        (("run", scene, "more"), "unexpected argument 'more'"),
        (("run", scene, "--output-intervall", "1"), "did you mean --output-interval?"),
        (("run", scene, "--qqqqqqqqq"), "unknown option"),
        (("run", scene, "-z"), "unknown option -z"),
        (("run", scene, "--duration"), "needs a value"),
        (("run", scene, "--duration", "soon"), "not a number"),
        (("run", scene, "--duration=-1"), "outside"),
        (("run", scene, "--duration", "nan"), "outside"),
        (("run", scene, "--threads", "0"), "outside 1 .. 64"),
        (("run", scene, "--threads", "1.5"), "whole number"),
        (("run", scene, "--hash-interval", "99999999999999999999"), "outside"),
        (("run", scene, "--csv=yes"), "takes no value"),
        (("check",), "missing argument"),
        (("schema", "x"), "unexpected argument 'x'"),
        (("mesh-info",), "missing argument"),
    ):
        done = expect(tarn(*args), 2)
        check(message in done.stderr, args, done.stderr)
        check(done.stdout == "", args, done.stdout)


@test
def options_accept_equals_sign_and_space():
    scene = pond()
    one = expect(tarn("run", "--duration", "0.25", scene, "--json", "--quiet"), 0)
    two = expect(tarn("run", "--json", "-q", "--duration=0.25", "--", scene), 0)
    check(json.loads(one.stdout)["hash"] == json.loads(two.stdout)["hash"])


# ---- check, scenes, schema --------------------------------------------------------------------------


@test
def check_reports_every_error_with_a_caret():
    path = os.path.join(WORK, "bad.json")
    with open(path, "w") as out:
        out.write(BAD)
    done = expect(tarn("check", "bad.json", pond()), 3)
    lines = done.stdout.splitlines()
    radius = [i for i, line in enumerate(lines) if line.startswith("bad.json:5:") and "bodies[0].radius: " in line]
    check(len(radius) == 1, done.stdout)
    excerpt, caret = lines[radius[0] + 1: radius[0] + 3]
    check(excerpt[caret.index("^"):].startswith("-0.3"), done.stdout)
    check(any(line.startswith("bad.json:3:") and "depth" in line for line in lines), "the second mistake", done.stdout)
    check(lines[-1].endswith("pond.json: ok"), done.stdout)
    report = json.loads(expect(tarn("check", "--json", "bad.json"), 3).stdout)
    diagnostics = report[0]["diagnostics"]
    check(report[0]["ok"] is False and len(diagnostics) >= 2 and diagnostics[0]["location"].startswith("bad.json:"))
    expect(tarn("run", "bad.json"), 3)


@test
def check_reports_syntax_errors():
    for name, text in (("cut.json", '{"version": 2,'), ("word.json", "water"), ("empty.json", ""), ("list.json", "[]")):
        with open(os.path.join(WORK, name), "w") as out:
            out.write(text)
        done = expect(tarn("check", name), 3)
        check(name in done.stdout, done.stdout)


@test
def unreadable_files_exit_with_4():
    pond()
    done = expect(tarn("check", "pond.json", "none.json"), 4)
    check("pond.json: ok" in done.stdout and "none.json" in done.stdout + done.stderr)
    check(json.loads(expect(tarn("check", "none.json", "--json"), 4).stdout)[0]["ok"] is False)
    expect(tarn("run", "none.json"), 4)
    expect(tarn("run", "pond.json/under.json"), 4)
    check("folder" in expect(tarn("run", WORK + "/"), 3).stderr)


@test
def control_characters_do_not_reach_the_terminal():
    with open(os.path.join(WORK, "escape.json"), "wb") as out:
        out.write(b'{ "version": 2, "\x1b[31mred\xff\xc2\x9b": 1 }\n')
    for done in (tarn("check", "escape.json"), tarn("run", "escape.json"), tarn("check", "--json", "escape.json")):
        expect(done, 3)
        check("\x1b" not in done.stdout + done.stderr, repr(done.stdout + done.stderr))


@test
def readme_shows_the_output_of_check():
    with open(os.path.join(SCENES, "..", "README.md"), encoding="utf-8") as file:
        readme = file.read()
    scene = readme.split("```json\n")[1].split("```")[0]
    path = os.path.join(WORK, "pond.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(scene)
    expect(tarn("check", "pond.json"), 0)
    with open(path, "w", encoding="utf-8") as file:
        file.write(scene.replace('"radius": 0.3', '"radius": -0.3'))
    done = expect(tarn("check", "pond.json"), 3)
    said = done.stdout + done.stderr
    check(said.strip() and said.strip() in readme, "README shows something else than", said)
    os.remove(path)


@test
def bench_reports_ratios():
    done = tarn("bench", "wave", "shallow", "--quick", "--json")
    expect(done, 0)
    shallow = json.loads(done.stdout)[1]
    check({c["name"] for c in shallow["candidates"]} >= {"conservative", "maccormack", "semi-lagrangian"}, shallow)
    check(all(c["ns"] > 0 for c in shallow["candidates"]), shallow)
    expect(tarn("bench", "nothing"), 2)


@test
def bench_coupling_counts_triangles_and_memory():
    done = tarn("bench", "coupling", "--quick", "--json")
    expect(done, 0)
    for scene in json.loads(done.stdout)[0]["scenes"]:
        check(scene["triangles"] >= 512 and scene["ns_baseline"] > 0 and scene["bytes_per_body"] > 1e4, scene)


def peers_with(*names):
    """["--compare"] if tarn-peers was built and has all of them."""
    program = os.path.join(os.path.dirname(TARN), "tarn-peers")
    said = subprocess.run([program], capture_output=True, text=True).stderr if os.path.exists(program) else ""
    return ["--compare"] if all(f"tarn-peers {name} " in said for name in names) else []


@test
def bench_linear_runs_with_and_without_peers():
    peers = peers_with("hypre", "fftw")
    done = tarn("bench", "linear", "--quick", "--json", *peers)
    expect(done, 0)
    for system in json.loads(done.stdout)[0]["systems"]:
        check(system["residual"] <= 1e-6 < system["jacobi_residual"] and system["tarn_ms"] > 0, system)
        check(not peers or system["hypre_residual"] <= 1e-5, system)


@test
def bench_bodies_runs_with_and_without_peers():
    peers = peers_with("ode")
    done = tarn("bench", "bodies", "--quick", "--json", *peers)
    expect(done, 0)
    for scene in json.loads(done.stdout)[0]["scenes"]:
        names = [c["name"] for c in scene["candidates"]]
        check(names == (["tarn", "ODE"] if peers else ["tarn"]), scene)
        # Every block stays between the floor and the initial height of the heap.
        check(all(c["ms"] > 0 and 0.1 < c["mean_height"] < c["highest"] < 2 for c in scene["candidates"]), scene)


def box_obj(name="box.obj", sides=6, shift=0):
    """A box of 1 x 2 x 3 m, closed if it has all six sides."""
    path = os.path.join(WORK, name)
    with open(path, "w") as out:
        for i in range(8):
            out.write(f"v {(i & 1) + shift} {i & 2} {3 * (i >> 2)}\n")
        for side in ("1 5 7 3", "2 4 8 6", "1 2 6 5", "3 7 8 4", "1 3 4 2", "5 6 8 7")[:sides]:
            out.write(f"f {side}\n")
    return path


@test
def mesh_info_reports_properties():
    text = expect(tarn("mesh-info", box_obj(shift=1000)), 0).stdout
    for line in ("triangles +12", "vertices +8, 8 after welding", "surface +closed, 1 component", "orientation +outward",
                 "volume +6 m\\^3", "centre +1000.5 1 1.5 m", "inertia +2.5 5 6.5 kg m\\^2 .*",
                 "box from +1000 0 0 m", "box to +1001 2 3 m"):
        check(re.search(rf"^  {line}$", text, re.M), line, "is not in", text)
    report = json.loads(expect(tarn("mesh-info", "box.obj", "--json"), 0).stdout)[0]
    check(report["ok"] and report["closed"] and report["triangles"] == 12 and report["open_edges"] == 0, report)
    check(abs(report["volume"] - 6) < 1e-12 and report["box_max"] == [1001, 2, 3], report)  # rounding of sums


@test
def mesh_info_explains_open_meshes():
    check("1 small hole capped" in expect(tarn("mesh-info", box_obj("open.obj", 5)), 0).stdout, "a hole of four edges")
    with open(os.path.join(WORK, "fan.obj"), "w") as out:  # a disc: its boundary of 100 edges is too long to be capped
        out.write("v 0 0 0\n" + "".join(f"v {100 - i} {i * i} 1\n" for i in range(100)))
        out.write("".join(f"f 1 {i + 2} {(i + 1) % 100 + 2}\n" for i in range(100)))
    check("open edges   100\n" in expect(tarn("mesh-info", "fan.obj"), 0).stdout)
    report = json.loads(expect(tarn("mesh-info", "fan.obj", "--json"), 0).stdout)[0]
    check(report["ok"] and not report["closed"] and report["open_edges"] == 100 and "100 open edges" in report["problem"], report)
    check("volume" not in report, report)


@test
def mesh_info_reports_unreadable_files():
    box_obj()
    with open(os.path.join(WORK, "bad\x1b.obj"), "w") as out:
        out.write("v 0 0 0\nv 1 0 0\nv 0 1 \x1b[31m\nf 1 2 3\n")
    done = expect(tarn("mesh-info", "bad\x1b.obj", "box.obj"), 3)
    check("line 3" in done.stderr and "volume" in done.stdout, "the valid file is reported all the same")
    check("\x1b" not in done.stdout + done.stderr)
    check("folder" in expect(tarn("mesh-info", WORK), 3).stderr)
    check("none.obj" in expect(tarn("mesh-info", "none.obj", "bad\x1b.obj"), 4).stderr)
    report = json.loads(expect(tarn("mesh-info", "--json", "none.obj", "bad\x1b.obj"), 4).stdout)
    check([one["ok"] for one in report] == [False, False] and "line 3" in report[1]["diagnostics"][0]["message"], report)


@test
def schema_is_json():
    schema = json.loads(expect(tarn("schema"), 0).stdout)
    check("$schema" in schema and "fluid" in schema["properties"] and "bodies" in schema["properties"])


def lacks_its_mesh(path):
    """A scene with the Stanford bunny, where that is not installed (Debian: glmark2-data)."""
    with open(path) as file:
        return "bunny.obj" in file.read() and not os.path.exists("/usr/share/glmark2/models/bunny.obj")


@test
def scenes_lists_the_gallery():
    listed = json.loads(expect(tarn("scenes", "--json", env={"TARN_PATH": SCENES}), 0).stdout)
    names = {entry["scene"] for entry in listed}
    check(names >= {f[:-5] for f in os.listdir(SCENES) if f.endswith(".json")}, names)
    text = expect(tarn("scenes", env={"TARN_PATH": SCENES}), 0).stdout
    for entry in listed:
        if not entry["ok"] and lacks_its_mesh(entry["file"]):
            continue
        check(entry["ok"], entry)
        check(entry["description"], entry["scene"], "does not say what it shows")
        check(entry["name"] and entry["model"] and len(entry["cells"]) == 2 and entry["bodies"] >= 0, entry)
        check(re.search(rf"^{re.escape(entry['scene'])}: ", text, re.M) and entry["file"] in text, entry["scene"])


@test
def scenes_are_found_by_name():
    folder = fresh("gallery")
    os.makedirs(os.path.join(folder, "scenes"))
    shutil.move(pond("puddle.json"), os.path.join(folder, "scenes"))
    expect(tarn("run", "puddle", "--duration", "0.1", cwd=folder), 0)
    expect(tarn("check", "puddle", cwd=folder), 0)
    paths = {"TARN_PATH": "/nowhere:" + os.path.join(folder, "scenes")}
    expect(tarn("run", "puddle", "--duration", "0.1", env=paths), 0)
    done = expect(tarn("run", "pudle", env=paths), 4)
    check("did you mean puddle?" in done.stderr and "tarn scenes" in done.stderr, done.stderr)
    with open(os.path.join(folder, "scenes", "broken.json"), "w") as out:
        out.write("{")
    done = expect(tarn("scenes", env=paths), 0)
    check("tarn check" in done.stdout and "puddle" in done.stdout, "a broken scene does not hide the others")


# ---- run: summary -----------------------------------------------------------------------------------


@test
def summary_as_text_and_json():
    scene = pond()
    done = expect(tarn("run", scene, "--quiet"), 0)
    check(done.stderr == "", "quiet:", done.stderr)
    report = json.loads(expect(tarn("run", scene, "--json"), 0).stdout)
    check(report["steps"] == 64 and abs(report["time"] - 1) < 1e-12 and report["result"] == "ok", report)
    check(0 < report["courant"] <= 1 and report["ns_per_cell_substep"] > 0 and report["substeps"] >= 64)
    check(abs(report["volume_error_relative"]) < 1e-6, "drift", report["volume_error_relative"])  # float rounding of heights
    check([b["name"] for b in report["bodies"]] == ["cork", "brick, \"red\""])
    check(re.search(rf"^hash +{report['hash']}$", done.stdout, re.M), done.stdout)
    for word in ("64 steps", "relative error", "courant", "momentum", "cork", "ns per cell"):
        check(word in done.stdout, word, "is missing in", done.stdout)


@test
def duration_zero_writes_the_start():
    folder = fresh("zero")
    report = json.loads(expect(tarn("run", pond(), "--duration", "0", "-o", folder, "--json"), 0).stdout)
    check(report["steps"] == 0 and check_csv(folder)["ledger.csv"] == 1)


@test
def hashes_on_stdout():
    scene = pond()
    lines = expect(tarn("run", scene, "--hash-interval", "16"), 0).stdout.splitlines()
    hashes = [line.split() for line in lines if re.fullmatch(r"\d+ [0-9a-f]{16}", line)]
    check([step for step, _ in hashes] == ["16", "32", "48", "64"], lines)
    report = json.loads(expect(tarn("run", scene, "--hash-interval", "16", "--json"), 0).stdout)
    check([[str(h["step"]), h["hash"]] for h in report["hashes"]] == hashes)
    check(report["hash"] == hashes[-1][1])


@test
def set_changes_the_scene():
    scene = pond()
    plain = json.loads(expect(tarn("run", scene, "--json"), 0).stdout)
    report = json.loads(expect(tarn("run", scene, "--json", "--set", "fluid.depth=2", "--set=bodies[0].radius=0.2"), 0).stdout)
    check(abs(report["volume"] / plain["volume"] - 2) < 0.1 and report["hash"] != plain["hash"])
    check(report["bodies"][0]["volume"] < 0.5 * plain["bodies"][0]["volume"])
    for wrong in ("fluid.depth=-1", "fluid.dephth=1", "bodies[7].radius=1", "fluid.depth", "=3", "fluid.depth=deep", ""):
        done = expect(tarn("run", scene, "--set", wrong), 3)
        check(done.stderr.count("\n") >= 1 and done.stdout == "", wrong, done.stderr)


# ---- run: files -------------------------------------------------------------------------------------


@test
def csv_files():
    folder = fresh("csv")
    expect(tarn("run", pond(), "--csv", "--output-interval", DT * 4, "-o", folder), 0)
    check(check_csv(folder) == {"ledger.csv": 17, "bodies.csv": 34, "gauges.csv": 17}, check_csv(folder))
    check(rows(folder, "gauges.csv")[0] == ["time", "g1_height", "g1_depth", "g1_u", "g1_w",
                                           "g2_height", "g2_depth", "g2_u", "g2_w"])
    bodies = rows(folder, "bodies.csv")
    for name in ("time", "id", "name", "x", "qw", "vx", "angular_velocity_x", "submerged_volume", "submerged_fraction",
                 "buoyancy_y", "drag_y", "force_y", "torque_z"):
        check(name in bodies[0], name)
    check([row[2] for row in bodies[1:3]] == ["cork", "brick, \"red\""])
    check([float(row[0]) for row in rows(folder, "ledger.csv")[1:]] == [4 * DT * k for k in range(17)])
    for name in ("ledger.csv", "bodies.csv", "gauges.csv"):
        for row in rows(folder, name)[1:]:
            [float(field) for field in row[:2] + row[3:]]
    check(not [f for f in os.listdir(folder) if f.endswith(".part")])


@test
def default_folder_is_out_and_scene_name():
    folder = fresh("here")
    os.makedirs(folder)
    expect(tarn("run", pond(), "--duration", "0.1", "--csv", cwd=folder), 0)
    check(os.path.exists(os.path.join(folder, "out", "pond", "ledger.csv")))
    expect(tarn("run", pond(), "--duration", "0.1", cwd=fresh_folder("none")), 0)
    check(os.listdir(os.path.join(WORK, "none")) == [], "a run without --csv and --vtk writes nothing")


def fresh_folder(name):
    path = fresh(name)
    os.makedirs(path)
    return path


@test
def outputs_between_steps_are_interpolated():
    fine, coarse = fresh("fine"), fresh("between")
    scene = pond()
    expect(tarn("run", scene, "--output-interval", DT, "-o", fine), 0)
    expect(tarn("run", scene, "--output-interval", DT * 1.5, "-o", coarse, "--vtk", "--csv"), 0)
    ledger, between = rows(fine, "ledger.csv"), rows(coarse, "ledger.csv")
    check(len(between) == 1 + 43, len(between))  # 0 .. 1 s in steps of 1.5 DT: 42 and a bit
    for name, columns in (("gauges.csv", (1, 2, 3, 4)), ("ledger.csv", (1, 7))):
        steps = [[float(f) for f in row] for row in rows(fine, name)[1:]]
        for k, row in enumerate(rows(coarse, name)[1:]):
            i, odd = divmod(3 * k, 2)
            check(abs(float(row[0]) - 1.5 * k * DT) < 1e-8)
            for c in columns:
                want = 0.5 * (steps[i][c] + steps[i + 1][c]) if odd else steps[i][c]
                # nine digits are written
                check(abs(float(row[c]) - want) <= 2e-8 * max(1.0, abs(want)), name, k, c, row[c], want)
    place = [row for row in rows(fine, "bodies.csv") if row[2] == "cork"]
    mixed = [row for row in rows(coarse, "bodies.csv") if row[2] == "cork"]
    check(len(ledger) - 1 == len(place) and len(between) - 1 == len(mixed))
    y = [float(row[4]) for row in place]
    for k, row in enumerate(mixed):
        i, odd = divmod(3 * k, 2)
        want = 0.5 * (y[i] + y[i + 1]) if odd else y[i]
        check(abs(float(row[4]) - want) < 1e-7, "cork", k, row[4], want)


@test
def outputs_may_be_closer_than_steps():
    folder = fresh("dense")
    expect(tarn("run", pond(), "--duration", 8 * DT, "--output-interval", DT / 3, "-o", folder), 0)
    check(check_csv(folder)["ledger.csv"] == 25)


@test
def outputs_do_not_change_the_run():
    scene = pond()
    hashes = set()
    for more in ((), ("--csv", "--output-interval", "0.03"), ("--vtk", "--output-interval", "0.07"),
                 ("--hash-interval", "3"), ("--threads", "2")):
        done = expect(tarn("run", scene, "--json", "-o", fresh("look"), *more), 0)
        hashes.add(json.loads(done.stdout)["hash"])
    check(len(hashes) == 1, hashes)


def vtk_arrays(path):
    """The image of a .vti, its arrays by name, and what follows the last one."""
    with open(path, "rb") as file:
        data = file.read()
    mark = data.index(b"_", data.index(b"<AppendedData"))
    head = tree.fromstring(data[:mark].decode() + "</AppendedData></VTKFile>")
    check(head.get("type") == "ImageData" and head.get("byte_order") == "LittleEndian")
    image, raw, arrays, end = head.find("ImageData"), data[mark + 1:], {}, 0
    for array in image.iter("DataArray"):
        at = int(array.get("offset"))
        (size,) = struct.unpack_from("<Q", raw, at)
        arrays[array.get("Name")] = struct.unpack_from(f"<{size // 4}f", raw, at + 8)
        end = at + 8 + size
    return image, arrays, raw[end:]


@test
def vtk_frames():
    folder = fresh("vtk")
    expect(tarn("run", pond(), "--vtk", "--output-interval", "0.25", "-o", folder), 0)
    series = tree.parse(os.path.join(folder, "series.pvd")).getroot()
    sets = series.findall("Collection/DataSet")
    check([float(s.get("timestep")) for s in sets] == [0, 0.25, 0.5, 0.75, 1])
    check([s.get("file") for s in sets] == [f"frame_{i:05}.vti" for i in range(5)])
    for s in sets:
        image, arrays, rest = vtk_arrays(os.path.join(folder, s.get("file")))
        check(image.get("WholeExtent") == "0 31 0 0 0 31" == image.find("Piece").get("Extent"))
        check([float(x) for x in image.get("Spacing").split()] == [0.125] * 3)
        check([float(x) for x in image.get("Origin").split()] == [-1.9375, 0, -1.9375])
        check(list(arrays) == ["height", "velocity", "bed", "depth"], *arrays)
        check(all(len(values) == (3 if name == "velocity" else 1) * 32 * 32 for name, values in arrays.items()))
        velocity = arrays["velocity"]
        check(not any(velocity[1::3]) and (s is sets[0] or any(velocity[0::3]) and any(velocity[2::3])), "u and w")
        check(all(0.5 < v < 1.5 for v in arrays["height"]), "heights about the depth")
        check(set(arrays["bed"]) == {0.0} and arrays["depth"] == arrays["height"], "a flat bed")
        check(rest == b"\n  </AppendedData>\n</VTKFile>\n", rest)


@test
def bed_and_depth_are_in_the_files():
    """An island of 2 m in water of 1 m: bed, depth and height agree, and nothing is below the ground."""
    scene = pond("island.json", fluid={"model": "shallow", "size": [4, 4], "cells": [32, 32], "depth": 1},
                 bed={"kind": "island", "radius": 0.8, "height": 2}, bodies=[], emitters=[],
                 gauges=[{"name": "top", "position": [0, 0]}, {"name": "sea", "position": [1.9, 0]}])
    folder = fresh("land")
    expect(tarn("run", scene, "--vtk", "--csv", "--duration", DT * 8, "--output-interval", DT * 8, "-o", folder), 0)
    _, arrays, _ = vtk_arrays(os.path.join(folder, "frame_00001.vti"))
    check(0.0 <= min(arrays["bed"]) < 0.1 and 1.8 < max(arrays["bed"]) <= 2.0)
    check(min(arrays["depth"]) == 0.0 and 0.9 < max(arrays["depth"]) < 1.1)
    for height, bed, depth in zip(arrays["height"], arrays["bed"], arrays["depth"]):
        check(abs(bed + depth - height) < 1e-6, bed, depth, height)  # floats of about 1
    names, last = rows(folder, "gauges.csv")[0], [float(x) for x in rows(folder, "gauges.csv")[-1]]
    at = dict(zip(names, last))
    check(at["top_depth"] == 0.0 and at["top_height"] > 1.8, at)
    check(0.9 < at["sea_depth"] < 1.1 and at["sea_depth"] < at["sea_height"] < 1.1, at)


@test
def repeated_runs_write_the_same_bytes():
    scene, first = pond(), None
    for more in (("--threads", "1"), ("--threads", "1"), ("--threads", "2")):
        folder = fresh("same")
        expect(tarn("run", scene, "--csv", "--vtk", "--output-interval", "0.07", "-o", folder, *more), 0)
        first = first or content(folder)
        check(content(folder) == first, more)


@test
def locale_does_not_change_results():
    scene, seen = pond(), []
    for locale in ("C", "de_DE.UTF-8", "de_DE"):  # a locale that is not installed changes nothing either
        folder = fresh("locale")
        done = expect(tarn("run", scene, "--csv", "-o", folder, "--json", "--set", "fluid.depth=1.5",
                           env={"LC_ALL": locale, "LANG": locale}), 0)
        seen.append((content(folder), json.loads(done.stdout)["hash"]))
    check(seen[0] == seen[1] == seen[2])


@test
def only_files_of_tarn_are_overwritten():
    scene, folder = pond(), fresh("own")
    run = ("run", scene, "--duration", "0.5", "--csv", "-o", folder)
    expect(tarn(*run), 0)
    expect(tarn(*run), 0)
    frame = os.path.join(folder, "frame_00003.vti")
    with open(frame, "w") as out:
        out.write("mine")
    before = content(folder)
    done = expect(tarn(*run, "--vtk", "--output-interval", "0.1"), 4)
    check("use -f" in done.stderr and frame in done.stderr, done.stderr)
    check(content(folder) == before, "a refused run leaves everything")
    expect(tarn(*run), 0)
    expect(tarn(*run, "--vtk", "--output-interval", "0.1", "-f"), 0)
    with open(frame, "rb") as file:
        check(file.read(5) == b"<?xml")
    for name, text in (("ledger.csv", "mine\n"), (".tarn", "mine\n")):
        os.makedirs(fresh("foreign"))
        path = os.path.join(WORK, "foreign", name)
        with open(path, "w") as out:
            out.write(text)
        check("-f" in expect(tarn(*run[:-1], os.path.dirname(path)), 4).stderr)
        check(os.listdir(os.path.dirname(path)) == [name], "a refused folder is left as it was")
        with open(path) as file:
            check(file.read() == text)
        expect(tarn(*run[:-1], os.path.dirname(path), "-f"), 0)


@test
def shorter_runs_remove_old_frames():
    scene, folder = pond(), fresh("shorter")
    expect(tarn("run", scene, "--vtk", "--output-interval", "0.1", "-o", folder), 0)
    expect(tarn("run", scene, "--vtk", "--output-interval", "0.1", "--duration", "0.3", "-o", folder), 0)
    check(sorted(content(folder)) == [f"frame_{i:05}.vti" for i in range(4)] + ["series.pvd"], sorted(content(folder)))


@test
def unwritable_output_exits_with_4():
    scene = pond()
    done = expect(tarn("run", scene, "--csv", "-o", os.path.join(scene, "under")), 4)
    check("pond.json" in done.stderr, done.stderr)
    done = expect(tarn("run", scene, "--csv", "-o", scene), 4)
    check("pond.json" in done.stderr, done.stderr)
    os.makedirs(os.path.join(fresh("folder"), "ledger.csv"))
    check("folder" in expect(tarn("run", scene, "-f", "-o", os.path.join(WORK, "folder")), 4).stderr)
    expect(tarn("run", scene, "-o", "x" * 5000), 4)


@test
def full_disk_exits_with_4_without_partial_files():
    def small_files():  # writing beyond 2000 bytes fails as it does on a full disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    scene = pond()
    for kind in ("--csv", "--vtk"):
        folder = fresh("full")
        done = expect(tarn("run", scene, kind, "-o", folder, preexec_fn=small_files), 4)
        check(folder in done.stderr, done.stderr)
        check(content(folder) == {}, sorted(content(folder)))
    with open("/dev/full", "w") as full:
        for args in (("schema",), ("--version",), ("run", scene, "--hash-interval", "1")):
            done = expect(tarn(*args, stdout=full), 4)
            check("standard output" in done.stderr, args, done.stderr)


@test
def closed_stdout_exits_with_4_and_damages_no_file():
    folder = fresh("closed")
    done = expect(tarn("run", pond(), "--hash-interval", "64", "-o", folder, preexec_fn=lambda: os.close(1)), 4)
    check("standard output" in done.stderr, done.stderr)
    check(check_csv(folder)["ledger.csv"] > 1)


@test
def diverged_runs_exit_with_6():
    """One substep where the waves need five: the message has the step, and the files have the steps before."""
    scene = pond("wild.json", fluid={"model": "shallow", "size": [1, 1], "cells": [32, 32], "depth": 1, "substeps": 1},
                 bodies=[], gauges=[], emitters=[{"kind": "hump", "radius": 0.1, "height": 1}])
    folder = fresh("wild")
    done = expect(tarn("run", scene, "--csv", "--duration", 10, "-o", folder), 6)
    check(re.search(r"step \d+: the water", done.stderr), done.stderr)
    check(len(rows(folder, "ledger.csv")) > 1)


@test
def missing_memory_exits_with_5():
    def little():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 28, 1 << 28))

    if tarn("--version", preexec_fn=little).returncode != 0:
        return  # a sanitizer build asks for far more before main() begins
    large = ("--set", "fluid.cells=[16384,16384]", "--set", "fluid.size=[2048,2048]")
    done = expect(tarn("run", pond(), "--threads", "1", *large, preexec_fn=little), 5)
    check("memory" in done.stderr and done.stdout == "", done.stderr)


@test
def killed_runs_leave_no_partial_file():
    scene, folder = pond(), fresh("killed")
    process = start("run", scene, "--duration", "1e6", "--csv", "-o", folder)
    wait_for(os.path.join(folder, "ledger.csv.part"), 4096)
    process.kill()
    process.communicate(timeout=LIMIT)
    check(all(name.endswith(".part") for name in content(folder)), sorted(content(folder)))
    expect(tarn("run", scene, "--csv", "-o", folder), 0)
    check_csv(folder)
    check(not [f for f in os.listdir(folder) if f.endswith(".part")])


@test
def concurrent_runs_do_not_share_a_folder():
    scene, folder = pond(), fresh("shared")
    first = start("run", scene, "--duration", "1e6", "--csv", "-o", folder)
    wait_for(os.path.join(folder, "ledger.csv.part"))
    done = expect(tarn("run", scene, "--csv", "-o", folder), 4)
    check("another run" in done.stderr, done.stderr)
    first.send_signal(signal.SIGTERM)
    first.communicate(timeout=LIMIT)
    check_csv(folder)


# ---- run: signals, pipes, terminals -----------------------------------------------------------------


def start(*args, env=None):
    def restore_sigint():  # a shell ignores it in background jobs
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    return subprocess.Popen([TARN, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            stdin=subprocess.DEVNULL, env=plain_environment(env), cwd=WORK, preexec_fn=restore_sigint)


def wait_for(path, size=1):
    end = time.monotonic() + LIMIT
    while not (os.path.exists(path) and os.path.getsize(path) >= size):
        check(time.monotonic() < end, path, "does not appear")
        time.sleep(0.01)


@test
def signals_complete_the_files():
    scene = pond()
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        folder = fresh("signal")
        process = start("run", scene, "--duration", "1e6", "--csv", "--vtk", "--output-interval", "0.5", "-o", folder,
                        "--json")
        wait_for(os.path.join(folder, "ledger.csv.part"), 600)
        process.send_signal(number)
        out, err = process.communicate(timeout=LIMIT)
        check(process.returncode == code, process.returncode, err)
        check("signal" in err, err)
        report = json.loads(out)
        check(report["result"] == "interrupted" and report["steps"] > 0)
        counts = check_csv(folder)
        sets = tree.parse(os.path.join(folder, "series.pvd")).getroot().findall("Collection/DataSet")
        frames = [f for f in os.listdir(folder) if f.endswith(".vti")]
        check(counts["ledger.csv"] == counts["gauges.csv"] == len(sets) == len(frames) > 1, counts, len(frames))
        check(not [f for f in os.listdir(folder) if f.endswith(".part")])
        expect(tarn("run", scene, "--duration", "0.1", "--csv", "-o", folder), 0)


@test
def closed_pipes_end_without_message():
    process = start("run", pond(), "--duration", "1e6", "--hash-interval", "1", "--quiet")
    line = process.stdout.readline()
    check(re.fullmatch(r"1 [0-9a-f]{16}\n", line), line)
    process.stdout.close()
    err = process.stderr.read()
    check(process.wait(timeout=LIMIT) == 141 and err == "", process.returncode, err)
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as gone:
        for args in (("schema",), ("--help",), ("run", "--help")):
            done = tarn(*args, stdout=gone)
            check(done.returncode == 141 and done.stderr == "", args, done.returncode, done.stderr)


def on_terminal(*args, env=None):
    """Run with stderr on a terminal for a second; returns what was written."""
    leader, follower = pty.openpty()
    process = subprocess.Popen([TARN, *args], stdout=subprocess.DEVNULL, stderr=follower, stdin=subprocess.DEVNULL,
                               env=plain_environment({"TERM": "xterm", **(env or {})}), cwd=WORK)
    os.close(follower)
    seen, end = b"", time.monotonic() + LIMIT
    first = started = time.monotonic()
    while time.monotonic() < end:
        if not select.select([leader], [], [], 0.05)[0]:
            continue
        try:
            piece = os.read(leader, 65536)
        except OSError:  # all closed
            break
        if not piece:
            break
        if not seen:
            first = time.monotonic()
        seen += piece
        if seen.count(b"\r") > 6 and process.poll() is None:
            process.terminate()
    process.wait(timeout=LIMIT)
    os.close(leader)
    return seen.decode(), first - started


@test
def progress_on_a_terminal():
    scene = pond()
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError:
        print("no terminals to be had here: not tested")
        return
    seen, delay = on_terminal("run", scene, "--duration", "1e6")
    check(delay < 1.0, "first output after", delay)  # promised: 0.1 s; a loaded machine gets more
    for word in ("%", "steps/s", "Courant", "error", "ETA"):
        check(word in seen, word, "is missing in", repr(seen))
    check("\x1b[" in seen, "colour")
    plain, _ = on_terminal("run", scene, "--duration", "1e6", env={"NO_COLOR": "1"})
    check("ETA" in plain and "\x1b" not in plain, repr(plain))
    for args, env in ((("--quiet",), {}), ((), {"TERM": "dumb"})):
        calm, _ = on_terminal("run", scene, "--duration", "1", *args, env=env)
        check("\r" not in calm.replace("\r\n", "") and "\x1b" not in calm, repr(calm))


@test
def no_progress_line_without_a_terminal():
    done = expect(tarn("run", pond()), 0)
    check("\r" not in done.stderr and "\x1b" not in done.stderr, repr(done.stderr))
    check(done.stderr.count("\n") <= 2, done.stderr)


# ---- the shipped scenes -----------------------------------------------------------------------------


@test
def shipped_scenes_check_and_run():
    names = sorted(f for f in os.listdir(SCENES) if f.endswith(".json"))
    check(names, "no scenes in", SCENES)
    for name in names:
        path = os.path.join(SCENES, name)
        if lacks_its_mesh(path):
            done = expect(tarn("check", path), 4)
            check("no file 'bunny.obj'" in done.stderr and "glmark2" in done.stderr, done.stderr)
            continue
        check(expect(tarn("check", path), 0).stdout == f"{path}: ok\n", name)
        folder = fresh("shipped")
        report = json.loads(expect(tarn("run", path, "--duration", "0.25", "--csv", "-o", folder, "--json"), 0).stdout)
        check(abs(report["volume_error_relative"]) < 1e-6, name, "drift", report["volume_error_relative"])
        check_csv(folder)


def main():
    global WORK
    if not os.access(TARN, os.X_OK) or not os.path.isdir(SCENES):
        print("usage: test_cli.py TARN SCENES", file=sys.stderr)
        return 2
    only, failed = sys.argv[3:], 0
    chosen = [t for t in TESTS if not only or t.__name__ in only]
    with tempfile.TemporaryDirectory(prefix="tarn-test-") as WORK:
        for function in chosen:
            print(f"[ RUN      ] {function.__name__}", flush=True)
            begin = time.monotonic()
            try:
                function()
                print(f"[       OK ] {function.__name__} ({time.monotonic() - begin:.1f} s)", flush=True)
            except Exception:  # a test that breaks fails; the others go on
                traceback.print_exc(file=sys.stdout)
                print(f"[  FAILED  ] {function.__name__}", flush=True)
                failed += 1
    print(f"[  PASSED  ] {len(chosen) - failed} test(s).")
    if failed:
        print(f"[  FAILED  ] {failed} test(s)")
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
