# ===- test_models.py - Stock models against eager PyTorch ----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Architectures of transformers: compiled once, close to eager at 20 shapes."""

import pathlib
import sys

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import dyn
from closeness import assert_close
from model_cases import CASES, SHAPES

NAMES = [pytest.param(n, marks=[pytest.mark.full] if c.full else []) for n, c in CASES.items()]


@pytest.mark.parametrize("name", NAMES)
def test_export(name):
    case = CASES[name]
    model = case.make()
    compiled = dyn.compile(model, kwargs=case.inputs(3, 7), dynamic_shapes=case.dynamic)
    for shape in SHAPES:
        torch.manual_seed(sum(shape))
        inputs = case.inputs(*shape)
        with torch.no_grad():
            expected = model(**inputs)
        assert_close(compiled(**inputs), expected, f"{name} at {shape}")


def test_experts_do_not_add_launches():
    """All experts of a mixture are one product, however many there are."""
    torch.manual_seed(0)
    case = CASES["mixtral"]
    launches = []
    for experts in (2, 8):
        model = case.make(num_local_experts=experts)
        inputs = case.inputs(3, 7)
        compiled = dyn.compile(model, kwargs=inputs, dynamic_shapes=case.dynamic)
        compiled(**inputs)
        kernels = compiled.artifact.stats["kernels"]
        launches.append(sum(kernel["launches"] for kernel in kernels))
        grouped = [k for k in kernels if k["name"].startswith("grouped_dot")]
        assert sum(k["launches"] for k in grouped) == 4, "two products in two layers"
    assert launches[0] == launches[1]
