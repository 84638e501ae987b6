# ===- conftest.py - Calls of torch.compile beside those of PyTorch --------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pytest


@pytest.fixture
def fresh():
    """Without graphs of other tests, and without gradients."""
    torch = pytest.importorskip("torch")
    torch._dynamo.reset()
    torch.manual_seed(0)
    with torch.no_grad():
        yield


@pytest.fixture
def compare(fresh):
    """A function that compares calls of another function, compiled as one graph that dyn must
    not leave to PyTorch, with its own results."""
    import torch

    def check(function, *calls, equal_nan=False):
        options = {"strict": True, "isa": "v3"}
        fast = torch.compile(function, backend="dyn", dynamic=True, fullgraph=True, options=options)
        for call in calls:
            torch.testing.assert_close(fast(*call), function(*call), equal_nan=equal_nan)

    return check
