# ===- creation.py - Tensors of nothing but numbers ------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows and frequencies of signals, and ranges."""

import math

import torch

from dyn.frontend.torch.registry import decomposition


def _window(*overloads):
    """Registers a function of turns, from 0 to 1 over the window. Its further arguments
    follow `periodic`: such a window is one element of a longer one short."""

    def register(function):
        name = f"aten.{function.__name__}"

        def window(length, periodic=True, *further, dtype=None, **where):
            if length <= 1:
                return torch.ones(length, dtype=dtype)
            turns = torch.arange(length, dtype=torch.float64) / (length - (0 if periodic else 1))
            return function(turns, *further).to(dtype or torch.get_default_dtype())

        decomposition(*(f"{name}.{overload}" for overload in overloads))(window)
        return function

    return register


@_window("default", "periodic")
def bartlett_window(turns):
    return 1 - (2 * turns - 1).abs()


@_window("default", "periodic")
def blackman_window(turns):
    angle = 2 * math.pi * turns
    return 0.42 - 0.5 * angle.cos() + 0.08 * (2 * angle).cos()


@_window("default", "periodic", "periodic_alpha", "periodic_alpha_beta")
def hamming_window(turns, alpha=0.54, beta=0.46):
    return alpha - beta * (2 * math.pi * turns).cos()


@_window("default", "periodic", "beta")
def kaiser_window(turns, beta=12.0):
    inside = (1 - (2 * turns - 1).square()).clamp(min=0.0)
    largest = torch.full((), beta, dtype=turns.dtype)
    return torch.special.i0(beta * inside.sqrt()) / torch.special.i0(largest)


@decomposition("aten.fft_fftfreq.default")
def fft_fftfreq(n, d=1.0, *, dtype=None, **where):
    number = torch.arange(n, dtype=dtype or torch.get_default_dtype())
    return torch.where(number < (n + 1) // 2, number, number - n) * (1 / (n * d))


@decomposition("aten.fft_rfftfreq.default")
def fft_rfftfreq(n, d=1.0, *, dtype=None, **where):
    return torch.arange(n // 2 + 1, dtype=dtype or torch.get_default_dtype()) * (1 / (n * d))


@decomposition("aten.range.default", "aten.range.step")
def range_with_end(start, end, step=1, *, dtype=None, **where):
    """Of numbers alone: their count is known."""
    count = math.floor((end - start) / step) + 1
    steps = torch.arange(count, dtype=torch.float64)
    return (start + steps * step).to(dtype or torch.get_default_dtype())
