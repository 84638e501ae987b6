# ===- test_data.py - Data-dependent branches, loops and sizes -------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled models whose control flow or sizes depend on data, each compiled once and run
with several inputs, compared with the interpreter and ONNX Runtime."""

import subprocess

import numpy
import onnx
import onnx.parser
import pytest

from harness import describe, difference, peer_session, same_bits

F, I, B = numpy.float32, numpy.int64, numpy.bool_


def floats(*shape, seed=0):
    return numpy.random.default_rng(seed).standard_normal(shape).astype(F)


def graph(text, opset=17):
    return f'<ir_version: 8, opset_import: ["" : {opset}]>\n{text}'


# name -> (model, list of inputs)
MODELS = {
    "if on an input": (
        """g (float[N] x, bool c) => (float[N] y) {
             y = If (c) <
               then_branch = t () => (float[N] a) { a = Exp(x) },
               else_branch = e () => (float[N] b) { b = Neg(x) }>
           }""",
        [{"x": floats(n), "c": B(c)} for n in (0, 1, 37) for c in (0, 1)],
    ),
    "if on computed data": (
        """g (float[N, M] x) => (float[N, M] y) {
             zero = Constant <value = float {0.0}> ()
             sum = ReduceSum <keepdims = 0> (x)
             c = Greater(sum, zero)
             doubled = Add(x, x)
             z = If (c) <
               then_branch = t () => (float[N, M] a) { a = Mul(doubled, x) },
               else_branch = e () => (float[N, M] b) { s = Sub(doubled, sum)  b = Tanh(s) }>
             y = Add(z, x)
           }""",
        [{"x": s * abs(floats(n, 5))} for n in (1, 17) for s in (F(1), F(-1))],
    ),
    "if with two sizes": (
        """g (float[N] x, bool c) => (float[K] y) {
             z = If (c) <
               then_branch = t () => (float[A] a) { a = Concat <axis = 0> (x, x) },
               else_branch = e () => (float[N] b) { b = Neg(x) }>
             y = Exp(z)
           }""",
        [{"x": floats(n), "c": B(c)} for n in (0, 1, 37) for c in (0, 1)],
    ),
    "if in if": (
        """g (float[N] x, bool c, bool d) => (float[N] y) {
             y = If (c) <
               then_branch = t () => (float[N] a) {
                 e1 = Exp(x)
                 a = If (d) <
                   then_branch = tt () => (float[N] aa) { aa = Neg(e1) },
                   else_branch = te () => (float[N] ab) { ab = Add(e1, x) }>
               },
               else_branch = e () => (float[N] b) { b = Identity(x) }>
           }""",
        [{"x": floats(5), "c": B(c), "d": B(d)} for c in (0, 1) for d in (0, 1)],
    ),
    "loop of a given length": (
        """g (float[N] x, int64 trips) => (float[N] y) {
             go = Constant <value = bool {1}> ()
             y = Loop (trips, go, x) <
               body = b (int64 i, bool g1, float[N] s) => (bool g2, float[N] t) {
                 g2 = Identity(g1)
                 h = Tanh(s)
                 f = Cast <to = 1> (i)
                 t = Add(h, f)
               }>
           }""",
        [{"x": floats(n), "trips": I(t)} for n in (1, 40) for t in (0, 1, 2, 7)],
    ),
    "loop until the data says so": (
        """g (float[N] x) => (float[N] y, int64 steps) {
             go = Constant <value = bool {1}> ()
             most = Constant <value = int64 {50}> ()
             zero = Constant <value = int64 {0}> ()
             y, steps = Loop (most, go, x, zero) <
               body = b (int64 i, bool g1, float[N] s, int64 n) => (bool g2, float[N] t, int64 m) {
                 half = Constant <value = float {0.5}> ()
                 one = Constant <value = int64 {1}> ()
                 t = Mul(s, half)
                 m = Add(n, one)
                 a = Abs(t)
                 top = ReduceMax <keepdims = 0> (a)
                 g2 = Greater(top, half)
               }>
           }""",
        [{"x": s * floats(9)} for s in (F(0), F(1), F(100), F(1e6))],
    ),
    "loop that grows its state": (
        """g (float[N, 3] x, int64 trips) => (float[K, 3] y) {
             go = Constant <value = bool {1}> ()
             y = Loop (trips, go, x) <
               body = b (int64 i, bool g1, float[P, 3] s) => (bool g2, float[Q, 3] t) {
                 g2 = Identity(g1)
                 axis = Constant <value = int64[1] {0}> ()
                 last = ReduceMean <axes = [0], keepdims = 1> (s)
                 t = Concat <axis = 0> (s, last)
               }>
           }""",
        [{"x": floats(n, 3), "trips": I(t)} for n in (1, 4) for t in (0, 1, 5)],
    ),
    "loop that collects": (
        """g (float[N] x, int64 trips) => (float[N] y, float[T, N] all) {
             go = Constant <value = bool {1}> ()
             y, all = Loop (trips, go, x) <
               body = b (int64 i, bool g1, float[N] s) => (bool g2, float[N] t, float[N] o) {
                 g2 = Identity(g1)
                 t = Sin(s)
                 o = Add(t, s)
               }>
           }""",
        [{"x": floats(6), "trips": I(t)} for t in (1, 2, 5)],
    ),
    "nonzero": (
        """g (float[N, M] x) => (int64[2, K] y, float[K] z) {
             y = NonZero(x)
             t = Transpose(y)
             z = GatherND(x, t)
           }""",
        [{"x": numpy.round(floats(n, 5))} for n in (0, 1, 13)] + [{"x": numpy.zeros((3, 4), F)}],
    ),
    "top k of data": (
        """g (float[N, M] x, int64[1] k) => (float[N, K] v, int64[N, K] i) {
             v, i = TopK (x, k)
           }""",
        [{"x": floats(3, 19), "k": numpy.array([k])} for k in (0, 1, 7, 19)],
    ),
    "range to data": (
        """g (int64 n) => (int64[K] y, float[K] z) {
             zero = Constant <value = int64 {0}> ()
             one = Constant <value = int64 {1}> ()
             y = Range(zero, n, one)
             f = Cast <to = 1> (y)
             z = Sqrt(f)
           }""",
        [{"n": I(n)} for n in (0, 1, 29)],
    ),
    "slice by data": (
        """g (float[N, 4] x, int64[1] from, int64[1] to) => (float[K, 4] y) {
             axis = Constant <value = int64[1] {0}> ()
             z = Slice(x, from, to, axis)
             y = Exp(z)
           }""",
        [
            {"x": floats(11, 4), "from": numpy.array([a]), "to": numpy.array([b])}
            for a, b in ((0, 11), (2, 5), (-3, 100), (5, 2))
        ],
    ),
    "reshape and expand by data": (
        """g (float[N] x, int64[2] shape, int64[3] wide) => (float[A, B, C] y) {
             z = Reshape(x, shape)
             y = Expand(z, wide)
           }""",
        [
            {"x": floats(12), "shape": numpy.array(s), "wide": numpy.array(w)}
            for s, w in (([3, 4], [2, 3, 4]), ([12, 1], [1, 12, 5]), ([-1, 6], [3, 2, 6]))
        ],
    ),
    "compress by a mask": (
        """g (float[N, 3] x, bool[N] m) => (float[K, 3] y) {
             y = Compress <axis = 0> (x, m)
           }""",
        [{"x": floats(n, 3), "m": floats(n, seed=2) > 0} for n in (1, 8, 40)],
    ),
}


class Both:
    """A compiled model, and its dhlo for the interpreter."""

    def __init__(self, folder, source, **options):
        import dyn

        self.folder, self.source = folder, source
        self.mlir = folder / "m.mlir"
        if source.suffix == ".onnx":
            subprocess.run(
                ["dyn-translate", "--import-onnx", str(source), "-o", str(self.mlir)], check=True
            )
        else:
            self.mlir = source
        self.artifact = dyn.compile(str(source), output=str(folder / "m.so"), **options)

    def run(self, inputs, **options):
        return [numpy.array(value) for value in self.artifact.run(inputs, **options)]

    def interpret(self, inputs, *options):
        numpy.savez(self.folder / "in.npz", **inputs)
        done = subprocess.run(
            ["dyn-run", "--reference", str(self.mlir), f"--inputs={self.folder / 'in.npz'}"]
            + [f"--output={self.folder / 'out.npz'}", *options],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        with numpy.load(self.folder / "out.npz") as file:
            return list(file.values())


@pytest.mark.parametrize("name", MODELS)
def test_onnx(tmp_path, name):
    text, cases = MODELS[name]
    model = onnx.parser.parse_model(graph(text))
    onnx.checker.check_model(model)
    onnx.save(model, str(tmp_path / "m.onnx"))
    both, peer = Both(tmp_path, tmp_path / "m.onnx"), peer_session(tmp_path / "m.onnx")
    for inputs in cases:
        inputs = {k: numpy.asarray(v) for k, v in inputs.items()}
        got = both.run(inputs)
        for judge, want in (("peer", peer.run(None, inputs)), ("spec", both.interpret(inputs))):
            assert [g.shape for g in got] == [w.shape for w in want], (judge, describe(inputs))
            assert max(map(difference, got, want)) <= 1e-5, (judge, describe(inputs))
        assert same_bits(both.run(inputs), got)


# ===----------------------------------------------------------------------===#
# Cases that only the interpreter supports
# ===----------------------------------------------------------------------===#

RAGGED = """
dhlo.dim @R in [0, ?]
dhlo.dim @O in [1, ?]
dhlo.dim @B = @O - 1
func.func @main(%x: tensor<?x5xf32, #dhlo.dims<R>> {dhlo.name = "rows"},
                %o: tensor<?xi64, #dhlo.dims<O>> {dhlo.name = "offsets"})
    -> (tensor<?x5xf32, #dhlo.dims<B>> {dhlo.name = "sums"},
        tensor<?x5xf32, #dhlo.dims<B>> {dhlo.name = "tops"}) attributes {dhlo.entry} {
  %0 = dhlo.segment_reduce sum %x, %o
      : (tensor<?x5xf32, #dhlo.dims<R>>, tensor<?xi64, #dhlo.dims<O>>) -> tensor<?x5xf32, #dhlo.dims<B>> loc("/bags/Sum")
  %1 = dhlo.segment_reduce max %x, %o
      : (tensor<?x5xf32, #dhlo.dims<R>>, tensor<?xi64, #dhlo.dims<O>>) -> tensor<?x5xf32, #dhlo.dims<B>> loc("/bags/Max")
  return %0, %1 : tensor<?x5xf32, #dhlo.dims<B>>, tensor<?x5xf32, #dhlo.dims<B>>
}
"""

RANDOM = """
dhlo.dim @N in [0, ?]
func.func @main(%x: tensor<?xf32, #dhlo.dims<N>> {dhlo.name = "x"})
    -> (tensor<?xf32, #dhlo.dims<N>> {dhlo.name = "uniform"},
        tensor<?xf32, #dhlo.dims<N>> {dhlo.name = "normal"},
        tensor<?xf32, #dhlo.dims<N>> {dhlo.name = "fixed"}) attributes {dhlo.entry} {
  %0 = dhlo.rng uniform low = -1.0 high = 1.0 stream = 3 : tensor<?xf32, #dhlo.dims<N>>
  %1 = dhlo.rng normal low = 0.0 high = 1.0 stream = 4 : tensor<?xf32, #dhlo.dims<N>>
  %2 = dhlo.rng uniform low = 0.0 high = 1.0 stream = 3 seed = 17 : tensor<?xf32, #dhlo.dims<N>>
  return %0, %1, %2 : tensor<?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<N>>
}
"""

# Data-dependent sizes, beside a branch that accepts sizes that the call does not have.
SIZES = """
dhlo.dim @N in [0, ?]
dhlo.dim @T = @N - 5
func.func @main(%x: tensor<?xf32, #dhlo.dims<N>> {dhlo.name = "x"}, %f: tensor<2xf32> {dhlo.name = "f"})
    -> (tensor<f32> {dhlo.name = "a"}, tensor<i64> {dhlo.name = "b"}, tensor<i64> {dhlo.name = "c"},
        tensor<i64> {dhlo.name = "d"}, tensor<2xf32> {dhlo.name = "e"}, tensor<f32> {dhlo.name = "g"},
        tensor<2xf32> {dhlo.name = "h"}) attributes {dhlo.entry} {
  %n = dhlo.from_dims [@N] : tensor<i64>
  %five = dhlo.constant dense<5> : tensor<i64>
  %p = dhlo.compare ge %n, %five : tensor<i64> -> tensor<i1>
  %a = dhlo.if %p -> (tensor<f32>) {
    %s = dhlo.slice %x starts = [5] strides = [1]
        : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<T>>
    %m = dhlo.reduce sum %s axes = [0] : (tensor<?xf32, #dhlo.dims<T>>) -> tensor<f32>
    dhlo.yield %m : tensor<f32>
  } else {
    %m = dhlo.reduce prod %x axes = [0] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<f32>
    dhlo.yield %m : tensor<f32>
  }
  %two = dhlo.constant dense<2> : tensor<i64>
  %less = dhlo.sub %n, %five : tensor<i64>
  %b = dhlo.div %less, %two : tensor<i64>
  %is = dhlo.compare eq %n, %two : tensor<i64> -> tensor<i1>
  %c = dhlo.select %is, %five, %n : tensor<i1>, tensor<i64>
  %short = dhlo.convert %n : (tensor<i64>) -> tensor<f16>
  %d = dhlo.convert %short : (tensor<f16>) -> tensor<i64>
  %zeros = dhlo.constant dense<0.0> : tensor<2xf32>
  %e = dhlo.mul %f, %zeros : tensor<2xf32>
  %both = dhlo.concat %zeros, %f axis = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %g = dhlo.reduce prod %both axes = [0] : (tensor<4xf32>) -> tensor<f32>
  %minus = dhlo.constant dense<-0.0> : tensor<f32>
  %minuses = dhlo.broadcast %minus axes = [] : (tensor<f32>) -> tensor<2xf32>
  %h = dhlo.atan2 %minuses, %f : tensor<2xf32>
  return %a, %b, %c, %d, %e, %g, %h
      : tensor<f32>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<2xf32>, tensor<f32>, tensor<2xf32>
}
"""


# Values passed on by a branch and a loop may have other sizes than declared.
HANDED_ON = """
dhlo.dim @N
dhlo.dim @M
dhlo.dim @K
dhlo.dim @P
dhlo.dim @R
func.func @main(%x: tensor<?xf32, #dhlo.dims<N>> {dhlo.name = "x"}, %z: tensor<?xf32, #dhlo.dims<M>> {dhlo.name = "z"},
                %p: tensor<i1> {dhlo.name = "p"})
    -> (tensor<f32> {dhlo.name = "a"}, tensor<f32> {dhlo.name = "b"}) attributes {dhlo.entry} {
  %k = dhlo.if %p binds [@K] then_dims [@N - 3] else_dims [@M] -> (tensor<?xf32, #dhlo.dims<K>>) {
    dhlo.yield %z : tensor<?xf32, #dhlo.dims<M>>
  } else {
    dhlo.yield %z : tensor<?xf32, #dhlo.dims<M>>
  }
  %a = dhlo.reduce sum %k axes = [0] : (tensor<?xf32, #dhlo.dims<K>>) -> tensor<f32>
  %no = dhlo.constant dense<false> : tensor<i1>
  %r = dhlo.while %p carries(%x) loop_dims [@P] init_dims [@N] next_dims [@M + 3] result_dims [@R]
      : (tensor<?xf32, #dhlo.dims<N>>) -> (tensor<?xf32, #dhlo.dims<R>>) {
  ^bb0(%c: tensor<?xf32, #dhlo.dims<P>>):
    dhlo.yield %no, %x : tensor<i1>, tensor<?xf32, #dhlo.dims<N>>
  }
  %b = dhlo.reduce sum %r axes = [0] : (tensor<?xf32, #dhlo.dims<R>>) -> tensor<f32>
  return %a, %b : tensor<f32>, tensor<f32>
}
"""


def compile_text(folder, text):
    (folder / "m.mlir").write_text(text)
    return Both(folder, folder / "m.mlir")


def compile_onnx(folder, text, opset=17):
    onnx.save(onnx.parser.parse_model(graph(text, opset)), str(folder / "m.onnx"))
    return Both(folder, folder / "m.onnx")


def test_ragged_rows(tmp_path):
    import dyn

    both = compile_text(tmp_path, RAGGED)
    for offsets in ([0], [0, 0], [0, 3], [0, 2, 2, 7, 9], list(range(40))):
        inputs = {"rows": floats(offsets[-1], 5), "offsets": numpy.array(offsets)}
        got, want = both.run(inputs), both.interpret(inputs)
        assert max(map(difference, got, want)) <= 1e-6
        assert same_bits(both.run(inputs, threads=2), got)
    for offsets in ([0, 5], [0, 3, 2, 4], [-1, 4]):
        with pytest.raises(dyn.DataError, match="dhlo.segment_reduce at '/bags/Sum': index"):
            both.run({"rows": floats(4, 5), "offsets": numpy.array(offsets)})


def test_sizes_as_data(tmp_path):
    both = compile_text(tmp_path, SIZES)
    for n in (0, 1, 2, 3, 6, 2049):
        for f in ([-1, -2], [numpy.inf, -1], [numpy.nan, 1]):
            inputs = {"x": numpy.ones(n, F), "f": numpy.array(f, F)}
            for got, want in zip(both.run(inputs), both.interpret(inputs)):
                numpy.testing.assert_allclose(got, want, 1e-6, err_msg=describe(inputs))


def test_sizes_that_are_handed_on(tmp_path):
    import dyn

    both = compile_text(tmp_path, HANDED_ON)
    for n, m, p in ((5, 2, 1), (3, 0, 1), (4, 7, 0), (0, 2, 0)):
        inputs = {"x": floats(n), "z": floats(m), "p": numpy.array(bool(p))}
        assert max(map(difference, both.run(inputs), both.interpret(inputs))) <= 1e-6
    for n, m in ((4, 2), (2, 0), (10**6, 2)):
        with pytest.raises(dyn.DataError, match="dhlo.if of N - 3 and M at .*differ: got"):
            both.run({"x": floats(n), "z": floats(m), "p": numpy.array(True)})


def test_seeds(tmp_path):
    both = compile_text(tmp_path, RANDOM)
    for n in (1, 3, 1000, 100003):
        inputs = {"x": floats(n)}
        first = both.run(inputs, seed=1)
        assert same_bits(both.run(inputs, seed=1), first)
        assert same_bits(both.run(inputs, seed=1, threads=2), first)
        other = both.run(inputs, seed=2)
        assert not same_bits(first[:1], other[:1]) and not same_bits(first[1:2], other[1:2])
        assert same_bits(first[2:], other[2:])
        want = both.interpret(inputs, "--seed=1")
        assert max(map(difference, first, want)) <= 1e-5
    assert abs(first[0].mean()) < 0.01 and abs(first[1].std() - 1) < 0.01


def test_widths_that_crop(tmp_path):
    """Negative widths from data cut elements off."""
    import dyn

    for mode in ("constant", "edge", "reflect"):
        both = compile_onnx(
            tmp_path,
            f"""g (float[N, M] x, int64[4] p) => (float[A, B] y) {{
                  y = Pad <mode = "{mode}"> (x, p) }}""",
        )
        for pads in ([0, 0, 0, 0], [-1, 2, -2, -3], [1, -1, -2, 3], [-2, -2, -2, -2]):
            inputs = {"x": floats(5, 6), "p": numpy.array(pads)}
            for got, want in zip(both.run(inputs), both.interpret(inputs)):
                assert got.shape == (5 + pads[0] + pads[2], 6 + pads[1] + pads[3])
                numpy.testing.assert_array_equal(got, want, err_msg=describe(inputs))
        for pads in ([-4, 0, -2, 0], [-(2**63), 0, 0, 0]):
            with pytest.raises(dyn.DataError, match="at 'y': size negative"):
                both.run({"x": floats(5, 6), "p": numpy.array(pads)})


def test_sizes_of_branches_that_do_not_run(tmp_path):
    """A size that only one branch needs may be illegal when the other one runs."""
    import dyn

    both = compile_onnx(
        tmp_path,
        """g (float[N] x, int64[1] n, bool p) => (float[A] y) {
             m = Sub(n, one)
             y = If (p) <then_branch = t () => (float[B] z) { z = Expand(x, m) },
                         else_branch = e () => (float[C] z) { z = Neg(x) }> }""".replace(
            "=> (float[A] y)", "=> (float[A] y) <int64[1] one = {1}>"
        ),
    )
    x = floats(1)
    for n, p in ((5, True), (1, True), (5, False), (0, False), (-7, False)):
        inputs = {"x": x, "n": numpy.array([n]), "p": numpy.array(p)}
        for got, want in zip(both.run(inputs), both.interpret(inputs)):
            numpy.testing.assert_array_equal(got, want, err_msg=describe(inputs))
    with pytest.raises(dyn.DataError, match="size negative .*: got -8"):
        both.run({"x": x, "n": numpy.array([-7]), "p": numpy.array(True)})


def test_clipped_infinities(tmp_path):
    """Up to opset 10, clipping without bounds clips to the range of the type."""
    most = numpy.finfo(F).max
    x = numpy.array([-numpy.inf, -1, 2, numpy.inf], F)
    for opset, attributes, low, high in (
        (6, "", -most, most),
        (9, "<min = 0.0>", 0, most),
        (10, "<max = 1.0>", -most, 1),
    ):
        text = f"g (float[N] x) => (float[N] y) {{ y = Clip {attributes} (x) }}"
        both = compile_onnx(tmp_path, text, opset=opset)
        want = numpy.minimum(numpy.maximum(x, F(low)), F(high))
        for (got,) in (both.run({"x": x}), both.interpret({"x": x})):
            numpy.testing.assert_array_equal(got, want)


# ===----------------------------------------------------------------------===#
# Invalid data and sizes
# ===----------------------------------------------------------------------===#

# name -> (model, valid inputs, invalid inputs, message)
ERRORS = {
    "ids": (
        "g (float[V, 3] w, int64[N] i) => (float[N, 3] y) { y = Gather(w, i) }",
        {"w": floats(5, 3), "i": numpy.array([4, -5])},
        {"w": floats(5, 3), "i": numpy.array([0, 5])},
        "dhlo.gather at 'y': index out of range",
    ),
    "division": (
        "g (int64[N] x, int64[N] z) => (int64[N] y) { y = Div(x, z) }",
        {"x": numpy.array([7, 8]), "z": numpy.array([2, -3])},
        {"x": numpy.array([7, 8]), "z": numpy.array([2, 0])},
        "dhlo.div at 'y': integer division by zero",
    ),
    "conversion": (
        "g (float[N] x) => (int64[N] y) { y = Cast <to = 7> (x) }",
        # An infinity becomes the nearest integer, as where log(0) is selected away.
        {"x": numpy.array([3.5, -numpy.inf, numpy.inf, -9e18], F)},
        {"x": numpy.array([3.5, 1e19], F)},
        "dhlo.convert at 'y': float outside the range of the integer type",
    ),
    "negative size": (
        """g (float[1] x, int64[1] n) => (float[N] y) { y = Expand(x, n) }""",
        {"x": floats(1), "n": numpy.array([6])},
        {"x": floats(1), "n": numpy.array([-6])},
        "dhlo.bind at 'y': size negative or outside its declared range: got -6",
    ),
    "more than there are": (
        """g (float[N] x, int64[1] k) => (float[K] v, int64[K] i) { v, i = TopK(x, k) }""",
        {"x": floats(4), "k": numpy.array([4])},
        {"x": floats(4), "k": numpy.array([5])},
        "dhlo.top_k at 'v': index out of range: got 5",
    ),
    "reshape": (
        "g (float[N] x, int64[2] s) => (float[A, B] y) { z = Reshape(x, s)  y = Exp(z) }",
        {"x": floats(12), "s": numpy.array([0, 1])},
        {"x": floats(12), "s": numpy.array([5, 5])},
        "dhlo.reshape of N and reshape * reshape_1 at 'z': sizes that must agree differ: got 25, where N = 12",
    ),
    "reshape beyond all numbers": (
        "g (float[N] x, int64[2] s) => (float[A, B] y) { z = Reshape(x, s)  y = Exp(z) }",
        {"x": floats(12), "s": numpy.array([-1, 6])},
        {"x": floats(12), "s": numpy.array([2**32, 2**32])},
        "dhlo.reshape of N and reshape * reshape_1 at 'z': sizes that must agree differ",
    ),
    "matmul": (
        "g (float[N, K] x, float[L, M] z) => (float[N, M] y) { y = MatMul(x, z) }",
        {"x": floats(3, 4), "z": floats(4, 5)},
        {"x": floats(3, 4), "z": floats(5, 5)},
        "dhlo.dot_general of K and L at 'y': sizes that must agree differ: got 5, where K = 4, L = 5",
    ),
    "concatenation": (
        "g (float[N, K] x, float[M, L] z) => (float[A, B] y) { y = Concat <axis = 0> (x, z) }",
        {"x": floats(3, 4), "z": floats(2, 4)},
        {"x": floats(3, 4), "z": floats(2, 5)},
        "dhlo.concat of K and L at 'y': sizes that must agree differ: got 5, where K = 4, L = 5",
    ),
    "broadcast": (
        "g (float[N] x, float[M] z) => (float[A] y) { y = Add(x, z) }",
        {"x": floats(3), "z": floats(1)},
        {"x": floats(3), "z": floats(4)},
        "dhlo.broadcast of M and N at 'y': sizes that must agree differ: got 3, where N = 3, M = 4",
    ),
    "broadcast to a static size": (
        "g (float[N, M] x, float[5, 3] z) => (float[A, B] y) { y = Add(x, z) }",
        {"x": floats(5, 1), "z": floats(5, 3)},
        {"x": floats(3, 3), "z": floats(5, 3)},
        "dhlo.broadcast of N and 5 at 'y': sizes that must agree differ: got 3, where N = 3",
    ),
    "broadcast of nothing": (
        "g (float[N] x, float[5] z) => (float[A] y) { y = Mul(x, z) }",
        {"x": floats(5), "z": floats(5)},
        {"x": floats(0), "z": floats(5)},
        "dhlo.broadcast of N and 5 at 'y': sizes that must agree differ: got 0, where N = 0",
    ),
    "broadcast to nothing": (
        "g (float[N] x, float[0] z, float[M] w) => (float[A] y, float[M] v) {"
        " y = Mul(x, z) v = Neg(w) }",
        {"x": floats(1), "z": floats(0), "w": floats(2)},
        {"x": floats(2), "z": floats(0), "w": floats(2)},
        "dhlo.broadcast of N and 0 at 'y': sizes that must agree differ: got 2, where N = 2",
    ),
    "gather elements": (
        "g (float[N, C] x, int64[M, D] i) => (float[M, D] y) { y = GatherElements(x, i) }",
        {"x": floats(5, 3), "i": numpy.array([[0, 4, 2]])},
        {"x": floats(5, 3), "i": numpy.array([[0, 4, 2, 1]])},
        "dhlo.gather_elements at 'y': index out of range: got 4",
    ),
    "scatter": (
        """g (float[N] x, int64[M, 1] i, float[K] u) => (float[N] y) {
             y = ScatterND(x, i, u) }""",
        {"x": floats(5), "i": numpy.array([[0], [2]]), "u": floats(2)},
        {"x": floats(5), "i": numpy.array([[0], [2]]), "u": floats(1)},
        "dhlo.scatter_nd of M and K at 'y': sizes that must agree differ: got 1",
    ),
    "layer norm": (
        """g (float[N, C] x, float[D] s, float[E] b) => (float[N, C] y) {
             y = LayerNormalization(x, s, b) }""",
        {"x": floats(2, 6), "s": floats(6), "b": floats(6)},
        {"x": floats(2, 6), "s": floats(6), "b": floats(5)},
        "'y': sizes that must agree differ",
    ),
    "fixed reshape": (
        """g (float[N, C] x) => (float[5, 7] y) {
             s = Constant <value = int64[2] {5, 7}> ()
             z = Reshape(x, s)
             y = Exp(z) }""",
        {"x": floats(7, 5)},
        {"x": floats(7, 6)},
        "'z': sizes that must agree differ: got 35",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_error_names_the_op(tmp_path, name):
    import dyn

    text, good, bad, message = ERRORS[name]
    both = compile_onnx(tmp_path, text)
    for threads in (1, 2):
        with pytest.raises(dyn.DataError) as caught:
            both.run(bad, threads=threads)
        assert message in str(caught.value)
    # The artifact still works.
    for got, want in zip(both.run(good), both.interpret(good)):
        assert difference(got, want) <= 1e-6


def test_more_memory_than_there_is(tmp_path):
    """Sizes whose product does not fit in 63 bits do not wrap."""
    import dyn

    both = compile_onnx(
        tmp_path,
        """g (float[A, Z] x, float[B, Z] z, float[Z2] v) => (float[A, B] y) {
             axes = Constant <value = int64[1] {1}> ()
             a = ReduceSum <keepdims = 1> (x, axes)
             b = ReduceSum <keepdims = 1> (z, axes)
             t = Transpose(b)
             c = MatMul(a, t)
             d = Softmax(c)
             w = ReduceSum <keepdims = 0> (v)
             e = CumSum(d, axis)
             y = Add(e, w)
           }""".replace("axes = Con", "axis = Constant <value = int64 {0}> ()\n axes = Con"),
    )
    good = {"x": floats(3, 2), "z": floats(4, 2), "v": floats(2)}
    assert both.run(good)[0].shape == (3, 4)
    for a, b in ((2**31, 2**31), (2**40, 2**40), (2**32, 2**30), (2**20, 2**30)):
        huge = {"x": numpy.zeros((a, 0), F), "z": numpy.zeros((b, 0), F), "v": floats(2)}
        with pytest.raises(dyn.OutOfMemoryError, match="63 bits|cannot allocate"):
            both.run(huge)
    assert both.run(good)[0].shape == (3, 4)
