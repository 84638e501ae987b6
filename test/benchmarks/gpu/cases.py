# ===- cases.py - Cases that the kit measures ------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of PyTorch, their sizes and inputs. They are compiled where the kit is packed,
and constructed again where it is measured: weights and inputs are generated from a seed,
and are not part of the kit."""

import dataclasses
import fnmatch
import math
import typing

import torch
from torch import nn
from torch.nn import functional as F

# The sequence of numbers repeats after this many, a prime. Large constants of an artifact
# therefore compress well, in whatever order the compiler stores them.
BLOCK = 65521


def numbers(*shape, seed, scale=1.0):
    """Returns numbers of mean 0 and deviation `scale`, equal on all machines."""
    # A multiplicative hash of the index, exact in 64 bits.
    index = torch.arange(BLOCK, dtype=torch.int64) + (seed + 1) * BLOCK
    mixed = index * 2654435761 % 2**32
    mixed = (mixed ^ (mixed >> 15)) * 1597334677 % 2**32
    block = ((mixed ^ (mixed >> 13)).double() / 2**32 - 0.5) * math.sqrt(12) * scale
    count = math.prod(shape)
    return block.float().repeat(-(-count // BLOCK))[:count].reshape(shape)


class BiasGelu(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.bias = nn.Parameter(numbers(width, seed=1))

    def forward(self, x):
        return F.gelu(x + self.bias)


class Softmax(nn.Module):
    def __init__(self, axis=-1):
        super().__init__()
        self.axis = axis

    def forward(self, x):
        return torch.softmax(x, self.axis)


class LayerNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = nn.Parameter(numbers(width, seed=2, scale=0.1) + 1)
        self.shift = nn.Parameter(numbers(width, seed=3))

    def forward(self, x):
        return F.layer_norm(x, self.scale.shape, self.scale, self.shift)


class ChannelNorm(nn.Module):
    """A layer norm of an image's channels, which are its first axis."""

    def __init__(self, channels):
        super().__init__()
        self.scale = nn.Parameter(numbers(channels, 1, 1, seed=2, scale=0.1) + 1)
        self.shift = nn.Parameter(numbers(channels, 1, 1, seed=3))

    def forward(self, x):
        centred = x - x.mean(1, keepdim=True)
        variance = centred.square().mean(1, keepdim=True)
        return centred * torch.rsqrt(variance + 1e-6) * self.scale + self.shift


class Linear(nn.Module):
    def __init__(self, depth, width, seed=4):
        super().__init__()
        self.weight = nn.Parameter(numbers(width, depth, seed=seed, scale=depth**-0.5))
        self.bias = nn.Parameter(numbers(width, seed=seed + 1))

    def forward(self, x):
        return F.linear(x, self.weight, self.bias)


class Attention(nn.Module):
    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q, k, v)


class Grouped(nn.Module):
    """Each group of rows times its own matrix, as in a mixture of experts."""

    def __init__(self, groups, depth, width):
        super().__init__()
        self.weight = nn.Parameter(numbers(groups, depth, width, seed=6, scale=depth**-0.5))

    def forward(self, x, ends):
        return torch._grouped_mm(x, self.weight, offs=ends)

    def judge(self, x, ends):
        """The same without PyTorch's grouped GEMM, which does not support float64."""
        bounds = [0, *ends.tolist()]
        runs = [x[a:b] @ w for a, b, w in zip(bounds[:-1], bounds[1:], self.weight, strict=True)]
        return torch.cat(runs)


class Convolution(nn.Module):
    def __init__(self, channels, filters, width):
        super().__init__()
        taps = channels * width * width
        self.pad = width // 2
        self.weight = nn.Parameter(
            numbers(filters, channels, width, width, seed=7, scale=taps**-0.5)
        )
        self.bias = nn.Parameter(numbers(filters, seed=8))

    def forward(self, x):
        return F.relu(F.conv2d(x, self.weight, self.bias, padding=self.pad))


