# ===- closeness.py - Comparison with PyTorch's results --------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparison with eager PyTorch: |a - b| <= tol * (|b| + max|b|)."""

import torch
from torch.utils import _pytree as pytree

TOLERANCES = {torch.float16: 4e-3, torch.bfloat16: 2e-2}


def assert_close(actual, expected, what, tol=None):
    """Compares trees of tensors: sizes, types and elements."""
    actual, expected = pytree.tree_leaves(actual), pytree.tree_leaves(expected)
    assert len(actual) == len(expected), what
    for i, (a, b) in enumerate(zip(actual, expected)):
        if not isinstance(b, torch.Tensor):
            assert a == b, f"{what}[{i}]"
            continue
        assert a.shape == b.shape and a.dtype == b.dtype, f"{what}[{i}]: {a.shape} {a.dtype}"
        error = distance(a, b)
        assert error <= (tol or TOLERANCES.get(b.dtype, 1e-4)), f"{what}[{i}]: {error}"


def distance(a, b):
    """The largest error relative to the element and the largest element; infinities and
    NaNs must be equal."""
    if a.numel() == 0:
        return 0.0
    if b.dtype.is_complex:
        a, b = torch.view_as_real(a.resolve_conj()), torch.view_as_real(b.resolve_conj())
    if not b.dtype.is_floating_point:
        return 0.0 if torch.equal(a, b) else float("inf")
    a, b = a.double(), b.double()
    finite = b.isfinite()
    if not torch.equal(a[~finite].nan_to_num(7.0), b[~finite].nan_to_num(7.0)):
        return float("inf")
    if not finite.any():
        return 0.0
    a, b = a[finite], b[finite]
    scale = b.abs() + b.abs().max()
    return float(((a - b).abs() / scale.clamp(min=1e-30)).max())
