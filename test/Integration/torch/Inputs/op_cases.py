# ===- op_cases.py - Operators to compare with eager PyTorch ---------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of ATen by family: each family is one module, which is compiled once and
returns each operator's result by name.

A case is a function of the family's inputs; its name is that of its result.
"""

import functools

import torch
import torch.nn.functional as F

_FAMILIES = {}


class Family(torch.nn.Module):
    """Operators on the same inputs."""

    def __init__(self, inputs, shapes, dynamic):
        super().__init__()
        #: Maps a shape (a tuple of sizes) to the inputs by name.
        self.inputs = inputs
        self.shapes = shapes
        self.dynamic = dynamic
        self.cases = {}

    def forward(self, **inputs):
        return {name: case(self, **inputs) for name, case in self.cases.items()}


def family(name, shapes, dynamic):
    """Declares a family; decorates the function that makes its inputs."""

    def declare(inputs):
        _FAMILIES[name] = Family(inputs, shapes, dynamic)
        return _FAMILIES[name]

    return declare


def families():
    return _FAMILIES


def cases(owner, **functions):
    """Adds cases that do not use the module."""
    for name, function in functions.items():
        owner.cases[name] = lambda self, _function=function, **inputs: _function(**inputs)


SIZES = [(3, 7), (1, 1), (1, 5), (13, 1), (2, 31), (0, 3), (4, 0)]
NOT_EMPTY = [size for size in SIZES if 0 not in size]
ROWS = {0: "rows", 1: "columns"}


def floats(*sizes, low=-3.0, high=3.0):
    return torch.rand(sizes) * (high - low) + low


# ----------------------------------------------------------------------------
# Elementwise
# ----------------------------------------------------------------------------


@family("unary", SIZES, {"x": ROWS, "p": ROWS, "i": ROWS, "u": ROWS})
def unary(n, m):
    return {
        "x": floats(n, m),
        "p": floats(n, m, low=0.1, high=0.9),
        "i": torch.randint(-5, 5, (n, m)),
        "u": floats(n, m, low=1.0),
    }


for _name in [
    "sin",
    "cos",
    "tan",
    "exp",
    "expm1",
    "sigmoid",
    "tanh",
    "erf",
    "sinh",
    "cosh",
    "asinh",
    "atan",
    "abs",
    "neg",
    "sign",
    "floor",
    "ceil",
    "round",
    "trunc",
    "frac",
    "square",
    "erfc",
    "exp2",
]:
    cases(unary, **{_name: lambda x, _f=getattr(torch, _name), **_: _f(x)})
for _name in [
    "log",
    "log1p",
    "log2",
    "log10",
    "sqrt",
    "rsqrt",
    "reciprocal",
    "acos",
    "asin",
    "atanh",
]:
    cases(unary, **{_name: lambda p, _f=getattr(torch, _name), **_: _f(p)})
for _name in ["abs", "neg", "sign", "floor", "bitwise_not", "sin", "sigmoid"]:
    cases(unary, **{f"int_{_name}": lambda i, _f=getattr(torch, _name), **_: _f(i)})
cases(
    unary,
    acosh=lambda u, **_: torch.acosh(u.abs() + 1),
    logical_not=lambda i, **_: torch.logical_not(i),
    isnan=lambda x, **_: torch.isnan(x.log()),
    isinf=lambda x, **_: torch.isinf(1 / x.floor()),
    isfinite=lambda x, **_: torch.isfinite(1 / x.floor()),
    erfinv=lambda x, **_: torch.erfinv(x / 3.01),
    erfinv_wide=lambda x, **_: torch.erfinv(x.double() / 2.5),
    erfinv_ends=lambda i, **_: torch.erfinv(i / 4),
    lgamma=lambda x, **_: torch.lgamma(x * 4),
    lgamma_wide=lambda x, **_: torch.lgamma(x.double().abs() * 50),
    lgamma_poles=lambda i, **_: torch.lgamma(i / 2),
    digamma=lambda x, **_: torch.digamma(x.abs() * 4 + 0.01),
    digamma_wide=lambda x, **_: torch.digamma(x.double() * 3),
    digamma_poles=lambda i, **_: torch.digamma(i / 2),
    signbit=lambda x, **_: torch.signbit(x.round() * 0.0),
    signbit_int=lambda i, **_: torch.signbit(i),
    copysign=lambda x, u, **_: torch.copysign(u, x) + torch.copysign(x, -2.0),
    hypot=lambda x, u, **_: torch.hypot(x * 1e25, u * 1e25) + torch.hypot(x - x, x - x),
    strided=lambda x, **_: (x * 2).as_strided((x.shape[1], x.shape[0]), (1, x.shape[1])),
    int_isfinite=lambda i, **_: torch.isfinite(i),
)


@family("activations", SIZES, {"x": ROWS})
def activations(n, m):
    return {"x": floats(n, m, low=-30.0, high=30.0)}


for _name in [
    "relu",
    "gelu",
    "silu",
    "mish",
    "softplus",
    "hardtanh",
    "relu6",
    "hardsigmoid",
    "hardswish",
    "leaky_relu",
    "rrelu",
    "elu",
    "selu",
    "celu",
    "logsigmoid",
    "softsign",
    "tanhshrink",
]:
    cases(activations, **{_name: lambda x, _f=getattr(F, _name): _f(x)})
cases(
    activations,
    gelu_tanh=lambda x: F.gelu(x, approximate="tanh"),
    softplus_beta=lambda x: F.softplus(x, 2.0, 5.0),
    elu_alpha=lambda x: F.elu(x, 0.5),
    hardtanh_bounds=lambda x: F.hardtanh(x, -2.0, 0.5),
    prelu=lambda x: F.prelu(x, torch.full((1,), 0.2)),
    glu=lambda x: F.glu(torch.cat([x, x + 1], 1)),
    softmax=lambda x: torch.softmax(x, -1),
    softmax_0=lambda x: torch.softmax(x, 0),
    softmax_type=lambda x: torch.softmax(x.to(torch.bfloat16), 1, dtype=torch.float32),
    log_softmax=lambda x: torch.log_softmax(x, -1),
    softmax_scalar=lambda x: torch.softmax(torch.ones(()), 0),
)


@family("binary", SIZES, {"x": ROWS, "y": ROWS, "row": {0: "columns"}, "i": ROWS, "j": ROWS,
                          "b": ROWS})  # fmt: skip
def binary(n, m):
    return {
        "x": floats(n, m),
        "y": floats(n, m, low=0.5),
        "row": floats(m, low=0.5),
        "i": torch.randint(-9, 9, (n, m)),
        "j": torch.randint(1, 5, (n, m), dtype=torch.int32),
        "b": torch.rand(n, m) > 0.5,
    }


for _name in [
    "add",
    "sub",
    "mul",
    "div",
    "maximum",
    "minimum",
    "fmod",
    "remainder",
    "atan2",
    "floor_divide",
]:
    cases(binary, **{_name: lambda x, y, _f=getattr(torch, _name), **_: _f(x, y)})
for _name in ["add", "sub", "mul", "div", "remainder", "floor_divide", "fmod", "maximum"]:
    cases(binary, **{f"int_{_name}": lambda i, j, _f=getattr(torch, _name), **_: _f(i, j)})
for _name in ["eq", "ne", "lt", "le", "gt", "ge"]:
    _f = getattr(torch, _name)
    cases(
        binary,
        **{
            _name: lambda x, y, _f=_f, **_: _f(x, y),
            f"{_name}_scalar": lambda i, _f=_f, **_: _f(i, 2),
            f"{_name}_mixed": lambda x, j, _f=_f, **_: _f(x, j),
            f"{_name}_half": lambda i, _f=_f, **_: _f(i, 1.5),
        },
    )
cases(
    binary,
    row=lambda x, row, **_: x + row,
    scalar=lambda x, **_: 2 - x * 3 + 1.5,
    int_scalar=lambda i, **_: i * 2.5,
    promoted=lambda x, j, **_: x * j,
    alpha=lambda x, y, **_: torch.add(x, y, alpha=0.5) + torch.sub(x, y, alpha=2),
    rsub=lambda x, y, **_: torch.rsub(x, y, alpha=3),
    bool_add=lambda b, i, **_: (b + (i > 0), b * (i > 0), b + i),
    truths=lambda b, i, **_: (
        torch.add(b, i > 0, alpha=True),
        torch.square(b),
        b.clamp_min(i > 0),
        torch.clamp_max(i > 0, b),
        torch.fmax(b, i > 0),
        torch.sign(b),
        torch.sgn(b),
    ),
    int_true_div=lambda i, j, **_: i / j,
    div_floor=lambda i, j, **_: torch.div(i, j, rounding_mode="floor"),
    div_trunc=lambda i, j, **_: torch.div(i, j, rounding_mode="trunc"),
    div_floor_float=lambda x, y, **_: torch.div(x, y, rounding_mode="floor"),
    div_trunc_float=lambda x, y, **_: torch.div(x, y, rounding_mode="trunc"),
    negative_divisor=lambda i, j, **_: (i // -j, i % -j, torch.fmod(i, -j)),
    pow_2=lambda x, **_: x**2,
    pow_3=lambda x, **_: x**3,
    pow_half=lambda y, **_: y**0.5,
    pow_minus_half=lambda y, **_: y**-0.5,
    pow_minus_1=lambda x, **_: x**-1,
    pow_other=lambda y, **_: y**1.7,
    pow_tensor=lambda y, x, **_: y**x,
    pow_scalar=lambda x, **_: 2.0**x,
    pow_int=lambda i, **_: i**2,
    decimals=lambda x, **_: (x.round(decimals=1), (90 * x).round(decimals=-1)),
    logic=lambda b, x, **_: (b & (x > 0), b | (x > 0), b ^ (x > 0), torch.logical_xor(b, x)),
    bits=lambda i, **_: (i & 3, i | 8, i ^ 5),
    shifts=lambda i, j, **_: (i << j.long(), i >> j.long()),
    where=lambda b, x, y, **_: torch.where(b, x, y),
    where_scalar=lambda b, x, **_: torch.where(b, x, 0.0),
    where_left=lambda b, x, **_: torch.where(b, 0.0, x),
    where_numbers=lambda b, **_: torch.where(b, 1.5, -2.0),
    where_promoted=lambda b, x, i, **_: torch.where(b, x, i),
    masked_fill=lambda b, x, **_: x.masked_fill(b, -1e9),
    masked_fill_min=lambda b, x, **_: x.masked_fill(b, torch.finfo(torch.float32).min),
    masked_fill_inf=lambda b, x, **_: x.masked_fill(b, float("-inf")),
    least=lambda x, y, **_: (torch.min(x, y), torch.max(x, y)),
    clamp=lambda x, **_: x.clamp(-1, 1),
    clamp_low=lambda x, **_: x.clamp(min=0.5),
    clamp_tensor=lambda x, y, **_: x.clamp(max=y),
    clamp_crossed=lambda x, **_: x.clamp(2, 1),
    clamp_int=lambda i, **_: i.clamp(-2, 3),
    addcmul=lambda x, y, **_: torch.addcmul(x, x, y, value=0.5),
    addcdiv=lambda x, y, **_: torch.addcdiv(x, x, y, value=0.5),
    lerp=lambda x, y, **_: torch.lerp(x, y, 0.3),
    casts=lambda x, i, b, **_: (x.to(torch.int32), i.float(), b.long(), i.bool(), x.double()),
    cast_far=lambda x, **_: (
        (x.sign() * 1e30).to(torch.int32) * 0,
        (0 * x.log()).to(torch.int64) * 0,
    ),
    half=lambda x, **_: (x.half() + 1, x.bfloat16() * 2),
    copy=lambda x, i, **_: torch.ops.aten.copy(x, i),
)


# ----------------------------------------------------------------------------
# Movement
# ----------------------------------------------------------------------------


def _assigned(x, i):
    """Assigns to parts of a new tensor from others of their size and of smaller ones."""
    y = x.new_empty(x.shape[0], 6, x.shape[2])
    y[:, :4] = x
    y[:, 4:].copy_(i[:, None, None])
    y[:, 5] = 7
    return y


@family("movement", SIZES, {"x": {0: "rows", 2: "columns"}, "i": {0: "rows"}})
def movement(n, m):
    return {"x": floats(n, 4, m), "i": torch.randint(0, 9, (n,))}


cases(
    movement,
    view=lambda x, **_: x.view(x.shape[0], 4 * x.shape[2]),
    reshape=lambda x, **_: x.reshape(-1, 2),
    flatten=lambda x, **_: x.flatten(),
    unflatten=lambda x, **_: x.unflatten(1, (2, 2)),
    permute=lambda x, **_: x.permute(2, 0, 1),
    transpose=lambda x, **_: x.transpose(-1, -2).contiguous(),
    unsqueeze=lambda x, **_: x.unsqueeze(-1).unsqueeze(0),
    squeeze=lambda x, **_: x.unsqueeze(1).squeeze(1),
    expand_as=lambda x, i, **_: i[:, None, None].expand_as(x),
    expand=lambda x, **_: x.unsqueeze(1).expand(-1, 3, -1, -1),
    repeat=lambda x, **_: x.repeat(2, 1, 3),
    repeat_more=lambda x, **_: x.repeat(2, 1, 1, 2),
    repeat_interleave=lambda x, **_: x.repeat_interleave(3, dim=1),
    tile=lambda x, **_: x.tile(2),
    flat_pairs=lambda x, **_: x.transpose(1, 2).reshape(-1, 2),
    flip=lambda x, **_: x.flip(0, -1),
    roll=lambda x, **_: x.roll(1, 1),
    roll_back=lambda x, **_: x.roll((-3, 2), (1, 1)),
    roll_dynamic=lambda x, **_: (x.roll((1, -2), (0, 2)), x.roll(5, 2), x.roll(-3)),
    roll_half=lambda x, **_: (x.roll(x.shape[2] // 2, 2), x.roll(-((x.shape[0] + 1) // 2), 0)),
    slice=lambda x, **_: x[:, 1:3],
    slice_step=lambda x, **_: x[:, ::2],
    slice_last=lambda x, **_: x[:, -2:],
    slice_to=lambda x, **_: x[:, :-1],
    slice_far=lambda x, **_: x[:, 2:100],
    select=lambda x, **_: x[:, 1],
    select_last=lambda x, **_: x[:, -1],
    split=lambda x, **_: x.split(3, 1),
    split_sizes=lambda x, **_: x.split([1, 3], 1),
    chunk=lambda x, **_: x.chunk(2, 1),
    unbind=lambda x, **_: x.unbind(1),
    narrow=lambda x, **_: x.narrow(1, 1, 2),
    cat=lambda x, **_: torch.cat([x, x + 1, x], -1),
    cat_empty=lambda x, **_: torch.cat([torch.zeros(0), x.flatten()]),
    stack=lambda x, **_: torch.stack([x, -x], 1),
    pad=lambda x, **_: F.pad(x, (1, 2)),
    pad_value=lambda x, **_: F.pad(x, (0, 0, 2, 1), value=7.0),
    pad_cut=lambda x, **_: F.pad(x, (0, 0, -1, 1)),
    pixel_shuffle=lambda x, **_: F.pixel_shuffle(x.unsqueeze(-1), 2),
    tril=lambda x, **_: (x.tril(), x.tril(-1), x.triu(), x.triu(1)),
    unfold=lambda x, **_: x.unfold(1, 2, 1),
    movedim=lambda x, **_: x.movedim(0, 2),
    clone=lambda x, **_: x.clone().detach(),
    slice_scatter=lambda x, **_: x.slice_scatter(x[:, :2] + 1, 1, 2, 4),
    slice_scatter_first=lambda x, **_: x.slice_scatter(x[:, :2] + 1, 1, 0, 2),
    slice_scatter_inner=lambda x, **_: x.slice_scatter(x[:, :2] + 1, 1, 1, -1),
    slice_scatter_all=lambda x, **_: x.slice_scatter(x + 1, 0),
    slice_scatter_step=lambda x, **_: x.slice_scatter(x[:, :2] + 1, 1, 0, 4, 2),
    assign=lambda x, i, **_: _assigned(x, i),
    select_scatter=lambda x, **_: x.select_scatter(x[:, 0] + 1, 1, -1),
)


@family("borders", NOT_EMPTY, {"x": {0: "rows"}})
def borders(n, m):
    return {"x": floats(n, 4, 5)}


cases(
    borders,
    pad_edge=lambda x, **_: F.pad(x.transpose(1, 2), (2, 1), mode="replicate"),
    pad_reflect=lambda x, **_: F.pad(x.transpose(1, 2), (2, 1), mode="reflect"),
    pad_wrap=lambda x, **_: F.pad(x.transpose(1, 2), (2, 1), mode="circular"),
    diagonal=lambda x: (x.diagonal(0, 1, 2), x.diagonal(1, 1, 2), x.diagonal(-2, 1, 2)),
    pixel_unshuffle=lambda x: F.pixel_unshuffle(x[:, :, :4].unsqueeze(1), 2),
    cat_types=lambda x: torch.cat([x, x.bfloat16(), x.long()]),
)


@family("creation", NOT_EMPTY, {"x": ROWS})
def creation(n, m):
    return {"x": floats(n, m)}


cases(
    creation,
    arange=lambda x: torch.arange(x.shape[1]),
    arange_start=lambda x: torch.arange(2, x.shape[1] + 2),
    arange_step=lambda x: torch.arange(0, 2 * x.shape[0], 2, dtype=torch.float32),
    arange_fraction=lambda x: torch.arange(0, 2, 0.25) + x[:1, :1],
    full=lambda x: torch.full((x.shape[0], 3), 2.5),
    full_like=lambda x: torch.full_like(x, -1),
    zeros=lambda x: torch.zeros(x.shape, dtype=torch.int64) + torch.zeros_like(x),
    ones=lambda x: x.new_ones(x.shape[1]) + torch.ones_like(x),
    new_zeros=lambda x: x.new_zeros(2, x.shape[0]) + x.new_full((1, 1), 3.0),
    eye=lambda x: torch.eye(4) * x[:1, :1],
    linspace=lambda x: torch.linspace(-1, 1, 7) * x[:1, :1],
    size=lambda x: x * x.shape[0] + x.shape[1],
    size_float=lambda x: x / (x.shape[1] ** 0.5),
    tensor=lambda x: x + torch.tensor([1.0, 2.0, 3.0]).sum(),
    linspace_1=lambda x: torch.linspace(3, 5, 1) * x[:1, :1],
    one_hot=lambda x: F.one_hot((x[:, 0] > 0).long(), 3),
    numel=lambda x: torch.tensor(1.0) * x.numel(),
)


# ----------------------------------------------------------------------------
# Reductions and contractions
# ----------------------------------------------------------------------------


@family("reductions", NOT_EMPTY, {"x": {0: "rows", 2: "columns"}, "i": ROWS, "b": ROWS})
def reductions(n, m):
    return {
        "x": floats(n, 4, m),
        "i": torch.randint(-9, 9, (n, m)),
        "b": torch.rand(n, m) > 0.3,
    }


cases(
    reductions,
    sum=lambda x, **_: (x.sum(), x.sum(-1), x.sum((0, 2), keepdim=True)),
    sum_int=lambda i, b, **_: (i.sum(1), b.sum(0), i.to(torch.int32).sum()),
    sum_type=lambda i, **_: i.sum(1, dtype=torch.float32),
    mean=lambda x, **_: (x.mean(), x.mean(-1, keepdim=True), x.mean((1, 2))),
    prod=lambda x, **_: x.prod(1),
    amax=lambda x, **_: (x.amax(1), x.amin((0, 2), keepdim=True), x.amax()),
    max=lambda x, i, **_: (x.max(), x.min(), i.max()),
    max_dim=lambda x, **_: x.max(1)[0] + x.max(1)[1] + x.min(1).values + x.min(1).indices,
    argmax=lambda x, **_: (x.argmax(-1), x.argmin(1, keepdim=True), x.argmax()),
    any=lambda b, x, **_: (b.any(), b.any(1), b.all(0), b.all(), (x > 2).any(1)),
    var=lambda x, **_: (
        x.var(1),
        x.std(1, unbiased=False),
        x.var((1,), correction=0, keepdim=True),
    ),
    var_mean=lambda x, **_: torch.var_mean(x, 1),
    norm=lambda x, **_: (x.norm(dim=1), x.norm(1, dim=-1), x.norm(float("inf"), dim=1)),
    norm_3=lambda x, **_: torch.linalg.vector_norm(x, 3, dim=1),
    normalize=lambda x, **_: F.normalize(x, dim=1),
    logsumexp=lambda x, **_: (x.logsumexp(1), x.logsumexp((1, 2), keepdim=True)),
    logcumsumexp=lambda x, **_: (
        x.logcumsumexp(1),
        (x * 300).logcumsumexp(0),
        x.log().nan_to_num(-torch.inf).logcumsumexp(2),
    ),
    cumsum=lambda x, i, b, **_: (
        x.cumsum(1),
        i.cumsum(1),
        b.cumsum(0),
        i.cumsum(0, dtype=torch.int32),
    ),
    cumprod=lambda x, **_: x.cumprod(1),
    running_extremes=lambda x, i, **_: (*x.cummax(1), *x.round().cummin(0), *i.cummin(-1)),
    sort=lambda x, i, **_: (*x.sort(1), *torch.sort(i, dim=1, descending=True, stable=True)),
    argsort=lambda x, **_: x.argsort(1),
    topk=lambda x, **_: (*x.topk(2, 1), *x.topk(3, 1, largest=False)),
    histc=lambda i, **_: torch.histc(i.float(), 5, 0, 8),
)


@family("matmuls", SIZES, {"x": {0: "batch", 1: "rows"}, "y": {0: "batch", 2: "rows"},
                            "v": None})  # fmt: skip
def matmuls(n, m):
    return {"x": floats(n, m, 8), "y": floats(n, 8, m), "v": floats(8)}


matmuls.weight = torch.nn.Parameter(floats(5, 8))
matmuls.bias = torch.nn.Parameter(floats(5))
matmuls.layer = torch.nn.Linear(8, 3)
matmuls.scale = torch.nn.Parameter(floats(8))
matmuls.cases.update(
    linear=lambda self, x, **_: self.layer(x),
    linear_plain=lambda self, x, **_: F.linear(x, self.weight),
    linear_vector=lambda self, v, **_: F.linear(v, self.weight, self.bias),
    addmm=lambda self, x, **_: torch.addmm(self.bias, x.view(-1, 8), self.weight.t()),
    addmm_scaled=lambda self, x, **_: torch.addmm(
        self.bias, x.view(-1, 8), self.weight.t(), beta=0.5, alpha=2
    ),
    layer_norm=lambda self, x, **_: F.layer_norm(x, (8,), self.scale, self.scale),
    layer_norm_plain=lambda self, x, **_: F.layer_norm(x, (8,)),
    rms_norm=lambda self, x, **_: F.rms_norm(x, (8,), self.scale, 1e-6),
    rms_norm_plain=lambda self, x, **_: F.rms_norm(x, (8,)),
    embedding=lambda self, x, **_: F.embedding(x[..., 0].abs().long(), self.weight),
)
cases(
    matmuls,
    bmm=lambda x, y, **_: torch.bmm(x, y),
    matmul=lambda x, y, **_: x @ y,
    matmul_broadcast=lambda x, **_: x @ torch.ones(3, 1, 8, 2),
    matmul_vector=lambda x, v, **_: x @ v,
    vector_matmul=lambda y, v, **_: v @ y,
    mm=lambda x, **_: x.view(-1, 8) @ x.view(-1, 8).t(),
    dot=lambda v, **_: v.dot(v),
    mv=lambda x, v, **_: torch.mv(x.view(-1, 8), v),
    addbmm=lambda x, y, **_: torch.addbmm(torch.ones(1), x, y, beta=2, alpha=0.5),
    baddbmm=lambda x, y, **_: torch.baddbmm(torch.ones(1), x, y, beta=2, alpha=0.5),
    einsum=lambda x, y, **_: torch.einsum("brk,bks->brs", x, y),
    outer=lambda v, **_: torch.outer(v, v),
)


# ----------------------------------------------------------------------------
# Indices
# ----------------------------------------------------------------------------


@family("indexing", NOT_EMPTY, {"x": {0: "rows"}, "i": {0: "count"}, "j": {0: "count"}, "v": {0: "count"},
                                "g": ROWS})  # fmt: skip
def indexing(n, m):
    return {
        "x": floats(n, 4, 5),
        "i": torch.randint(0, n, (m,)),
        "j": torch.randint(-4, 4, (m,)),
        "v": torch.arange(m, dtype=torch.float32) / 4,
        "g": torch.randint(0, 4, (n, m)),
    }


def _distinct(x):
    """A permutation of the rows: writes to equal indices have no order."""
    return torch.arange(x.shape[0]).flip(0)


cases(
    indexing,
    rows=lambda x, i, **_: x[i],
    columns=lambda x, j, **_: x[:, j],
    pairs=lambda x, i, j, **_: x[i, j],
    apart=lambda x, i, j, **_: x[i, :, j],
    inner=lambda x, j, **_: x[:, j, j],
    broadcast=lambda x, i, j, **_: x[i[:, None], j[None, :]],
    scalars=lambda x, i, **_: x[i, 1],
    index_select=lambda x, i, **_: x.index_select(0, i),
    gather=lambda x, g, **_: x[:, :, 0].gather(1, g),
    take_along=lambda x, **_: x.gather(1, x.argsort(1)),
    put=lambda x, **_: x.index_put((_distinct(x),), x + 1),
    put_columns=lambda x, **_: torch.ops.aten.index_put(
        x, [None, torch.tensor([1, 3])], torch.tensor(9.0)
    ),
    put_add=lambda x, i, v, **_: x[:, 0, 0].index_put((i,), v, accumulate=True),
    put_rows=lambda x, i, **_: x.index_put((i, i % 4), torch.tensor(2.0)),
    put_mask=lambda x, **_: x.index_put((x > 0,), torch.tensor(0.0)),
    put_mask_add=lambda x, **_: x.index_put((x > 0,), torch.tensor(2.0), accumulate=True),
    put_mask_values=lambda x, **_: x.index_put((x > 0,), x[x > 0] * 2),
    put_mask_rows=lambda x, **_: x.index_put(
        (x[:, 0, 0] > 0,), x[x[:, 0, 0] > 0].exp(), accumulate=True
    ),
    put_mask_same=lambda x, **_: x.index_put((x[:, 0, 0] > 0,), torch.arange(5.0)),
    put_mask_columns=lambda x, **_: torch.ops.aten.index_put(
        x, [None, x.amax((0, 2)) > 1], torch.arange(5.0).expand(1, 1, 5)
    ),
    put_mask_inner=lambda x, **_: torch.ops.aten.index_put(
        x, [None, torch.tensor([True, False, True, True])], x[:, 1:, :] + 1
    ),
    scatter=lambda x, **_: x.scatter(1, x.argsort(1), x),
    scatter_value=lambda x, g, **_: x[:, :, 0].scatter(1, g, 5.0),
    scatter_add=lambda x, g, **_: x[:, :, 0].scatter_add(1, g, g.float()),
    scatter_reduce=lambda x, g, **_: x[:, :, 0].scatter_reduce(1, g, g.float(), "amax"),
    scatter_mean=lambda x, g, **_: x[:, :, 0].scatter_reduce(1, g, g.float(), "mean"),
    scatter_mean_ints=lambda g, **_: (g[:, :1] - 9).scatter_reduce(
        1, g * 0, g, "mean", include_self=False
    ),
    scatter_others=lambda x, g, **_: [
        x[:, :, 0].scatter_reduce(1, g, g.float() - 9, kind, include_self=False)
        for kind in ("sum", "mean", "prod", "amax", "amin")
    ],
    scatter_truths=lambda x, g, **_: [
        (x[:, :, 0] > 0).scatter_reduce(1, g, g % 2 > 0, kind, include_self=whole)
        for kind in ("sum", "prod", "amax", "amin")
        for whole in (True, False)
    ],
    put_truths=lambda x, i, **_: (x[:, 0, 0] > 0).index_put((i % x.shape[0],), i > 2, True),
    scatter_most=lambda g, **_: (g[:, :1] + 9).scatter_reduce(
        1, g * 0, g, "amax", include_self=False
    ),
    index_add=lambda x, i, v, **_: x[:, 0].index_add(0, i, v[:, None].expand(-1, 5), alpha=2),
    index_copy=lambda x, **_: x.index_copy(0, _distinct(x), x * 2),
)


@family(
    "bags", NOT_EMPTY, {"x": {0: "rows"}, "i": {0: "count"}, "w": {0: "count"}, "o": {0: "bags"}}
)
def bags(n, m):
    return {
        "x": floats(n, 4),
        "i": torch.randint(0, n, (m,)),
        "w": floats(m),
        # The first bag is empty.
        "o": torch.cat([torch.tensor([0]), torch.randint(0, m + 1, (n,))]).sort().values,
    }


def _bag(mode, **options):
    return lambda x, i, o, **_: F.embedding_bag(i, x, o, mode=mode, **options)


cases(
    bags,
    sum=_bag("sum"),
    mean=_bag("mean"),
    max=_bag("max"),
    last=lambda x, i, o, **_: F.embedding_bag(
        i, x, torch.cat([o, torch.tensor([i.shape[0]])]), include_last_offset=True
    ),
    weighted=lambda x, i, w, o: F.embedding_bag(i, x, o, mode="sum", per_sample_weights=w),
)


@family("repeats", SIZES, {"x": ROWS, "n": {0: "rows"}, "k": {0: "columns"}})
def repeats(n, m):
    return {"x": floats(n, m), "n": torch.randint(0, 4, (n,)), "k": torch.arange(m).int()}


cases(
    repeats,
    rows=lambda x, n, **_: x.repeat_interleave(n, 0),
    columns=lambda x, k, **_: x.repeat_interleave(k, 1),
    known=lambda x, n, **_: x.repeat_interleave(n * 0 + 2, 0, output_size=2 * x.shape[0]),
)


@family("masks", [(3, 7), (1, 1), (2, 31)], {"x": ROWS})
def masks(n, m):
    return {"x": floats(n, m)}


cases(
    masks,
    nonzero=lambda x: (x > 0).nonzero(),
    chosen=lambda x: x[x > 0],
    rows=lambda x: x[(x > 0).any(1)],
)


# ----------------------------------------------------------------------------
# Searches, sets and selections
# ----------------------------------------------------------------------------


@family("search", NOT_EMPTY, {"x": ROWS, "n": ROWS, "i": ROWS, "q": {0: "rows"}})
def search(n, m):
    x = floats(n, m)
    holes = torch.where(floats(n, m) > 2, float("nan"), x)
    return {"x": x, "n": holes, "i": torch.randint(-5, 5, (n, m)), "q": floats(n, 3)}


_EDGES = torch.tensor([-2.0, -0.5, -0.5, 0.0, 1.5])
cases(
    search,
    bucketize=lambda n, **_: torch.bucketize(n, _EDGES),
    bucketize_right=lambda i, **_: torch.bucketize(i, _EDGES.long(), right=True),
    bucketize_int32=lambda x, **_: torch.bucketize(x, _EDGES, out_int32=True),
    bucketize_number=lambda **_: torch.bucketize(-0.5, _EDGES),
    searchsorted=lambda x, q, **_: torch.searchsorted(x.sort(1).values, q),
    searchsorted_side=lambda x, **_: torch.searchsorted(_EDGES, x, side="right"),
    searchsorted_sorter=lambda x, q, **_: torch.searchsorted(x, q, sorter=x.argsort(1)),
    kthvalue=lambda i, **_: i.kthvalue(1, 0).values,
    kthvalue_keepdim=lambda n, **_: n.kthvalue(1, 1, keepdim=True),
    median=lambda n, **_: n.median(),
    median_rows=lambda n, **_: n.median(1),
    median_columns=lambda x, **_: x.median(0, keepdim=True),
    median_ints=lambda i, **_: i.median(1).values,
    isin=lambda i, **_: torch.isin(i, torch.tensor([-1, 0, 3])),
    isin_rows=lambda i, **_: torch.isin(i, i[:1] + 1, invert=True),
    isin_number=lambda i, **_: torch.isin(i, 2),
    isin_of_number=lambda i, **_: torch.isin(2, i),
    fmax=lambda x, n, **_: torch.fmax(n, x.flip(1)),
    fmin=lambda x, n, **_: torch.fmin(x.flip(0), n),
)


@family("sets", [(3, 7), (1, 1), (13, 2), (0, 3)], {"i": {0: "rows"}})
def sets(n, m):
    """The number of elements of results is data-dependent."""
    return {"i": torch.randint(0, 6, (n, 2))}


cases(
    sets,
    unique=lambda i: torch.unique(i),
    unique_all=lambda i: torch.unique(i.double(), return_inverse=True, return_counts=True),
    runs=lambda i: torch.unique_consecutive(i, return_inverse=True, return_counts=True),
    bincount=lambda i: torch.bincount(i.flatten()),
    bincount_least=lambda i: torch.bincount(i[:, 0], minlength=9),
    bincount_sums=lambda i: torch.bincount(i[:, 0], weights=i[:, 1] / 2.0).double(),
)


@family("selections", SIZES, {"x": ROWS, "s": ROWS})
def selections(n, m):
    return {"x": floats(n, m), "s": floats(n, m)}


def _kept(x, y, mask):
    """Elements of several tensors that one mask keeps."""
    return x[mask], y[mask] + x[mask]


cases(
    selections,
    masked_select=lambda x, s: torch.masked_select(x, s > 0),
    masks_again=lambda x, s: _kept(x, s, s > 0) + _kept(s, x, (s > 0).any(1)),
    nonzero_static=lambda x, s: torch.nonzero_static(s > 0, size=9, fill_value=7),
    masked_select_row=lambda x, s: torch.masked_select(x, torch.ones(1, 1, dtype=torch.bool)),
    masked_scatter=lambda x, s: x.masked_scatter(s > 0, s),
    masked_scatter_rows=lambda x, s: x.masked_scatter((s > 0).any(1, keepdim=True), s),
    cdist=lambda x, s: torch.cdist(x, s),
    cdist_1=lambda x, s: torch.cdist(x[None], s[None], p=1.0),
    cdist_0=lambda x, s: torch.cdist(x.round(), s.round(), p=0.0),
    cdist_3=lambda x, s: torch.cdist(x, s, p=3.0),
    arange_whole=lambda **_: torch.arange(0, 7, 2.0, dtype=torch.int64),
    arange_down=lambda x, **_: torch.arange(x.shape[0], -x.shape[0], -1.0),
    triangle=lambda **_: torch.tril_indices(4, 3),
    triangle_up=lambda **_: torch.triu_indices(3, 4, offset=1),
)


@family("cuts", [(7, 3), (9, 1), (12, 5)], {"x": ROWS, "n": None})
def cuts(n, m):
    return {"x": floats(n, m), "n": torch.tensor(n % 4)}


cases(
    cuts,
    front=lambda x, n: x[:n] * 2,
    back=lambda x, n: x[n:] + 1,
    middle=lambda x, n: x[5 - n : 5 + n].sum(0),
    beyond=lambda x, n: x[:, n : n + 2],
    strides=lambda x, n: x[n::2],
)


# ----------------------------------------------------------------------------
# Attention and recurrence
# ----------------------------------------------------------------------------


@family("attention", NOT_EMPTY, {"q": {0: "batch", 2: "queries"}, "k": {0: "batch", 2: "keys"},
                                 "m": {0: "batch", 1: "keys"}})  # fmt: skip
def attention(n, m):
    return {
        "q": floats(n, 4, m, 8),
        "k": floats(n, 4, 2 * m + 1, 8),
        "m": torch.arange(2 * m + 1) <= torch.randint(0, 2 * m + 1, (n, 1)),
    }


_attend = F.scaled_dot_product_attention
cases(
    attention,
    plain=lambda q, k, **_: _attend(q, k, k),
    scaled=lambda q, k, **_: _attend(q, k, k, scale=0.3),
    masked=lambda q, k, m: _attend(q, k, k, attn_mask=m[:, None, None, :]),
    added=lambda q, k, m: _attend(q, k, k, attn_mask=m[:, None, None, :].float() * 3),
    causal=lambda q, **_: _attend(q, q, q, is_causal=True),
    causal_apart=lambda q, k, **_: _attend(q, k, k, is_causal=True),
    three_axes=lambda q, k, **_: _attend(q[:, 0], k[:, 0], k[:, 0]),
    grouped=lambda q, k, **_: _attend(q, k[:, :2], k[:, :2], enable_gqa=True),
    wider=lambda q, k, **_: _attend(q, k, torch.cat([k, k], -1)),
)


@family("groups", [(13, 4), (0, 0), (1, 1), (29, 7)], {"x": {0: "rows"}, "ends": None})
def groups(n, m):
    """The first group is empty, the last has all rows but m."""
    return {"x": floats(n, 8), "ends": torch.tensor([0, m // 2, m, n], dtype=torch.int32)}


groups.matrices = torch.nn.Parameter(floats(4, 8, 16))
groups.turned = torch.nn.Parameter(floats(4, 16, 8))
groups.cases.update(
    grouped=lambda self, x, ends: torch._grouped_mm(x, self.matrices, offs=ends),
    grouped_turned=lambda self, x, ends: torch._grouped_mm(
        x, self.turned.transpose(1, 2), offs=ends
    ),
    grouped_bf16=lambda self, x, ends: torch._grouped_mm(
        x.bfloat16(), self.matrices.bfloat16(), offs=ends
    ),
)


@family("bilinear", NOT_EMPTY, {"x": {0: "rows"}, "y": {0: "rows"}})
def bilinear(n, m):
    return {"x": floats(n, 3), "y": floats(n, 4)}


cases(bilinear, layer=lambda x, y: F.bilinear(x, y, torch.ones(5, 3, 4), torch.ones(5)))


@family("bytes", [(17, 3), (40, 1), (1, 2)], {"x": {0: "rows"}})
def bytes_(n, m):
    return {"x": torch.randint(-128, 128, (n, 8), dtype=torch.int8)}


_BYTES = torch.arange(-64, 64, dtype=torch.int8).reshape(16, 8)

cases(
    bytes_,
    exact=lambda x: torch._int_mm(x, _BYTES.T),
    scaled=lambda x: torch.ops.aten._weight_int8pack_mm(
        x.bfloat16(), _BYTES, torch.arange(16).bfloat16() / 16
    ),
)


@family("signals", [(3, 2), (1, 1)], {"x": {0: "rows"}})
def signals(n, m):
    return {"x": floats(n, 24)}


cases(
    signals,
    bartlett=lambda x: x * torch.bartlett_window(24),
    blackman=lambda x: x * torch.blackman_window(24, periodic=False),
    hamming=lambda x: x * torch.hamming_window(24),
    hamming_of=lambda x: x * torch.hamming_window(24, False, 0.5, 0.25),
    kaiser=lambda x: x * torch.kaiser_window(24),
    kaiser_of=lambda x: x * torch.kaiser_window(24, False, 5.0, dtype=torch.float64),
    single=lambda x: x[:, :1] * torch.blackman_window(1, False),
    frequencies=lambda x: x * torch.fft.fftfreq(24, 0.5),
    uneven=lambda x: x[:, :23] * torch.fft.fftfreq(23),
    half=lambda x: x[:, :13] * torch.fft.rfftfreq(24),
    range=lambda x: x[:, :4] * torch.range(1, 4) + torch.range(-1, 1.1, 0.7),
)


@family("recurrent", [(3, 6), (1, 1), (13, 2), (2, 40), (0, 5)], {"x": {0: "batch", 1: "steps"}})
def recurrent(n, m):
    return {"x": floats(n, m, 8)}


recurrent.lstm = torch.nn.LSTM(8, 5, 2, batch_first=True, bidirectional=True)
recurrent.first = torch.nn.LSTM(8, 5, bias=False)
recurrent.projected = torch.nn.LSTM(8, 5, 2, batch_first=True, bidirectional=True, proj_size=3)
recurrent.gru = torch.nn.GRU(8, 5, batch_first=True)
recurrent.deep = torch.nn.GRU(8, 5, 2, bias=False, bidirectional=True)
recurrent.plain = torch.nn.RNN(8, 5, batch_first=True, bidirectional=True)
recurrent.relu = torch.nn.RNN(8, 5, 2, nonlinearity="relu", batch_first=True)
recurrent.cases.update(
    gru=lambda self, x: self.gru(x),
    gru_deep=lambda self, x: self.deep(x.transpose(0, 1)),
    gru_from_state=lambda self, x: self.gru(x, x.sum(1)[None, :, :5]),
    lstm=lambda self, x: self.lstm(x),
    lstm_projected=lambda self, x: self.projected(x),
    lstm_steps_first=lambda self, x: self.first(x.transpose(0, 1))[0],
    rnn=lambda self, x: self.plain(x),
    rnn_relu=lambda self, x: self.relu(x),
)
