# ===- test_byte_convolutions.py - Convolutions of integers ----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of bytes have exact sums, up to the largest, from kernels of f32."""

import subprocess

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper

import dyn

BYTE = TensorProto.UINT8
# Channels, filters, window, groups, zero points. 16 channels have Winograd's algorithm as
# floats, 17 have no equal parts, and those of 300 and of two groups are several parts.
CASES = {
    "few": (3, 4, 3, 1, 0, 0),
    "winograd": (16, 16, 3, 1, 7, 0),
    "prime": (17, 5, 3, 1, 255, 3),
    "parts": (64, 24, 3, 1, 128, 0),
    "point": (300, 17, 1, 1, 0, -128),
    "groups": (120, 6, 5, 2, 200, 0),
    "depthwise": (32, 32, 3, 32, 120, 0),
}


def extremes(rng, shape, dtype):
    """Bytes that are mostly the smallest or the largest."""
    info = numpy.iinfo(dtype)
    values = rng.integers(info.min, info.max + 1, shape)
    return numpy.where(rng.random(shape) < 0.8, info.max, values).astype(dtype)


def write(path):
    rng = numpy.random.default_rng(0)
    nodes, inputs, outputs, constants = [], [], [], []
    for name, (channels, filters, window, groups, x_zero, w_zero) in CASES.items():
        w = extremes(rng, (filters, channels // groups, window, window), numpy.int8)
        given = {"w": w, "p": numpy.uint8(x_zero), "q": numpy.int8(w_zero)}
        constants += [onnx.numpy_helper.from_array(a, f"{name}.{n}") for n, a in given.items()]
        names = [f"{name}.{n}" for n in "xwpq"]
        pads = [window // 2] * 4
        nodes.append(helper.make_node("ConvInteger", names, [name], group=groups, pads=pads))
        inputs.append(helper.make_tensor_value_info(names[0], BYTE, ["b", channels, "h", "w"]))
        outputs.append(helper.make_tensor_value_info(name, TensorProto.INT32, None))
    graph = helper.make_graph(nodes, "bytes", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    onnx.save(model, str(path))


def test_sums(tmp_path):
    path, artifact = tmp_path / "m.onnx", tmp_path / "m.so"
    write(path)
    command = ["dyn-compile", str(path), "--explain", "-o", str(artifact)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert text.count("(convolution), ") >= len(CASES) - 1, text
    assert "element by element: dhlo.convolution" not in text, text
    peer = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    artifact = dyn.load(str(artifact), threads=1)
    rng = numpy.random.default_rng(1)
    for sizes in ((1, 1, 1), (2, 8, 5), (1, 13, 16)):
        given = {
            f"{name}.x": extremes(rng, (sizes[0], case[0], *sizes[1:]), numpy.uint8)
            for name, case in CASES.items()
        }
        for name, got, want in zip(CASES, artifact.run(given), peer.run(None, given)):
            assert numpy.array_equal(numpy.array(got), want), f"{name}, {sizes}"
