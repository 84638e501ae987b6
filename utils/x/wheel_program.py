# ===- wheel_program.py - Compiles a model and runs it ---------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program that test_wheel.py runs in a system with only Python, numpy and dyn.

The model, relu(x @ w + b) with any number of rows, is written as ONNX by hand.
"""

import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy as np

import dyn


def varint(number):
    """An integer in the encoding of protocol buffers."""
    low, rest = number & 0x7F, number >> 7
    return bytes([low]) if rest == 0 else bytes([low | 0x80]) + varint(rest)


def field(number, value):
    """A field of a message: an integer, or text, bytes or a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def node(kind, inputs, output):
    names = b"".join(field(1, name) for name in inputs)
    return field(1, names + field(2, output) + field(4, kind))


def constant(name, array):
    sizes = b"".join(field(1, size) for size in array.shape)
    return field(5, sizes + field(2, 1) + field(8, name) + field(9, array.tobytes()))


def port(number, name, columns):
    """An input or output of [batch, columns]."""
    shape = field(1, field(2, "batch")) + field(1, field(1, columns))
    return field(number, field(1, name) + field(2, field(1, field(1, 1) + field(2, shape))))


def model(w, b):
    graph = node("MatMul", ["x", "w"], "xw") + node("Add", ["xw", "b"], "sum")
    graph += node("Relu", ["sum"], "y") + field(2, "linear")
    graph += constant("w", w) + constant("b", b)
    graph += port(11, "x", w.shape[0]) + port(12, "y", w.shape[1])
    return field(1, 8) + field(7, graph) + field(8, field(2, 17))


def main():
    rng = np.random.default_rng(0)
    w = rng.standard_normal((33, 17)).astype(np.float32)
    b = rng.standard_normal(17).astype(np.float32)
    text = model(w, b)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "model.onnx")
        path.write_bytes(text)
        compiled = dyn.compile(path, output=path.with_suffix(".so"), dims={"batch": (1, 512)})
        session = dyn.InferenceSession(text, cache_dir=pathlib.Path(folder, "cache"))
        for batch in (1, 2, 7, 130, 512):
            x = rng.standard_normal((batch, 33)).astype(np.float32)
            want = np.maximum(x @ w + b, 0)
            np.testing.assert_allclose(compiled(x=x), want, rtol=1e-4, atol=1e-5)
            np.testing.assert_allclose(session.run(None, {"x": x})[0], want, rtol=1e-4, atol=1e-5)
        program = pathlib.Path(sys.executable).parent / "dyn-compile"
        command = [str(program), "--describe", str(path.with_suffix(".so"))]
        described = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        assert "input x: float32 [batch, 33]" in described, described
    python = "%d.%d.%d" % sys.version_info[:3]
    bits = 8 * struct.calcsize("P")
    print(f"dyn {dyn.__version__}, Python {python}, {bits} bits, numpy {np.__version__}: ok")


if __name__ == "__main__":
    main()
