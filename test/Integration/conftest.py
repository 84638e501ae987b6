# ===- conftest.py - Models that are compiled once per run -----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fixture `compiled`: each model is compiled at its first use and kept, the last
few in memory."""

import collections
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

# Models in memory at a time; all of them would take 13 GB.
OPEN = 4


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """compiled(name) is the model's Compiled; failures are cached, too."""
    import models
    from harness import Compiled

    folder = tmp_path_factory.mktemp("artifacts")
    kept, opened = {}, collections.OrderedDict()

    def get(name):
        if name not in kept:
            try:
                kept[name] = Compiled(models.get(name), folder)
            except Exception as error:
                kept[name] = error
        if isinstance(kept[name], Exception):
            raise kept[name]
        opened[name] = kept[name]
        opened.move_to_end(name)
        if len(opened) > OPEN:
            opened.popitem(last=False)[1].release()
        return kept[name]

    return get
