# ===- test_onnx_control.py - Branches of other ranks, ragged sequences ----===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX models with data-dependent ranks and numbers of tensors, each compiled once and run
with several inputs, compared with the interpreter and ONNX Runtime."""

import numpy
import onnx
import onnx.parser
import pytest
from test_data import Both, difference

from harness import describe, peer_session

F, I, B = numpy.float32, numpy.int64, numpy.bool_


def floats(*shape):
    return numpy.random.default_rng(5).standard_normal(shape).astype(F)


def ints(*values):
    return numpy.array(values, I)


def squeeze(name, x, axis, then="t"):
    """TorchScript's export of x.squeeze(axis): `name`, of one rank or another."""
    return (
        f"{name}_s = Shape({x}) {name}_i = Constant <value = int64 {{{axis}}}> ()"
        f" {name}_o = Constant <value = int64 {{1}}> ()"
        f" {name}_a = Constant <value = int64[1] {{{axis}}}> ()"
        f" {name}_n = Gather({name}_s, {name}_i) {name}_p = Equal({name}_n, {name}_o)"
        f" {name} = If ({name}_p) <"
        f"then_branch = {name}_then () => (float[A] {name}_t) {{ {name}_t = Squeeze({x}, {name}_a) }},"
        f" else_branch = {name}_else () => (float[A, B] {name}_e) {{ {name}_e = Identity({x}) }}>"
    )


