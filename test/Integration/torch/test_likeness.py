# ===- test_likeness.py - One traced branch for structurally equal ones ----===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches that differ only in their weights are traced once, and give the same program as
if each was traced; others are traced separately."""

import functools
import pathlib
import re
import sys

import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import dyn
from closeness import assert_close
from dyn.frontend.torch import to_dhlo
from dyn.frontend.torch.exporting import export
from dyn.routing import likeness
from torch import nn

X = torch.linspace(-1, 1, 48).reshape(6, 8)
SIZES = ({0: torch.export.Dim.AUTO},)
CALLS = []


class Scaled(nn.Module):
    """A branch with an attribute, and a multiplication of weights before the switch."""

    def __init__(self, scale=2.0):
        super().__init__()
        self.linear, self.scale = nn.Linear(8, 8), scale

    def forward(self, x):
        return (x @ self.linear.weight.T.exp() + self.linear.bias) * self.scale


class Inner(nn.Module):
    """A branch with a router and branches of its own."""

    def __init__(self):
        super().__init__()
        self.router = dyn.routers.TopK(nn.Linear(8, 3), 3, k=2)
        self.experts = nn.ModuleList(Scaled() for _ in range(3))

    def forward(self, x):
        return x + dyn.switch(self.router(x), x, self.experts)


class Counting(Scaled):
    """Its trace differs each time."""

    calls = 0

    def forward(self, x):
        type(self).calls += 1
        return super().forward(x) * type(self).calls


class Listing(Scaled):
    def forward(self, x):
        CALLS.append(1)
        return super().forward(x) * len(CALLS)


class Keeping(Scaled):
    def forward(self, x):
        self.last = x.shape[1]
        return super().forward(x)


class Gathering(nn.Module):
    """Another class with the same parameters."""

    def __init__(self):
        super().__init__()
        self.linear, self.scale = nn.Linear(8, 8), 2.0

    def forward(self, x):
        return self.linear(x)


class Tied(nn.Module):
    def __init__(self, is_tied=False):
        super().__init__()
        self.a, self.b = nn.Linear(8, 8), nn.Linear(8, 8)
        if is_tied:
            self.b.weight = self.a.weight

    def forward(self, x):
        return self.b(self.a(x))


class Holding(Scaled):
    """A tensor that is not a parameter."""

    def __init__(self):
        super().__init__()
        self.factor = torch.full((8,), 2.0)

    def forward(self, x):
        return super().forward(x) * self.factor


class Model(nn.Module):
    def __init__(self, branches):
        super().__init__()
        modules = all(isinstance(b, nn.Module) for b in branches)
        self.branches = nn.ModuleList(branches) if modules else branches
        self.router = dyn.routers.TopK(nn.Linear(8, len(branches)), len(branches), k=2)

    def forward(self, x):
        return dyn.switch(self.router(x), x, self.branches)


class Repeated(nn.Module):
    """The same router and branches several times, as in a network with tied layers."""

    def __init__(self, model, times=3):
        super().__init__()
        self.model, self.times = model, times

    def forward(self, x):
        for _ in range(self.times):
            x = torch.tanh(x + self.model(x))
        return x


def traced(model):
    """The number of branches in a program."""
    program = export(model, (X,), dynamic_shapes=SIZES)
    return sum(str(node.target) == "dyn.path.default" for node in program.graph.nodes)


def hooked(branch):
    branch.register_forward_hook(lambda module, inputs, result: result + 1)
    return branch


def patched(branch):
    branch.forward = lambda x: x * 3
    return branch


def frozen(branch):
    branch.linear.eval()
    return branch


def make(branches):
    torch.manual_seed(0)
    return Model(branches())


EQUIVALENT = {
    "weights": (lambda: [Scaled() for _ in range(4)], 1),
    "two-kinds": (lambda: [Scaled(), Gathering(), Scaled(), Gathering()], 2),
    "nested": (lambda: [Inner() for _ in range(3)], 6),
    "tied": (lambda: [Tied(True), Tied(True), Tied(), Tied()], 2),
    "functions": (lambda: [nn.Sequential(nn.Linear(8, 8), nn.GELU()) for _ in range(3)], 1),
}
OTHERS = {
    "attribute": lambda: [Scaled(2.0), Scaled(3.0)],
    "zeros": lambda: [Scaled(0.0), Scaled(-0.0)],
    "class": lambda: [Scaled(), Gathering()],
    "tied": lambda: [Tied(), Tied(True)],
    "hook": lambda: [hooked(Scaled()), hooked(Scaled())],
    "forward": lambda: [patched(Scaled()), patched(Scaled())],
    "training": lambda: [Scaled(), frozen(Scaled())],
    "held": lambda: [Holding(), Holding()],
    "function": lambda: [Scaled(torch.neg), Scaled(torch.abs)],
    "partial": lambda: [Scaled(functools.partial(torch.add, other=o)) for o in (1, 2)],
    "lambdas": lambda: [lambda x: x, lambda x: x],
    "counted": lambda: [Counting(), Counting()],
    "listed": lambda: [Listing(), Listing()],
    "kept": lambda: [Keeping(), Keeping()],
    "dtype": lambda: [Scaled(), Scaled().double()],
    "none": lambda: [nn.ReLU(), nn.ReLU()],
}


@pytest.mark.parametrize("name", EQUIVALENT)
def test_equivalent_branches_are_traced_once(name, tmp_path, monkeypatch):
    branches, count = EQUIVALENT[name]
    model = make(branches).eval()
    assert traced(model) == count
    # Operations on weights only may be at another position, inside of a path.
    lines = []
    for is_once in (True, False):
        if not is_once:
            monkeypatch.setattr(likeness, "is_tracing_once", lambda: False)
        to_dhlo(model, tmp_path / "model.mlir", args=(X,), dynamic_shapes=SIZES)
        text = re.sub(r"%\w+", "%", (tmp_path / "model.mlir").read_text())
        lines.append(sorted(line.strip() for line in text.splitlines()))
    assert lines[0] == lines[1]


@pytest.mark.parametrize("name", ["weights", "nested"])
def test_meaning(name, tmp_path):
    model = make(EQUIVALENT[name][0]).eval()
    path = tmp_path / "model.so"
    compiled = dyn.compile(model, path, args=(X,), dynamic_shapes=SIZES, threads=1)
    for rows in (6, 0, 1, 31):
        x = torch.randn(rows, 8)
        with torch.no_grad():
            assert_close(compiled(x), model(x), f"{name} at {rows}")


@pytest.mark.parametrize("name", ["weights", "nested"])
def test_branches_that_are_called_again(name, tmp_path):
    """Values that earlier calls computed from the same weights stay."""
    model = Repeated(make(EQUIVALENT[name][0])).eval()
    path = tmp_path / "model.so"
    compiled = dyn.compile(model, path, args=(X,), dynamic_shapes=SIZES, threads=1)
    for rows in (6, 1):
        x = torch.randn(rows, 8)
        with torch.no_grad():
            assert_close(compiled(x), model(x), f"{name} at {rows}")


@pytest.mark.parametrize("name", OTHERS)
def test_others_are_traced_each(name):
    branches = make(OTHERS[name]).branches
    descriptions = [likeness.describe(b) for b in branches]
    seen = [d for d, tensors in descriptions if d is not None and tensors]
    if name in ("counted", "listed", "kept"):
        # They appear equal until one is traced.
        assert traced(make(OTHERS[name])) == 2
    else:
        assert len(set(seen)) == len(seen)


def test_users_programs_have_all_branches():
    """Programs of torch.export run in PyTorch; torch.compile traces by itself."""
    model = make(EQUIVALENT["weights"][0]).eval()
    program = torch.export.export(model, (X,), dynamic_shapes=SIZES, strict=False)
    with torch.no_grad():
        assert_close(program.module()(X), model(X), "exported")
    with pytest.raises(RuntimeError, match="one branch for several paths is for dyn alone"):
        export(model, (X,), dynamic_shapes=SIZES).module()(X)


def test_branches_with_routers_are_traced_each():
    """Their routers may replay their own choices; their own branches are equal."""
    assert likeness.describe(Inner())[0] is None
