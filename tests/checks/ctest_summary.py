#!/usr/bin/env python3
"""ctest_summary.py REPORT STATUS: sum up CTest's JUnit report, given CTest's exit status.

Cases of cmocka programs count one by one, every other test as one. The last line
reads "N passed, N failed"; the exit status is 1 if anything failed or nothing passed.
"""
import re
import sys
import xml.etree.ElementTree as tree


def cases(test):
    """(passed, failed, skipped) of one CTest test."""
    if test.get("status") == "fail":
        outcome = (0, 1, 0)
    elif test.get("status") == "run":
        outcome = (1, 0, 0)
    else:
        return (0, 0, 1)
    text = test.findtext("system-out") or ""
    passed = sum(map(int, re.findall(r"^\[  PASSED  \] (\d+) test", text, re.M)))
    failed = sum(map(int, re.findall(r"^\[  FAILED  \] (\d+) test", text, re.M)))
    if passed + failed == 0:
        return outcome
    # A program that crashed after its last report has failed all the same.
    return (passed, max(failed, outcome[1]), 0)


def main():
    try:
        tests = list(tree.parse(sys.argv[1]).iter("testcase"))
    except (OSError, tree.ParseError) as problem:
        print("no report of the tests:", problem)
        tests = []
    passed, failed, skipped = (sum(column) for column in zip((0, 0, 0), *map(cases, tests)))
    # What the report does not tell (a program that could not be started) still shows in the status.
    if failed == 0 and (sys.argv[2] != "0" or passed == 0):
        failed = 1
    if skipped:
        print(f"{skipped} skipped")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