class Block(nn.Module):
    """A layer of an encoder, with a normalisation before attention and before the MLP."""

    def __init__(self, width, heads, seed):
        super().__init__()
        self.heads = heads
        self.first, self.second = LayerNorm(width), LayerNorm(width)
        self.qkv, self.out = Linear(width, 3 * width, seed), Linear(width, width, seed + 2)
        self.up, self.down = (
            Linear(width, 4 * width, seed + 4),
            Linear(4 * width, width, seed + 6),
        )

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.qkv(self.first(x)).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = F.scaled_dot_product_attention(q, k, v).transpose(1, 2)
        x = x + self.out(mixed.reshape(batch, length, width))
        return x + self.down(F.gelu(self.up(self.second(x))))


class Encoder(nn.Module):
    """The layers between the embeddings and the head of BERT."""

    def __init__(self, layers, width, heads):
        super().__init__()
        self.layers = nn.ModuleList(Block(width, heads, 10 * n + 10) for n in range(layers))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Stages(nn.Module):
    """Residual convolutions in stages: each stage halves the image's height and width, and
    doubles the channels."""

    def __init__(self, channels, stages):
        super().__init__()
        self.stem = Convolution(3, channels, 3)
        self.blocks = nn.ModuleList(
            nn.ModuleList([Convolution(channels << n, channels << n, 3) for _ in range(2)])
            for n in range(stages)
        )
        self.widen = nn.ModuleList(
            Convolution(channels << n, channels << n + 1, 1) for n in range(stages - 1)
        )

    def forward(self, x):
        x = self.stem(x)
        for number, block in enumerate(self.blocks):
            for convolution in block:
                x = x + convolution(x)
            if number < len(self.widen):
                x = F.max_pool2d(self.widen[number](x), 2)
        return x.mean((2, 3))


@dataclasses.dataclass(frozen=True)
class Case:
    """A module at several sizes; with `tiny` sizes for runs that are not timed."""

    name: str
    family: str  #: engines choose their kernel by it
    make: typing.Callable[[], nn.Module]
    #: Creates the inputs at sizes, in float32.
    inputs: typing.Callable[..., tuple]
    #: Names of the dynamic axes of each input.
    dynamic: tuple
    sizes: tuple
    tiny: tuple
    dtype: torch.dtype = torch.float32
    #: Minimum sizes of axes by name, where not 1.
    least: dict = dataclasses.field(default_factory=dict)
    #: Options of dyn-compile.
    options: tuple = ()

    @property
    def tolerance(self):
        return {torch.float32: 1e-4, torch.float16: 4e-3, torch.bfloat16: 2e-2}[self.dtype]

    def module(self, dtype=None, device="cpu"):
        """Returns the module. In float64 its weights have the values of the case's own type."""
        module = self.make().to(self.dtype).to(dtype or self.dtype)
        return module.eval().requires_grad_(False).to(device)

    def tensors(self, sizes, device="cpu"):
        return tuple(
            tensor.to(self.dtype if tensor.is_floating_point() else tensor.dtype).to(device)
            for tensor in self.inputs(*sizes)
        )


def difference(ours, judge):
    """Returns the maximum of |a - b| / (|b| + max |b|)."""
    ours, judge = ours.double(), judge.double()
    if ours.shape != judge.shape or not torch.isfinite(ours).all():
        return math.inf
    if not judge.numel():
        return 0.0
    return float(((ours - judge).abs() / (judge.abs() + judge.abs().max() + 1e-300)).max())


def _ends(rows, groups):
    """Returns the ends of groups of different sizes; the last one gets the rest."""
    shares = numbers(groups, seed=9).abs().cumsum(0)
    ends = (shares / shares[-1] * rows).to(torch.int32)
    ends[-1] = rows
    return ends


TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
ROWS = ({0: "rows"},)
PLANE = ({0: "rows", 1: "columns"},)
IMAGE = ({0: "batch", 2: "height", 3: "width"},)
HEADS = ({0: "batch", 1: "heads", 2: "length"},) * 3
TEXT = ({0: "batch", 1: "length"},)


