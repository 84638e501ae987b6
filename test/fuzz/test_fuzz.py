# ===- test_fuzz.py - Random programs, compiled and interpreted -------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Differential fuzzing: few seeds in CI, thousands with --full. Each seed compiles for
one instruction set, so that all that this machine has are run."""

import os
import re
import shutil

import pytest
from differ import EMULATED, fuzz
from generator import generate
from machine import LEVELS
from rewrites import are_close, check_rewrites
from routes import generate_routed

FULL = bool(os.environ.get("DYN_TEST_FULL"))


def isa_of(seed):
    # Shifted each time that all variants of differ.py have had their turn.
    return f"--isa={LEVELS[(seed + seed // 12) % len(LEVELS)]}"


def need_tools():
    if not shutil.which("dyn-compile"):
        pytest.skip("dyn-compile is not built")


@pytest.mark.parametrize("seed", range(3000 if FULL else 10))
def test_compiled_as_interpreted(seed):
    need_tools()
    report = fuzz(seed, refusals=False, options=(isa_of(seed),))
    assert report is None, "\n" + report


@pytest.mark.parametrize("seed", range(2000 if FULL else 8))
def test_routed_as_interpreted(seed):
    need_tools()
    # Each of them is supported.
    options = (isa_of(seed),) if FULL else (isa_of(seed), "-O1")
    report = fuzz(seed, routed=True, options=options)
    assert report is None, "\n" + report


@pytest.mark.parametrize("seed", range(1000 if FULL else 10))
def test_emulated_as_interpreted(seed):
    """On the emulator of a GPU, which reports races, and accesses out of bounds or to what
    nobody has written. Each program is supported."""
    need_tools()
    report = fuzz(seed, options=("--isa=v3",), builds=EMULATED)
    assert report is None, "\n" + report


@pytest.mark.parametrize("seed", range(500 if FULL else 5))
def test_routed_and_emulated(seed):
    need_tools()
    report = fuzz(seed, routed=True, options=("--isa=v3",), builds=EMULATED)
    assert report is None, "\n" + report


@pytest.mark.parametrize("start", range(0, 5000 if FULL else 20, 20))
def test_routes_rewritten(start):
    need_tools()
    failures = check_rewrites(range(start, start + 20))
    assert not failures, "\n".join(failures)


def test_differences_show():
    assert are_close("tensor<2xf32> [1, 0.25]", "tensor<2xf32> [1, 0.2500001]")
    assert not are_close("tensor<2xf32> [1, 0.25]", "tensor<2xf32> [1, 0.75]")
    assert not are_close("tensor<2xf32> [1, 0.25]", "tensor<1xf32> [1]")
    assert not are_close("tensor<1xf32> [1]", "tensor<1xf32> [nan]")


@pytest.mark.parametrize("make", [generate, generate_routed])
def test_generator_repeats(make):
    assert make(7).text() == make(7).text()


@pytest.mark.parametrize("make", [generate, generate_routed])
def test_programs_are_small_and_print(make):
    for seed in range(50):
        program = make(seed)
        assert len(program.statements) < 120
        assert program.text().count("func.func") == 1


def test_routed_programs_hold_every_operation():
    text = "".join(generate_routed(seed).text() for seed in range(100))
    names = "split join route choose offsets paths dispatch combine switch probe"
    missing = [name for name in names.split() if not re.search(rf"cell\.{name}\b", text)]
    assert not missing
    for part in ("capacity = ", "weights(", "priorities(", " sum :", " last :", " max :"):
        assert part in text
