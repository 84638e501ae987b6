# ===- test_harness.py - Tests of the comparison itself --------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparison, random sizes and traces have the properties that the tests rely on."""

import numpy
import pytest

import models
from harness import difference, same_bits
from models import draw, traces


def test_difference_is_relative_to_the_tensor():
    want = numpy.array([0.0, 1.0, 100.0], "float32")
    assert difference(want, want) == 0
    # At an element of 0 the largest element is the scale.
    assert difference(want + numpy.float32([0.01, 0, 0]), want) == pytest.approx(1e-4)
    assert difference(want + numpy.float32([0, 0, 0.02]), want) == pytest.approx(1e-4, rel=1e-3)


def test_difference_of_wrong_results_is_infinite():
    want = numpy.ones((2, 3), "float32")
    assert difference(want[:1], want) == numpy.inf
    assert difference(want.astype("float64"), want) == numpy.inf
    assert difference(want * numpy.float32("nan"), want) == numpy.inf
    assert difference(want * numpy.float32("inf"), want) == numpy.inf
    assert difference(numpy.array([1, 2]), numpy.array([1, 3])) == numpy.inf


def test_difference_accepts_equal_infinities_and_empty_tensors():
    want = numpy.float32([1, numpy.inf, numpy.nan])
    assert difference(want.copy(), want) == 0
    assert difference(numpy.empty((0, 3)), numpy.empty((0, 3))) == 0


def test_same_bits_sees_what_equality_does_not():
    zero = numpy.float32([0.0])
    assert not same_bits([zero], [-zero])
    nan = numpy.float32([numpy.nan])
    assert same_bits([nan], [nan.copy()])
    assert not same_bits([zero], [zero, zero])


def test_sizes_stay_in_bounds_and_meet_the_ends():
    rng = numpy.random.default_rng(0)
    sizes = {draw.size(rng, 1, 97) for _ in range(500)}
    assert min(sizes) == 1 and max(sizes) == 97
    assert {63, 64, 65} & sizes and {7, 11, 13} & sizes
    for _ in range(500):
        batch, other = draw.batch_and(rng, 1, 50, 100, 16)
        assert 0 <= batch <= 16 and 1 <= other <= 50 and batch * other <= 100


@pytest.mark.parametrize("name", traces.MAKERS)
def test_traces_repeat(name):
    trace = traces.make(name, seed=5)
    assert trace == traces.make(name, seed=5)
    model = models.get(trace.model)
    inputs = model.inputs(min(trace.calls, key=lambda c: c["batch"]), numpy.random.default_rng(0))
    for input_name, value in inputs.items():
        assert value.flags.c_contiguous or value.size == 0
        assert all(axis < value.ndim for axis in model.axes.get(input_name, {}))


def test_models_are_as_declared():
    assert set(models.names(full=True)) | set(models.names(full=False)) == set(models.names())
    with pytest.raises(KeyError, match="no model 'nonesuch', expected one of"):
        models.get("nonesuch")
