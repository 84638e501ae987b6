# ===- draws.py - Inputs by kind -------------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes an Input from its name and shape."""

import functools

from models.zoo.entry import Input


def floats(name, *shape):
    """Standard normal floats."""
    return Input(name, shape, _normal)


def unit(name, *shape):
    """Floats in [0, 1): images, coordinates."""
    return Input(name, shape, _unit)


def ids(name, *shape, low=5, high=1000):
    """Integers in [low, high). The lowest ids have a special meaning in many models."""
    return Input(name, shape, functools.partial(_ids, low=low, high=high))


def ones(name, *shape):
    """Integers that are 1: a mask of rows of the same length."""
    return Input(name, shape, _ones)


def boxes(name, *shape):
    """Integers up to 1000: left, top, right and bottom."""
    return Input(name, shape, _boxes)


def padding(name, *shape):
    """A mask of rows of lengths from a half on to the longest, which the first row has."""
    return Input(name, shape, _padding)


def _normal(rng, shape):
    return rng.standard_normal(shape, "float32")


def _unit(rng, shape):
    return rng.random(shape, "float32")


def _ids(rng, shape, low, high):
    return rng.integers(low, high, shape)


def _ones(rng, shape):
    import numpy

    return numpy.ones(shape, "int64")


def _padding(rng, shape):
    import numpy

    rows, longest = shape
    lengths = rng.integers((longest + 1) // 2, longest + 1, rows)
    lengths[0] = longest
    return (numpy.arange(longest) < lengths[:, None]).astype("int64")


def _boxes(rng, shape):
    import numpy

    corners = rng.integers(0, 1000, (*shape[:-1], 2, 2))
    return numpy.sort(corners, -2).reshape(shape)
