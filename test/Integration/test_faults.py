# ===- test_faults.py - The table of injected faults -----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each test that docs/Robustness.md names exists, and its numbers are those of the
tests."""

import ast
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "Robustness.md").read_text()
FUZZ = ROOT / "test" / "fuzz"


def known_tests():
    """Names of the unit tests, as GoogleTest prints them, and of functions."""
    names = set()
    units = [ROOT / "runtime" / "test", ROOT / "test" / "Unit"]
    for path in (path for folder in units for path in folder.rglob("*.cpp")):
        pairs = re.findall(r"^TEST(?:_[FP])?\((\w+), (\w+)\)", path.read_text(), re.MULTILINE)
        names |= {f"{suite}.{name}" for suite, name in pairs}
    for path in (ROOT / "test").rglob("test_*.py"):
        names |= set(re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE))
    return names


def test_named_tests_exist():
    named = set(re.findall(r"`(\w+\.\w+|test_\w+)`", PAGE))
    assert len(named) > 40
    assert not {name for name in named if not name.endswith(".py")} - known_tests()


def test_each_fault_names_a_test():
    table = PAGE[PAGE.index("| fault |") : PAGE.index("## Files")].strip().split("\n")[2:]
    assert len(table) > 20
    for row in table:
        assert re.search(r"`\w+(\.\w+)?` \|$|`\w+(\.\w+)?`(, `[\w.]+`)* \|$", row), row


def test_number_of_damaged_descriptors():
    text = (ROOT / "runtime" / "test" / "FaultTest.cpp").read_text()
    table = text[text.index("faults[] = {") : text.index("INSTANTIATE_TEST_SUITE_P")]
    count = len(re.findall(r'^    \{"\w+", DYN_STATUS', table, re.MULTILINE))
    assert f"| {count} artifacts with one mistake each |" in PAGE


def test_numbers_of_mutants():
    text = (FUZZ / "test_mutants.py").read_text()
    full, few = map(int, re.search(r"COUNT = (\d+) if FULL else (\d+)", text).groups())
    rows = re.findall(r"\| (\d+) \| (\d+) \|$", PAGE, re.MULTILINE)
    kinds = re.findall(r'^    "\w+": Kind\(', (FUZZ / "mutate.py").read_text(), re.MULTILINE)
    expected = [(str(few), str(full))] * len(kinds)
    expected.append((str(few * len(kinds)), str(full * len(kinds))))
    assert rows == expected
    assert few * len(kinds) >= 500 and full * len(kinds) >= 3000


def test_numbers_of_programs():
    tree = ast.parse((FUZZ / "test_fuzz.py").read_text())
    counts = [
        [argument.value for argument in decorator.args]
        for function in tree.body
        if isinstance(function, ast.FunctionDef)
        for decorator in function.decorator_list
        if isinstance(decorator, ast.Call) and getattr(decorator.func, "id", "") == "portions"
    ]
    few, many = map(sum, zip(*counts, strict=True))
    assert f"{few} in CI, {many} with `--full`" in PAGE
    assert few >= 1000 and many >= 10000
