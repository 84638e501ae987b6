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
