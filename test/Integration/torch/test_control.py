# ===- test_control.py - Branches and loops of PyTorch ---------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.cond, while_loop, scan and map compared with eager PyTorch, at several sizes,
through every branch."""

import pathlib
import sys

import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop

import dyn
from closeness import assert_close

cond = torch.cond


class Model(torch.nn.Module):
    """A function with two layers and a vector."""

    def __init__(self, function):
        super().__init__()
        torch.manual_seed(0)
        self.function = function
        self.first, self.second = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)
        self.register_buffer("large", torch.randn(5, 4))

    def forward(self, x):
        return self.function(self, x)


def loop(going, step, *carried):
    return while_loop(going, step, carried)


MODELS = {
    "cond": lambda m, x: cond(
        x.sum() > 0, lambda x: (m.first(x), x.sum(0)), lambda x: (m.second(x) * 2, x[-1] * 1), (x,)
    ),
    "size decides": lambda m, x: cond(
        x.shape[0] > 4, lambda x: x * 2, lambda x: m.first(x) + x.sum(0), (x,)
    ),
    "constants": lambda m, x: cond(
        x.sum() > 0,
        lambda x: x @ torch.eye(4) * torch.tensor([1.0, 2, 3, 4]),
        lambda x: x + m.large[:1] + torch.arange(40.0).reshape(10, 4)[:1],
        (x,),
    ),
    "nested": lambda m, x: cond(
        x.sum() > 0,
        lambda x: cond(x.max() > 20, lambda x: x * 3, lambda x: m.first(x), (x,)),
        lambda x: x + 1,
        (x,),
    ),
    # A data-dependent number of rows, or all.
    "sizes of branches": lambda m, x: cond(
        x.sum() > 0, lambda x: m.first(x[x[:, 0] > 0]), lambda x: x * 1, (x,)
    ).relu(),
    "while": lambda m, x: loop(
        lambda i, x: i < 3, lambda i, x: (i + 1, m.first(x).tanh()), torch.tensor(0), x
    ),
    "while data say": lambda m, x: loop(
        lambda i, x, n: (x.abs().max() > 1) & (i < 20),
        lambda i, x, n: (i + 1, x * 0.5, n + torch.nn.functional.one_hot(i % 3, 3)),
        torch.tensor(0), x, torch.zeros(3, dtype=torch.int64),
    ),
    "branch in a loop": lambda m, x: loop(
        lambda i, x: i < 4,
        lambda i, x: (i + 1, cond(i % 2 == 0, lambda x: m.first(x), lambda x: x.sin(), (x,))),
        torch.tensor(0), x,
    ),
    "scan": lambda m, x: scan(
        lambda h, row: ((m.first(h) + row).tanh(), m.second(h) * row), m.large[0], x, dim=0
    ),
    "scan backwards": lambda m, x: scan(
        lambda h, row: (h + row, h * 2), x.sum(0), x, dim=0, reverse=True
    ),
    "map": lambda m, x: map_rows(lambda row, w: m.first(row) * w, x, m.large[1]),
}  # fmt: skip
ROWS = {0: torch.export.Dim.DYNAMIC}


def inputs():
    for rows in (5, 1, 2, 9):
        for factor in (1.0, -1.0, 30.0):
            torch.manual_seed(rows)
            yield torch.randn(rows, 4).abs() * factor - 0.3


@pytest.mark.parametrize("name", MODELS)
def test_model(name):
    model = Model(MODELS[name]).eval()
    compiled = dyn.compile(model, args=(torch.randn(5, 4),), dynamic_shapes=(ROWS,))
    for x in inputs():
        with torch.no_grad():
            assert_close(compiled(x), model(x), f"{name} at {tuple(x.shape)}")


@pytest.mark.parametrize("name", ["cond", "while", "scan"])
def test_torch_compile(name):
    torch._dynamo.reset()
    model = Model(MODELS[name]).eval()
    compiled = torch.compile(model, backend="dyn", dynamic=True, fullgraph=True)
    for x in list(inputs())[:3]:
        with torch.no_grad():
            assert_close(compiled(x), model(x), f"{name} at {tuple(x.shape)}")
    torch._dynamo.reset()


REFUSALS = {
    "number": (lambda m, x: loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), 0, x),
               "^while_loop .*: expected tensors, found a number: make it a tensor$"),
    "operator": (lambda m, x: cond(x.sum() > 0, lambda x: x @ torch.linalg.ldl_factor_ex(x.T @ x)[0],
                                   lambda x: x * 2, (x,)),
                 r"^aten\.linalg_ldl_factor_ex\.default .*: operator is not supported$"),
    "decomposition": (lambda m, x: cond(x.sum() > 0, lambda x: x
                                        @ torch.linalg.ldl_factor_ex(x.T @ x)[0] * torch.tensor([1.0, 2, 3, 4]), lambda x: x * 2, (x,)),
                      "PyTorch cannot decompose the model"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSALS)
def test_refusal(name):
    function, message = REFUSALS[name]
    with pytest.raises(dyn.UnsupportedError, match=message):
        dyn.compile(Model(function), args=(torch.ones(5, 4),), dynamic_shapes=(ROWS,))
