# ===- conftest.py - Coverage of the random programs of a run --------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""With --full, programs are counted by their operations and types and by the passes that
changed them, which takes time. The sum over all workers is written to `fuzz/coverage.txt`
and `.json` of the build folder, and a run of all programs fails if too few cover a part."""

import pathlib

import pytest
from hits import Coverage

#: Minimum number of programs in a run of all, and of programs that must cover each part.
ALL, LEAST = 10_000, 50

_COVERAGE, _LACKING = pytest.StashKey[Coverage](), pytest.StashKey[list]()


def pytest_configure(config):
    config.stash[_COVERAGE], config.stash[_LACKING] = Coverage(), []


@pytest.fixture(scope="session")
def coverage(pytestconfig, full):
    """The coverage of programs, None in CI."""
    return pytestconfig.stash[_COVERAGE] if full else None


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """A worker has ended, or crashed."""
    sent = getattr(node, "workeroutput", {}).get("coverage", {})
    node.config.stash[_COVERAGE].add(Coverage.of_counts(sent))


def pytest_sessionfinish(session):
    config = session.config
    coverage = config.stash[_COVERAGE]
    if hasattr(config, "workeroutput"):
        config.workeroutput["coverage"] = coverage.counts()
        return
    programs = coverage.kinds.total()
    if programs:
        coverage.write(pathlib.Path(config.getoption("--dyn-build")) / "fuzz")
    if programs >= ALL:
        config.stash[_LACKING] = coverage.lacking(LEAST)
    if config.stash[_LACKING] and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter, config):
    for line in config.stash[_LACKING]:
        terminalreporter.write_line(f"FAILED {line}")
