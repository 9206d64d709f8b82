#!/usr/bin/env python3
"""coverage.py BUILD: coverage of the lines and branches of src/ from the .gcda files of a build with --coverage.

Needs gcov alone. A line or branch that is compiled several times counts as run if any of its copies was. What was not is
in BUILD/missed.txt: lines, and branches as LINE/NUMBER. Exit status 1 below 90 % of the lines or 80 % of the branches.
"""
import collections
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def reports(build):
    for folder, _, names in os.walk(build):
        for name in names:
            if name.endswith(".gcno"):
                path = os.path.join(os.path.abspath(folder), name)
                done = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout", path], capture_output=True, text=True)
                for line in done.stdout.splitlines():
                    if line.startswith("{"):
                        yield json.loads(line)


def main():
    counts = collections.defaultdict(dict)  # file -> line, or line and branch -> runs
    for report in reports(sys.argv[1]):
        for file in report["files"]:
            path = os.path.relpath(os.path.join(report["current_working_directory"], file["file"]), ROOT)
            if path.startswith("src/"):
                lines = counts[path]
                for line in file["lines"]:
                    found = [((line["line_number"], -1), line["count"])]
                    found += [((line["line_number"], k), b["count"]) for k, b in enumerate(line["branches"])]
                    for key, runs in found:
                        lines[key] = max(lines.get(key, 0), runs)
    modules = collections.defaultdict(lambda: [0, 0, 0, 0])  # lines run, lines, branches taken, branches
    with open(os.path.join(sys.argv[1], "missed.txt"), "w") as missed:
        for path in sorted(counts):
            for (number, branch), runs in sorted(counts[path].items()):
                for module in (os.path.dirname(path), "src, all"):
                    modules[module][2 * (branch >= 0)] += runs > 0
                    modules[module][2 * (branch >= 0) + 1] += 1
                if not runs:
                    missed.write(f"{path}:{number}{f'/{branch}' if branch >= 0 else ''}\n")
    for module in sorted(modules):
        run, lines, taken, branches = modules[module]
        print(f"{module:12} {100 * run / lines:5.1f} % of {lines} lines, {100 * taken / max(1, branches):5.1f} % of "
              f"{branches} branches")
    run, lines, taken, branches = modules["src, all"]
    return 0 if lines and run >= 0.9 * lines and taken >= 0.8 * branches else 1


if __name__ == "__main__":
    sys.exit(main())
