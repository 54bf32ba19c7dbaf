"""Counts test cases in CTest's JUnit file: count_tests.py RESULTS LOG

Prints the output of every program that failed, then, alone on the last line, "N passed, N failed". A program counts with the
test cases that it says it ran (Catch2's summary, or a line "N passed, N failed" of its own), any other one as one test.
Exit status: 0 when some tests ran and all of them passed.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree

CATCH_PASSED = re.compile(r"^All tests passed \(.* in (\d+) test cases?\)", re.M)
CATCH_FAILED = re.compile(r"^test cases:\s*(\d+)(.*)$", re.M)
CATCH_SOME_PASSED = re.compile(r"(\d+) passed")
OWN_LINE = re.compile(r"^(\d+) passed, (\d+) failed$", re.M)


def count(output, ok):
    """(passed, failed) test cases of one program."""
    if found := OWN_LINE.findall(output):
        passed, failed = map(int, found[-1])
    elif found := CATCH_PASSED.findall(output):
        passed, failed = int(found[-1]), 0
    elif found := CATCH_FAILED.findall(output):
        total, rest = found[-1]
        good = CATCH_SOME_PASSED.search(rest)
        passed = int(good.group(1)) if good else 0
        failed = int(total) - passed
    else:
        passed, failed = (1, 0) if ok else (0, 1)
    if not ok and not failed:  # it crashed after its summary
        failed = 1
    return passed, failed


def main():
    results, log = sys.argv[1:]
    try:
        cases = ElementTree.parse(results).getroot().findall("testcase")
    except (OSError, ElementTree.ParseError):
        sys.stdout.write(open(log, encoding="utf-8", errors="replace").read())
        cases = []
    passed = failed = 0
    for case in cases:
        output = case.findtext("system-out") or ""
        ok = case.get("status") == "run" and case.find("failure") is None
        good, bad = count(output, ok)
        passed, failed = passed + good, failed + bad
        if not ok:
            failure = case.find("failure")
            why = failure.get("message", "") if failure is not None else case.get("status")
            print(f"---- {case.get('name')}: {why}\n{output.rstrip()}")
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
