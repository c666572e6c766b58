#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the list of slow tests in tests/lanes.cmake, from the times of a run of all tests.

    scripts/test.sh && scripts/update_lanes.py [BUILD_FOLDER] [--seconds 0.6]

BUILD_FOLDER (build-test) is that of the run; what took longer than --seconds, and is not slow by its name, is listed.
Prints what the lane "fast" then takes in all, in seconds of one core. """
import argparse
import pathlib
import re

LANES = pathlib.Path(__file__).resolve().parent.parent / "tests" / "lanes.cmake"
LIST = re.compile(r"(set\(pegrasp_slow_tests\n)(.*?)(\))", re.S)


def times(build):
    """Seconds by test, as ctest has kept them."""
    kept = build / "Testing" / "Temporary" / "CTestCostData.txt"
    lines = (line.rsplit(" ", 2) for line in kept.read_text().split("---")[0].splitlines())
    return {fields[0]: float(fields[2]) for fields in lines if len(fields) == 3}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=pathlib.Path("build-test"))
    parser.add_argument("--seconds", type=float, default=0.6)
    arguments = parser.parse_args()
    text = LANES.read_text()
    by_name = re.compile(re.search(r'set\(pegrasp_slow_suites "(.*)"\)', text)[1])
    kept = re.compile(re.search(r'set\(pegrasp_fast_all_the_same "(.*)"\)', text)[1])
    measured = times(arguments.build)
    others = {test: seconds for test, seconds in measured.items() if not by_name.search(test) or kept.search(test)}
    slow = sorted(test for test, seconds in others.items() if seconds > arguments.seconds and not kept.search(test))
    LANES.write_text(LIST.sub(lambda old: old[1] + "".join(f"    {test}\n" for test in slow) + old[3], text))
    print(f"{len(measured)} tests; {len(slow)} are listed as slow; fast: {len(others) - len(slow)} tests, "
          f"{sum(others[test] for test in others if test not in slow):.0f} s")


if __name__ == "__main__":
    main()
