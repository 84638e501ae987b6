#!/usr/bin/env python3
# ===- run_tests.py - Run every suite and sum the results ------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs lit, the unit tests and pytest in a built tree and prints one sum.

The last line is `N passed, M failed`, with `, K skipped` if some were. The exit status is 1
if a test failed or none ran.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclasses.dataclass
class Count:
    """Results of a suite."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other):
        return Count(
            self.passed + other.passed,
            self.failed + other.failed,
            self.skipped + other.skipped,
        )

    def __str__(self):
        text = f"{self.passed} passed, {self.failed} failed"
        return text + (f", {self.skipped} skipped" if self.skipped else "")


def count_junit(path):
    """Counts a JUnit file as pytest and ctest write it."""
    count = Count()
    for suite in ElementTree.parse(path).getroot().iter("testsuite"):
        number = {k: int(suite.get(k, 0) or 0) for k in ("tests", "failures", "errors")}
        skipped = int(suite.get("skipped", 0) or 0) + int(suite.get("disabled", 0) or 0)
        failed = number["failures"] + number["errors"]
        count += Count(number["tests"] - failed - skipped, failed, skipped)
    return count


def run_lit(build, results, full):
    """Runs the FileCheck tests. Returns a Count."""
    output = results / "lit.json"
    lit = pathlib.Path(sys.executable).parent / "lit"
    command = [sys.executable, str(lit), "-s", "-v", "--timeout=600"]
    command += ["-o", str(output), f"-Dfull={int(full)}", str(build / "test")]
    status = subprocess.run(command, cwd=ROOT).returncode
    if not output.exists():
        return Count(failed=1)
    codes = [test["code"] for test in json.loads(output.read_text())["tests"]]
    good, skip = ("PASS", "FLAKYPASS", "XFAIL"), ("UNSUPPORTED", "SKIPPED", "EXCLUDED")
    passed = sum(code in good for code in codes)
    skipped = sum(code in skip for code in codes)
    failed = len(codes) - passed - skipped
    return Count(passed, failed or int(status not in (0, 5) and failed == 0), skipped)


def run_unit(build, results, full):
    """Runs the programs registered with CTest. GoogleTest programs count by test, others as
    one. Returns a Count."""
    cases = results / "gtest"
    shutil.rmtree(cases, ignore_errors=True)
    cases.mkdir(parents=True)
    junit = results / "unit.xml"
    env = dict(os.environ, GTEST_OUTPUT=f"json:{cases}/", GTEST_BRIEF="1")
    if full:
        env["DYN_TEST_FULL"] = "1"
    command = ["ctest", "--test-dir", str(build), "--output-on-failure"]
    command += ["--timeout", "1800" if full else "300", "--output-junit", str(junit)]
    status = subprocess.run(command, env=env).returncode
    if not junit.exists():
        return Count(failed=1)
    count = count_junit(junit)
    for file in cases.glob("*.json"):
        report = json.loads(file.read_text())
        failed = report["failures"] + report["errors"]
        skipped = report["disabled"] + sum(
            case.get("result") == "SKIPPED"
            for suite in report["testsuites"]
            for case in suite["testsuite"]
        )
        passed = report["tests"] - failed - skipped
        # CTest counts the program itself; replace it by its test cases. A program that
        # crashes writes no report and still counts as one.
        count += Count(passed, failed, skipped)
        count += Count(failed=-1) if failed else Count(passed=-1)
    if status and not count.failed:
        count.failed = 1
    return count


def run_python(build, results, full):
    """Runs the Python tests: models against ONNX Runtime and PyTorch, random programs
    against the interpreter. A few files at a time: most of their work is single-threaded.
    Returns a Count."""
    junit = results / "python.xml"
    command = [sys.executable, "-m", "pytest", "-c", str(ROOT / "test" / "pytest.ini")]
    command += ["-q", "-rfEX", f"--junitxml={junit}", f"--dyn-build={build}"]
    command += ["-n", str(min(4, len(os.sched_getaffinity(0)))), "--dist", "loadfile"]
    command += ["--full"] if full else []
    status = subprocess.run(command, cwd=ROOT / "test").returncode
    if not junit.exists():
        return Count(failed=1)
    count = count_junit(junit)
    # 5: no test was collected.
    if status not in (0, 5) and not count.failed:
        count.failed = 1
    return count


SUITES = {"lit": run_lit, "unit": run_unit, "python": run_python}


def main():
    parser = argparse.ArgumentParser(prog="x test", description=__doc__)
    parser.add_argument("suites", nargs="*", choices=[*SUITES, []], help="default: all")
    parser.add_argument("--full", action="store_true", help="all shapes and seeds")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    args = parser.parse_args()

    results = args.build / "test-results"
    results.mkdir(parents=True, exist_ok=True)
    for old in results.glob("*.*"):
        old.unlink()
    counts = {}
    for name in args.suites or SUITES:
        print(f"\n== {name} tests", flush=True)
        start = time.monotonic()
        counts[name] = SUITES[name](args.build, results, args.full)
        print(f"{name}: {counts[name]} ({time.monotonic() - start:.0f} s)", flush=True)

    total = sum(counts.values(), Count())
    print("\n== summary")
    for name, count in counts.items():
        print(f"{name}: {count}")
    if total.passed + total.failed == 0:
        print("no test ran")
    print(total, flush=True)
    return int(total.failed > 0 or total.passed == 0)


if __name__ == "__main__":
    sys.exit(main())
