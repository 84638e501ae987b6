# ===- test_onnx_blocked.py - Channels in ONNX Runtime's blocks ------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of com.microsoft.nchwc, for processors with blocks of 8 and of 16 channels,
compared with the layers that they were made from."""

import subprocess
import warnings

import numpy as np
import onnx
import onnxruntime
import pytest
from harness import difference
from onnx import TensorProto, helper, numpy_helper

import dyn

BLOCKED = "com.microsoft.nchwc"
RNG = np.random.default_rng(3)


def filled(array, axis, block):
    """Pads with zeros to full blocks."""
    pads = [(0, 0)] * array.ndim
    pads[axis] = (0, -array.shape[axis] % block)
    return np.pad(array, pads)


def ordered(weight, block, has_input_blocks):
    """A filter as ONNX Runtime stores it, with the sizes of the plain filter."""
    weight = filled(weight, 0, block)
    if has_input_blocks:
        weight = filled(weight, 1, block)
    o, i, h, w = weight.shape
    within = block if has_input_blocks else 1
    apart = weight.reshape(o // block, block, i // within, within, h, w)
    return apart.transpose(0, 2, 4, 5, 3, 1).reshape(o, i, h, w)


def weights(*sizes):
    drawn = RNG.standard_normal(sizes) / np.prod(sizes[1:]) ** 0.5
    return drawn.astype(np.float32)


def model(nodes, constants):
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3, "H", "W"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    imports = [helper.make_opsetid("", 17), helper.make_opsetid(BLOCKED, 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=10)


def both(block, width):
    """Layers of `width` channels, plain and with blocks."""
    first, second = weights(width, 3, 3, 3), weights(width, width, 1, 1)
    deep, bias = weights(width, 1, 3, 3), RNG.standard_normal(width).astype(np.float32)
    node = helper.make_node
    around = dict(pads=[1, 1, 1, 1])
    plain = [
        node("Conv", ["x", "a", "bias"], ["p"], **around),
        node("Relu", ["p"], ["q"]),
        node("MaxPool", ["q"], ["r"], kernel_shape=[2, 2], strides=[2, 1]),
        node("Conv", ["r", "b"], ["s"]),
        node("Add", ["s", "r"], ["t"]),
        node("Conv", ["t", "c"], ["u"], group=width, **around),
        node("HardSigmoid", ["u"], ["v"], alpha=0.2, beta=0.5),
        node("Resize", ["v", "", "scales"], ["w"], coordinate_transformation_mode="asymmetric",
             nearest_mode="floor"),
        node("AveragePool", ["w"], ["y"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
    ]  # fmt: skip
    blocked = [
        node("Conv", ["x", "a", "bias"], ["q"], domain=BLOCKED, activation="Relu", **around),
        node("MaxPool", ["q"], ["r"], domain=BLOCKED, kernel_shape=[2, 2], strides=[2, 1]),
        node("Conv", ["r", "b", "", "r"], ["t"], domain=BLOCKED),
        node("Conv", ["t", "c"], ["v"], domain=BLOCKED, group=width + -width % block,
             activation="HardSigmoid", activation_params=[0.2, 0.5], **around),
        node("Upsample", ["v"], ["w"], domain=BLOCKED, scales=[1, 1, 2, 2]),
        node("AveragePool", ["w"], ["z"], domain=BLOCKED, kernel_shape=[3, 3],
             pads=[1, 1, 1, 1]),
        node("ReorderOutput", ["z"], ["y"], domain=BLOCKED, channels=width),
    ]  # fmt: skip
    plain_constants = dict(a=first, b=second, c=deep, bias=bias,
                           scales=np.array([1, 1, 2, 2], np.float32))  # fmt: skip
    constants = dict(
        a=ordered(first, block, False),
        b=ordered(second, block, True),
        c=ordered(deep, block, False),
        bias=filled(bias, 0, block),
    )
    return model(plain, plain_constants), model(blocked, constants)


@pytest.mark.parametrize("block", [8, 16])
def test_blocks_are_found(block):
    plain, blocked = both(block, 24)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours = dyn.compile(blocked, isa="v3", options=["-O1"])
    session = onnxruntime.InferenceSession(plain.SerializeToString())
    for sizes in [(1, 3, 4, 5), (2, 3, 9, 2), (3, 3, 2, 11)]:
        x = RNG.standard_normal(sizes).astype(np.float32)
        (want,) = session.run(None, {"x": x})
        assert difference(np.asarray(ours(x=x)), want) <= 2e-5


def test_of_this_processor(tmp_path):
    """If all channels fill blocks of either size, ONNX Runtime uses those of this
    processor."""
    plain, _ = both(8, 32)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.optimized_model_filepath = str(tmp_path / "model.onnx")
    session = onnxruntime.InferenceSession(plain.SerializeToString(), options)
    assert any(n.domain == BLOCKED for n in onnx.load(tmp_path / "model.onnx").graph.node)
    with pytest.warns(dyn.CompileWarning, match="blocks of (8|16) channels, as ONNX Runtime"):
        ours = dyn.compile(str(tmp_path / "model.onnx"), isa="v3", options=["-O1"])
    x = RNG.standard_normal((2, 3, 6, 7)).astype(np.float32)
    (want,) = session.run(None, {"x": x})
    assert difference(np.asarray(ours(x=x)), want) <= 2e-5


def sums(block, width, shape):
    """The sum of two convolutions, whose blocks become a separate axis for it."""
    first, second = weights(width, 3, 3, 3), weights(width, 3, 1, 1)
    third = weights(width, width, 1, 1)
    node = helper.make_node
    nodes = [
        node("Conv", ["x", "a"], ["p"], domain=BLOCKED, pads=[1, 1, 1, 1]),
        node("Reshape", ["p", "apart"], ["q"]),
        node("Conv", ["x", "b"], ["r"], domain=BLOCKED),
        node("Reshape", ["r", "apart"], ["s"]),
        node("Add", ["q", "s"], ["t"]),
        node("Reshape", ["t", "together"], ["u"]),
        node("Sigmoid", ["u"], ["v"]),
        node("Conv", ["v", "c"], ["w"], domain=BLOCKED),
        node("ReorderOutput", ["w"], ["y"], domain=BLOCKED, channels=width),
    ]
    constants = dict(a=ordered(first, block, False), b=ordered(second, block, False),
                     c=ordered(third, block, True), apart=np.array(shape),
                     together=np.array([0, -1, 0, 0]))  # fmt: skip

    def run(x):
        padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
        rows, columns = x.shape[2:]
        p = sum(np.einsum("oi,nihw->nohw", first[:, :, i, j], padded[:, :, i:i + rows, j:j + columns])
                for i in range(3) for j in range(3))  # fmt: skip
        v = 1 / (1 + np.exp(-p - np.einsum("oi,nihw->nohw", second[:, :, 0, 0], x)))
        return np.einsum("oi,nihw->nohw", third[:, :, 0, 0], v)

    return model(nodes, constants), run


@pytest.mark.parametrize("block", [8, 16])
def test_what_only_fills_is_left_out(tmp_path, block):
    """Channels that pad the last block are neither computed nor cut off."""
    width = 2 * block - 4
    blocked, reference = sums(block, width, [0, -1, 0, 0, block])
    path = tmp_path / "model.onnx"
    onnx.save(blocked, path)
    done = subprocess.run(["dyn-compile", str(path), "--emit=dhlo"],
                          capture_output=True, text=True, check=True)  # fmt: skip
    body = done.stdout[done.stdout.index("func.func") :]
    assert "dhlo.pad" not in body and f"tensor<?x{2 * block}x" not in body
    x = RNG.standard_normal((2, 3, 5, 4)).astype(np.float32)
    assert difference(np.asarray(dyn.compile(path)(x=x)), reference(x)) <= 2e-5


def test_other_reshapes():
    blocked, _ = sums(8, 12, [0, -1, 8, 0, 0])
    with pytest.raises(
        dyn.CompileError,
        match="expected a shape that gives the blocks of channels an axis of their own, or takes it away",
    ):
        dyn.compile(blocked)


def test_channels_that_are_not_there():
    blocked, _ = sums(8, 12, [0, -1, 0, 0, 8])
    blocked.graph.node[-1].attribute[0].i = 24
    with pytest.raises(
        dyn.CompileError, match="expected a value of at least 24 channels, found 16"
    ):
        dyn.compile(blocked)
    # The last filter reads more channels than the previous one computes.
    blocked.graph.node[-1].attribute[0].i = 12
    wide = ordered(weights(12, 24, 1, 1), 8, True)
    (index,) = [i for i, t in enumerate(blocked.graph.initializer) if t.name == "c"]
    blocked.graph.initializer[index].CopyFrom(numpy_helper.from_array(wide, "c"))
    with pytest.raises(dyn.CompileError, match="expected channels and groups of input and filter"):
        dyn.compile(blocked)
