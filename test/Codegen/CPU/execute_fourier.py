# ===- execute_fourier.py - Fourier transforms against numpy ---------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s v3
# RUN: %python %s v2
# REQUIRES: venv

# Fourier transforms of each form, along the last axis and another one: no element and one,
# powers of two, multiples of small primes, primes, some of them large enough for a convolution,
# and lengths whose rows are matrices. A row has the same bits, whichever rows are beside it.

import sys

import numpy as np

from Conversion.Inputs.kernel import Kernel

ISA = sys.argv[1] if len(sys.argv) > 1 else "v3"
rng = np.random.default_rng(0)
SIZES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 17, 30, 60, 64, 97, 101, 120, 131, 202]
LONG = [256, 262, 289, 400, 404, 512, 600, 720, 1000, 1001, 1009, 1024, 1536]


class Transform:
    """A kernel for tensors [rows, length, columns], of which the last axis may be missing.
    `form` is complex, half, all or back; `length` is that of all kernels that are not known."""

    def __init__(self, form, inverse, columns=False, element="f32", length=None):
        self.form, self.inverse, self.columns, self.length = form, inverse, columns, length
        self.dtype = {"f32": np.float32, "f64": np.float64}[element]

        def typed(half, *leading):
            size = "?" if length is None else str(length // 2 + 1 if half else length)
            name = ["d3" if half else "d1"] * (length is None)
            sizes = ["?", size, *["?"] * columns]
            names = ", ".join(["d0", *name, *["d2"] * columns])
            return f"tensor<{'x'.join(sizes)}x{element}, #dhlo.dims<{names}>>"

        known, half = length is not None, typed(True)
        x = half if form == "back" else typed(False)
        y = half if form == "half" else typed(False)
        operands = ["%x", "%z"] if form in ("complex", "back") else ["%x"]
        results = ["%a"] if form == "back" else ["%a", "%b"]
        roots = (
            f"tensor<2x{length}x{element}>" if known else f"tensor<2x?x{element}, #dhlo.dims<d1>>"
        )
        arguments = ", ".join(f"{name}: {x}" for name in operands)
        inputs, outputs = ", ".join([x] * len(operands)), ", ".join([y] * len(results))
        flags = " half" * (form in ("half", "back"))
        halved = "" if known else "  dhlo.dim @d3 = @d1 floordiv 2 + 1\n"
        declared = "" if known else "  dhlo.dim @d1 in [0, ?]\n"
        if columns:
            declared += "  dhlo.dim @d2 in [0, ?]\n"
        self.kernel = Kernel(
            f"""
dlhlo.kernel @k single {{
^bb0({arguments}, %r: {roots}):
  dhlo.dim @d0 in [0, ?]
{declared}{halved}  {", ".join(results)} = dhlo.fft {"inverse " * inverse}{", ".join(operands)} roots %r{flags} axis = 1
      : ({inputs}, {roots}) -> ({outputs})
  dlhlo.yield {", ".join(results)} : {outputs}
}}""",
            ISA,
        )

    def run(self, n, x):
        """The results for x, complex numbers [rows, length or half, columns]."""
        angles = 2 * np.pi * np.arange(n) / max(n, 1)
        roots = np.stack([np.cos(angles), np.sin(angles)]).astype(self.dtype)
        parts = [x.real, x.imag] if self.form in ("complex", "back") else [x.real]
        inputs = [*(part.astype(self.dtype) for part in parts), roots]
        shape = list(x.shape)
        shape[1] = n // 2 + 1 if self.form == "half" else n
        dims = [x.shape[0], *[n] * (self.length is None), *x.shape[2:]]
        count = 1 if self.form == "back" else 2
        found, site = self.kernel(dims, inputs, [(tuple(shape), self.dtype)] * count)
        assert site is None
        return found[0] if count == 1 else found[0] + 1j * found[1]

    def expected(self, n, x):
        if n == 0:
            return 0
        if self.form == "back":
            y = np.fft.irfft(x if self.inverse else x.conj(), n, 1) * n
        else:
            x = x if self.form == "complex" else x.real
            y = np.fft.ifft(x, axis=1) * n if self.inverse else np.fft.fft(x, axis=1)
        return y[:, : n // 2 + 1] if self.form == "half" else y

    def check(self, rows, n, *columns):
        shape = (rows, n // 2 + 1 if self.form == "back" else n, *columns)
        x = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
        x = x.astype(np.complex64).astype(np.complex128)
        found, expected = self.run(n, x), self.expected(n, x)
        least = np.finfo(self.dtype).eps * np.log2(n + 2) * np.sqrt(n + 1)
        error = np.abs(found - expected).max(initial=0)
        assert error <= 4 * least, (self.form, self.inverse, shape, error / least)
        if rows > 1:
            alone = self.run(n, x[rows - 1 :])
            assert np.array_equal(alone[0].view(self.dtype), found[-1].view(self.dtype)), shape


def main():
    rows = [
        Transform("complex", False),
        Transform("complex", True),
        Transform("half", False),
        Transform("half", True),
        Transform("all", False),
        Transform("back", True),
        Transform("back", False),
        Transform("complex", False, element="f64"),
        Transform("back", True, element="f64"),
    ]
    columns = [
        Transform("complex", True, columns=True),
        Transform("half", False, columns=True),
        Transform("back", True, columns=True, element="f64"),
    ]
    known = [
        Transform("complex", False, length=16384),
        Transform("half", False, length=512),
        Transform("half", False, length=404),
        Transform("back", True, length=45),
        Transform("all", True, columns=True, length=30),
    ]
    for t in rows:
        for n in SIZES + LONG:
            t.check(3 if n < 256 else 2, n)
        for n, count in ((5, 0), (0, 2), (6, 16), (9, 40)):
            t.check(count, n)
    for t in columns:
        for n, width in (
            (0, 3),
            (1, 1),
            (4, 16),
            (6, 5),
            (15, 17),
            (16, 40),
            (31, 16),
            (60, 100),
            (131, 20),
        ):
            t.check(2, n, width)
    for t in known:
        t.check(2, t.length, *[20] * t.columns)


main()
