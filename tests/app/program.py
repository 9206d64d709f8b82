"""Runs the program tarn for tests: test_*.py TARN SCENES [TEST...] imports this, marks its tests with @test and ends
with sys.exit(main()).

TARN is the program, SCENES the folder of the gallery. Needs only the standard library.
"""
import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

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


def main():
    global WORK
    if not os.access(TARN, os.X_OK) or not os.path.isdir(SCENES):
        print(f"usage: {sys.argv[0]} TARN SCENES", file=sys.stderr)
        return 2
    only, failed = sys.argv[3:], 0
    own = [t for t in TESTS if t.__module__ == "__main__"]  # not those of an imported test
    chosen = [t for t in own if not only or t.__name__ in only]
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