def _all():
    def rows(width):
        return lambda count: (numbers(count, width, seed=0),)

    def images(channels):
        return lambda batch, height, width: (numbers(batch, channels, height, width, seed=0),)

    def heads(batch, count, length):
        return tuple(numbers(batch, count, length, 64, seed=seed) for seed in (30, 31, 32))

    for name, dtype in TYPES.items():
        yield Case(f"bias-gelu-{name}", "bias-gelu", lambda: BiasGelu(3072), rows(3072), ROWS,
                   ((64,), (1024,), (16384,)), ((3,),), dtype)  # fmt: skip
        yield Case(f"layer-norm-{name}", "layer-norm", lambda: LayerNorm(768), rows(768), ROWS,
                   ((64,), (1024,), (16384,)), ((9,),), dtype)  # fmt: skip
        for depth, width in ((768, 3072), (3072, 768), (4096, 4096)):
            yield Case(f"linear-{depth}-{width}-{name}", "linear",
                       lambda depth=depth, width=width: Linear(depth, width), rows(depth), ROWS,
                       ((1,), (16,), (128,), (1024,), (4096,)), ((5,),), dtype)  # fmt: skip
        yield Case(f"attention-{name}", "attention", Attention, heads, HEADS,
                   ((1, 12, 128), (8, 12, 512), (4, 16, 2048)), ((1, 2, 37),), dtype)  # fmt: skip
        yield Case(f"convolution-64-{name}", "convolution", lambda: Convolution(64, 64, 3),
                   images(64), IMAGE, ((1, 56, 56), (16, 56, 56), (4, 91, 133)), ((1, 5, 7),),
                   dtype)  # fmt: skip
    yield Case("softmax-f32", "softmax", Softmax, lambda n, m: (numbers(n, m, seed=0, scale=3.0),),
               PLANE, ((65536, 64), (4096, 1000), (512, 8192), (64, 50257)), ((9, 33),))  # fmt: skip
    yield Case("softmax-columns-f32", "columns", lambda: Softmax(1),
               lambda batch, n, m: (numbers(batch, n, m, seed=0, scale=3.0),),
               ({0: "batch", 1: "rows", 2: "columns"},),
               ((4096, 8, 64), (64, 128, 1024), (8, 1024, 1024), (1, 20000, 256)), ((2, 9, 33),))  # fmt: skip
    yield Case("channel-norm-f32", "columns", lambda: ChannelNorm(96), images(96), IMAGE,
               ((1, 56, 56), (16, 56, 56), (64, 112, 112)), ((1, 5, 7),))  # fmt: skip
    for groups, depth, width in ((8, 768, 3072), (64, 512, 1024)):
        yield Case(f"grouped-{groups}-bf16", "grouped",
                   lambda groups=groups, depth=depth, width=width: Grouped(groups, depth, width),
                   lambda count, groups=groups, depth=depth: (numbers(count, depth, seed=0),
                                                              _ends(count, groups)),
                   ({0: "rows"}, None), ((64,), (1024,), (8192,)), ((19,),),
                   torch.bfloat16)  # fmt: skip
    for name in ("f32", "bf16"):
        yield Case(f"encoder-{name}", "model", lambda: Encoder(6, 512, 8),
                   lambda batch, length: (numbers(batch, length, 512, seed=0),), TEXT,
                   ((1, 16), (1, 128), (8, 128), (8, 512)), ((1, 3),), TYPES[name])  # fmt: skip
    for name in ("f32", "bf16"):
        yield Case(f"library-768-3072-{name}", "linear", lambda: Linear(768, 3072), rows(768), ROWS,
                   ((1,), (128,), (1024,), (4096,)), ((5,),), TYPES[name],
                   options=("--cuda-library=always",))  # fmt: skip
    yield Case("stages-f32", "model", lambda: Stages(32, 4), images(3), IMAGE,
               ((1, 224, 224), (8, 224, 224), (4, 160, 320)), ((1, 16, 24),),
               least={"height": 16, "width": 16})  # fmt: skip


CASES = {case.name: case for case in _all()}


def chosen(patterns):
    """Returns the names of cases that match any of the patterns, or all without patterns."""
    return [
        name
        for name in CASES
        if not patterns or any(fnmatch.fnmatch(name, pattern) for pattern in patterns)
    ]
