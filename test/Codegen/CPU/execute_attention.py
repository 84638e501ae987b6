# ===- execute_attention.py - Attention kernels against numpy --------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s v3
# REQUIRES: venv

# Attention against numpy: lengths that fill no vector, masks of both types,
# causal, shared heads, heads side by side in rows; and a row's bits against those
# in a batch.

import sys

import numpy as np

from Conversion.Inputs.kernel import Kernel, case, close, run_cases

ISA = sys.argv[1] if len(sys.argv) > 1 else "v3"
rng = np.random.default_rng(0)


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


@case
def attention(heads, groups, depth, width, mask=None, causal=False, swapped=""):
    """The operands and the result, y, in `swapped` are [B, S, H, D]."""

    def heads_of(name, number, size, last):
        rows = f"tensor<?x?x{number}x{last}xf32, #dhlo.dims<B, {size}>>"
        apart = f"tensor<?x{number}x?x{last}xf32, #dhlo.dims<B, {size}>>"
        return (rows if name in swapped else apart), apart, rows

    def transpose(result, operand, source, target):
        permuted = f"%{operand} permutation = [0, 2, 1, 3] : ({source}) -> {target}"
        return f"  %{result} = dhlo.transpose {permuted}\n"

    def order(name, array):
        return np.ascontiguousarray(array.swapaxes(1, 2)) if name in swapped else array

    operands = {
        "q": heads_of("q", heads, "S", depth),
        "k": heads_of("k", groups, "T", depth),
        "v": heads_of("v", groups, "T", width),
    }
    y, y_apart, y_rows = heads_of("y", heads, "S", width)
    before = "".join(
        transpose(name + "h", name, rows, apart)
        for name, (_, apart, rows) in operands.items()
        if name in swapped
    )
    after = transpose("1", "0", y_apart, y_rows) if "y" in swapped else ""
    names = ", ".join(f"%{name}h" if name in swapped else f"%{name}" for name in operands)
    types = [apart for _, apart, _ in operands.values()]
    arguments = ", ".join(f"%{name}: {given}" for name, (given, _, _) in operands.items())
    use = ""
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
{before}  %0 = dhlo.attention {names}{use} scale = 0.25{" causal" if causal else ""} : ({", ".join(types)}) -> {y_apart}
{after}  dlhlo.yield %{1 if after else 0} : {y}
}}""",
        ISA,
    )
    yield
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
        queries, named = floats(batch, heads, rows, depth), floats(batch, groups, keys, depth)
        values = floats(batch, groups, keys, width)
        scores = (
            0.25 * queries.astype(np.float64) @ np.repeat(named, heads // groups, 1).swapaxes(2, 3)
        )
        inputs = [order("q", queries), order("k", named), order("v", values)]
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
        shape = (rows, heads) if "y" in swapped else (heads, rows)
        (found,), _ = kernel([batch, rows, keys], inputs, [((batch, *shape, width), np.float32)])
        close(found, order("y", expected), 1e-5)
        for i in range(batch if batch > 1 else 0):
            alone = [x[i : i + 1] if x.shape[0] > 1 else x for x in inputs]
            (one,), _ = kernel([1, rows, keys], alone, [((1, *shape, width), np.float32)])
            assert np.array_equal(one[0], found[i])
        # The last query alone, which reads keys and values where they are.
        if batch and rows > 1:
            inputs[0] = order("q", queries[:, :, -1:])
            if mask and "S" in mask:
                inputs[3] = inputs[3][:, :, -1:].copy()
            shape = (1, heads) if "y" in swapped else (heads, 1)
            (last,), _ = kernel([batch, 1, keys], inputs, [((batch, *shape, width), np.float32)])
            many = found[:, -1:] if "y" in swapped else found[:, :, -1:]
            assert np.array_equal(last, many)


attention(2, 2, 64, 64)
attention(4, 2, 20, 24, causal=True)
attention(2, 2, 32, 32, mask="tensor<?x1x1x?xf32, #dhlo.dims<B, T>>")
attention(2, 1, 32, 16, mask="tensor<1x1x?x?xi1, #dhlo.dims<S, T>>")
attention(3, 3, 64, 64, swapped="qkvy")
attention(4, 2, 20, 24, causal=True, swapped="kv")
attention(2, 2, 16, 32, mask="tensor<?x1x1x?xf32, #dhlo.dims<B, T>>", swapped="qy")
run_cases()
