# ===- widening.py - Computes on f16 and bf16 in f32 -----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""On f16 and bf16 PyTorch computes in f32, with f32 scalars, and rounds the result once.
Counts, squares and small numbers may not be representable in the 16-bit types."""

import functools

from dyn.frontend.torch.builder import Meta, Value, retyped
from dyn.frontend.torch.types import computed_in


def widened(function):
    """Makes a function of an operator, or a part of one, compute in f32 if its first result
    is f16 or bf16."""

    @functools.wraps(function)
    def build(b, *args, **kwargs):
        whole = b.out
        first = whole[0] if isinstance(whole, tuple) else whole
        wide = computed_in(first.dtype) if isinstance(first, Meta) else None
        if wide is None or wide is first.dtype:
            return function(b, *args, **kwargs)

        def widen(a):
            if isinstance(a, (list, tuple)):
                return [widen(x) for x in a]
            return b.convert(a, computed_in(a.dtype)) if isinstance(a, Value) else a

        def narrow(x):
            is_wide = isinstance(x, Value) and x.dtype is wide
            return b.convert(x, first.dtype) if is_wide else x

        b.out = retyped(whole, computed_in)
        result = function(b, *map(widen, args), **{n: widen(a) for n, a in kwargs.items()})
        b.out = whole
        return tuple(map(narrow, result)) if isinstance(result, tuple) else narrow(result)

    return build
