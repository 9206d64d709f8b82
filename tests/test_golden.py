#!/usr/bin/env python3
"""test_golden.py TARN SCENES [--write]: the hash of every shipped scene after 20 steps, and 1,000 in the long run.

What is not in the file is not compared. A changed hash means that results changed. That is allowed, never silent: scripts/golden writes tests/golden.txt anew, and
the commit says why.
"""
import json
import os
import re
import subprocess
import sys

LONG = bool(os.environ.get("TARN_LONG"))
FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.txt")
HEAD = "# scene, steps, state hash; written by scripts/golden\n"
COUNTS = (20, 1000)
BUNNY = "/usr/share/glmark2/models/bunny.obj"


def hashes(tarn, path, counts):
    """Step -> hash; None if the scene's mesh is not installed."""
    with open(path) as file:
        text = file.read()
    if "bunny.obj" in text and not os.path.exists(BUNNY):
        return None
    dt = json.loads(text).get("run", {}).get("dt", 1 / 60)
    done = subprocess.run([tarn, "run", path, "--quiet", "--time", repr(max(counts) * dt), "--hash-every", "20"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return {}
    found = dict(re.findall(r"^(\d+) ([0-9a-f]{16})$", done.stdout, re.M))
    return {n: found.get(str(n)) for n in counts}


def read():
    with open(FILE) as file:
        lines = [line.split() for line in file if not line.startswith("#")]
    return {(name, int(steps)): value for name, steps, value in lines}


def main():
    tarn, folder, write = os.path.abspath(sys.argv[1]), sys.argv[2], "--write" in sys.argv[3:]
    golden = read() if os.path.exists(FILE) and not write else {}
    names = sorted(f[:-5] for f in os.listdir(folder) if f.endswith(".json"))
    passed = failed = 0
    for name in names:
        counts = COUNTS if LONG else COUNTS[:1]
        now = hashes(tarn, os.path.join(folder, name + ".json"), counts)
        if now is None:
            print(f"{name}: its mesh is not installed, not compared")
            continue
        for n in counts:
            if write:
                golden[name, n] = now.get(n) or "failed"
            elif (name, n) not in golden and n == max(COUNTS):
                continue
            elif now.get(n) == golden.get((name, n)):
                passed += 1
            else:
                print(f"{name}: {now.get(n)} after {n} steps, {golden.get((name, n))} in tests/golden.txt")
                failed += 1
    if write:
        with open(FILE, "w") as out:
            out.write(HEAD)
            out.writelines(f"{name} {n} {golden[name, n]}\n" for name, n in sorted(golden) if name in names)
    elif failed:
        print("Results changed. If that is meant: scripts/golden")
    print(f"{len(golden)} hashes written" if write else f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
