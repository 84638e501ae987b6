# ===- test_narrow.py - Models of 16-bit floats ----------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GEMMs and convolutions of bf16 and f16, compiled once and run at many sizes, compared with
the interpreter, at each instruction set of this machine."""

import subprocess

import numpy
import onnx
import pytest
from onnx import TensorProto, helper

import dyn
from harness import difference, same_bits

TYPES = {"bf16": TensorProto.BFLOAT16, "f16": TensorProto.FLOAT16}
LEVELS = ["v2", "v3", "v4", "v4-bf16", "v4-amx"]
BATCHES = (0, 1, 2, 3, 7, 13, 31, 64, 131)
# One rounding to 16 bits more or less between GEMMs.
TOLERANCE = {"bf16": 2**-7, "f16": 2**-10}


def weight(name, array, dtype):
    """An initializer of 16 bits. numpy has no bf16, so its bits are given."""
    if dtype == "f16":
        bits = array.astype(numpy.float16)
    else:
        bits = (array.view(numpy.uint32) >> 16).astype(numpy.uint16)
    return helper.make_tensor(name, TYPES[dtype], array.shape, bits.tobytes(), raw=True)


def write(path, dtype):
    """A constant RHS, a matmul of two computed values, and a bias."""
    rng = numpy.random.default_rng(0)
    weights = [
        weight("w0", rng.standard_normal((75, 96), numpy.float32) / 8, dtype),
        weight("w1", rng.standard_normal((96, 41), numpy.float32) / 8, dtype),
        weight("b1", rng.standard_normal(41, numpy.float32), dtype),
    ]
    nodes = [
        helper.make_node("Cast", ["x"], ["x16"], to=TYPES[dtype]),
        helper.make_node("MatMul", ["x16", "w0"], ["p0"]),
        helper.make_node("Tanh", ["p0"], ["t0"]),
        helper.make_node("Gemm", ["t0", "w1", "b1"], ["p1"]),
        helper.make_node("Cast", ["p1"], ["y"], to=TensorProto.FLOAT),
        helper.make_node("Transpose", ["p1"], ["t1"], perm=[1, 0]),
        helper.make_node("MatMul", ["p1", "t1"], ["p2"]),
        helper.make_node("Cast", ["p2"], ["z"], to=TensorProto.FLOAT),
    ]
    sizes = {"x": ["batch", 75], "y": ["batch", 41], "z": ["batch", "batch"]}
    ports = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in sizes.items()]
    graph = helper.make_graph(nodes, "narrow", ports[:1], ports[1:], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), str(path))


def write_convolutions(path, dtype):
    """A convolution of many channels, one of each channel by itself, a transposed one, and
    one to a few."""
    rng = numpy.random.default_rng(0)
    shapes = {"w0": (16, 3, 3, 3), "w1": (32, 16, 3, 3), "w2": (32, 1, 3, 3)}
    shapes |= {"w3": (32, 16, 2, 2), "w4": (2, 16, 3, 3)}
    weights = [
        weight(n, rng.standard_normal(s, numpy.float32) / 8, dtype) for n, s in shapes.items()
    ]
    same = {"pads": [1, 1, 1, 1]}
    nodes = [
        helper.make_node("Cast", ["x"], ["x16"], to=TYPES[dtype]),
        helper.make_node("Conv", ["x16", "w0"], ["p0"], **same),
        helper.make_node("Relu", ["p0"], ["r0"]),
        helper.make_node("Conv", ["r0", "w1"], ["p1"], strides=[2, 2], **same),
        helper.make_node("Conv", ["p1", "w2"], ["p2"], group=32, **same),
        helper.make_node("ConvTranspose", ["p2", "w3"], ["p3"], strides=[2, 2]),
        helper.make_node("Conv", ["p3", "w4"], ["p4"], **same),
        helper.make_node("Cast", ["p2"], ["y"], to=TensorProto.FLOAT),
        helper.make_node("Cast", ["p4"], ["z"], to=TensorProto.FLOAT),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 3, "height", "width"])
    outputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in "yz"]
    graph = helper.make_graph(nodes, "convolutions", [x], outputs, weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)]), str(path))


def interpret(path, x, folder):
    numpy.savez(folder / "in.npz", x=x)
    subprocess.run(
        ["dyn-translate", "--import-onnx", str(path), "-o", str(folder / "m.mlir")], check=True
    )
    subprocess.run(
        ["dyn-run", "--reference", str(folder / "m.mlir"), f"--inputs={folder}/in.npz"]
        + [f"--output={folder}/out.npz"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    with numpy.load(folder / "out.npz") as file:
        return [file["y"], file["z"]]


@pytest.mark.parametrize("dtype", TYPES)
def test_gemms(tmp_path, dtype):
    path, artifact = tmp_path / "m.onnx", tmp_path / "m.so"
    write(path, dtype)
    dyn.compile(str(path), output=str(artifact), isa=LEVELS)
    best = dyn.load(str(artifact), threads=1).isa.removeprefix("x86-64-")
    names = LEVELS[: LEVELS.index(best) + 1]
    rng = numpy.random.default_rng(1)
    for batch in BATCHES:
        x = rng.standard_normal((batch, 75), numpy.float32)
        want = interpret(path, x, tmp_path)
        for isa in names:
            run = dyn.load(str(artifact), threads=1, isa=isa)
            got = [numpy.array(value) for value in run(x=x)]
            for value, judged in zip(got, want):
                assert difference(value, judged) <= TOLERANCE[dtype], f"batch {batch}, {isa}"
            # A row has the same bits alone, and with threads.
            for row in range(0, batch, 5):
                alone = numpy.array(run(x=x[row : row + 1])[0])
                assert same_bits([alone], [got[0][row : row + 1]]), f"row {row} of {batch}, {isa}"
            both = dyn.load(str(artifact), threads=2, isa=isa)
            assert same_bits([numpy.array(value) for value in both(x=x)], got)


@pytest.mark.parametrize("dtype", TYPES)
def test_weights_keep_their_bytes(tmp_path, dtype):
    """75 x 96 and 96 x 41 elements of two bytes, in packed panels, and a bias."""
    path, artifact = tmp_path / "m.onnx", tmp_path / "m.so"
    write(path, dtype)
    dyn.compile(str(path), output=str(artifact), isa=["v3"])
    text = subprocess.run(
        ["dyn-compile", "--describe", str(artifact)], check=True, capture_output=True, text=True
    ).stdout
    count = 2 * (76 * 96 + 96 * 48) + 128
    found = int(text.split("constants: ")[1].split(", ")[1].split()[0])
    assert found <= count, text


@pytest.mark.parametrize("dtype", TYPES)
def test_convolutions(tmp_path, dtype):
    """They have the kernels of f32, so none multiplies element by element."""
    path, artifact = tmp_path / "m.onnx", tmp_path / "m.so"
    write_convolutions(path, dtype)
    command = ["dyn-compile", str(path), "--explain", "--isa=v3,v4", "-o", str(artifact)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    kernels = [line for line in text.splitlines() if "(convolution), " in line]
    assert len(kernels) == 5, text
    assert "dhlo.convolution at" not in text, text
    best = dyn.load(str(artifact), threads=1).isa.removeprefix("x86-64-")
    rng = numpy.random.default_rng(1)
    for sizes in ((1, 1, 1), (0, 4, 5), (1, 7, 13), (2, 16, 9)):
        x = rng.standard_normal((sizes[0], 3, *sizes[1:]), numpy.float32)
        want = interpret(path, x, tmp_path)
        for isa in ("v3", "v4")[: 1 + (best >= "v4")]:
            got = dyn.load(str(artifact), threads=1, isa=isa)(x=x)
            for value, judged in zip(got, want):
                found = difference(numpy.array(value), judged)
                assert found <= 4 * TOLERANCE[dtype], f"{sizes}, {isa}"