# name -> (graph, calls)
MODELS = {
    "to the end": (
        f"(float[N, T] x) => (float[A] y, float z, int64[R] s) {{ {squeeze('q', 'x', -1)}"
        " y = Exp(q) w = Abs(q) z = ReduceMax <keepdims = 0> (w) s = Shape(y) }",
        [{"x": floats(*s)} for s in ((3, 1), (3, 5), (1, 1), (0, 2))],
    ),
    "up to equal ranks": (
        f"(float[N, 4] x) => (float[N, 4] y) {{ {squeeze('q', 'x', 0)}"
        " e = Exp(x) f = Abs(q) g = Reshape(f, q_s) h = Neg(g) y = Add(h, e) }",
        [{"x": floats(n, 4)} for n in (0, 1, 7)],
    ),
    "in a row": (
        f"(float[N, T] x) => (float[A] y) {{ {squeeze('q', 'x', -1)} f = Neg(q)"
        f" {squeeze('r', 'f', 0)} y = Exp(r) }}",
        [{"x": floats(*s)} for s in ((3, 4), (1, 1), (1, 4), (5, 1), (0, 1))],
    ),
    "of a batch": (
        "(float[B, C, T] x, float[C, C] w) => (float[A] y) {"
        f" {squeeze('q', 'x', 0)} m = MatMul(w, q) y = Softmax <axis = -1> (m) }}",
        [{"x": floats(n, 4, 5), "w": floats(4, 4)} for n in (1, 3)],
    ),
    "within a branch": (
        "(float[N, T] x, bool p) => (float[A] y, float z) {"
        " a = If (p) <then_branch = o () => (float[A] v) {"
        f" {squeeze('q', 'x', -1)} v = Abs(q) }}, else_branch = u () => (float[N, T] w) {{ w = Neg(x) }}>"
        " y = Exp(a) z = ReduceSum <keepdims = 0> (a) }",
        [{"x": floats(3, t), "p": B(p)} for t in (1, 4) for p in (0, 1)],
    ),
    "within a loop": (
        "(float[N, T] x, int64 n) => (float[N, T] y) {"
        " y = Loop (n, , x) <body = b (int64 i, bool c, float[N, T] v) => (bool d, float[N, T] w) {"
        f" d = Identity(c) {squeeze('q', 'v', -1)} e = Tanh(q) f = Neg(e) w = Reshape(f, q_s) }}> }}",
        [{"x": floats(3, t), "n": I(n)} for t, n in ((1, 1), (4, 3), (2, 0))],
    ),
    "equal parts in a loop": (
        "(float[N] x, int64 n) => (float[A, N] y, float[C] z, int64 l, float[D, N] f) {"
        " s = SequenceEmpty() t, u, f = Loop (n, , s, s) <body = b (int64 i, bool c, seq(float[N]) q,"
        " seq(float[N]) r) => (bool d, seq(float[N]) v, seq(float[N]) w, float[N] o) {"
        " d = Identity(c) k = Cast <to = 1> (i) o = Mul(k, x) z = Constant <value = int64 {0}> ()"
        " v = SequenceInsert(q, o) w = SequenceInsert(r, o, z) }>"
        " y = ConcatFromSequence <axis = 0, new_axis = 1> (t) z = ConcatFromSequence <axis = 0> (u)"
        " l = SequenceLength(t) }",
        [{"x": floats(m), "n": I(n)} for m, n in ((3, 4), (1, 1), (0, 3), (2, 33))],
    ),
    "growing parts in a loop": (
        "(float[M, N] x, int64 n) => (float[M, A] y, float[M, C] z)"
        " <int64[1] first = {0}, int64[1] one = {1}, int64 last = {-1}> {"
        " s = SequenceEmpty() t = Loop (n, , s) <body = b (int64 i, bool c, seq(float[M, A]) q)"
        " => (bool d, seq(float[M, A]) v) { d = Identity(c) k = Unsqueeze(i, first)"
        " o = Slice(x, first, k, one) v = SequenceInsert(q, o) }>"
        " y = ConcatFromSequence <axis = 1> (t) z = SequenceAt(t, last) }",
        [{"x": floats(m, 9), "n": I(n)} for m, n in ((3, 4), (1, 1), (2, 9))],
    ),
    "collected parts of found length": (
        "(float[N, M] x, int64 n, int64 k) => (float[A, B, C] y, float[D] z, float[E, F] w)"
        " <bool go = {1}> { w, z, y = Loop (n, go, x) <body = b (int64 i, bool c, float[G, H] a) =>"
        " (bool d, float[I, J] e, float f, float[K, L] o) { d = Identity(c) e = Neg(a)"
        " f = ReduceSum <keepdims = 0> (a) q = Constant <value = int64[1] {0}> ()"
        " r = Constant <value = int64[1] {1}> () g = Reshape(k, r) h = Slice(a, q, g, r)"
        " t = Cast <to = 1> (i) o = Mul(t, h) }> }",
        [
            {"x": floats(m, 6), "n": I(n), "k": I(k)}
            for m, n, k in ((3, 4, 2), (2, 1, 0), (4, 3, 9), (1, 2, -2))
        ],
    ),
    "collected until the data says so": (
        "(float[N] x, int64 k, float m) => (float[A, B] y, float[C, D] z) <bool go = {1}, float one = {1}> {"
        " l, y, z = Loop (, go, one) <body = b (int64 i, bool c, float a) =>"
        " (bool d, float e, float[E] o, float[F] p) { e = Add(a, a) d = Less(e, m)"
        " q = Constant <value = int64[1] {0}> () r = Constant <value = int64[1] {1}> ()"
        " g = Reshape(k, r) h = Slice(x, q, g) o = Mul(e, h) p = Mul(e, x) }> }",
        [{"x": floats(5), "k": I(k), "m": F(m)} for k, m in ((2, 9), (0, 3), (5, 1000))],
    ),
    "until the data says so": (
        "(float[N] x, float m) => (float[A, N] y) <bool go = {1}> {"
        " s = SequenceConstruct(x) t = Loop (, go, s) <body = b (int64 i, bool c, seq(float[N]) q)"
        " => (bool d, seq(float[N]) r) { e = Constant <value = int64 {-1}> () l = SequenceAt(q, e)"
        " k = Add(l, l) a = Abs(k) g = ReduceMax <keepdims = 0> (a) d = Less(g, m)"
        " r = SequenceInsert(q, k) }> y = ConcatFromSequence <axis = 0, new_axis = 1> (t) }",
        [{"x": floats(3), "m": F(m)} for m in (0, 9, 1000)],
    ),
    "sometimes appended": (
        "(float[N] x, int64 n) => (float[A] y, int64 l) {"
        " s = SequenceConstruct(x) t = Loop (n, , s) <body = b (int64 i, bool c, seq(float[N]) q)"
        " => (bool d, seq(float[N]) r) { d = Identity(c) w = Constant <value = int64 {2}> ()"
        " z = Constant <value = int64 {0}> () m = Mod(i, w) e = Equal(m, z) r = If (e) <"
        "then_branch = o () => (seq(float[N]) a) { g = Neg(x) a = SequenceInsert(q, g) },"
        " else_branch = u () => (seq(float[N]) v) { v = Identity(q) }> }>"
        " y = ConcatFromSequence <axis = 0> (t) l = SequenceLength(t) }",
        [{"x": floats(m), "n": I(n)} for m, n in ((3, 4), (2, 0), (1, 5))],
    ),
    "loops in loops": (
        "(float[N] x, int64 n) => (float[A] y) {"
        " s = SequenceEmpty() t = Loop (n, , s) <body = b (int64 i, bool c, seq(float[N]) q)"
        " => (bool d, seq(float[N]) r) { d = Identity(c) r = Loop (i, c, q) <body = b2 (int64 j, bool c2,"
        " seq(float[N]) q2) => (bool d2, seq(float[N]) r2) { d2 = Identity(c2) f = Cast <to = 1> (j)"
        " g = Add(f, x) r2 = SequenceInsert(q2, g) }> }> y = ConcatFromSequence <axis = 0> (t) }",
        [{"x": floats(3), "n": I(n)} for n in (2, 4)],
    ),
    "parts of found length": (
        "(float[N, M] x, int64 k, int64 p) => (float[A, B] y, int64 l, float[C, D] w, float[E, F] v) {"
        " s = SplitToSequence <axis = 1> (x, k) l = SequenceLength(s) w = SequenceAt(s, p)"
        " y = ConcatFromSequence <axis = 1> (s) e = SequenceErase(s, p)"
        " f = SequenceInsert(e, w) v = ConcatFromSequence <axis = 1> (f) }",
        [
            {"x": floats(2, m), "k": I(k), "p": I(p)}
            for m, k, p in ((7, 3, 0), (6, 3, -1), (5, 9, 0), (4, 1, 2))
        ],
    ),
    "rows": (
        "(float[N, M] x, int64 p) => (float[M] y, float[A, B] z, int64 l) {"
        " s = SplitToSequence <keepdims = 0> (x) l = SequenceLength(s) y = SequenceAt(s, p)"
        " e = SequenceErase(s) z = ConcatFromSequence <axis = 1, new_axis = 1> (e) }",
        [{"x": floats(n, 3), "p": I(p)} for n, p in ((2, 1), (7, -7), (5, 0))],
    ),
    "parts of found lengths": (
        "(float[N, M] x, int64[L] k, int64 p) => (float[A, M] y, float[C, M] z) {"
        " s = SplitToSequence (x, k) z = SequenceAt(s, p) t = SequenceMap <body = b (float[P, M] v)"
        " => (float[Q, M] o) { w = Softmax <axis = 0> (v) o = Concat <axis = 0> (w, v) }> (s)"
        " y = ConcatFromSequence <axis = 0> (t) }",
        [
            {"x": floats(sum(k), 3), "k": ints(*k), "p": I(p)}
            for k, p in (((1, 2, 4), 0), ((0, 6), -1), ((5,), 0))
        ],
    ),
    "one of unequal parts": (
        "(float[N, 6] x, int64 i) => (float[N, K] y) <int64[3] k = {2, 3, 1}>"
        " { s = SplitToSequence <axis = 1> (x, k) y = SequenceAt(s, i) }",
        [{"x": floats(4, 6), "i": I(i)} for i in (0, 1, -1)],
    ),
    "branches of other lengths": (
        "(float[N] x, bool p) => (float[A] y, int64 l) {"
        " s = If (p) <then_branch = o () => (seq(float[N]) a) { a = SequenceConstruct(x, x, x) },"
        " else_branch = u () => (seq(float[N]) b) { w = Neg(x) b = SequenceConstruct(w) }>"
        " l = SequenceLength(s) y = ConcatFromSequence <axis = 0> (s) }",
        [{"x": floats(4), "p": B(p)} for p in (0, 1)],
    ),
}


