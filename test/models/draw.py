# ===- draw.py - Random sizes that are likely to find errors ---------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws sizes: ones, primes, powers of two plus or minus one, and any others."""

PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67,
          71, 73, 79, 83, 89, 97, 101, 127, 131, 157, 191, 211, 257, 307, 383, 401,
          503, 509, 769, 1021)  # fmt: skip


def size(rng, low, high):
    """A size in [low, high]. The ends, primes and 2^n-1 .. 2^n+1 are likely."""
    if high <= low:
        return low
    kind = rng.integers(8)
    if kind == 0:
        return low
    if kind == 1:
        return high
    if kind in (2, 3):
        picks = [p for p in PRIMES if low <= p <= high]
        if picks:
            return int(rng.choice(picks))
    if kind == 4:
        power = 2 ** rng.integers(0, high.bit_length())
        return int(min(max(power + rng.integers(-1, 2), low), high))
    return int(rng.integers(low, high + 1))


def batch_and(rng, low, high, area, most=16):
    """(batch, other): other in [low, high], batch * other at most `area`. Both small and
    large batches are drawn, and sometimes an empty one."""
    other = size(rng, low, high)
    if rng.integers(40) == 0:
        return 0, other
    return size(rng, 1, max(1, min(most, area // max(other, 1)))), other
