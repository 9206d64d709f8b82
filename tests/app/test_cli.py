#!/usr/bin/env python3
"""test_cli.py TARN SCENES: the promises of the program tarn but run, resume, render and view, tested by running it."""
import json
import os
import re
import shutil
import subprocess
import sys

import program
from program import check, check_csv, expect, fresh, pond, tarn, test


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
    path = os.path.join(program.WORK, "bad.json")
    with open(path, "w") as out:
        out.write(program.BAD)
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
        with open(os.path.join(program.WORK, name), "w") as out:
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
    check("folder" in expect(tarn("run", program.WORK + "/"), 3).stderr)


@test
def control_characters_do_not_reach_the_terminal():
    with open(os.path.join(program.WORK, "escape.json"), "wb") as out:
        out.write(b'{ "version": 2, "\x1b[31mred\xff\xc2\x9b": 1 }\n')
    for done in (tarn("check", "escape.json"), tarn("run", "escape.json"), tarn("check", "--json", "escape.json")):
        expect(done, 3)
        check("\x1b" not in done.stdout + done.stderr, repr(done.stdout + done.stderr))


@test
def readme_shows_the_output_of_check():
    with open(os.path.join(program.SCENES, "..", "README.md"), encoding="utf-8") as file:
        readme = file.read()
    scene = readme.split("```json\n")[1].split("```")[0]
    path = os.path.join(program.WORK, "pond.json")
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
    peers = os.path.join(os.path.dirname(program.TARN), "tarn-peers")
    said = subprocess.run([peers], capture_output=True, text=True).stderr if os.path.exists(peers) else ""
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
    path = os.path.join(program.WORK, name)
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
    with open(os.path.join(program.WORK, "fan.obj"), "w") as out:  # a disc: its boundary of 100 edges is too long to be capped
        out.write("v 0 0 0\n" + "".join(f"v {100 - i} {i * i} 1\n" for i in range(100)))
        out.write("".join(f"f 1 {i + 2} {(i + 1) % 100 + 2}\n" for i in range(100)))
    check("open edges   100\n" in expect(tarn("mesh-info", "fan.obj"), 0).stdout)
    report = json.loads(expect(tarn("mesh-info", "fan.obj", "--json"), 0).stdout)[0]
    check(report["ok"] and not report["closed"] and report["open_edges"] == 100 and "100 open edges" in report["problem"], report)
    check("volume" not in report, report)


@test
def mesh_info_reports_unreadable_files():
    box_obj()
    with open(os.path.join(program.WORK, "bad\x1b.obj"), "w") as out:
        out.write("v 0 0 0\nv 1 0 0\nv 0 1 \x1b[31m\nf 1 2 3\n")
    done = expect(tarn("mesh-info", "bad\x1b.obj", "box.obj"), 3)
    check("line 3" in done.stderr and "volume" in done.stdout, "the valid file is reported all the same")
    check("\x1b" not in done.stdout + done.stderr)
    check("folder" in expect(tarn("mesh-info", program.WORK), 3).stderr)
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
    listed = json.loads(expect(tarn("scenes", "--json", env={"TARN_PATH": program.SCENES}), 0).stdout)
    names = {entry["scene"] for entry in listed}
    check(names >= {f[:-5] for f in os.listdir(program.SCENES) if f.endswith(".json")}, names)
    text = expect(tarn("scenes", env={"TARN_PATH": program.SCENES}), 0).stdout
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


# ---- the shipped scenes -----------------------------------------------------------------------------


@test
def shipped_scenes_check_and_run():
    names = sorted(f for f in os.listdir(program.SCENES) if f.endswith(".json"))
    check(names, "no scenes in", program.SCENES)
    for name in names:
        path = os.path.join(program.SCENES, name)
        if lacks_its_mesh(path):
            done = expect(tarn("check", path), 4)
            check("no file 'bunny.obj'" in done.stderr and "glmark2" in done.stderr, done.stderr)
            continue
        check(expect(tarn("check", path), 0).stdout == f"{path}: ok\n", name)
        folder = fresh("shipped")
        report = json.loads(expect(tarn("run", path, "--duration", "0.25", "--csv", "-o", folder, "--json"), 0).stdout)
        check(abs(report["volume_error_relative"]) < 1e-6, name, "drift", report["volume_error_relative"])
        check_csv(folder)


if __name__ == "__main__":
    sys.exit(program.main())
