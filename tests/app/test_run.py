#!/usr/bin/env python3
"""test_run.py TARN SCENES: the promises of `tarn run`, tested by running it."""
import json
import os
import pty
import re
import resource
import select
import signal
import struct
import subprocess
import sys
import time
import xml.etree.ElementTree as tree

import program
from program import DT, check, check_csv, content, expect, fresh, pond, rows, start, tarn, test, wait_for


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
    check(os.listdir(os.path.join(program.WORK, "none")) == [], "a run without --csv and --vtk writes nothing")


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
        path = os.path.join(program.WORK, "foreign", name)
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
    check("folder" in expect(tarn("run", scene, "-f", "-o", os.path.join(program.WORK, "folder")), 4).stderr)
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
    process.communicate(timeout=program.LIMIT)
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
    first.communicate(timeout=program.LIMIT)
    check_csv(folder)


# ---- run: signals, pipes, terminals -----------------------------------------------------------------


@test
def signals_complete_the_files():
    scene = pond()
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        folder = fresh("signal")
        process = start("run", scene, "--duration", "1e6", "--csv", "--vtk", "--output-interval", "0.5", "-o", folder,
                        "--json")
        wait_for(os.path.join(folder, "ledger.csv.part"), 600)
        process.send_signal(number)
        out, err = process.communicate(timeout=program.LIMIT)
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
    check(process.wait(timeout=program.LIMIT) == 141 and err == "", process.returncode, err)
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as gone:
        for args in (("schema",), ("--help",), ("run", "--help")):
            done = tarn(*args, stdout=gone)
            check(done.returncode == 141 and done.stderr == "", args, done.returncode, done.stderr)


def on_terminal(*args, env=None):
    """Run with stderr on a terminal for a second; returns what was written."""
    leader, follower = pty.openpty()
    process = subprocess.Popen([program.TARN, *args], stdout=subprocess.DEVNULL, stderr=follower, stdin=subprocess.DEVNULL,
                               env=program.plain_environment({"TERM": "xterm", **(env or {})}), cwd=program.WORK)
    os.close(follower)
    seen, end = b"", time.monotonic() + program.LIMIT
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
    process.wait(timeout=program.LIMIT)
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


if __name__ == "__main__":
    sys.exit(program.main())
