#!/usr/bin/env python3
"""determinism.py FOLDER SCENES: shipped scenes in the variants that determinism.sh has built in FOLDER, against tests/golden.txt.

Every scene runs once for 20 steps; in the long run four times for 1,000, each time in another variant and with another
number of workers, so that all of those have many scenes.
"""
import collections
import concurrent.futures
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "app"))
import test_golden as golden  # noqa: E402

WORKERS = (1, 2, 3, 5, 8, 16, 32)
# Half a minute and more for 1,000 steps: not without optimisation, which takes ten times as long.
HEAVY = ("bunny", "company", "dam_wet", "discs", "drop", "eight", "karman", "maze", "paddle", "pile", "tray")


def plan(programs, names):
    """(scene, program, workers) of every run."""
    for repeat in range(4 if golden.LONG else 1):
        for i, name in enumerate(names):
            fit = [p for p in programs if "-O0-" not in p or name not in HEAVY]
            program = fit[(5 * i + 7 * repeat) % len(fit)]  # 5 and 7 share no factor with their number
            alone = "-alone-" in program
            yield name, program, 1 if alone else WORKERS[(i + 3 * repeat) % len(WORKERS)]


def main():
    folder, scenes = sys.argv[1:3]
    programs = sorted(p for p in os.listdir(folder) if not p.endswith(".txt"))
    steps, known = golden.WHOLE if golden.LONG else golden.SHORT, golden.read()
    runs = list(plan(programs, golden.names_in(scenes)))

    def run(job):
        name, program, workers = job
        path = os.path.join(scenes, name + ".json")
        done = subprocess.run([os.path.join(folder, program), str(workers), path, str(steps)], capture_output=True,
                              text=True)
        return done.stdout.strip() if done.returncode == 0 else f"exit code {done.returncode}: {done.stderr.strip()}"

    failed, times = 0, collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (name, program, workers), found in zip(runs, pool.map(run, runs)):
            times[program] += 1
            times["no threads" if "-alone-" in program else f"{workers} workers"] += 1
            if found != known.get((name, steps)):
                print(f"{name}, {steps} steps, {program}, {workers} workers: {found}, {known.get((name, steps))} in "
                      "tests/golden.txt", flush=True)
                failed += 1
    print(", ".join(f"{what}: {n}" for what, n in sorted(times.items())))
    print(f"{len(runs)} runs of shipped scenes, {failed} differ")
    return 1 if failed or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
