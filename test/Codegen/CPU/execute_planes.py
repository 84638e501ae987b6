# ===- execute_planes.py - Convolutions with channels first against numpy --===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s v3
# RUN: %python %s v2
# REQUIRES: venv

# Convolutions with few channels, which come first, against loops in numpy: numbers
# of channels around those of a tile, lines shorter and longer than a vector,
# padding at some sides, strides and dilations, filters that images choose, filters
# for Winograd's algorithm, epilogues; and an image's bits alone against those in a
# batch.

import sys

import numpy as np

from Conversion.Inputs.kernel import Kernel, case, close, run_cases

ISA = sys.argv[1] if len(sys.argv) > 1 else "v3"
rng = np.random.default_rng(0)


# Points 0, 3/4, -3/4, 3/2, -3/2 and infinity: row i of G evaluates a filter's column
# at point i, divided by its distance to each other point.
POINTS = [0, 0.75, -0.75, 1.5, -1.5]
FACTORS = [np.prod([p - q for q in POINTS if q != p]) for p in POINTS]
G = np.array([[p**k / f for k in range(3)] for p, f in zip(POINTS, FACTORS)] + [[0, 0, 1]])


def pack_lines(w):
    """The filter in the order winograd4_lines."""
    lines = np.einsum("iy,...ncyx->...incx", G, w.astype(np.float64))
    return np.ascontiguousarray(lines, np.float32)


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def expect(x, w, stride, low, high, dilation):
    wide = np.pad(x.astype(np.float64), [(0, 0), (0, 0)] + list(zip(low, high)))
    reach = [d * (k - 1) for d, k in zip(dilation, w.shape[2:])]
    height = (wide.shape[2] - reach[0] - 1) // stride + 1
    width = wide.shape[3] - reach[1]
    y = np.zeros((x.shape[0], w.shape[0], height, width))
    for h in range(w.shape[2]):
        for v in range(w.shape[3]):
            top, left = h * dilation[0], v * dilation[1]
            part = wide[:, :, top : top + (height - 1) * stride + 1 : stride, left : left + width]
            y += np.einsum("nchw,oc->nohw", part, w[:, :, h, v])
    return y


