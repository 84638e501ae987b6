# ===- plain.py - A perceptron and a hundred tiny ops ----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The smallest models: a beginner's export, and models that measure host cost."""

from models import draw
from models.model import Model, register


def mlp_module():
    from torch import nn

    return nn.Sequential(
        nn.Linear(37, 128),
        nn.ReLU(),
        nn.LayerNorm(128),
        nn.Linear(128, 64),
        nn.GELU(),
        nn.Linear(64, 10),
        nn.Softmax(-1),
    )


register(
    Model(
        name="mlp-small",
        axes={"x": {0: "batch"}, "y": {0: "batch"}},
        outputs=("y",),
        inputs=lambda sizes, rng: {"x": rng.standard_normal((sizes["batch"], 37), "float32")},
        sizes=lambda rng: {"batch": draw.size(rng, 0, 257)},
        module=mlp_module,
        example={"batch": 3},
    )
)


def write_tiny(path):
    """A chain of 100 ops that cannot be fused into few kernels: matmuls with a small
    matrix, each followed by a softmax along the rows."""
    import numpy
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    rng = numpy.random.default_rng(7)
    nodes, weights, last = [], [], "x"
    for step in range(50):
        weight = rng.standard_normal((8, 8), "float32")
        weights.append(numpy_helper.from_array(weight, f"w{step}"))
        nodes.append(helper.make_node("MatMul", [last, f"w{step}"], [f"m{step}"], f"matmul{step}"))
        last = f"s{step}" if step < 49 else "y"
        nodes.append(helper.make_node("Softmax", [f"m{step}"], [last], f"softmax{step}", axis=-1))
    ports = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["batch", 8]) for n in "xy"]
    graph = helper.make_graph(nodes, "tiny", ports[:1], ports[1:], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())


register(
    Model(
        name="tiny-100-small",
        axes={"x": {0: "batch"}, "y": {0: "batch"}},
        outputs=("y",),
        inputs=lambda sizes, rng: {"x": rng.standard_normal((sizes["batch"], 8), "float32")},
        sizes=lambda rng: {"batch": draw.size(rng, 0, 64)},
        write=write_tiny,
        example={"batch": 3},
    )
)
