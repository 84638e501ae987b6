# ===- image_nets.py - Small networks for images of many architectures -----===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks for images as in vision libraries, small and with random weights: functions
without arguments that make one, by name. All take [batch, 3, height, width]."""

import torch
from torch import nn
from torch.nn import functional as F


def conv(i, o, size=3, stride=1, act=nn.ReLU, **settings):
    padding = settings.pop("padding", None)
    if padding is None:
        padding = size // 2 * settings.get("dilation", 1)
    layers = [nn.Conv2d(i, o, size, stride, padding, bias=False, **settings), nn.BatchNorm2d(o)]
    return nn.Sequential(*layers, *([act()] if act else []))


class Sum(nn.Module):
    """Layers and a shortcut around them."""

    def __init__(self, *layers, around=None):
        super().__init__()
        self.layers = nn.Sequential(*layers)
        self.around = around or nn.Identity()

    def forward(self, x):
        return F.relu(self.layers(x) + self.around(x))


class Parallel(nn.Module):
    """Parallel layers, concatenated along the channels."""

    def __init__(self, *branches, keep=False):
        super().__init__()
        self.branches = nn.ModuleList(branches)
        self.keep = keep

    def forward(self, x):
        return torch.cat([x] * self.keep + [branch(x) for branch in self.branches], 1)


class Excited(nn.Module):
    """Channels weighted by a function of the whole image."""

    def __init__(self, width):
        super().__init__()
        self.squeeze, self.excite = nn.Conv2d(width, 4, 1), nn.Conv2d(4, width, 1)

    def forward(self, x):
        means = F.silu(self.squeeze(x.mean((2, 3), keepdim=True)))
        return x * self.excite(means).sigmoid()


class Shuffled(nn.Module):
    """Half of the channels go through layers, then both halves are interleaved."""

    def __init__(self, width):
        super().__init__()
        half = width // 2
        self.layers = nn.Sequential(conv(half, half, 1), conv(half, half, groups=half, act=None))

    def forward(self, x):
        left, right = x.chunk(2, 1)
        x = torch.stack([left, self.layers(right)], 2)
        return x.flatten(1, 2)


class Mixed(nn.Module):
    """Perceptrons along the patches' channels, after layer norms."""

    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.layers = nn.Sequential(nn.Linear(width, 32), nn.GELU(), nn.Linear(32, width))

    def forward(self, x):
        y = x.flatten(2).transpose(1, 2)
        return x + self.layers(self.norm(y)).transpose(1, 2).reshape(x.shape)


class UNet(nn.Module):
    """Downsampling, upsampling, and shortcuts across."""

    def __init__(self, mode):
        super().__init__()
        self.mode = mode
        self.first, self.second = conv(3, 8), conv(8, 16)
        self.bottom, self.last = conv(16, 16), conv(24, 8)
        self.up = nn.ConvTranspose2d(16, 16, 2, 2)

    def forward(self, x):
        x = self.first(x)
        y = self.bottom(self.second(F.max_pool2d(x, 2)))
        y = self.up(y) if self.mode is None else F.interpolate(y, scale_factor=2, mode=self.mode)
        y = F.pad(y, (0, x.shape[3] - y.shape[3], 0, x.shape[2] - y.shape[2]))
        return self.last(torch.cat([x, y], 1))


class Pyramid(nn.Module):
    """Features of several sizes, each added to the finer ones."""

    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([conv(3, 8, stride=2), conv(8, 8, stride=2), conv(8, 8)])

    def forward(self, x):
        levels = []
        for layer in self.down:
            levels.append(x := layer(x))
        for i in (1, 0):
            levels[i] = levels[i] + F.interpolate(levels[i + 1], size=levels[i].shape[2:])
        return levels


def head(width, classes=5):
    return nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, classes))


def _inverted(i, o, act=nn.ReLU6, excited=False):
    layers = [conv(i, 4 * i, 1, act=act), conv(4 * i, 4 * i, groups=4 * i, act=act)]
    layers += [Excited(4 * i)] if excited else []
    return nn.Sequential(*layers, conv(4 * i, o, 1, act=None))


def _fire(i):
    return nn.Sequential(conv(i, 4, 1), Parallel(conv(4, 4, 1), conv(4, 4)))


