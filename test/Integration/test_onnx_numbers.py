# ===- test_onnx_numbers.py - Numbers in operators of ONNX -----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types, ranges and attributes that are rare in models: values that 16 bits do not
represent, fractions as integers, and omitted attributes. Interpreted and compiled, compared
with numbers written here."""

import dataclasses

import ml_dtypes
import numpy as np
import pytest
from test_onnx_operators import Runner, parse

F, H, B = np.float32, np.float16, ml_dtypes.bfloat16
RANDOM = np.random.default_rng(3)
WIDE = RANDOM.standard_normal((1, 2, 40960)).astype(H)
IMAGE = RANDOM.standard_normal((2, 1, 200, 200)).astype(H)


def normalize(x, axes, eps=1e-5):
    x = x.astype(np.float64)
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


@dataclasses.dataclass
class Case:
    name: str
    opset: int
    graph: str
    inputs: list
    outputs: list
    tolerance: float = 2e-3


CASES = [
    Case(
        "mean of a plane",
        22,
        "(float16[1,1,N,M] x) => (float16[1,1,A,B] y) { y = GlobalAveragePool(x) }",
        [np.ones((1, 1, 256, 256), H)],
        [np.ones((1, 1, 1, 1), H)],
    ),
    Case(
        "mean of columns",
        18,
        "(float16[N,3] x) => (float16[A,3] y) <int64[1] a = {0}> { y = ReduceMean(x, a) }",
        [np.full((70000, 3), 100, H)],
        [np.full((1, 3), 100, H)],
    ),
    Case(
        "mean of operands",
        13,
        "(float16[N] x) => (float16[N] y) { y = Mean(x, x, x) }",
        [H([60000, -1])],
        [H([60000, -1])],
    ),
    Case(
        "instance norm",
        22,
        "(float16[1,2,N] x, float16[2] s, float16[2] b) => (float16[1,2,N] y)"
        " { y = InstanceNormalization(x, s, b) }",
        [WIDE, H([1, 2]), H([0, 1])],
        [normalize(WIDE, 2) * [[1], [2]] + [[0], [1]]],
    ),
    Case(
        "group norm",
        21,
        "(float16[1,2,N] x, float16[2] s, float16[2] b) => (float16[1,2,N] y)"
        " { y = GroupNormalization <num_groups = 1> (x, s, b) }",
        [WIDE, H([1, 2]), H([0, 1])],
        [normalize(WIDE, (1, 2)) * [[1], [2]] + [[0], [1]]],
    ),
    Case(
        "mean and variance",
        13,
        "(float16[2,1,N,M] x) => (float16[2,1,N,M] y) { y = MeanVarianceNormalization(x) }",
        [IMAGE],
        [normalize(IMAGE, (0, 2, 3), 1e-18)],
    ),
    Case(
        "batch norm",
        15,
        "(float16[2,1] x, float16[1] s, float16[1] b, float16[1] m, float16[1] v)"
        " => (float16[2,1] y) { y = BatchNormalization(x, s, b, m, v) }",
        [H([[1000.5], [1001]]), H([1]), H([0]), H([1000]), H([0.01])],
        [[[4.996], [9.99]]],
    ),
    Case(
        "batch norm of two types",
        15,
        "(float[1,1] x, float[1] s, float[1] b, float16[1] m, float16[1] v) => (float[1,1] y)"
        " { y = BatchNormalization(x, s, b, m, v) }",
        [F([[1000.25]]), F([1]), F([0]), H([1000]), H([0.01])],
        [[[2.498]]],
    ),
    Case(
        "layer norm and its statistics",
        17,
        "(float16[1,N] x, float16[N] s, float o) => (float16[1,N] y, float[1,1] z, float[1,1] w)"
        " { y, m, w = LayerNormalization(x, s) z = Add(m, o) }",
        [H(np.arange(1000)[None] % 3 + 100), np.ones(1000, H), F(1)],
        [normalize(np.arange(1000)[None] % 3, 1), [[101.999]], [[1.2255]]],
    ),
    Case(
        "norms of many elements",
        23,
        "(float16[N] x, float16[N] s) => (float16[N] y, float16[N] z, float16[N] w)"
        " { y = LayerNormalization(x, s) z = RMSNormalization(x, s)"
        " u = Constant <value_float = 0.0001> () v = CastLike(u, x) t = Mul(x, v)"
        " w = RMSNormalization <epsilon = 1e-8> (t, s) }",
        [WIDE.reshape(-1), np.ones(81920, H)],
        [
            normalize(WIDE.reshape(-1), 0),
            WIDE.reshape(-1) / np.sqrt((WIDE.astype(np.float64) ** 2).mean() + 1e-5),
            WIDE.reshape(-1) / np.sqrt((WIDE.astype(np.float64) ** 2).mean() + 1),
        ],
    ),
    Case(
        "layer norm by scales of more axes",
        17,
        "(float[2,3,5] x, float[1,1,5] s, float[3,5] t) => (float[2,3,5] y, float[2,3,5] z)"
        " { y = LayerNormalization(x, s) z = LayerNormalization(x, t, s) }",
        [WIDE[0, 0, :30].reshape(2, 3, 5).astype(F), F([[[1, 2, 3, 4, 5]]]), np.ones((3, 5), F)],
        [
            normalize(WIDE[0, 0, :30].reshape(2, 3, 5), 2) * [1, 2, 3, 4, 5],
            normalize(WIDE[0, 0, :30].reshape(2, 3, 5), 2) + [1, 2, 3, 4, 5],
        ],
    ),
    Case(
        "root mean square of two types",
        23,
        "(float16[N] x, float[N] s, float[2,N] u, float[2,N] t) => (float[N] y, float[2,N] z)"
        " { y = RMSNormalization(x, s) z = RMSNormalization(u, t) }",
        [H([300, 400]), F([1, 10]), F([[1, 10], [1, 10]]), F([[1, 1], [2, 2]])],
        [[0.8485, 11.314], [[0.1407, 1.4071], [0.2814, 2.8142]]],
    ),
    Case(
        "attention of two types",
        23,
        "(float[1,1,1,2] q, float[1,1,N,2] k, float16[1,1,N,2] v)"
        " => (float[1,1,1,2] y, float16[1,1,N,2] p) { y, , p = Attention(q, k, v) }",
        [np.zeros((1, 1, 1, 2), F), np.ones((1, 1, 2, 2), F), H([[[[1, 2], [3, 5]]]])],
        [[[[[2, 3.5]]]], H([[[[1, 2], [3, 5]]]])],
    ),
    Case(
        "average of great numbers",
        22,
        "(float16[1,1,N,2] x) => (float16[1,1,A,B] y, float16[1,1,C,D] z)"
        " { y = AveragePool <kernel_shape = [2, 2]> (x)"
        " z = AveragePool <kernel_shape = [2, 2], pads = [0, 0, 1, 0]> (x) }",
        [np.full((1, 1, 2, 2), 40000, H)],
        [np.full((1, 1, 1, 1), 40000, H), np.full((1, 1, 2, 1), 40000, H)],
    ),
    Case(
        "average with as many windows as strides",
        22,
        "(float[1,1,N] x) => (float[1,1,A] y) { y = AveragePool <kernel_shape = [3],"
        ' strides = [2], auto_pad = "SAME_UPPER", ceil_mode = 1, count_include_pad = 1> (x) }',
        [F([[[1, 2, 3, 4, 5]]])],
        [[[[1, 3, 3]]]],
    ),
    Case(
        "squares of great numbers",
        22,
        "(float16[1,3,2,2] x) => (float16[1,3,2,2] y, float16[1,3,1,1] z, float16[1,3,2,2] w,"
        " float16[1,3,1,1] v) { y = LRN <size = 3> (x) w = LpNormalization <axis = 1> (x)"
        " z = LpPool <kernel_shape = [2, 2]> (x) v = GlobalLpPool(x) }",
        [np.full((1, 3, 2, 2), 300, H)],
        [
            300
            / (1 + 1e-4 / 3 * 90000 * np.float64([[[[2]], [[3]], [[2]]]]) * np.ones((2, 2)))
            ** 0.75,
            np.full((1, 3, 1, 1), 600, H),
            np.full((1, 3, 2, 2), 3**-0.5),
            np.full((1, 3, 1, 1), 600, H),
        ],
    ),
    Case(
        "norms of great numbers",
        18,
        "(float16[N] x) => (float16 y, float16 z)"
        " { y = ReduceL2 <keepdims = 0> (x) z = ReduceLogSum <keepdims = 0> (x) }",
        [H([30000, 40000])],
        [50000, np.log(70000)],
    ),
    Case(
        "determinant",
        22,
        "(float16[N,N] x) => (float16 y) { y = Det(x) }",
        [H([[300, 2], [299, 3]])],
        [302],
    ),
    Case(
        "losses of labels that are ignored",
        13,
        "(float[2,3] x, int64[2] l) => (float y, float z) {"
        " y = NegativeLogLikelihoodLoss <ignore_index = -1> (x, l)"
        " z = SoftmaxCrossEntropyLoss <ignore_index = -1> (x, l) }",
        [F([[-np.inf, -1, -2], [-np.inf, -3, -4]]), np.int64([-1, 2])],
        [4, 1.31326],
    ),
    Case(
        "losses of many labels",
        13,
        "(float16[N,2] x, int64[N] l) => (float16 y, float16[N,2] z)"
        " { y, z = SoftmaxCrossEntropyLoss(x, l) }",
        [np.zeros((70000, 2), H), np.zeros(70000, np.int64)],
        [np.log(2), np.full((70000, 2), -np.log(2))],
    ),
    Case(
        "powers of integers",
        15,
        "(int32[N,1] x, double[M] e, int64 l, float f)"
        " => (int32[N,M] y, int32[N,1] z, int32[N,1] w, int64 u) <float c = {4.0}, float d = {1.5}>"
        " { y = Pow(x, e) z = Pow(x, c) w = Pow(x, d) u = Pow(l, f) }",
        [
            np.arange(40, dtype=np.int32)[:, None],
            np.arange(6.0),
            np.int64(123456789),
            F(1),
        ],
        [
            np.arange(40)[:, None] ** np.arange(6),
            np.arange(40)[:, None] ** 4,
            np.floor(np.arange(40)[:, None] ** 1.5 + 1e-9).astype(np.int64),
            123456789,
        ],
        0,
    ),
    Case(
        "factors of integers",
        13,
        "(int32[1,2] a, int32[2,1] b, int32[1] d) => (int32[1,1] y)"
        " { y = Gemm <alpha = 0.5, beta = 1.5> (a, b, d) }",
        [np.int32([[1, 2]]), np.int32([[3], [5]]), np.int32([1])],
        [[[8]]],
        0,
    ),
    Case(
        "bounds of integers",
        9,
        "(uint8[N] x, int32[M] z) => (uint8[N] y, int32[M] w) {"
        " y = Shrink <lambd = 1.5, bias = 1.0> (x) w = Shrink <lambd = 1.5, bias = 1.5> (z) }",
        [np.uint8([0, 1, 2, 3, 200]), np.int32([-5, -1, 0, 1, 2, 5])],
        [[0, 0, 1, 2, 199], [-3, 0, 0, 0, 0, 3]],
        0,
    ),
    Case(
        "from integers to few bits",
        23,
        "(uint16[1] x, int32[1] z, int8[1] w, float16 s, float16 t, float16 u)"
        " => (float16[1] a, float[1] b, float[1] c) {"
        " a = DequantizeLinear(x, s) b = DequantizeLinear <output_dtype = 1> (z, t)"
        " c = DequantizeLinear <output_dtype = 1> (w, u) }",
        [np.uint16([65535]), np.int32([100000]), np.int8([101]), H(0.001), H(0.01), H(0.1)],
        [[65.56], [1000.2136], [10.0975]],
        3e-4,
    ),
    Case(
        "from few bits to integers",
        23,
        "(float16[4] x, float[2] w, float16 s, float16 t)"
        " => (uint16[4] a, int16[4] b, uint8[2] c, int8[4] d)"
        " <uint16 o = {32768}, int16 z = {0}, uint8 e = {0}, int32 n = {20000}, int8 g = {0}> {"
        " a = QuantizeLinear(x, s, o) b = QuantizeLinear(x, s, z)"
        " c = QuantizeLinear <precision = 1> (w, t, e)"
        " i = Cast <to = 6> (x) d = QuantizeLinear(i, n, g) }",
        [H([5, -3, 60000, -60000]), F([70000, 3000]), H(1), H(1000)],
        [[32773, 32765, 65535, 0], [5, -3, 32767, -32768], [70, 3], [0, 0, 3, -3]],
        0,
    ),
    Case(
        "NaN to the least integer",
        13,
        "(float[4] x) => (uint8[4] a, int8[4] b)"
        " <float s = {0.5}, uint8 o = {5}, int8 z = {5}> {"
        " a = QuantizeLinear(x, s, o) b = QuantizeLinear(x, s, z) }",
        [F([np.nan, np.inf, -np.inf, 1])],
        [[0, 255, 0, 7], [-128, 127, -128, 7]],
        0,
    ),
    Case(
        "scales of more axes",
        21,
        "(uint8[2,3,2] a, uint8[2,2,1] b, uint8[2] v) => (uint8[2,3,1] y, uint8[2,1] z)"
        " <float[2,3,1] s = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, uint8[2,3,1] p = {0, 0, 0, 0, 0, 1},"
        " float[2,1,1] t = {1.0, 2.0}, uint8[2,1,1] q = {0, 1}, float one = {1.0}, uint8 o = {0}> {"
        " y = QLinearMatMul(a, s, p, b, t, q, one, o)"
        " z = QLinearMatMul(v, one, o, b, one, o, one, o) }",
        [
            np.arange(1, 13, dtype=np.uint8).reshape(2, 3, 2),
            np.uint8([[[1], [2]], [[2], [1]]]),
            np.uint8([3, 4]),
        ],
        [[[[5], [22], [51]], [[56], [90], [120]]], [[11], [10]]],
        0,
    ),
    Case(
        "pixels of integers",
        20,
        "(uint8[1,1,3,3] x, int32[1,1,3,3] z, float[1,1,4,2] g)"
        " => (uint8[1,1,1,4] y, int32[1,1,1,4] w)"
        " { y = GridSample <align_corners = 1> (x, g) w = GridSample <align_corners = 1> (z, g) }",
        [
            np.arange(10, 100, 10, dtype=np.uint8).reshape(1, 1, 3, 3),
            np.arange(10, 100, 10, dtype=np.int32).reshape(1, 1, 3, 3),
            F([[[[-0.5, -0.5], [0.25, 0], [0.1, 0.7], [1, 1]]]]),
        ],
        [[[[[30, 52, 72, 90]]]], [[[[30, 52, 72, 90]]]]],
        0,
    ),
    Case(
        "a range of few bits",
        27,
        "(float16 a, float16 b, float16 d) => (float16[N] y) { y = Range(a, b, d) }",
        [H(0), H(60000), H(20)],
        [np.arange(0, 60000, 20).astype(H)],
        0,
    ),
    Case(
        "a window of integers",
        17,
        "(int64 n) => (int32[N] y) { y = HannWindow <output_datatype = 6, periodic = 0> (n) }",
        [np.int64(5)],
        [[0, 0, 1, 0, 0]],
        0,
    ),
    Case(
        "a diagonal far away",
        22,
        "(float[2,2] x) => (float[2,2] y) { y = EyeLike <k = -9223372036854775808> (x) }",
        [np.ones((2, 2), F)],
        [np.zeros((2, 2))],
        0,
    ),
    Case(
        "a mask of floats",
        7,
        "(float[N] x) => (float[N] y, float[N] m) { y, m = Dropout(x) }",
        [F([3, 4])],
        [[3, 4], [1, 1]],
        0,
    ),
    Case(
        "results that are stated to be larger",
        11,
        "(float[1,1,3] x, float[1,1,2] w) => (float[1,1,9] y, float[1,1,10] z) {"
        ' y = ConvTranspose <strides = [3], auto_pad = "SAME_UPPER", output_shape = [9]> (x, w)'
        " z = ConvTranspose <strides = [3], output_shape = [10]> (x, w) }",
        [F([[[1, 2, 3]]]), F([[[1, 10]]])],
        [[[[1, 10, 0, 2, 20, 0, 3, 30, 0]]], [[[1, 10, 0, 2, 20, 0, 3, 30, 0, 0]]]],
        0,
    ),
]


def assert_close(got, want, tolerance):
    assert got.shape == np.shape(want)
    got = got.view(B) if got.dtype.kind == "V" else got
    got, want = got.astype(np.float64), np.asarray(want).astype(np.float64)
    error = abs(got - want) - tolerance * (abs(want) + abs(want).max(initial=0))
    assert (error <= 0).all(), f"{got} for {want}"


@pytest.mark.parametrize("compiled", [False, True], ids=["interpreted", "compiled"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_numbers(tmp_path, case, compiled):
    model = parse(case.opset, case.graph)
    found = Runner(model, tmp_path, compiled)(
        dict(zip((value.name for value in model.graph.input), case.inputs))
    )
    for value, want in zip(model.graph.output, case.outputs):
        assert_close(found[value.name], want, case.tolerance)
