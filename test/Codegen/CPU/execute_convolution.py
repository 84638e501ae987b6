# ===- execute_convolution.py - Convolution kernels against numpy ----------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s v3
# REQUIRES: venv

# Convolutions against loops in numpy: windows, strides, dilations, padding,
# groups, one to three spatial axes, transposed; and an image's bits alone
# against those in a batch.

import itertools
import sys

import numpy as np

from Conversion.Inputs.kernel import Kernel, case, close, run_cases

ISA = sys.argv[1] if len(sys.argv) > 1 else "v3"
# As a float a NaN: results show which part of a copy is read, but was not copied.
UNWRITTEN = 0xFF
rng = np.random.default_rng(0)


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def pack(w):
    depth, columns = int(np.prod(w.shape[:-1])), w.shape[-1]
    panels = -(-columns // 16)
    padded = np.zeros((depth, panels * 16), w.dtype)
    padded[:, :columns] = w.reshape(depth, columns)
    return np.ascontiguousarray(padded.reshape(depth, panels, 16).transpose(1, 0, 2))


def expect(x, w, strides, low, high, dilated, dilation, groups):
    """Channels last."""
    spatial = x.ndim - 2
    wide = np.zeros(
        [x.shape[0]]
        + [max(0, (s - 1) * d + 1) for s, d in zip(x.shape[1:-1], dilated)]
        + [x.shape[-1]]
    )
    wide[tuple([slice(None)] + [slice(None, None, d) for d in dilated])] = x
    wide = np.pad(wide, [(0, 0)] + list(zip(low, high)) + [(0, 0)])
    sizes = [
        (s - d * (k - 1) - 1) // t + 1
        for s, d, k, t in zip(wide.shape[1:-1], dilation, w.shape, strides)
    ]
    channels, numbers = w.shape[-2], w.shape[-1] // groups
    y = np.zeros([x.shape[0]] + sizes + [w.shape[-1]])
    for tap in itertools.product(*[range(k) for k in w.shape[:spatial]]):
        at = tuple(
            slice(t * d, t * d + max((n - 1) * s + 1, 0), s)
            for t, d, n, s in zip(tap, dilation, sizes, strides)
        )
        part = wide[(slice(None),) + at]
        for g in range(groups):
            y[..., g * numbers : (g + 1) * numbers] += (
                part[..., g * channels : (g + 1) * channels]
                @ w[tap][:, g * numbers : (g + 1) * numbers]
            )
    return y


@case
def convolution(
    inputs,
    numbers,
    window,
    strides,
    low,
    high,
    shapes,
    dilation=None,
    dilated=None,
    groups=1,
    packed=True,
    bias=True,
    most=1000,
):
    n = len(window)
    dilation, dilated = dilation or [1] * n, dilated or [1] * n
    sizes = [f"S{i}" for i in range(n)]
    x = f"tensor<?x{'?x' * n}{inputs}xf32, #dhlo.dims<B, {', '.join(sizes)}>>"
    y = f"tensor<?x{'?x' * n}{numbers}xf32, #dhlo.dims<B, {', '.join('P' + s for s in sizes)}>>"
    encoding = f", #dlhlo.packed<panels16, batch = 0, rows = {n + 1}>" if packed else ""
    shape = list(window) + [inputs // groups, numbers]
    w = f"tensor<{'x'.join(map(str, shape))}xf32{encoding}>"
    declared = "".join(f"  dhlo.dim @{s} in [0, {most}]\n" for s in ["B"] + sizes)
    for i, s in enumerate(sizes):
        declared += (
            f"  dhlo.dim @P{s} = ((@{s} - 1) * {dilated[i]} + {1 + low[i] + high[i]}"
            f" - {dilation[i] * (window[i] - 1) + 1}) floordiv {strides[i]} + 1\n"
        )
    k = Kernel(
        f"""
dlhlo.kernel @k convolution {{
^bb0(%x: {x}, %w: {w}, %b: tensor<{numbers}xf32>):
{declared}
  %0 = dhlo.convolution %x, %w channels_last strides = {strides} low = {low} high = {high}
      input_dilation = {dilated} filter_dilation = {dilation} groups = {groups} : ({x}, {w}) -> {y}
  %1 = dhlo.broadcast %b axes = [{n + 1}] : (tensor<{numbers}xf32>) -> {y}
  %2 = dhlo.add %0, %1 : {y}
  dlhlo.yield {"%2" if bias else "%0"} : {y}
}}""",
        ISA,
        filling=UNWRITTEN,
    )
    yield
    weights, b = floats(*shape), floats(numbers)
    given = pack(weights) if packed else weights
    for sizes in shapes:
        image = floats(*sizes, inputs)
        expected = expect(image, weights, strides, low, high, dilated, dilation, groups) + (
            b if bias else 0
        )
        (y,), _ = k(list(sizes), [image, given, b], [(expected.shape, np.float32)])
        close(y, expected, 1e-5)
        for i in range(sizes[0] if sizes[0] > 1 else 0):
            (one,), _ = k(
                [1, *sizes[1:]],
                [image[i : i + 1], given, b],
                [((1,) + expected.shape[1:], np.float32)],
            )
            assert np.array_equal(one[0], y[i])


FEW = [(1, 1, 1), (2, 7, 5), (1, 14, 14), (1, 3, 33), (0, 4, 4)]
convolution(16, 32, [3, 3], [1, 1], [1, 1], [1, 1], FEW)
convolution(3, 17, [3, 3], [2, 2], [1, 1], [1, 1], FEW)
convolution(16, 32, [1, 1], [1, 1], [0, 0], [0, 0], FEW, bias=False)
convolution(8, 24, [1, 1], [2, 2], [0, 0], [0, 0], FEW)
convolution(8, 24, [3, 2], [1, 2], [2, 0], [0, 1], [(2, 8, 9)], dilation=[2, 2])
convolution(8, 40, [3, 3], [1, 1], [0, 0], [0, 0], [(2, 8, 9)], packed=False)
convolution(24, 24, [3, 3], [1, 1], [1, 1], [1, 1], FEW, groups=24, packed=False)
convolution(32, 32, [5, 5], [2, 2], [2, 2], [2, 2], FEW, groups=32)
for channels in (2, 3, 8, 12):  # less than a panel
    convolution(
        channels,
        channels,
        [3, 3],
        [2, 1],
        [1, 1],
        [1, 1],
        FEW,
        groups=channels,
        packed=False,
    )
convolution(20, 20, [1, 3], [1, 1], [0, 1], [0, 1], FEW, groups=20, packed=False)
# Taps that are outside of the input for whole image rows are left out.
WIDE = FEW + [(1, 9, 20), (2, 13, 2)]
convolution(16, 24, [3, 3], [1, 1], [6, 6], [6, 6], WIDE, dilation=[6, 6])
convolution(16, 24, [3, 3], [2, 1], [20, 3], [20, 3], WIDE, dilation=[20, 3])
convolution(8, 40, [3, 3], [1, 2], [9, 1], [9, 1], WIDE, dilation=[9, 1], bias=False)
convolution(300, 40, [3, 5], [1, 1], [4, 16], [4, 16], [(1, 5, 33)], dilation=[4, 8])
convolution(6, 20, [3], [1], [16], [0], [(2, 5), (1, 40), (1, 0)], dilation=[8])
convolution(24, 20, [3, 3], [1, 2], [7, 5], [7, 6], WIDE, dilation=[3, 6])
convolution(4, 20, [3, 2, 3], [1] * 3, [5, 0, 7], [5, 1, 7], [(2, 3, 4, 9)], dilation=[5, 1, 7])
# Volumes of few planes: most rows of the window are outside, of rows that are joined, too; and
# windows along the first axis alone.
SHALLOW = [(2, 1, 4, 9), (1, 2, 5, 40), (1, 5, 1, 1), (0, 3, 2, 2)]
convolution(16, 24, [3, 3, 3], [1] * 3, [1] * 3, [1] * 3, SHALLOW)
convolution(8, 40, [3, 3, 3], [2, 1, 2], [1] * 3, [1] * 3, SHALLOW, bias=False)
convolution(600, 20, [5, 1, 1], [1] * 3, [2, 0, 0], [2, 0, 0], SHALLOW)
convolution(16, 24, [3, 1], [1, 1], [1, 0], [1, 0], [(2, 1, 50), (1, 4, 33), (1, 3, 2)])
convolution(700, 16, [5, 1], [2, 1], [3, 0], [2, 0], [(2, 1, 20), (1, 4, 3)])
# Vectors along K for a few output channels: full ones, and a remainder of each length.
SKINNY = FEW + [(2, 17, 31), (3, 1, 16)]
for inputs, numbers in [(16, 1), (32, 2), (21, 3), (43, 4), (64, 5), (13, 3), (50, 8)]:
    convolution(inputs, numbers, [3, 3], [1, 1], [1, 1], [1, 1], SKINNY, packed=False)
convolution(32, 3, [3, 3], [2, 2], [0, 1], [1, 0], SKINNY, packed=False)
convolution(40, 2, [3, 3], [1, 2], [2, 2], [2, 2], SKINNY, [2, 2], packed=False, bias=False)
convolution(37, 1, [7], [1], [3], [3], [(2, 9), (1, 61), (0, 3), (1, 1)], packed=False)
convolution(19, 3, [2, 3, 2], [1] * 3, [1] * 3, [0] * 3, [(2, 3, 4, 19)], packed=False)
convolution(6, 10, [3], [1], [1], [1], [(2, 9), (1, 50), (1, 1)])
convolution(
    6,
    10,
    [3, 2, 3],
    [1, 2, 1],
    [1, 1, 1],
    [1, 0, 1],
    [(2, 4, 5, 7)],
    dilation=[1, 1, 2],
)
convolution(8, 12, [3, 3], [1, 1], [1, 1], [1, 1], [(2, 8, 9)], groups=2, packed=False)
convolution(8, 12, [2, 2], [1, 1], [1, 1], [1, 1], [(2, 8, 9)], dilated=[2, 2])

# Small groups, of which a vector has several: as many channels in as out, and fewer.
for depth, width in [(1, 2), (2, 2), (3, 4), (4, 4), (1, 8), (8, 8)]:
    for groups in (3, 16):
        convolution(
            depth * groups,
            width * groups,
            *([3, 3], [1, 1], [1, 1], [1, 1], [(1, 9, 11), (0, 3, 3), (2, 1, 17)]),
            groups=groups,
            packed=width * groups % 16 == 0,
        )
convolution(20, 20, [7, 7], [2, 2], [3, 3], [3, 3], [(1, 13, 19)], groups=5, packed=False)
convolution(16, 32, [1, 11], [1, 1], [0, 5], [0, 5], [(1, 2, 19)], groups=4)
convolution(64, 64, [3], [2], [1], [0], [(2, 37), (1, 4)], groups=16, dilation=[2])

# Groups of several channels, whose columns are a part of a panel, of two, or panels.
for numbers in (1, 2, 5, 8, 12, 16, 20, 24, 40, 64, 88):
    for groups in (2, 3, 8):
        convolution(
            5 * groups,
            numbers * groups,
            [3, 2],
            [1, 2],
            [1, 1],
            [1, 0],
            [(2, 3, 20)],
            groups=groups,
        )
convolution(12, 36, [3, 3], [1, 1], [1, 1], [1, 1], FEW, groups=3, bias=False)
convolution(12, 36, [1, 1], [1, 1], [0, 0], [0, 0], FEW, groups=3, packed=False)
convolution(24, 72, [5], [1], [2], [2], [(2, 9), (1, 50), (1, 1)], groups=2, packed=False)
convolution(8, 12, [2, 2, 2], [1, 1, 2], [1, 0, 1], [0, 1, 0], [(5, 2, 3, 4)], groups=4)

# Lines of few pixels: tiles over lines and images, in several blocks.
NARROW = [(2, 1, 1), (45, 2, 1), (3, 5, 3), (9, 4, 4), (0, 4, 4), (2, 0, 3), (1, 3, 5)]
convolution(16, 40, [3, 3], [1, 1], [1, 1], [1, 1], NARROW)
convolution(16, 40, [3, 3], [1, 1], [1, 1], [1, 1], [(70, 2, 1)], most=70)
convolution(512, 33, [3, 3], [2, 2], [1, 1], [1, 1], [(20, 3, 4), (1, 2, 2)], bias=False)
convolution(8, 20, [3, 3], [1, 2], [2, 1], [2, 3], NARROW[:-3], dilation=[2, 2])
convolution(5, 16, [4], [1], [3], [0], [(40, 2), (1, 4)])
convolution(16, 40, [3, 3], [1, 2], [1, 1], [1, 1], NARROW, groups=4)
convolution(4, 16, [2, 2, 2], [1, 1, 2], [1, 0, 1], [0, 1, 0], [(5, 2, 3, 4)])

# Large K, whose blocks are a tap, some taps with fewer in the last block, or a part of
# a tap; of lines that are joined, too.
DEEP = [(2, 7, 7), (1, 3, 33), (3, 2, 4)]
convolution(512, 70, [3, 3], [1, 1], [1, 1], [1, 1], DEEP)
convolution(512, 64, [3, 3], [2, 1], [1, 1], [1, 1], DEEP, bias=False)
convolution(90, 64, [7, 3], [1, 1], [3, 1], [3, 1], DEEP, bias=False)
convolution(1701, 20, [2, 1], [1, 1], [0, 0], [1, 0], DEEP)
convolution(560, 17, [3, 3], [1, 1], [1, 1], [1, 1], DEEP, bias=False)
convolution(1120, 80, [3, 3], [1, 1], [1, 1], [1, 1], DEEP, groups=2)
convolution(1120, 34, [3, 3], [1, 1], [1, 1], [1, 1], DEEP, groups=2, bias=False)

run_cases()