def compile_graph(folder, graph, opset=17):
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : {opset}]> g {graph}')
    for output in model.graph.output:  # data-dependent ranks
        output.type.tensor_type.ClearField("shape")
    onnx.save(model, str(folder / "m.onnx"))
    return Both(folder, folder / "m.onnx")


def interpret(both, inputs, number):
    """The interpreter's results, in which an output of open rank is two."""
    values = both.interpret(inputs)
    ranks = dict(zip(range(number), values[number:]))
    return [
        v.reshape(v.shape[v.ndim - int(ranks[i]) :]) if i in ranks else v
        for i, v in enumerate(values[:number])
    ]


@pytest.mark.parametrize("name", MODELS)
def test_model(tmp_path, name):
    graph, calls = MODELS[name]
    both = compile_graph(tmp_path, graph)
    peer = peer_session(tmp_path / "m.onnx")
    for inputs in calls:
        inputs = {key: numpy.asarray(value) for key, value in inputs.items()}
        got, want = both.run(inputs), peer.run(None, inputs)
        for other in (want, interpret(both, inputs, len(want))):
            assert [g.shape for g in got] == [w.shape for w in other], describe(inputs)
            assert max(map(difference, got, other)) <= 1e-5, describe(inputs)


REFUSED = {
    "the other branch": (
        "(float[1, 4, 9] x, float[6, 4, 3] w, bool p) => (float[A] y) <int64[1] a = {0}> {"
        " q = If (p) <then_branch = t () => (float[4, 9] b) { b = Squeeze(x, a) },"
        " else_branch = e () => (float[1, 4, 9] c) { c = Identity(x) }> y = Conv(q, w) }",
        {"x": floats(1, 4, 9), "w": floats(6, 4, 3), "p": B(1)},
        "If 'q' cannot take graph 't': node 'y' (Conv, opset 17): expected input and filter of"
        " equal rank, at least 3, found 2 and 3",
    ),
    "position": (
        "(float[N, M] x, int64[L] k, int64 i) => (float[A, M] y)"
        " { s = SplitToSequence (x, k) y = SequenceAt(s, i) }",
        {"x": floats(3, 2), "k": ints(1, 2), "i": I(2)},
        "at 'y': index out of range",
    ),
    "sum of lengths": (
        "(float[N, M] x, int64[L] k, int64 i) => (float[A, M] y)"
        " { s = SplitToSequence (x, k) y = SequenceAt(s, i) }",
        {"x": floats(3, 2), "k": ints(1, 1), "i": I(0)},
        "at 's': sizes that must agree differ",
    ),
    "length": (
        "(float[N, M] x, int64 k) => (float[A, M] y)"
        " { s = SplitToSequence (x, k) y = ConcatFromSequence <axis = 0> (s) }",
        {"x": floats(3, 2), "k": I(0)},
        "at 's': size negative or outside its declared range: got 0",
    ),
    "collected parts that differ": (
        "(float[N] x, int64 n) => (float[A, B] y) <bool go = {1}> {"
        " y = Loop (n, go) <body = b (int64 i, bool c) => (bool d, float[E] o) { d = Identity(c)"
        " q = Constant <value = int64[1] {0}> () w = Constant <value = int64[1] {1}> ()"
        " g = Reshape(i, w) h = Slice(x, q, g) o = Neg(h) }> }",
        {"x": floats(5), "n": I(3)},
        "sizes that must agree differ",
    ),
    "maximum of none": (
        "(float[N, M] x) => (int64[N] y) { y = ArgMax <axis = 1, keepdims = 0> (x) }",
        {"x": floats(3, 0)},
        "dhlo.arg_reduce at 'y': index out of range",
    ),
    "minimum of none": (
        "(float[N, M] x) => (int64[M] y) { y = ArgMin <axis = 0, keepdims = 0> (x) }",
        {"x": floats(0, 0)},
        "dhlo.arg_reduce at 'y': index out of range",
    ),
}


