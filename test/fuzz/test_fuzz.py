# ===- test_fuzz.py - Random programs, compiled and interpreted -------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Differential fuzzing: few seeds in CI, thousands with --full."""

import os
import shutil

import pytest
from differ import fuzz
from generator import generate

SEEDS = 3000 if os.environ.get("DYN_TEST_FULL") else 10


@pytest.mark.parametrize("seed", range(SEEDS))
def test_compiled_as_interpreted(seed):
    if not shutil.which("dyn-compile"):
        pytest.skip("dyn-compile is not built")
    report = fuzz(seed, refusals=False)
    assert report is None, "\n" + report


def test_generator_repeats():
    assert generate(7).text() == generate(7).text()


def test_programs_are_small_and_print():
    for seed in range(50):
        program = generate(seed)
        assert len(program.statements) < 120
        assert program.text().count("func.func") == 1
