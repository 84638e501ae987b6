# ===- divisors.py - Common divisors ---------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The greatest common divisor, by Euclid's algorithm."""

from dyn.frontend.torch.arithmetic import Formula
from dyn.frontend.torch.ops.gamma import repeat
from dyn.frontend.torch.registry import op


@op("aten.gcd.default")
def gcd(b, self, other):
    """The divisor of two zeros is 0."""
    first, second = (Formula(b, b.broadcast_to(b.promote(x), b.out.sizes)) for x in (self, other))

    def step(number, before):
        x, y = before
        rest = x % y.where(y != 0, 1)
        going = y != 0
        return rest.where(going, 0) != 0, [y.where(going, x), rest.where(going, 0)]

    result, _ = repeat(b, [first, second], step)
    return abs(result).value if b.out.dtype.is_signed else result.value
