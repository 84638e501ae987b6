# ===- test_numbers.py - Numbers that PyTorch models read from data --------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers in the Python of models: those of `.item()`, sizes as floats, and booleans."""

import pathlib
import sys

import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import dyn
from closeness import assert_close
from torch.nn import functional as F


class Model(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def compiled(function, x):
    shapes = {"x": {0: torch.export.Dim.DYNAMIC}}
    return dyn.compile(Model(function), args=(x,), dynamic_shapes=shapes)


def check(function, *inputs):
    model = compiled(function, inputs[0])
    for x in inputs:
        actual, expected = model(x), function(x)
        assert_close(actual, expected, str(x))
        if isinstance(expected, tuple):
            assert [type(a) for a in actual] == [type(e) for e in expected]


def test_results_that_are_numbers():
    def numbers(x):
        half, most = x.shape[0] / 2, x.amax().item()
        return half, most, most * 2 + 1, x.shape[0] > 3, (x > 0).all().item(), x.shape[0]

    check(numbers, torch.tensor([1.0, 2, 3]), torch.tensor([4.0, -1, 2, 5]))


def test_floats_from_data_are_arguments():
    def arguments(x):
        number = x[0].item()
        x = x.float()
        return (
            F.elu(x, number),
            F.leaky_relu(x, number),
            x * (number * 2 + 1) / (number / 3),
            x.scatter(0, torch.tensor([1]), number),
            torch.full_like(x, number).clamp(max=number - 1),
        )

    check(arguments, torch.tensor([0.5, -1, 2]).double(), torch.tensor([0.25, -3, 4, 5]).double())


def test_integers_from_data_may_be_negative():
    def integers(x):
        number = x[0].item()
        torch._check(number >= -5)
        return x + number, x * (number * number - 2), x.double() ** number

    check(integers, torch.tensor([3, 4, 5]), torch.tensor([-4, 2]))
    model = compiled(integers, torch.tensor([3, 4, 5]))
    with pytest.raises(dyn.DataError, match="u0 >= -5"):
        model(torch.tensor([-6, 2]))


def test_integers_from_data_are_sizes_where_they_are_used_as_such():
    def ones(x):
        number = x[0].item()
        return torch.ones(number) + number

    check(ones, torch.tensor([3, 4]), torch.tensor([0, 1, 2]))
    with pytest.raises(dyn.DataError, match="size negative .*: got -1"):
        compiled(ones, torch.tensor([3, 4]))(torch.tensor([-1, 2]))


def test_branches_on_numbers():
    def branch(x):
        return torch.cond(x[0].item() > 1, lambda x: x * 2, lambda x: x * 3, (x,))

    check(branch, torch.tensor([3, 4]), torch.tensor([-5, 1, 2]))


def _check_data(x):
    torch._assert((x > 0).all(), "expected positive numbers")
    return x * 2


def _check_number(x):
    torch._check(x.amin().item() > 0, lambda: "expected positive numbers")
    return x * 2


@pytest.mark.parametrize("function", [_check_data, _check_number])
def test_assertions(function):
    model = compiled(function, torch.ones(3))
    assert_close(model(torch.ones(4)), torch.full((4,), 2.0), "positive")
    with pytest.raises(dyn.DataError, match="positive|zuf0"):
        model(torch.tensor([1.0, -1]))


@pytest.mark.parametrize("scale", [0.7, 1 / 3, 2.3])
def test_sizes_that_are_rounded_floats(scale):
    """They are PyTorch's, which computes them in f64: 0.7 * 90 is less than 63."""

    def resize(x):
        return F.interpolate(x[None, None], scale_factor=scale).shape[2], x.sum()

    check(resize, torch.ones(11), *(torch.ones(n) for n in (10, 89, 90, 91)))
