#!/usr/bin/env python3
"""coverage.py BUILD: line coverage of src/ from the .gcda files of a build with --coverage.

Needs gcov alone. A line that is compiled several times counts as run if any of its copies was.
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
                done = subprocess.run(["gcov", "--json-format", "--stdout", path], capture_output=True, text=True)
                for line in done.stdout.splitlines():
                    if line.startswith("{"):
                        yield json.loads(line)


def main():
    counts = collections.defaultdict(dict)  # file -> line -> runs
    for report in reports(sys.argv[1]):
        for file in report["files"]:
            path = os.path.relpath(os.path.join(report["current_working_directory"], file["file"]), ROOT)
            if path.startswith("src/"):
                lines = counts[path]
                for line in file["lines"]:
                    number = line["line_number"]
                    lines[number] = max(lines.get(number, 0), line["count"])
    rooms = collections.defaultdict(lambda: [0, 0])
    with open(os.path.join(sys.argv[1], "missed.txt"), "w") as missed:
        for path in sorted(counts):
            lines = counts[path]
            for room in (os.path.dirname(path), "src, all"):
                rooms[room][0] += sum(1 for runs in lines.values() if runs)
                rooms[room][1] += len(lines)
            missed.writelines(f"{path}:{number}\n" for number in sorted(lines) if not lines[number])
    for room in sorted(rooms):
        run, total = rooms[room]
        print(f"{room:12} {100 * run / total:5.1f} % of {total} lines")
    return 0 if rooms else 1


if __name__ == "__main__":
    sys.exit(main())
