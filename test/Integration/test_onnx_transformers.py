# ===- test_onnx_transformers.py - Stock models exported to ONNX -----------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Architectures of transformers as torch.onnx.export writes them with dynamic sizes:
compiled once, close to float64 at 20 shapes, of which the short tier runs 3."""

import pathlib
import sys

import pytest
from harness import difference

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnxscript")
FOLDER = pathlib.Path(__file__).parent
sys.path[:0] = [str(FOLDER / "Inputs"), str(FOLDER / "torch" / "Inputs")]

import dyn
from model_cases import SHAPES
from transformer_cases import CASES

#: The short tier: PyTorch's exporter takes most of a case's time.
SHORT = ("bloom",)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in SHORT else pytest.mark.full) for n in CASES]
)
def test_close_to_float64(tmp_path, full, name):
    case = CASES[name]
    inputs = case.inputs(3, 7)
    torch.onnx.export(
        case.make(),
        kwargs=inputs,
        f=str(tmp_path / "model.onnx"),
        dynamo=True,
        dynamic_shapes={key: case.dynamic.get(key, {}) for key in inputs},
        input_names=list(inputs),
        external_data=False,
        verbose=False,
    )
    compiled = dyn.compile(str(tmp_path / "model.onnx"), tmp_path / "model.so", isa="v3")
    module = case.make().double()
    for shape in SHAPES if full else SHAPES[:3]:
        torch.manual_seed(sum(shape))
        inputs = case.inputs(*shape)
        wide = {k: v.double() if v.is_floating_point() else v for k, v in inputs.items()}
        with torch.no_grad():
            want = [v for v in module(**wide).to_tuple() if isinstance(v, torch.Tensor)]
        got = compiled(**{k: v.numpy() for k, v in inputs.items()})
        got = list(got) if isinstance(got, tuple) else [got]
        assert len(got) == len(want)
        for ours, theirs in zip(got, want):
            error = difference(ours, theirs.numpy().astype(ours.dtype))
            assert error <= 1e-4, f"{name} at {shape}: {error}"
