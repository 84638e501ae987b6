# ===- test_costs.py - Memory and bytes of compiling -----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights stay in files: they increase neither the compiler's anonymous memory nor the size
of a program. And no kernel repeats a computation."""

import pathlib
import sys
import time

import numpy
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import models

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "benchmarks"))
import costs

MB = 1 << 20


def write_wide(path, layers):
    """Matmuls with matrices of 16 MB each."""
    weight = numpy.random.default_rng(1).standard_normal((2048, 2048), "float32")
    nodes, weights, last = [], [], "x"
    for layer in range(layers):
        weights.append(numpy_helper.from_array(weight + layer, f"w{layer}"))
        nodes.append(helper.make_node("MatMul", [last, f"w{layer}"], [f"m{layer}"]))
        last = f"t{layer}" if layer < layers - 1 else "y"
        nodes.append(helper.make_node("Tanh", [f"m{layer}"], [last]))
    ports = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["batch", 2048]) for n in "xy"]
    graph = helper.make_graph(nodes, "wide", ports[:1], ports[1:], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), str(path))


def test_weights_stay_out_of_memory(tmp_path):
    """Eight times the weights need no more anonymous memory, and one kernel."""
    peaks = {}
    for layers in (2, 16):
        path = tmp_path / f"{layers}.onnx"
        write_wide(path, layers)
        _, peaks[layers] = costs.compile_cold(path, tmp_path / f"{layers}.so", "--isa=v3")
    assert peaks[16] < peaks[2] + 16 * MB, peaks


@pytest.mark.full
def test_bert_base(tmp_path):
    path = models.get("bert-base").path()
    assert path.stat().st_size > 400e6
    seconds, anonymous = costs.compile_cold(path, tmp_path / "bert.so")
    print(f"cold compile {seconds:.1f} s, {anonymous / 1e6:.0f} MB anonymous")
    assert anonymous < 500e6
    code, text = costs.bytecode_bytes(path, tmp_path)
    assert code < 1e6 and text < 1e6
    print(f"load {1e3 * costs.load_seconds(tmp_path / 'bert.so'):.1f} ms")


def test_programs_are_small(tmp_path):
    path = models.get("bert-deep-small").path()
    code, text = costs.bytecode_bytes(path, tmp_path)
    assert code < path.stat().st_size / 4 and text < 1e6


GROUPS = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[N, 64, H, W] x) => (float[N, 64, A, B] y)
  <int64[3] rows = {0, 32, -1}, float[32] one = {%s}, float[32] zero = {%s}> {
  p = MaxPool <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]> (x)
  s = Shape(p)
  r = Reshape(p, rows)
  n = InstanceNormalization(r, one, zero)
  z = Reshape(n, s)
  y = Relu(z)
}
""" % (", ".join(["1"] * 32), ", ".join(["0"] * 32))


def test_means_of_groups_are_computed_once(tmp_path):
    """A group norm as PyTorch exports it, after a layer that halves its images: a kernel
    that does not know that its rows are the result's takes seconds."""
    import dyn

    onnx.save(onnx.parser.parse_model(GROUPS), str(tmp_path / "m.onnx"))
    model = dyn.compile(tmp_path / "m.onnx", output=tmp_path / "m.so", threads=1)
    x = numpy.random.default_rng(0).standard_normal((1, 64, 96, 112), "float32")
    model(x)
    begin = time.perf_counter()
    got = model(x)
    assert time.perf_counter() - begin < 0.5
    p = numpy.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-numpy.inf)
    windows = numpy.lib.stride_tricks.sliding_window_view(p, (3, 3), (2, 3))[:, :, ::2, ::2]
    rows = windows.max((4, 5)).reshape(1, 32, -1).astype("float64")
    rows = (rows - rows.mean(2, keepdims=True)) / numpy.sqrt(rows.var(2, keepdims=True) + 1e-5)
    numpy.testing.assert_allclose(got, numpy.maximum(rows.reshape(got.shape), 0), 1e-4, 1e-5)
