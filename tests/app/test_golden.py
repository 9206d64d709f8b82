#!/usr/bin/env python3
"""test_golden.py TARN SCENES [--write] [NAME...]: the hash of shipped scenes after 20 steps, and 1,000 in the long run.

A changed hash means that results changed. That is allowed, never silent: scripts/update-hashes writes tests/golden.txt anew, and
the commit says why. It drops the long hashes of scenes whose short one has changed; scripts/update-hashes --long makes them.
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys

LONG = bool(os.environ.get("TARN_LONG"))
FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden.txt")
HEAD = "# scene, steps, state hash; written by scripts/update-hashes\n"
SHORT, WHOLE = 20, 1000
BUNNY = "/usr/share/glmark2/models/bunny.obj"


def names_in(folder):
    """Shipped scenes, without those whose mesh is not installed."""
    names = sorted(f[:-5] for f in os.listdir(folder) if f.endswith(".json"))
    return [name for name in names if os.path.exists(BUNNY) or "bunny.obj" not in text_of(folder, name)]


def text_of(folder, name):
    with open(os.path.join(folder, name + ".json")) as file:
        return file.read()


def hashes(tarn, folder, name, counts):
    """Step -> hash, "failed" where there is none."""
    dt = json.loads(text_of(folder, name)).get("run", {}).get("dt", 1 / 60)
    path = os.path.join(folder, name + ".json")
    done = subprocess.run([tarn, "run", path, "--quiet", "--threads", "1", "--duration", repr(max(counts) * dt),
                           "--hash-interval", str(SHORT)], capture_output=True, text=True)
    found = dict(re.findall(r"^(\d+) ([0-9a-f]{16})$", done.stdout, re.M)) if done.returncode == 0 else {}
    return {n: found.get(str(n), "failed") for n in counts}


def read():
    """(scene, steps) -> hash."""
    if not os.path.exists(FILE):
        return {}
    with open(FILE) as file:
        lines = [line.split() for line in file if not line.startswith("#")]
    return {(name, int(steps)): value for name, steps, value in lines}


def write(golden):
    with open(FILE, "w") as out:
        out.write(HEAD)
        out.writelines(f"{name} {n} {golden[name, n]}\n" for name, n in sorted(golden))


def update(golden, name, now):
    """Insert new hashes. A changed hash of 20 steps removes that of 1,000, which is then outdated."""
    if golden.get((name, SHORT)) != now[SHORT]:
        golden.pop((name, WHOLE), None)
    golden.update({(name, n): value for n, value in now.items()})


def main():
    tarn, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    writing, only = "--write" in sys.argv[3:], [a for a in sys.argv[3:] if not a.startswith("--")]
    counts = (SHORT, WHOLE) if LONG else (SHORT,)
    golden, passed, failed = read(), 0, 0
    names = [name for name in names_in(folder) if not only or name in only]
    if writing:
        shipped = {f[:-5] for f in os.listdir(folder)}
        golden = {key: value for key, value in golden.items() if key[0] in shipped}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        made = pool.map(lambda name: (name, hashes(tarn, folder, name, counts)), names)
        for name, now in made:
            for n, value in now.items():
                if golden.get((name, n)) == value != "failed":
                    passed += 1
                    continue
                failed += 1
                print(f"{name}: {value} after {n} steps, {golden.get((name, n))} in tests/golden.txt", flush=True)
            if writing:
                update(golden, name, now)
                write(golden)
    if writing:
        print(f"{failed} of {passed + failed} hashes changed, {len(golden)} in the file")
        return 0
    if failed:
        print("Results changed. If that is meant: scripts/update-hashes" + (" --long" if LONG else ""))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
