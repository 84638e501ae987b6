# ===- elements.py - Elementwise operators ---------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that depend on the representation of floats, and other elementwise
functions."""

import math

import torch

from dyn.frontend.torch.registry import decomposition


@decomposition("aten.angle.default")
def angle(x):
    """The angle of real numbers."""
    if x.is_complex():
        return NotImplemented
    result = torch.where(x < 0, math.pi, 0.0)
    if not x.dtype.is_floating_point:
        return result.to(torch.get_default_dtype())
    return torch.where(x.isnan(), x, result.to(x.dtype))


def _power_below(x):
    """The largest power of 2 that is at most x, a positive normal double."""
    power = torch.exp2(x.log2().floor())
    power = torch.where(power > x, power / 2, power)
    return torch.where(2 * power <= x, 2 * power, power)


@decomposition("aten.frexp.Tensor")
def frexp(x):
    """x = mantissa 2^exponent, with the mantissa in [0.5, 1)."""
    if x.dtype is torch.float64:
        return NotImplemented
    wide = x.to(torch.float64)
    plain = (wide != 0) & wide.isfinite()
    power = 2 * _power_below(torch.where(plain, wide.abs(), 1.0))
    exponent = torch.where(plain, power.log2().round(), 0.0)
    return torch.where(plain, (wide / power).to(x.dtype), x), exponent.to(torch.int32)


@decomposition("aten.nextafter.default")
def nextafter(x, y):
    """Computed in f64, which represents the adjacent floats of all other types."""
    dtype = torch.result_type(x, y)
    if dtype is torch.float64:
        return NotImplemented
    info = torch.finfo(dtype)
    x, y = torch.broadcast_tensors(x.to(torch.float64), y.to(torch.float64))
    size = x.abs()
    power = _power_below(size.clamp(info.tiny, info.max))
    gap = power * info.eps
    # Towards zero, the float adjacent to a power of 2 is nearer.
    inwards = torch.where(x > 0, y < x, y > x)
    gap = torch.where(inwards & (size == power) & (power > info.tiny), gap / 2, gap)
    gap = torch.where(size < info.tiny, info.tiny * info.eps, gap)
    finite = torch.where(size.isinf(), torch.where(inwards, info.max * x.sign(), x),
                         torch.where(y > x, x + gap, x - gap))  # fmt: skip
    result = torch.where(x == y, y, finite)
    return torch.where(x.isnan() | y.isnan(), math.nan, result).to(dtype)


@decomposition("aten.lcm.default")
def lcm(x, y):
    divisor = torch.gcd(x, y)
    quotient = torch.div(x, torch.where(divisor == 0, 1, divisor), rounding_mode="trunc")
    return (quotient * y).abs()


@decomposition("aten.embedding_renorm.default")
def embedding_renorm(weight, indices, max_norm, norm_type):
    """Scales rows that are used and longer than `max_norm` to that length."""
    norms = torch.linalg.vector_norm(weight, norm_type, dim=1, keepdim=True)
    used = torch.zeros_like(norms, dtype=torch.bool)
    used = used.index_fill(0, indices.reshape(-1), True)
    shorter = weight * (max_norm / (norms + 1e-7))
    return torch.where(used & (norms > max_norm), shorter, weight)