@case
def convolution(
    channels,
    numbers,
    window,
    shapes,
    stride=1,
    low=(1, 1),
    high=(1, 1),
    dilation=(1, 1),
    filters=0,
    known=None,
    winograd=False,
):
    """`known` is the lines' length of all shapes, if it is."""
    reach = [d * (k - 1) + 1 for d, k in zip(dilation, window)]
    width = known + low[1] + high[1] - reach[1] + 1 if known else "?"
    names = ("B, H", "B, PH") if known else ("B, H, W", "B, PH, PW")
    x = f"tensor<?x{channels}x?x{known or '?'}xf32, #dhlo.dims<{names[0]}>>"
    y = f"tensor<?x{numbers}x?x{width}xf32, #dhlo.dims<{names[1]}>>"
    several = f"{filters}x" if filters else ""
    packed = f", #dlhlo.packed<winograd4_lines, batch = {int(filters > 0)}, rows = 2>"
    w = f"tensor<{several}{numbers}x{channels}x{window[0]}x{window[1]}xf32{packed * winograd}>"
    offsets = f"tensor<{filters + 1}xi64>"
    k = Kernel(
        f"""
dlhlo.kernel @k convolution {{
^bb0(%x: {x}, %w: {w}, %o: {offsets}, %b: tensor<{numbers}xf32>, %r: {y}):
  dhlo.dim @B in [0, 1000]
  dhlo.dim @H in [0, 1000]
  dhlo.dim @W in [0, 1000]
  dhlo.dim @PH = (@H + {low[0] + high[0] - reach[0]}) floordiv {stride} + 1
  dhlo.dim @PW = @W + {low[1] + high[1] - reach[1] + 1}
  %0 = dhlo.{"grouped_convolution %x, %w, %o" if filters else "convolution %x, %w"} channels_first
      strides = [{stride}, 1] low = {list(low)} high = {list(high)} input_dilation = [1, 1]
      filter_dilation = {list(dilation)} groups = 1
      : ({x}, {w}{", " + offsets if filters else ""}) -> {y}
  %1 = dhlo.broadcast %b axes = [1] : (tensor<{numbers}xf32>) -> {y}
  %2 = dhlo.add %0, %1 : {y}
  %3 = dhlo.mul %2, %r : {y}
  dlhlo.yield %0, %3 : {y}, {y}
}}""",
        ISA,
    )
    yield
    weights = floats(*([filters] if filters else []), numbers, channels, *window)
    bias = floats(numbers)

    def run(image, rest, bounds):
        sizes = [image.shape[0], image.shape[2]] + ([] if known else [image.shape[3]])
        inputs = [image, pack_lines(weights) if winograd else weights, np.array(bounds), bias, rest]
        outputs = [(rest.shape, np.float32)] * 2
        return k(sizes, inputs, outputs)

    for count, height, length in shapes:
        image = floats(count, channels, height, known or length)
        bounds = np.sort(rng.integers(0, count + 1, filters + 1)) if filters else [0]
        chosen = [np.searchsorted(bounds, n, "right") - 1 for n in range(count)]
        exact = expect(image, weights[0] if filters else weights, stride, low, high, dilation)
        for n, f in enumerate(chosen if filters else []):
            exact[n] = 0
            if 0 <= f < filters:
                exact[n] = expect(image[n : n + 1], weights[f], stride, low, high, dilation)[0]
        rest = floats(*exact.shape)
        (plain, y), site = run(image, rest, bounds)
        assert site is None
        close(plain, exact, 1e-5)
        close(y, (exact + bias[:, None, None]) * rest, 1e-5)
        for n in range(count if count > 1 else 0):
            one = [int(b > n) for b in bounds] if filters else [0]
            (_, alone), _ = run(image[n : n + 1], rest[n : n + 1], one)
            assert np.array_equal(alone[0], y[n])
    if filters:
        image = floats(2, channels, 5, known or 7)
        rest = np.zeros_like(expect(image, weights[0], stride, low, high, dilation), np.float32)
        assert run(image, rest, [3] + [1] * filters)[1] == 0


FEW = [(1, 1, 1), (3, 7, 5), (2, 14, 16), (1, 40, 33), (0, 4, 4), (1, 9, 83)]
convolution(8, 8, [3, 3], FEW)
convolution(3, 20, [3, 3], FEW, filters=3)
convolution(1, 1, [1, 1], FEW, low=(0, 0), high=(0, 0))
convolution(2, 3, [5, 5], FEW, low=(2, 2), high=(2, 2))
convolution(5, 7, [3, 2], [(2, 8, 9)], low=(2, 0), high=(0, 1))
convolution(5, 9, [3, 3], [(2, 8, 9), (1, 31, 40)], stride=2)
convolution(4, 12, [3, 3], [(2, 12, 19)], low=(3, 0), high=(1, 4), dilation=(2, 3))
convolution(20, 33, [3, 3], [(2, 40, 0)], known=32)
convolution(8, 8, [3, 3], [(4, 20, 0)], known=48, filters=2)
convolution(6, 4, [3, 3], [(4, 20, 0)], known=18, filters=2)

lines = {"winograd": True}
convolution(8, 8, [3, 3], FEW, **lines)
convolution(1, 2, [3, 1], FEW, low=(1, 0), high=(1, 0), **lines)
convolution(9, 20, [3, 3], FEW, filters=3, **lines)
convolution(5, 7, [3, 2], [(2, 8, 9)], low=(2, 0), high=(0, 1), **lines)
convolution(4, 12, [3, 3], [(2, 12, 19)], low=(3, 0), high=(1, 4), dilation=(1, 3), **lines)
convolution(20, 33, [3, 3], [(2, 40, 0)], known=32, **lines)
convolution(24, 9, [3, 3], [(1, 30, 200)], **lines)
convolution(8, 8, [3, 3], [(4, 20, 0)], known=48, filters=2, **lines)
convolution(16, 16, [3, 3], [(3, 33, 0)], known=32, filters=2, **lines)

run_cases()
