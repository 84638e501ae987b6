# ===- execute_attention.py - Attention kernels against numpy --------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s v3
# REQUIRES: venv

# Attention against numpy: lengths that fill no vector, masks of both types,
# causal, shared heads; and a row's bits against those in a batch.

import sys

import numpy as np

from Conversion.Inputs.kernel import Kernel, close

ISA = sys.argv[1] if len(sys.argv) > 1 else "v3"
rng = np.random.default_rng(0)


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def attention(heads, groups, depth, width, mask=None, causal=False):
    q = f"tensor<?x{heads}x?x{depth}xf32, #dhlo.dims<B, S>>"
    k = f"tensor<?x{groups}x?x{depth}xf32, #dhlo.dims<B, T>>"
    v = f"tensor<?x{groups}x?x{width}xf32, #dhlo.dims<B, T>>"
    y = f"tensor<?x{heads}x?x{width}xf32, #dhlo.dims<B, S>>"
    types, arguments, use = [q, k, v], f"%q: {q}, %k: {k}, %v: {v}", ""
    if mask:
        types.append(mask)
        arguments += f", %m: {mask}"
        use = " mask %m"
    kernel = Kernel(
        f"""
dlhlo.kernel @k attention {{
^bb0({arguments}):
  dhlo.dim @B in [0, 64]
  dhlo.dim @S in [0, 4096]
  dhlo.dim @T in [0, 4096]
  %0 = dhlo.attention %q, %k, %v{use} scale = 0.25{" causal" if causal else ""} : ({", ".join(types)}) -> {y}
  dlhlo.yield %0 : {y}
}}""",
        ISA,
    )
    for batch, rows, keys in (
        (1, 1, 1),
        (2, 5, 5),
        (1, 3, 40),
        (2, 33, 33),
        (1, 150, 150),
        (1, 1, 70),
        (0, 2, 2),
        (1, 0, 3),
    ):
        queries, names = floats(batch, heads, rows, depth), floats(batch, groups, keys, depth)
        values = floats(batch, groups, keys, width)
        scores = (
            0.25 * queries.astype(np.float64) @ np.repeat(names, heads // groups, 1).swapaxes(2, 3)
        )
        inputs = [queries, names, values]
        if mask:
            shape = (batch if "B" in mask else 1, 1, rows if "S" in mask else 1, keys)
            if "i1" in mask:
                given = rng.random(shape) < 0.7
                scores = np.where(given, scores, -np.inf)
            else:
                given = floats(*shape)
                scores = scores + given
            inputs.append(given.astype(np.uint8) if "i1" in mask else given)
        if causal:
            seen = np.arange(keys)[None, :] <= np.arange(rows)[:, None] + keys - rows
            scores = np.where(seen, scores, -np.inf)
        top = scores.max(-1, keepdims=True, initial=-np.inf)
        e = np.exp(scores - np.where(np.isfinite(top), top, 0))
        total = e.sum(-1, keepdims=True)
        expected = (e / np.where(total == 0, 1, total)) @ np.repeat(values, heads // groups, 1)
        (found,), _ = kernel(
            [batch, rows, keys], inputs, [((batch, heads, rows, width), np.float32)]
        )
        close(found, expected, 1e-5)
        for i in range(batch if batch > 1 else 0):
            alone = [x[i : i + 1] if x.shape[0] > 1 else x for x in inputs]
            (one,), _ = kernel([1, rows, keys], alone, [((1, heads, rows, width), np.float32)])
            assert np.array_equal(one[0], found[i])


attention(2, 2, 64, 64)
attention(4, 2, 20, 24, causal=True)
attention(2, 2, 32, 32, mask="tensor<?x1x1x?xf32, #dhlo.dims<B, T>>")
attention(2, 1, 32, 16, mask="tensor<1x1x?x?xi1, #dhlo.dims<S, T>>")
