# ===- test_ops.py - Operators of ATen against eager PyTorch ---------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each operator through the whole system against eager PyTorch: families are compiled once,
with dynamic sizes, and run at several shapes, 0 and 1 among them.
"""

import inspect
import pathlib
import sys

import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "fuzz"))

import dyn
from closeness import assert_close
from dyn.frontend.torch import registry, supported
from machine import LEVELS
from op_cases import families

# Each declares families.
import complex_cases, corner_cases, equation_cases, factor_cases, function_cases, image_cases  # noqa: E401, F401 # isort: skip

_compiled = {}


def compiled(name):
    """The family's artifact, compiled at its first use."""
    if name not in _compiled:
        family = families()[name].eval()
        shapes = {
            key: axes and {axis: torch.export.Dim.DYNAMIC for axis in axes}
            for key, axes in family.dynamic.items()
        }
        torch.manual_seed(0)
        kwargs = family.inputs(*family.shapes[0])
        # A call runs the code of one instruction set: each family is compiled for one.
        isa = LEVELS[list(families()).index(name) % len(LEVELS)].split(",")
        dynamic = {"inputs": shapes}
        _compiled[name] = dyn.compile(family, kwargs=kwargs, dynamic_shapes=dynamic, isa=isa)
    return _compiled[name]


CALLS = [(name, shape) for name, family in families().items() for shape in family.shapes]


@pytest.mark.parametrize(
    "name,shape", CALLS, ids=[f"{n}-{'x'.join(map(str, s))}" for n, s in CALLS]
)
def test_family(name, shape):
    family = families()[name]
    model = compiled(name)
    torch.manual_seed(sum(shape))
    inputs = family.inputs(*shape)
    with torch.no_grad():
        expected = family(**inputs)
    actual = model(**inputs)
    for case, value in expected.items():
        assert_close(actual[case], value, f"{name}: {case}")


def test_signatures_are_those_of_the_schemas():
    """A function has the parameters of the operator's schema, by name."""
    for name in supported():
        operator = registry.overload(name)
        if operator is None:
            continue
        function = inspect.signature(registry.lookup(name) or registry.lookup(name, True))
        if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in function.parameters.values()):
            continue
        schema = [argument.name for argument in operator._schema.arguments]
        parameters = list(function.parameters)[1:]
        assert len(schema) <= len(parameters), (name, schema, parameters)
        for argument in operator._schema.arguments:
            if argument.kwarg_only:
                assert argument.name in parameters, (name, argument.name, parameters)
