# ===- test_together.py - Kernels of branches launched together ------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A network of different branches has the same bits however its kernels are launched."""

import json
import subprocess

import numpy
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import dyn
from harness import same_bits

# The channels of each branch's convolutions, all different.
BRANCHES = [[6], [5, 7], [12, 3, 9], [16, 16], [1], [10, 4, 4, 8]]
BATCHES = (0, 1, 2, 5, 16)


def write(path):
    rng = numpy.random.default_rng(0)
    nodes, weights, ends = [], [], []
    for number, channels in enumerate(BRANCHES):
        value, before = "x", 8
        for step, after in enumerate(channels):
            name = f"{number}.{step}"
            filters = rng.standard_normal((after, before, 3, 3), numpy.float32) / 8
            weights.append(numpy_helper.from_array(filters, "w" + name))
            nodes.append(helper.make_node("Conv", [value, "w" + name], ["c" + name], pads=[1] * 4))
            nodes.append(helper.make_node("Relu", ["c" + name], ["r" + name]))
            value, before = "r" + name, after
        ends.append(value)
    nodes.append(helper.make_node("Concat", ends, ["y"], axis=1))
    ports = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", width, 17, 19])
        for name, width in (("x", 8), ("y", sum(b[-1] for b in BRANCHES)))
    ]
    graph = helper.make_graph(nodes, "branches", ports[:1], ports[1:], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), str(path))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("together") / "branches.onnx"
    write(path)
    return path


def test_branches_are_launched_together(model):
    def explain(*options):
        command = ["dyn-compile", str(model), "--dim", "batch=0..16", "--explain=json", *options]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return json.loads(text)["entries"][0]

    # First steps of 6 branches, second ones of 4, third ones of 2, and a last one.
    entry = explain()
    assert entry["together"] >= 12
    assert 1 <= entry["lists"] <= 4
    assert explain("--together=false")["together"] == 0


def test_same_bits(model, tmp_path):
    apart = str(tmp_path / "apart.so")
    together = str(tmp_path / "together.so")
    dims = {"batch": (0, 16)}
    dyn.compile(model, apart, dims, options=["--together=false"])
    dyn.compile(model, together, dims)
    rng = numpy.random.default_rng(1)
    inputs = [rng.standard_normal((n, 8, 17, 19), numpy.float32) for n in BATCHES]
    first = dyn.load(apart, threads=1)
    expected = [first(x=x) for x in inputs]
    for artifact in (apart, together):
        for threads in (1, 2, 5):
            loaded = dyn.load(artifact, threads=threads)
            for _ in range(3):
                for x, y in zip(inputs, expected):
                    assert same_bits([loaded(x=x)], [y])