NETS = {
    "alexnet": lambda: nn.Sequential(conv(3, 8, 5, 2), nn.MaxPool2d(3, 2), conv(8, 16), head(16)),
    "vgg": lambda: nn.Sequential(conv(3, 8), conv(8, 8), nn.MaxPool2d(2), conv(8, 16), head(16)),
    "resnet basic": lambda: nn.Sequential(
        conv(3, 8, 7, 2), Sum(conv(8, 8), conv(8, 8, act=None)),
        Sum(conv(8, 16, stride=2), conv(16, 16, act=None), around=conv(8, 16, 1, 2)), head(16)),
    "resnet bottleneck": lambda: nn.Sequential(
        conv(3, 16), Sum(conv(16, 4, 1), conv(4, 4), conv(4, 16, 1, act=None)), head(16)),
    "resnext": lambda: nn.Sequential(
        conv(3, 16), Sum(conv(16, 8, 1), conv(8, 8, groups=4), conv(8, 16, 1)), head(16)),
    "densenet": lambda: nn.Sequential(
        conv(3, 8), Parallel(conv(8, 4), keep=True), Parallel(conv(12, 4), keep=True),
        conv(16, 8, 1), nn.AvgPool2d(2), head(8)),
    "squeezenet": lambda: nn.Sequential(conv(3, 8, stride=2), _fire(8), _fire(8), head(8)),
    "googlenet": lambda: nn.Sequential(
        conv(3, 8), Parallel(conv(8, 4, 1), conv(8, 4), conv(8, 4, 5), nn.MaxPool2d(3, 1, 1)),
        head(20)),
    "inception": lambda: nn.Sequential(
        conv(3, 8), Parallel(conv(8, 4, (1, 7), padding=(0, 3)), conv(8, 4, (7, 1), padding=(3, 0))),
        head(8)),
    "mobilenet": lambda: nn.Sequential(
        conv(3, 8, groups=1), conv(8, 8, groups=8), conv(8, 16, 1), head(16)),
    "mobilenet 2": lambda: nn.Sequential(conv(3, 8, stride=2), Sum(_inverted(8, 8)), head(8)),
    "mobilenet 3": lambda: nn.Sequential(
        conv(3, 8, act=nn.Hardswish), Sum(_inverted(8, 8, nn.Hardswish, True)), head(8)),
    "efficientnet": lambda: nn.Sequential(
        conv(3, 8, act=nn.SiLU), _inverted(8, 12, nn.SiLU, True), head(12)),
    "shufflenet": lambda: nn.Sequential(conv(3, 8, stride=2), Shuffled(8), Shuffled(8), head(8)),
    "regnet": lambda: nn.Sequential(
        conv(3, 8), Sum(conv(8, 8, 1), conv(8, 8, groups=2), Excited(8)), head(8)),
    "mixer": lambda: nn.Sequential(nn.Conv2d(3, 16, 4, 4), Mixed(16), Mixed(16), head(16)),
    "dilated": lambda: nn.Sequential(
        conv(3, 8, stride=2), Parallel(conv(8, 4, 1), conv(8, 4, dilation=2), conv(8, 4, dilation=4)),
        nn.Upsample(scale_factor=2, mode="bilinear"), nn.Conv2d(12, 5, 1)),
    "unet": lambda: UNet(None),
    "unet bilinear": lambda: UNet("bilinear"),
    "pyramid": Pyramid,
    "super resolution": lambda: nn.Sequential(
        conv(3, 8), Sum(conv(8, 8), conv(8, 8)), nn.Conv2d(8, 12, 3, 1, 1), nn.PixelShuffle(2)),
    "autoencoder": lambda: nn.Sequential(
        conv(3, 8, stride=2), conv(8, 4, stride=2), nn.ConvTranspose2d(4, 8, 2, 2), nn.GroupNorm(2, 8),
        nn.GELU(), nn.ConvTranspose2d(8, 3, 2, 2), nn.Tanh()),
}  # fmt: skip


def make(name):
    torch.manual_seed(0)
    return NETS[name]().eval()


def images(batch, length):
    return torch.randn(batch, 3, 24 + length, 33 + length // 2)
