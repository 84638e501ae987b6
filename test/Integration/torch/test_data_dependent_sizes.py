# ===- test_data_dependent_sizes.py - Sizes from data, signed integers -----===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data-dependent sizes of PyTorch and dyn: equal ones are one, and PyTorch's knowledge
about them is checked. Integers that are arguments are numbers of any sign."""

import math
import pathlib
import sys

import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import dyn
import dyn.frontend.torch
from closeness import assert_close
from dyn.frontend.torch import statistics, to_dhlo


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    config = torch._dynamo.config
    with config.patch(capture_dynamic_output_shape_ops=True, capture_scalar_outputs=True):
        yield
    torch._dynamo.reset()


class Model(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x, y):
        return self.function(x, y)


ROWS = {"x": {0: torch.export.Dim.DYNAMIC}, "y": {0: torch.export.Dim.DYNAMIC}}


def check(function, *calls, shapes=ROWS):
    """A function of two tensors, exported with the first arguments and called with all."""
    model = dyn.compile(Model(function), args=calls[0], dynamic_shapes=shapes)
    for arguments in calls:
        assert_close(model(*arguments), function(*arguments), str(arguments))
    return model


def some(*counts):
    """For each count, a vector of seven elements with this number of ones."""
    return [torch.tensor([1.0] * n + [0.0] * (7 - n))[torch.randperm(7)] for n in counts]


# ----------------------------------------------------------------------------
# Counts
# ----------------------------------------------------------------------------


def _mask_twice(x, y):
    mask = x > 0
    where = torch.nonzero(mask)[:, 0]
    rows = y[mask]
    return rows, where, torch.zeros_like(y).index_copy(0, where, rows * 2), rows[x[mask] > 0]


def _equal_masks(x, y):
    """Two computations of one mask have one count."""
    indices = torch.nonzero(x > 0)[:, 0]
    return y[x > 0].index_add(0, torch.arange(indices.shape[0]), y[indices]), x.masked_select(x > 0)


def _counts_of_one_sum(x, y):
    counts = x.long() * 2
    wide = torch.repeat_interleave(y, counts, dim=0)
    return wide * torch.repeat_interleave(counts)[:, None], torch.ones(counts.sum().item()).sum()


def _last_two(x, y):
    """Bounds of slices that stand for the end are larger than any size."""
    return y[x > 0][-2:], x.masked_select(x > 0)[3 : 2**63 - 1], y[x > 0][-(2**62) : 2]


@pytest.mark.parametrize("function", [_mask_twice, _equal_masks, _counts_of_one_sum, _last_two])
def test_equal_counts_are_one_size(function):
    check(function, *((x, torch.randn(7, 3)) for x in some(3, 0, 1, 7)))
    fast = torch.compile(function, backend="dyn", dynamic=True, fullgraph=True)
    for x in some(4, 0, 1):
        y = torch.randn(7, 3)
        assert_close(fast(x, y), function(x, y), str(x))


def test_equal_masks_are_found_once(tmp_path):
    path = tmp_path / "model.mlir"
    args = torch.randn(5), torch.randn(5, 2)
    to_dhlo(Model(_equal_masks), path, args=args, dynamic_shapes=ROWS)
    text = path.read_text()
    assert text.count("dhlo.nonzero") == 1
    assert text.count("dhlo.compare gt") == 1


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: x[x > 0] + y[:3],
        lambda x, y: torch.nonzero(x)[:, 0] * torch.ones(3, dtype=torch.int64),
        lambda x, y: torch.unique(x)[:2] + y[:2],
    ],
)
def test_counts_that_the_program_knows(function):
    """PyTorch derives a count from the operand that it is added to, which each call
    checks."""
    x, y = torch.tensor([1.0, 0, 2, 0, 2]), torch.randn(6)
    if "unique" in function.__code__.co_names:
        check(function, (x, y), (torch.zeros(2) + torch.tensor([0, 1.0]), y))
        return
    model = check(function, (x, y), (torch.tensor([1.0, 1, 1]), y))
    for wrong in (torch.ones(4), torch.zeros(3), torch.tensor([1.0, 0])):
        with pytest.raises(dyn.DataError):
            model(wrong, y)


def test_counts_that_are_sizes_of_inputs():
    def function(x, y):
        return x[x > 0] + y, x[x > 0][:, None] * y

    model = check(
        function,
        (torch.tensor([1.0, 0, 2]), torch.randn(2)),
        (torch.ones(4), torch.randn(4)),
        (torch.tensor([0, 3.0, 1]), torch.randn(2)),
    )
    # PyTorch broadcasts if it knows neither; here a count equals the other size.
    for count, size in ((4, 3), (4, 1), (1, 4), (0, 1), (1, 0)):
        with pytest.raises(dyn.DataError, match="sizes that must agree differ"):
            model(torch.ones(count), torch.randn(size))


def _pooled(values, lengths):
    """The sum of each bag, and each value less the mean of its bag."""
    owners = torch.repeat_interleave(lengths)
    sums = torch.zeros(lengths.shape[0], 3).index_add(0, owners, values)
    return sums, values - (sums / lengths.clamp(min=1)[:, None])[owners]


def _weighted(values, lengths):
    """A program that is decomposed, in which PyTorch writes assertions twice."""
    return values * torch.repeat_interleave(lengths / lengths.sum(), lengths)[:, None]


def _maxima(values, lengths):
    owners = torch.repeat_interleave(torch.arange(lengths.shape[0]), lengths)
    least = torch.full((lengths.shape[0], 3), -1e9)
    return least.scatter_reduce(0, owners[:, None].expand(-1, 3), values, "amax")


def _filled(x, y):
    masked = torch.zeros(x.shape[0], 3).masked_scatter(x[:, None] > 0, y)
    put = torch.zeros(x.shape[0], 3).index_put((x > 0,), y)
    whole = (x[:, None] > 0).expand(-1, 3)
    flat = torch.ones(x.shape[0], 3)[whole] + y.flatten()  # three times the size of an input
    return masked, put, torch.cat([torch.nonzero(x), y], 1), x[x > 0][:, None] * y, flat


BAGS = [(torch.randn(sum(n), 3), torch.tensor(n, dtype=torch.int64)) for n in (
    [3, 0, 2], [0, 0, 0], [1], [0], [], [1, 0], [0, 4, 0, 1])]  # fmt: skip
MASKS = [(some(n)[0], torch.randn(n, 3)) for n in (3, 0, 1, 7)] + [
    (torch.ones(n), torch.randn(n, 3)) for n in (0, 1)
]


@pytest.mark.parametrize(
    "function, calls",
    [(_pooled, BAGS), (_weighted, BAGS), (_maxima, BAGS), (_filled, MASKS)],
)  # fmt: skip
def test_counts_that_are_sizes_of_inputs_may_be_0_and_1(function, calls):
    """PyTorch assumes that no size of an input is 0 or 1, which is no condition of the
    count."""
    check(function, *calls)
    before = statistics()
    fast = torch.compile(function, backend="dyn", dynamic=True, fullgraph=True)
    for arguments in calls:
        assert_close(fast(*arguments), function(*arguments), str(arguments))
    assert statistics().pytorch_calls == before.pytorch_calls


@pytest.mark.parametrize("least", [1, 2, 3])
def test_least_counts_that_are_asserted(least):
    """Assertions of the model on a count are conditions, also if the count is an input's
    size."""

    def function(x, y):
        rows = x[x > 0]
        torch._check(rows.shape[0] >= least)
        return rows + y

    calls = [(x, torch.randn(n)) for n, x in zip((4, 3, 2, 1, 0), some(4, 3, 2, 1, 0))]
    model = check(function, *(c for c in calls if len(c[1]) >= least))
    options = {"strict": True}
    fast = torch.compile(function, backend="dyn", dynamic=True, options=options)
    assert_close(fast(*calls[0]), function(*calls[0]), "torch.compile")
    for arguments in calls:
        if len(arguments[1]) < least:
            with pytest.raises(dyn.InvalidArgumentError, match=f"at least {least}"):
                model(*arguments)
            with pytest.raises(Exception):
                fast(*arguments)


def test_least_counts_that_several_sizes_make():
    """Three times a size is at least 6, as PyTorch assumes; the model asserts 9."""

    def function(x, y):
        rows = x[x > 0]
        torch._check(rows.shape[0] >= 9)
        return rows + y.flatten()

    shapes = {"x": {0: torch.export.Dim.DYNAMIC}, "y": {0: torch.export.Dim.DYNAMIC, 1: None}}
    calls = [(torch.ones(3 * n), torch.randn(n, 3)) for n in (4, 3, 2, 1)]
    model = check(function, *calls[:2], shapes=shapes)
    for arguments in calls[2:]:
        with pytest.raises(dyn.Error):
            model(*arguments)


def test_least_sizes_that_strides_ask_for():
    """PyTorch raises the minimum of a size where it compares numbers of bags for
    strides."""
    table = torch.randn(9, 3)

    def function(x, y):
        return torch.nn.functional.embedding_bag(x, table, y, include_last_offset=True)

    calls = [
        (torch.randint(0, 9, (sum(n),)), torch.tensor([0, *n]).cumsum(0))
        for n in ([2, 0, 3], [1], [0], [], [4, 1])
    ]
    check(function, *calls)


def test_least_sizes_that_were_asked_for():
    shapes = {"x": {0: torch.export.Dim.DYNAMIC}, "y": {0: torch.export.Dim("rows", min=3, max=99)}}
    calls = [(x, torch.randn(n)) for n, x in zip((4, 3, 2, 0), some(4, 3, 2, 0))]
    model = check(lambda x, y: x[x > 0] + y, *calls[:2], shapes=shapes)
    for arguments in calls[2:]:
        with pytest.raises(dyn.InvalidArgumentError, match=r"rows in \[3, 99\]"):
            model(*arguments)


@pytest.mark.parametrize("number", [0, 1, 3])
def test_counts_that_are_asserted(number):
    """An operation combines a static size of the program and a data-dependent one."""

    def function(x, y):
        rows = y[x > 0]
        torch._check(rows.shape[0] == number)
        return rows.reshape(number, 3) + 1, torch.nonzero(x > 0)

    y = torch.randn(7, 3)
    good, bad = some(number, number + 1)
    model = check(function, (good, y))
    with pytest.raises(dyn.DataError):
        model(bad, y)


def test_counts_that_are_asserted_to_be_equal():
    def function(x, y):
        left, right = x[x > 0], y[y > 0]
        torch._check(left.shape[0] == right.shape[0])
        return left + right, left * 2, torch.dot(left, right)

    x, y = some(3, 3)
    model = check(function, (x, y), some(2, 2), some(0, 0), some(1, 1))
    with pytest.raises(dyn.DataError):
        model(*some(2, 3))


def test_slices_by_numbers_of_any_sign():
    def function(x, y):
        number = x[0].item()
        return y[number:], y[:number] * 2, y[number], y.roll(number, 0), y[1:number]

    calls = [(torch.tensor([n]), torch.randn(5, 2)) for n in (2, -2, 0, 4, -5)]
    check(function, *calls, shapes={"x": {}, "y": {0: torch.export.Dim.DYNAMIC}})


# ----------------------------------------------------------------------------
# Integers that are arguments
# ----------------------------------------------------------------------------

_NUMBERS = {
    "filled": lambda x, n: torch.full_like(x, n) + n * x,
    "alpha": lambda x, n: torch.add(x, x, alpha=n) - n,
    "powers": lambda x, n: (x.abs() + 1) ** n,
    "axis": lambda x, n: x.sum(n % 2) + x.softmax(-1).sum(n % 2),
    "slices": lambda x, n: (x[n:], x[:n] * 2, x[n]),
    "roll": lambda x, n: x.roll(n, 0) + x.roll((n, 1), (0, 1)) + x.roll(n),
    "range": lambda x, n: torch.arange(n, 10) + torch.arange(0, 10 * n, n or 1).sum(),
    "triangles": lambda x, n: x.tril(n) + x.triu(n),
    "pads": lambda x, n: torch.nn.functional.pad(x, (n, 1)),
    "steps": lambda x, n: x[:: abs(n) + 1],
    "clamps": lambda x, n: x.clamp(min=n) + x.clamp(max=n + 1),
    "comparisons": lambda x, n: (x > n) & (x <= n * 2),
    "results": lambda x, n: (x + 1, n * 2 + x.shape[0], n / 4, n > 0),
    "floats": lambda x, n: x * (n / 3) + math.sqrt(n * n) * x + x * round(n / 3) + abs(n) ** 0.5,
    "halves": lambda x, n: x + n // 2 + n % 3 + int(n / 2) + min(n, 1) + max(n, 1),
    "sizes": lambda x, n: torch.ones(abs(n), x.shape[0] + n).sum(0),
    "counts": lambda x, n: x.flatten().topk(abs(n) + 1)[0],
    "indices": lambda x, n: x.index_select(0, torch.tensor([2, 1]) + n // 2),
}


@pytest.mark.parametrize("name", _NUMBERS)
def test_integers_of_any_sign(name):
    function = _NUMBERS[name]
    fast = torch.compile(function, backend="dyn", dynamic=True, fullgraph=True)
    x = torch.randn(5, 4)
    for n in (2, -2, 3, -1, 0):
        try:
            expected = function(x, n)
        except Exception:  # an axis or index out of range
            continue
        assert_close(fast(x, n), expected, f"{name}, {n}")


def test_a_number_of_any_sign_needs_one_artifact():
    before = statistics().compilations
    fast = torch.compile(_NUMBERS["filled"], backend="dyn", dynamic=True)
    for n in (3, -7, 40):
        x = torch.randn(3, 4)
        assert_close(fast(x, n), _NUMBERS["filled"](x, n), str(n))
    assert statistics().compilations - before == 1


def test_numbers_of_programs_that_were_exported():
    """PyTorch treats an integer that is declared dynamic as a size."""
    shapes = {"x": {0: torch.export.Dim.DYNAMIC}, "y": torch.export.Dim.DYNAMIC}

    class Scaled(torch.nn.Module):
        def forward(self, x, y):
            return x * y + x.shape[0]

    model = dyn.compile(Scaled(), args=(torch.randn(3), 5), dynamic_shapes=shapes)
    x = torch.randn(4)
    assert_close(model(x, 7), x * 7 + 4, "seven")
    with pytest.raises(dyn.Error):
        model(x, -7)


def test_counts_in_branches_and_loops():
    """Data-dependent sizes in a loop's condition are computed again after each step."""

    def loop(x, y):
        def is_small(x, y):
            return x[x > 0].sum() < 20

        return torch.while_loop(is_small, lambda x, y: (x * 2 + 1, y + 1), (x, y))

    def branch(x, y):
        return torch.cond(x.sum() > 2, lambda x: (x[x > 0], 1), lambda x: (x[x == 0], 2), (x,))

    for x in some(2, 5):
        y = torch.zeros(2)
        for function in (loop, branch):
            fast = torch.compile(function, backend="dyn", dynamic=True, fullgraph=True)
            assert_close(fast(x, y), function(x, y), str(x))


def test_divisors_of_any_sign():
    def function(x, n):
        return x[: 7 // n + 9], torch.ones(-9 % n + 5), x + 9 // n

    fast = torch.compile(function, backend="dyn", dynamic=True, fullgraph=True)
    for n in (3, -3, -2, 7):
        x = torch.randn(12)
        assert_close(fast(x, n), function(x, n), str(n))
