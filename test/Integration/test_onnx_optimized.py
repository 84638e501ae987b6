# ===- test_onnx_optimized.py - Models that ONNX Runtime has optimised -----===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models after ONNX Runtime's optimisers and quantizer, compared with the models before:
close at ten shapes, and with no more launches."""

import logging
import pathlib
import re
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
import pytest
from harness import difference

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import dyn
from optimized_cases import CASES, HEADS, WIDTH, export

SHAPES = [(1, 1), (2, 5), (3, 7), (1, 13), (4, 2), (2, 17), (5, 3), (1, 29), (7, 4), (2, 23)]


def graph_optimized(source, target):
    """Saves the graph after all optimisations for this processor."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.optimized_model_filepath = str(target)
    onnxruntime.InferenceSession(str(source), options, ["CPUExecutionProvider"])


def transformer_optimized(source, target, case):
    optimizer = pytest.importorskip("onnxruntime.transformers.optimizer")
    logging.disable(logging.CRITICAL)
    try:
        model = optimizer.optimize_model(
            str(source), model_type=case.kind, num_heads=HEADS, opt_level=0, use_gpu=case.gpu,
            hidden_size=0 if case.gpu and case.kind != "clip" else WIDTH)  # fmt: skip
        model.save_model_to_file(str(target))
    finally:
        logging.disable(logging.NOTSET)


def compiled(path):
    """The artifact, and the number of kernels that it launches."""
    target = path.with_suffix(".so")
    done = subprocess.run(
        ["dyn-compile", str(path), "-o", str(target), "--isa=v3", "--explain"],
        capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return dyn.load(target), int(re.search(r"entry main: (\d+) launches", done.stdout)[1])


def run(artifact, case, inputs):
    feeds = {k: v.numpy() for k, v in zip(case.names, inputs)}
    return [np.asarray(v) for v in artifact.run(feeds)]


def close(path, plain, case, tolerance):
    before, launches = plain
    after, now = compiled(path)
    for shape in SHAPES:
        torch.manual_seed(sum(shape))
        inputs = case.inputs(*shape)
        for name, got, want in zip(
            case.outputs, run(after, case, inputs), run(before, case, inputs), strict=True
        ):
            error = difference(got, want)
            assert error <= tolerance, f"{path.stem} {name} at {shape}: {error}"
    assert now <= launches, f"{path.stem}: {now} launches, {launches} before"


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """The exported model by name, and its artifact; each is made once."""
    made = {}

    def get(name):
        if name not in made:
            path = tmp_path_factory.mktemp(name) / "plain.onnx"
            export(name, str(path))
            made[name] = path, compiled(path)
        return made[name]

    return get


@pytest.mark.full
@pytest.mark.parametrize("name", CASES)
def test_graph_optimizer(tmp_path, plain, name):
    source, before = plain(name)
    graph_optimized(source, tmp_path / "graph.onnx")
    close(tmp_path / "graph.onnx", before, CASES[name], 1e-4)


@pytest.mark.full
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.kind])
def test_transformer_optimizer(tmp_path, plain, name):
    source, before = plain(name)
    transformer_optimized(source, tmp_path / "transformer.onnx", CASES[name])
    close(tmp_path / "transformer.onnx", before, CASES[name], 1e-4)


class Samples:
    """The inputs on which a static quantizer measures ranges."""

    def __init__(self, case):
        torch.manual_seed(1)
        self.left = [
            {k: v.numpy() for k, v in zip(case.names, case.inputs(*shape))} for shape in SHAPES[1:4]
        ]

    def get_next(self):
        return self.left.pop() if self.left else None


def quantized(source, target, case, way):
    quantization = pytest.importorskip("onnxruntime.quantization")
    logging.disable(logging.CRITICAL)
    try:
        if way == "dynamic":
            # The quantizer cannot infer result types of operators of com.microsoft.
            quantization.quantize_dynamic(
                str(source), str(target),
                extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT})  # fmt: skip
        else:
            quantization.quantize_static(
                str(source), str(target), Samples(case),
                quant_format=quantization.QuantFormat[way])  # fmt: skip
    finally:
        logging.disable(logging.NOTSET)


#: The quantizer writes no QOperator form of the other two.
QUANTIZED = [(name, way) for name in ("bert", "bert-optimized", "resnet", "mobilenet")
             for way in ("dynamic", "QDQ", "QOperator")
             if way != "QOperator" or name in ("bert", "resnet")]  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize("name, way", QUANTIZED)
def test_quantizer(tmp_path, plain, name, way):
    """A quantized model, and its form after the graph optimiser, compared with ONNX
    Runtime."""
    case = CASES[name.removesuffix("-optimized")]
    source = plain(name.removesuffix("-optimized"))[0]
    if name.endswith("-optimized"):
        transformer_optimized(source, tmp_path / "transformer.onnx", case)
        source = tmp_path / "transformer.onnx"
    quantized(source, tmp_path / "before.onnx", case, way)
    graph_optimized(tmp_path / "before.onnx", tmp_path / "after.onnx")
    # Without optimisations: ONNX Runtime's own fusions round elsewhere.
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    for path in (tmp_path / "before.onnx", tmp_path / "after.onnx"):
        session = onnxruntime.InferenceSession(str(path), options)
        artifact = compiled(path)[0]
        for shape in SHAPES:
            torch.manual_seed(sum(shape))
            inputs = case.inputs(*shape)
            want = session.run(None, {k: v.numpy() for k, v in zip(case.names, inputs)})
            for got, other in zip(run(artifact, case, inputs), want, strict=True):
                # Steps of integers, which later layers propagate; ONNX Runtime's fused
                # operators round once where the original ones round twice.
                error = difference(got, other)
                assert error <= 0.05, f"{path.stem} at {shape}: {error}"
