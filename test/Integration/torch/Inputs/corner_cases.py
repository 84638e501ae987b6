# ===- corner_cases.py - Numbers at the ends of types, against PyTorch -----===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families of operators (see op_cases.py) on infinities, NaNs, tiny and huge numbers, and
numbers out of the range of a type."""

import torch
import torch.nn.functional as F
from op_cases import cases, family, floats

INF, NAN = float("inf"), float("nan")


# ----------------------------------------------------------------------------
# 16-bit floats
# ----------------------------------------------------------------------------


@family("halves", [(3, 7), (1, 1), (0, 3)], {"h": {0: "rows", 1: "columns"}})
def halves(n, m):
    return {"h": floats(n, m, low=0.5).half()}


def _is_rounded(function, x):
    """Whether a result on 16-bit floats is the rounded result in f32."""
    narrow, wide = function(x), function(x.float())
    return (narrow - wide).abs() <= wide.abs() * torch.finfo(x.dtype).eps + 1e-4


def _bias(h, lowest):
    """Models add such a mask to scores: a large number where the mask is 0."""
    mask = torch.ones_like(h).tril()
    return (1.0 - mask) * lowest


cases(
    halves,
    bias=lambda h: (_bias(h, -1e9), _bias(h.bfloat16(), torch.finfo(torch.float32).min)),
    numbers=lambda h: (h / 1e5, h * 1e-3 * 1e6, 1e6 * (h * 1e-3), h * 1e-8 + h),
    scalars=lambda h: (h * 1e-3 * torch.tensor(1e6), h / torch.tensor(1e6)),
    sizes=lambda h: h.new_ones(2, 1) / (h.shape[0] + 70001.0) * 70001.0,
    means=lambda h: (h.new_ones(h.shape[0] + 299, 300).mean(), h.new_full((300,), 3e4).mean(0)),
    rms_norm=lambda h: F.rms_norm(h[:, :1].repeat(1, 4) * 1e-2, (4,)),
    tiny=lambda h: (
        F.leaky_relu(-h * 1e4, 1e-8), F.elu(-h, 1e-8) * 1e3, torch.lerp(h * 0, h * 1e4, 1e-8),
        torch.add(h * 0, h * 1e4, alpha=1e-8), F.softplus(h, 1e-8), torch.log2(h * 1e-7),
    ),
)  # fmt: skip


@family("many_halves", [(2, 300), (1, 260)], {"x": {0: "batch", 2: "height"}})
def many_halves(n, m):
    return {"x": (floats(n, 2, m, 300, low=1.0) * 300).half()}


many_halves.batch_norm = torch.nn.BatchNorm2d(2)
many_halves.batch_norm.running_mean.uniform_(500, 600)
many_halves.batch_norm.running_var.uniform_(1e5, 2e5)
many_halves.cases["batch_norm"] = lambda self, x: _is_rounded(
    lambda x: F.batch_norm(x, self.batch_norm.running_mean, self.batch_norm.running_var), x
)
cases(
    many_halves,
    var=lambda x: (x / 300).var((0, 2, 3)) + (x / 300).std(),
    group_norm=lambda x: F.group_norm(x, 2) + F.instance_norm(x * 1e-6, eps=1e-10),
    pools=lambda x: (
        F.adaptive_avg_pool2d(x, 1) + F.adaptive_avg_pool2d(x, (3, 7)).amax((2, 3), True),
        F.avg_pool2d(x, 40),
        F.avg_pool2d(x, 40, divisor_override=100000),
    ),
    norms=lambda x: (torch.linalg.vector_norm(x[:, 0, 0], dim=-1), x[:, 0, 0].norm(3, -1) / 100),
    logsumexp=lambda x: torch.logsumexp(x * 1e-5, (1, 3)),
)


# ----------------------------------------------------------------------------
# Infinities and NaNs
# ----------------------------------------------------------------------------


@family("special", [(1,), (3,)], {"x": {0: "count"}, "y": {0: "count"}})
def special(n):
    numbers = torch.tensor([1.0, -1.0, 0.0, INF, -INF, NAN, 2.5, -7.5, 1e8])
    return {"x": numbers.repeat(9 * n), "y": numbers.repeat_interleave(9).repeat(n)}


def _extremes(x):
    x = torch.cat([x.new_tensor([1.0]), x])
    return x.cummax(0), x.cummin(0), (x > 0).cummax(0), (x < 0).cummin(0)


cases(
    special,
    floor=lambda x, y: (x // y, torch.div(x, y, rounding_mode="floor"), x // 0.0, x // INF),
    remainder=lambda x, y: x % y,
    sign=lambda x, y: (x.sign(), x.sgn()),
    hypot=lambda x, y: torch.hypot(x, y),
    lgamma=lambda x, y: torch.lgamma(x),
    lerp=lambda x, y: (
        torch.lerp(x * 1e8, y, 1.0), torch.lerp(x, y, 0.25), torch.lerp(x, x + 1, 1 / (2 + y * y)),
    ),
    running=lambda x, y: _extremes(x),
    truth=lambda x, y: (torch.any(x[None] > 0, dim=()), torch.all(x > 0, dim=0)),
    powers=lambda x, y: (
        torch.log2(2.0 ** (x.cumsum(0) * 0 + torch.arange(x.shape[0]) - 40)),
        torch.exp2(x), torch.log2(x), torch.log10(x),
    ),
    whole=lambda x, y: (
        torch.log2(torch.exp2(torch.arange(-126.0, 128))).floor() + x[:1],
        torch.log10(torch.tensor([1e-3, 1e-2, 0.1, 10.0, 1e3, 1e4, 1e5, 1e9])).floor() + x[:1],
        torch.exp2(torch.arange(-126.0, 128)).log2() + x[:1],
    ),
    erfc=lambda x, y: torch.erfc(torch.arange(-3, 9.0)).log() + x[:1],
    erfc_wide=lambda x, y: torch.erfc(torch.arange(-9, 27.0, dtype=torch.float64) / 2).log() + x[:1],
    max_indices=lambda x, y: (
        F.max_pool1d(x[None, None], 3, return_indices=True),
        F.max_pool2d(x[None, None].unflatten(2, (-1, 9)), (3, 2), 2, return_indices=True),
        F.adaptive_max_pool2d(x[None, None].unflatten(2, (-1, 9)), (5, 4), return_indices=True),
    ),
    means=lambda x, y: (
        F.adaptive_avg_pool1d(x.nan_to_num(INF)[None], 40), F.adaptive_avg_pool1d(x[:7][None], 40),
    ),
    filtered=lambda x, y: F.interpolate(
        x[None, None].unflatten(2, (9, -1)), size=(5, 4), mode="bilinear", antialias=True
    ),
)  # fmt: skip


# ----------------------------------------------------------------------------
# Integers
# ----------------------------------------------------------------------------


@family("bytes", [(5,), (1,), (0,)], {"u": {0: "count"}, "i": {0: "count"}})
def bytes_(n):
    bytes_ = torch.tensor([0, 1, 200, 255, 44], dtype=torch.uint8)[:n]
    return {"u": bytes_, "i": torch.tensor([0, -5, 1, 2**31 - 1, 7], dtype=torch.int32)[:n]}


def _square(u):
    return torch.cat([u, u + 90, 255 - u, u.new_tensor([255, 10])])[None, None, None].repeat(
        1, 6, 3, 1
    )


cases(
    bytes_,
    arithmetic=lambda u, i: (u + (-1), u * -1, -1 - u, u - 300, u & -2, u % -3, i + 2**40),
    comparisons=lambda u, i: (u > -1, u < 300, u == 256, i < 2**40, i == 2**32, torch.isin(u, 300)),
    clamp=lambda u, i: (u.clamp(-1, 5), u.clamp(2, 300), i.clamp(max=2**40), F.hardtanh(u, -1, 5)),
    filled=lambda u, i: (torch.full_like(u, -1), u.masked_fill(u > 3, -1), u.scatter(0, (i * 0).long(), -1)),
    truth=lambda u, i: (u.any(), u.all(0), torch.any(u[None], dim=()), i.any()),
    resized=lambda u, i: (
        F.interpolate(_square(u), size=(7, 13), mode="bilinear"),
        F.interpolate(_square(u), size=(9, 5), mode="bicubic"),
    ),
    line=lambda u, i: (
        torch.linspace(0, 10, 5, dtype=torch.int64), torch.linspace(10, -3, 6, dtype=torch.int32),
        torch.linspace(0, u.shape[0] + 2, 4), torch.linspace(u.shape[0], 2.5, 1),
    ),
)  # fmt: skip


# ----------------------------------------------------------------------------
# Sizes
# ----------------------------------------------------------------------------


@family("shapes", [(3, 5), (2, 1), (1, 4)], {"x": {0: "rows", 1: "columns"}})
def shapes(n, m):
    return {"x": floats(n, m, 6)}


shapes.up = torch.nn.ConvTranspose2d(1, 2, 3, stride=2)
shapes.up1d = torch.nn.ConvTranspose1d(6, 2, 3, padding=1)
shapes.cases["up"] = lambda self, x: (self.up(x[:1]), self.up1d(x[0].t()))


def _attention(x):
    """Queries, keys and values whose batches and heads broadcast."""
    q, k, v = x[:1, None, :, :4], x[:, None, :, 2:], x[:, None].expand(-1, 3, -1, -1)
    return F.scaled_dot_product_attention(q, k, v[..., :4])


def _scalars(x):
    """Scatters and gathers of scalars."""
    s, i = x[0, 0, 0], torch.tensor(0)
    return (
        s.scatter(0, i, 5.0), s.scatter_add(0, i[None], x[0, 0, 1:2]), s.scatter(0, i[None], s + 1),
        s.scatter_reduce(0, i, s + 2, "amax"), x[0, 0].scatter(0, i, 2.0), x[0, 0].gather(0, i),
        F.prelu(s - 9, x[0, 0, :1]),
    )  # fmt: skip


cases(
    shapes,
    attention=_attention,
    scalars=_scalars,
    instance_norm=lambda x: F.instance_norm(x),
    chosen=lambda x: torch.bmm(x[x[:, :, 0].argmax(0)], x[0, :, :, None]),
    strided=lambda x: (
        x.flatten()[1:].as_strided((2,), (1,), 1), x.flatten()[2:].as_strided((2, 2), (1, 1)),
        x.flatten()[1:].as_strided((2,), (3,), 2),
    ),
    crop=lambda x: (
        F.pad(x, (-1, 2), mode="circular"), F.pad(x, (3, -2), mode="circular"),
        F.pad(x, (-1, 2), mode="reflect"), F.pad(x, (-2, -1), mode="replicate"),
    ),
    squeezed=lambda x: (x[:, None].squeeze(1), x[:1, :1].squeeze((0, 1))),
)  # fmt: skip
