# ===- known.py - Models that dyn does not run yet -------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models marked as expected failures, each with the diagnostic that it stops at.

A model leaves this list with the change that makes it run.
"""

import pytest

import models

NO_COMPILER = "No module named 'dyn'"

UNSUPPORTED = {name: NO_COMPILER for name in models.names()}


def needs(*names):
    """Marks a test as an expected failure while one of the models is."""
    for name in names:
        if name in UNSUPPORTED:
            return pytest.mark.xfail(reason=f"{name}: {UNSUPPORTED[name]}", strict=False)
    return lambda test: test
