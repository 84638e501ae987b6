# ===- test_no_elements.py - Static sizes of 0 -----------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each kind of kernel with a static size of 0 along each axis of each operand, where
eager PyTorch takes that, and symbols for others: nothing may be divided by 0."""

import pathlib
import sys

import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import torch.nn.functional as F

import dyn.frontend.torch  # noqa: F401
from closeness import assert_close


def _attention(*operands):
    # Heads have a static size.
    return F.scaled_dot_product_attention(*(x.reshape(*x.shape[:3], 8) for x in operands))


def _grouped(x, w):
    return torch.einsum("gmk,gkn->gmn", x, w)


#: By name: a function, and shapes of its operands in which equal letters are equal sizes.
#: PyTorch itself takes the result of a convolution of no channels for another one.
KERNELS = {
    "loop": (lambda x, y: torch.sigmoid(x) * y, "ab", "b"),
    "transpose": (lambda x: x.transpose(0, 2).contiguous() + 1, "abc"),
    "row": (lambda x: torch.softmax(x, -1), "ab"),
    "norm": (lambda x: F.layer_norm(x, x.shape[-1:]), "abc"),
    "column": (lambda x: x.sum(0), "abc"),
    "matmul": (lambda x, w: torch.relu(x @ w), "mk", "kn"),
    "matmul of f16": (lambda x, w: (x.half() @ w.half()).float(), "mk", "kn"),
    "linear": (lambda x, w: F.linear(x, w), "bmk", "nk"),
    "batched": (_grouped, "gmk", "gkn"),
    "attention": (_attention, "bhs8", "bht8", "bht8"),
    "conv1d": (lambda x, w: F.conv1d(x, w, padding=1), "n2l", "o23"),
    "conv2d": (lambda x, w: F.conv2d(x, w, padding=1), "n2hw", "o233"),
    "pointwise": (lambda x, w: F.conv2d(x, w), "n2hw", "o211"),
    "depthwise": (lambda x, w: F.conv2d(x, w, padding=1, groups=4), "n4hw", "4133"),
    "conv3d": (lambda x, w: F.conv3d(x, w, padding=1), "n2lhw", "o2333"),
    "pool": (lambda x: F.max_pool2d(x, 2, padding=1), "nchw"),
    "mean pool": (lambda x: F.avg_pool2d(x, 3, padding=1), "nchw"),
    "resize": (lambda x: F.interpolate(x, scale_factor=2.0, mode="bilinear"), "nchw"),
    "pad": (lambda x: F.pad(x, (1, 2), mode="constant", value=3.0), "abc"),
    "concat": (lambda x, y: torch.cat([x, y, x], 1), "ab", "ac"),
    "gather": (lambda x: x[:, torch.arange(0)], "ab"),
    "sort": (lambda x: torch.sort(x, -1).values, "abc"),
    "top_k": (lambda x: torch.topk(x, 1, dim=1).values, "ab"),
    "cumulative": (lambda x: torch.cumsum(x, 1), "abc"),
    "scatter": (lambda x, y: x.scatter_add(0, (y > 9).long(), y), "ab", "ab"),
    "nonzero": (lambda x: torch.nonzero(x > 0) * 2, "ab"),
    "lstm": (lambda x: _LSTM(x)[0], "sb4"),
}
_LSTM = torch.nn.LSTM(4, 5).eval()


def _cases():
    """Each kernel with each of its sizes 0."""
    for name, (_, *shapes) in KERNELS.items():
        for letter in sorted({c for shape in shapes for c in shape if c.isalpha()}):
            yield pytest.param(name, letter, id=f"{name}-{letter}")


@pytest.mark.parametrize("name, letter", _cases())
def test_no_elements(name, letter):
    function, *shapes = KERNELS[name]
    torch._dynamo.reset()
    torch.manual_seed(0)

    def size(c):
        return 0 if c == letter else int(c) if c.isdigit() else 2 + ord(c) % 4

    operands = [torch.randn([size(c) for c in shape]) for shape in shapes]
    with torch.no_grad():
        try:
            want = function(*operands)
        except (RuntimeError, IndexError, ValueError) as error:
            pytest.skip(f"PyTorch refuses it: {error}")
        options = {"strict": True, "isa": "v3", "threads": 1}
        got = torch.compile(function, backend="dyn", dynamic=True, options=options)(*operands)
    assert got.shape == want.shape
    assert_close(got, want, name)
