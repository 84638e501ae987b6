# ===- test_winograd.py - Errors and bits of Winograd's algorithm ----------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions by Winograd's algorithm compared with direct ones and with float64."""

import subprocess

import numpy
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from harness import same_bits

# Many channels are computed with channels last, few with channels first.
MANY, FEW = (32, 48, 80, 40), (8, 20, 12, 9)


def write_convolutions(path, channels):
    """Three convolutions of 3 x 3 with ReLU between them; the weights."""
    rng = numpy.random.default_rng(3)
    weights, nodes, initializers, last = [], [], [], "x"
    for layer, (inputs, outputs) in enumerate(zip(channels, channels[1:])):
        weight = rng.standard_normal((outputs, inputs, 3, 3)) / numpy.sqrt(9 * inputs / 2)
        weights.append(weight.astype("float32"))
        initializers.append(numpy_helper.from_array(weights[-1], f"w{layer}"))
        nodes.append(
            helper.make_node("Conv", [last, f"w{layer}"], [f"c{layer}"], pads=[1, 1, 1, 1])
        )
        last = f"r{layer}" if layer < 2 else "y"
        nodes.append(helper.make_node("Relu", [f"c{layer}"], [last]))
    ports = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", count, "h", "w"])
        for name, count in (("x", channels[0]), ("y", channels[-1]))
    ]
    graph = helper.make_graph(nodes, "convolutions", ports[:1], ports[1:], initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), str(path))
    return weights


def judge(x, weights):
    """The model in float64."""
    y = x.astype("float64")
    for weight in weights:
        wide = numpy.pad(y, [(0, 0), (0, 0), (1, 1), (1, 1)])
        height, width = x.shape[2:]
        y = sum(
            numpy.einsum(
                "nchw,oc->nohw", wide[:, :, i : i + height, j : j + width], weight[:, :, i, j]
            )
            for i in range(3)
            for j in range(3)
        )
        y = numpy.maximum(y, 0)
    return y


@pytest.fixture(scope="module", params=[MANY, FEW], ids=["many", "few"])
def convolutions(request, tmp_path_factory):
    """The weights, and an artifact for each setting of --winograd."""
    import dyn

    folder = tmp_path_factory.mktemp("winograd")
    weights = write_convolutions(folder / "m.onnx", request.param)
    artifacts = {}
    for setting in ("true", "false"):
        output = folder / f"{setting}.so"
        command = ["dyn-compile", folder / "m.onnx", "-o", output, f"--winograd={setting}"]
        subprocess.run(command, check=True)
        artifacts[setting] = dyn.load(str(output), threads=2)
    return weights, artifacts["true"], artifacts["false"]


@pytest.mark.parametrize("size", [(1, 1), (4, 4), (7, 9), (13, 14), (16, 16), (23, 37), (5, 101)])
def test_errors(convolutions, size):
    weights, winograd, direct = convolutions
    channels = weights[0].shape[1]
    x = numpy.random.default_rng(0).standard_normal((2, channels, *size)).astype("float32")
    want = judge(x, weights)

    def error(artifact):
        return numpy.abs(artifact(x=x) - want).max() / numpy.abs(want).max()

    assert error(direct) < 2e-6
    assert error(winograd) < 5e-6
    # With channels last, small images are computed directly.
    tiles = -(-size[0] // 4) * -(-size[1] // 4)
    is_small = channels == MANY[0] and size[0] * size[1] <= 5 * tiles + 80
    assert numpy.array_equal(winograd(x=x), direct(x=x)) == is_small


def test_bits(convolutions):
    """Bits depend neither on other images nor on threads."""
    weights, winograd, _ = convolutions
    channels = weights[0].shape[1]
    x = numpy.random.default_rng(1).standard_normal((8, channels, 19, 22)).astype("float32")
    whole = numpy.array(winograd(x=x))
    for row in range(8):
        assert same_bits([winograd(x=x[row : row + 1])], [whole[row : row + 1]])
    for threads in (1, 2):
        assert same_bits(winograd.run({"x": x}, threads=threads), [whole])
