# ===- execute_suppress.py - Suppression of boxes against numpy ------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s v3
# RUN: %python %s v2
# REQUIRES: venv

# Non-maximum suppression: lists of no boxes, of fewer than a vector, and of several; few boxes
# that are kept and many; limits, candidates, and boxes that overlap none whatever they cover.

import sys

import numpy as np

from Conversion.Inputs.kernel import Kernel

ISA = sys.argv[1] if len(sys.argv) > 1 else "v3"
rng = np.random.default_rng(0)


def overlaps(a, b, threshold):
    """Whether box a overlaps each of the boxes b."""
    low, high = np.maximum(a[:2], b[:, :2]), np.minimum(a[2:], b[:, 2:])
    sides = high - low
    shared = sides[:, 0] * sides[:, 1]
    first, second = np.prod(a[2:] - a[:2]), np.prod(b[:, 2:] - b[:, :2], 1)
    both = first + second - shared
    valid = (sides > 0).all(1) & (shared > 0) & (first > 0) & (second > 0) & (both > 0)
    return valid & (shared / both > threshold)


def suppress(boxes, candidates, threshold, most):
    kept = np.zeros(len(boxes), bool)
    for i, box in enumerate(boxes):
        if candidates[i] and kept.sum() < most:
            kept[i] = not overlaps(box, boxes[kept], threshold).any()
    return kept


def make_boxes(lists, size, dtype, spread):
    """Boxes of sides up to 2 in a square, the smaller the more they overlap."""
    low = rng.uniform(0, spread, (lists, size, 2))
    boxes = np.concatenate([low, low + rng.uniform(0, 2, low.shape)], 2).astype(dtype)
    for number in (np.nan, np.inf, -np.inf, 0):
        boxes[rng.random(boxes.shape) < 0.01] = number
    return boxes


for element, dtype in (("f32", np.float32), ("f64", np.float64)):
    k = Kernel(
        f"""
dlhlo.kernel @k single {{
^bb0(%x: tensor<?x?x4x{element}, #dhlo.dims<d0, d1>>, %c: tensor<?x?xi1, #dhlo.dims<d0, d1>>,
     %t: tensor<{element}>, %n: tensor<i64>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.suppress %x, %c, %t, %n
      : (tensor<?x?x4x{element}, #dhlo.dims<d0, d1>>, tensor<?x?xi1, #dhlo.dims<d0, d1>>,
         tensor<{element}>, tensor<i64>) -> tensor<?x?xi1, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xi1, #dhlo.dims<d0, d1>>
}}""",
        ISA,
    )
    np.seterr(all="ignore")
    for lists, size in ((0, 3), (2, 0), (3, 1), (2, 16), (5, 17), (2, 33), (1, 257)):
        for spread in (1, 5, 50):
            for most in (0, 1, 16, 1000, -3):
                boxes = make_boxes(lists, size, dtype, spread)
                candidates = rng.random((lists, size)) < 0.9
                threshold = dtype(rng.choice([0, 0.3, 0.5, 1]))
                expected = [suppress(b, c, threshold, most) for b, c in zip(boxes, candidates)]
                expected = np.array(expected, bool).reshape(lists, size)
                inputs = [boxes, candidates, threshold.reshape(()), np.int64(most).reshape(())]
                (found,), site = k([lists, size], inputs, [((lists, size), np.bool_)])
                assert site is None
                assert np.array_equal(found, expected), (element, lists, size, spread, most)