@pytest.mark.filterwarnings("ignore:.*cannot take graph")
@pytest.mark.parametrize("name", REFUSED)
def test_refused_call(tmp_path, name):
    import dyn

    graph, inputs, message = REFUSED[name]
    both = compile_graph(tmp_path, graph)
    with pytest.raises(dyn.DataError) as caught:
        both.run(inputs)
    assert message in str(caught.value)
    with pytest.raises(AssertionError):
        both.interpret(inputs)


@pytest.mark.filterwarnings("ignore:.*cannot take graph")
def test_size_that_a_branch_decides(tmp_path):
    """If only one branch can be compiled, calls that take the other one are errors."""
    import dyn

    both = compile_graph(
        tmp_path,
        f"(float[N, 4, 3] x, float[3, 2] w) => (float[4, 2] y) {{ {squeeze('q', 'x', 0)}"
        " y = Gemm(q, w) }",
    )
    x, w = floats(1, 4, 3), floats(3, 2)
    assert difference(both.run({"x": x, "w": w})[0], x[0] @ w) <= 1e-5
    with pytest.raises(dyn.DataError, match="cannot take graph 'q_else'"):
        both.run({"x": floats(2, 4, 3), "w": w})


def test_open_rank(tmp_path):
    """An output of open rank is an output of the maximum rank and its rank; in Python it
    has its own rank."""
    both = compile_graph(
        tmp_path, f"(float[N, 4] x) => (float[A] y) {{ {squeeze('q', 'x', 0)} y = Neg(q) }}"
    )
    assert [port.name for port in both.artifact.outputs] == ["y"]
    x = floats(1, 4)
    padded, rank = both.interpret({"x": x})
    assert padded.shape == (1, 4) and rank == 1
    assert both.run({"x": x})[0].shape == (4,)
    assert both.run({"x": floats(2, 4)})[0].shape == (2, 4)
