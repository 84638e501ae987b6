# ===- conftest.py - Models compiled once a session ------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fixture `compiled`: each model is compiled at its first use and kept."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """compiled(name) is the model's Compiled; a failure is remembered too."""
    import models
    from harness import Compiled

    folder = tmp_path_factory.mktemp("artifacts")
    kept = {}

    def get(name):
        if name not in kept:
            try:
                kept[name] = Compiled(models.get(name), folder)
            except Exception as error:
                kept[name] = error
        if isinstance(kept[name], Exception):
            raise kept[name]
        return kept[name]

    return get
