# ===- test_sizes.py - Sizes that agree, and sizes that do not -------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators at sizes that are drawn independently: compiled code refuses exactly the sizes
that the interpreter refuses."""

import random

import numpy
import onnx
import onnx.parser
import pytest
from test_data import Both, difference

ONES = ", ".join(["1"] * 24)
GRAPHS = {
    "binary": "(float[N, M] x, float[5, M] z) => (float[A, B] y) { y = Add(x, z) }",
    "three": "(float[N] x, float[M] z, float[K] w) => (float[A] y) { y = Sum(x, z, w) }",
    "within a kernel": """(float[N, M] x, float[N, M] z, float[K] s) => (float y) {
        a = Sub(x, z) b = Mul(a, s) y = ReduceL2 <keepdims = 0> (b) }""",
    "branches of a mask": """(float[N, M] x, float[K, M] z, bool[N, L] p) => (float[A, B] y) {
        a = Add(x, z) b = Mul(x, z) y = Where(p, a, b) }""",
    "decomposed attention": """(float[B, H, S, D] q, float[B, G, T, D] k, float[B, G, T, E] v,
        float[X, S, Y] m) => (float[B, H, S, E] y) {
        kt = Transpose <perm = [0, 1, 3, 2]> (k) s = MatMul(q, kt) t = Add(s, m)
        p = Softmax <axis = -1> (t) y = MatMul(p, v) }""",
    "stated": "(float[N] x, int64[1] s) => (float[A] y) { y = Expand(x, s) }",
    "stated by another": """(float[N, M] x, float[K, L] z) => (float[A, B] y) {
        s = Shape(z) y = Expand(x, s) }""",
    "select": "(bool[N] c, float[M] x, float[6] z) => (float[A] y) { y = Where(c, x, z) }",
    "slope": "(float[N, K] x, float[S] s) => (float[N, K] y) { y = PRelu(x, s) }",
    "channels": """(float[N, K, L] x, float[S] s, float[B] b) => (float[N, K, L] y) {
        y = InstanceNormalization(x, s, b) }""",
    "batch norm": """(float[N, K, L] x, float[3] s, float[B] b) => (float[N, K, L] y) {
        y = BatchNormalization(x, s, b, b, s) }""",
    "layer norm": """(float[N, C] x, float[D] s, float[E] b) => (float[N, C] y) {
        y = LayerNormalization(x, s, b) }""",
    "gemm": """(float[N, K] x, float[3, 4] w, float[B] b) => (float[N, 4] y) {
        y = Gemm(x, w, b) }""",
    "batched": "(float[B, N, K] x, float[C, L, M] z) => (float[A, N, M] y) { y = MatMul(x, z) }",
    "diagonal": """(float[N, K] x) => (float[N] y) {
        y = Einsum <equation = "ii->i"> (x) }""",
    "concatenation": """(float[N, K] x, float[M, L] z) => (float[A, B] y) {
        y = Concat <axis = 1> (x, z) }""",
    "parts": """(float[N] x) => (float[3] y, float[4] z) <int64[2] s = {3, 4}> {
        y, z = Split(x, s) }""",
    "mirrored": """(float[N, 3] x) => (float[A, 3] y) <int64[4] p = {2, 0, 3, 0}> {
        y = Pad <mode = "reflect"> (x, p) }""",
    "repeated edge": """(float[N] x) => (float[A] y) <int64[2] p = {0, 2}> {
        y = Pad <mode = "edge"> (x, p) }""",
    "resized": """(float[1, 2, N, M] x) => (float[1, 2, A, B] y) <int64[4] s = {1, 2, 3, 5}> {
        y = Resize <mode = "linear"> (x, , , s) }""",
    "heads": """(float[B, H, S, 4] q, float[B, G, T, 4] k) => (float[B, H, S, 4] y) {
        y = Attention(q, k, k) }""",
    "cut": "(float[N] x) => (float[A] y) <int64[2] p = {-2, -3}> { y = Pad(x, p) }",
    "cut and summed": """(float[N, M] x) => (float y) <int64[4] p = {-2, -2, -1, -1}> {
        a = Pad(x, p) b = Exp(a) y = ReduceSum <keepdims = 0> (b) }""",
    "window": """(float[1, 1, N] x) => (float[1, 1, A] y) {
        y = MaxPool <kernel_shape = [5], strides = [1]> (x) }""",
    "convolution": f"""(float[1, C, N] x) => (float[1, 2, A] y) <float[2, 3, 4] w = {{{ONES}}}> {{
        y = Conv(x, w) }}""",
    "groups": """(float[1, 4, N] x, float[M, K, 2] w) => (float[1, A, B] y) {
        y = Conv <group = 2> (x, w) }""",
    "blocks": """(float[1, C, H, W] x) => (float[1, A, B, D] y) {
        y = DepthToSpace <blocksize = 2> (x) }""",
    "nonzeros": "(bool[N, 2, M] x) => (int64[3, K] y) { y = NonZero(x) }",
    "sums": """(float[N, M, K] x) => (float[N] y, float[M] z) <int64[2] b = {1, 2}, int64[2] a = {0, 2}> {
        y = ReduceSum <keepdims = 0> (x, b) z = ReduceL2 <keepdims = 0> (x, a) }""",
    "rows": "(float[N, 4] x, int64[M, 2] i) => (float[A] y) { y = GatherND(x, i) }",
    "elements": """(float[N, C] x, int64[M, D] i) => (float[M, D] y) {
        y = GatherElements(x, i) }""",
    "written": """(float[N] x, int64[M, 1] i, float[K] u) => (float[N] y) {
        y = ScatterND(x, i, u) }""",
    "copies": "(float[N] x, int64[1] r) => (float[A] y) { y = Tile(x, r) }",
    "labels": """(float[N, C] x, int64[M] l) => (float y) {
        y = NegativeLogLikelihoodLoss(x, l) }""",
    "reversed": "(float[T, B] x, int64[L] l) => (float[T, B] y) { y = ReverseSequence(x, l) }",
    "recurrent": f"""(float[T, B, I] x) => (float[T, 1, B, 2] y)
        <float[1, 8, 3] w = {{{ONES}}}, float[1, 8, 2] r = {{{ONES[:46]}}}> {{
        y = LSTM <hidden_size = 2> (x, w, r) }}""",
    "attention": f"""(float[1, 2, N, D] x, float[M, K] m) => (float[A, B, C, E] y)
        <float[1, 2, 3, 4] k = {{{ONES}}}> {{ y = Attention(x, k, k, m) }}""",
}


def draw(rng, values, model):
    """Inputs of sizes that are often equal."""
    common, sizes, inputs = rng.choice([1, 2, 3, 4, 5]), {}, {}
    for value in model.graph.input:
        shape = []
        for size in value.type.tensor_type.shape.dim:
            drawn = rng.choice([common, common, 0, 1, 2, 3, 4, 5, 6, 7])
            shape.append(size.dim_value or sizes.setdefault(size.dim_param, drawn))
        if value.type.tensor_type.elem_type == onnx.TensorProto.FLOAT:
            inputs[value.name] = values.standard_normal(shape).astype(numpy.float32)
        elif value.type.tensor_type.elem_type == onnx.TensorProto.BOOL:
            inputs[value.name] = values.integers(0, 2, shape).astype(bool)
        else:
            inputs[value.name] = values.integers(0, 3, shape)
    return inputs


def outcome(call, refusals):
    """The result of a call; None if it refuses its inputs."""
    try:
        return call()
    except refusals:
        return None


@pytest.mark.parametrize("name", GRAPHS)
def test_sizes_that_do_not_fit(tmp_path, full, name):
    import dyn

    header = '<ir_version: 10, opset_import: ["" : 23]>'
    model = onnx.parser.parse_model(f"{header} g {GRAPHS[name]}")
    onnx.save(model, str(tmp_path / "m.onnx"))
    # Without optimisations, so that no invalid computation is removed.
    both = Both(tmp_path, tmp_path / "m.onnx", options=["-O0"])
    refusals = (dyn.DataError, dyn.InvalidArgumentError)
    rng, values = random.Random(name), numpy.random.default_rng(7)
    for _ in range(100 if full else 20):
        inputs = draw(rng, values, model)
        shapes = {key: value.shape for key, value in inputs.items()}
        got = outcome(lambda: both.run(inputs), refusals)
        # The interpreter's process ends with an error.
        want = outcome(lambda: both.interpret(inputs), AssertionError)
        assert (got is None) == (want is None), shapes
        for a, b in zip(got or [], want or []):
            assert a.shape == b.shape and difference(a, b) <= 1e-4, shapes


def test_symbol_with_one_value(tmp_path):
    """A symbol with only one legal value is bound and checked like others."""
    import dyn

    path = tmp_path / "model.mlir"
    type = "tensor<?x?xf32, #dhlo.dims<N, M>>"
    path.write_text(
        f"dhlo.dim @N in [1, 1]\ndhlo.dim @M in [0, 8]\n"
        f"func.func @f(%x: {type}) -> {type} attributes {{dhlo.entry}} {{\n"
        f"  %y = dhlo.neg %x : {type}\n  return %y : {type}\n}}\n"
    )
    run = dyn.compile(path, output=tmp_path / "model.so")
    x = numpy.ones((1, 3), numpy.float32)
    numpy.testing.assert_array_equal(run(x), -x)
    with pytest.raises(dyn.InvalidArgumentError, match=r"axis 0: expected N in \[1, 1\], got 2"):
        run(numpy.ones((2, 3), numpy.float32))
