# ===- execute_winograd.py - Winograd's convolutions against numpy ---------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s v2
# RUN: %python %s v3
# REQUIRES: venv

# Convolutions of 3 x 3 on filters in the order winograd4 against float64: sizes
# that are multiples of a tile and others, less than a tile, padding of each kind,
# panels of output channels that are not full, an epilogue, and small images, which
# are computed directly; an image's bits alone against those in a batch.

import itertools
import sys

import numpy as np

from Conversion.Inputs.kernel import Kernel, case, close, run_cases

ISA = sys.argv[1] if len(sys.argv) > 1 else "v3"
rng = np.random.default_rng(0)
# Points 0, 3/4, -3/4, 3/2, -3/2 and infinity, from the definition: row i of G evaluates the
# filter's polynomial at point i, divided by its distance to each other point.
POINTS = [0, 0.75, -0.75, 1.5, -1.5]
FACTORS = [np.prod([p - q for q in POINTS if q != p]) for p in POINTS]
G = np.array([[p**k / f for k in range(3)] for p, f in zip(POINTS, FACTORS)] + [[0, 0, 1]])


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def pack(w):
    panels = -(-w.shape[3] // 16)
    u = np.einsum("iy,yxcn,jx->ijcn", G, w.astype(np.float64), G)
    padded = np.zeros((36, w.shape[2], panels * 16), np.float32)
    padded[:, :, : w.shape[3]] = u.reshape(36, w.shape[2], w.shape[3])
    plain = np.zeros((9, w.shape[2], panels * 16), np.float32)
    plain[:, :, : w.shape[3]] = w.reshape(9, w.shape[2], w.shape[3])
    transformed = padded.reshape(36, w.shape[2], panels, 16).transpose(0, 2, 1, 3)
    direct = plain.reshape(9 * w.shape[2], panels, 16).transpose(1, 0, 2)
    return np.concatenate([transformed.ravel(), direct.ravel()])


def expect(x, w, low, high, stride):
    wide = np.pad(x.astype(np.float64), [(0, 0), (low[0], high[0]), (low[1], high[1]), (0, 0)])
    height, width = wide.shape[1] - 2, wide.shape[2] - 2
    every = sum(
        wide[:, i : i + height, j : j + width] @ w[i, j].astype(np.float64)
        for i, j in itertools.product(range(3), range(3))
    )
    return every[:, ::stride, ::stride]


@case
def convolution(inputs, numbers, low, high, shapes, stride=1):
    x = f"tensor<?x?x?x{inputs}xf32, #dhlo.dims<B, H, W>>"
    y = f"tensor<?x?x?x{numbers}xf32, #dhlo.dims<B, PH, PW>>"
    w = f"tensor<3x3x{inputs}x{numbers}xf32, #dlhlo.packed<winograd4, batch = 0, rows = 3>>"
    k = Kernel(
        f"""
dlhlo.kernel @k convolution {{
^bb0(%x: {x}, %w: {w}, %b: tensor<{numbers}xf32>):
  dhlo.dim @B in [0, 1000]
  dhlo.dim @H in [0, 1000]
  dhlo.dim @W in [0, 1000]
  dhlo.dim @PH = (@H + {low[0] + high[0] - 3}) floordiv {stride} + 1
  dhlo.dim @PW = (@W + {low[1] + high[1] - 3}) floordiv {stride} + 1
  %0 = dhlo.convolution %x, %w channels_last strides = {[stride] * 2} low = {low} high = {high}
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1 : ({x}, {w}) -> {y}
  %1 = dhlo.broadcast %b axes = [3] : (tensor<{numbers}xf32>) -> {y}
  %2 = dhlo.add %0, %1 : {y}
  dlhlo.yield %2 : {y}
}}""",
        ISA,
    )
    yield
    weights, b = floats(3, 3, inputs, numbers), floats(numbers)
    packed = pack(weights)
    for batch, height, width in shapes:
        image = floats(batch, height, width, inputs)
        expected = expect(image, weights, low, high, stride) + b
        (y,), _ = k([batch, height, width], [image, packed, b], [(expected.shape, np.float32)])
        close(y, expected, 5e-6)
        for i in range(batch if batch > 1 else 0):
            (one,), _ = k(
                [1, height, width],
                [image[i : i + 1], packed, b],
                [((1,) + expected.shape[1:], np.float32)],
            )
            assert np.array_equal(one[0], y[i])


MANY = [(1, 4, 4), (2, 7, 5), (1, 14, 14), (3, 3, 33), (1, 1, 1), (1, 2, 9), (0, 4, 4), (5, 16, 21)]
convolution(32, 32, [1, 1], [1, 1], MANY)
convolution(64, 40, [1, 1], [1, 1], MANY)
convolution(16, 17, [0, 0], [0, 0], [(2, 3, 3), (1, 16, 19), (1, 2, 5)])
convolution(16, 112, [0, 2], [2, 1], [(2, 3, 3), (2, 13, 18)])
# Convolutions that the algorithm does not suit read the filter after its transforms.
convolution(16, 32, [1, 1], [1, 1], [(2, 16, 15), (1, 33, 8)], stride=2)
convolution(20, 33, [1, 1], [1, 1], [(2, 16, 15)])
convolution(512, 32, [1, 1], [1, 1], [(1, 7, 7), (4, 9, 30)])
convolution(160, 200, [1, 1], [1, 1], [(1, 14, 14), (3, 15, 17)])

run_cases()
