# ===- convolutional.py - ResNet, CRNN and a reader of text lines ----------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutional models that take images of any size, with code of their own."""

import functools

from models import draw
from models.model import Model, register


def resnet_module(width, blocks, classes):
    """Bottleneck residual network: stem, four stages, global mean, classifier."""
    import torch
    from torch import nn

    def unit(inner, outer, kernel, stride=1):
        convolution = nn.Conv2d(inner, outer, kernel, stride, kernel // 2, bias=False)
        norm = nn.BatchNorm2d(outer)
        # Initial statistics are 0 and 1, which would hide an error in folding.
        nn.init.uniform_(norm.running_mean, -0.1, 0.1)
        nn.init.uniform_(norm.running_var, 0.5, 1.5)
        return nn.Sequential(convolution, norm)

    class Bottleneck(nn.Module):
        def __init__(self, inner, middle, stride):
            super().__init__()
            self.body = nn.Sequential(
                unit(inner, middle, 1),
                nn.ReLU(),
                unit(middle, middle, 3, stride),
                nn.ReLU(),
                unit(middle, 4 * middle, 1),
            )
            same = stride == 1 and inner == 4 * middle
            self.skip = nn.Identity() if same else unit(inner, 4 * middle, 1, stride)

        def forward(self, x):
            return torch.relu(self.body(x) + self.skip(x))

    layers = [unit(3, width, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    channels = width
    for stage, count in enumerate(blocks):
        for block in range(count):
            stride = 2 if stage and not block else 1
            layers.append(Bottleneck(channels, width << stage, stride))
            channels = 4 * width << stage
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, classes)]
    return nn.Sequential(*layers)


def image_inputs(sizes, rng):
    shape = sizes["batch"], 3, sizes["height"], sizes["width"]
    return {"pixels": rng.standard_normal(shape, "float32")}


def image_sizes(rng, side, area, most):
    height, width = draw.size(rng, 1, side), draw.size(rng, 1, side)
    batch = draw.size(rng, 1, max(1, min(most, area // (height * width))))
    return {"batch": batch, "height": height, "width": width}


def resnet(name, exporter, side, area, most, **shape):
    register(
        Model(
            name=name,
            axes={
                "pixels": {0: "batch", 2: "height", 3: "width"},
                "logits": {0: "batch"},
            },
            outputs=("logits",),
            inputs=image_inputs,
            sizes=functools.partial(image_sizes, side=side, area=area, most=most),
            module=functools.partial(resnet_module, **shape),
            exporter=exporter,
            example={"batch": 2, "height": 64, "width": 72},
        )
    )


resnet("resnet-small", "script", 97, 97 * 97, 8, width=8, blocks=(1, 1, 1, 1), classes=10)
resnet(
    "resnet-dynamo-small",
    "dynamo",
    97,
    97 * 97,
    8,
    width=8,
    blocks=(1, 2, 1, 1),
    classes=10,
)
resnet("resnet50", "script", 320, 320 * 320, 4, width=64, blocks=(3, 4, 6, 3), classes=1000)


def crnn_module(width, hidden, classes):
    """VGG layers down to height 1, two bidirectional LSTMs, scores for each column."""
    from torch import nn

    def unit(inner, outer, kernel=3, padding=1, norm=False):
        layers = [nn.Conv2d(inner, outer, kernel, 1, padding)]
        layers += [nn.BatchNorm2d(outer)] if norm else []
        return [*layers, nn.ReLU()]

    class Crnn(nn.Module):
        def __init__(self):
            super().__init__()
            w = width
            self.features = nn.Sequential(
                *unit(1, w),
                nn.MaxPool2d(2),
                *unit(w, 2 * w),
                nn.MaxPool2d(2),
                *unit(2 * w, 4 * w, norm=True),
                *unit(4 * w, 4 * w),
                nn.MaxPool2d(2, (2, 1), (0, 1)),
                *unit(4 * w, 8 * w, norm=True),
                *unit(8 * w, 8 * w),
                nn.MaxPool2d(2, (2, 1), (0, 1)),
                *unit(8 * w, 8 * w, 2, 0, norm=True),
            )
            self.lstm = nn.LSTM(8 * w, hidden, num_layers=2, bidirectional=True)
            self.scores = nn.Linear(2 * hidden, classes)

        def forward(self, pixels):
            columns = self.features(pixels).squeeze(2).permute(2, 0, 1)
            return self.scores(self.lstm(columns)[0]).transpose(0, 1)

    return Crnn()


def line_inputs(sizes, rng, channels, height):
    shape = sizes["batch"], channels, height, sizes["width"]
    return {"pixels": rng.standard_normal(shape, "float32")}


def line_sizes(rng, low, high, area, most):
    batch, width = draw.batch_and(rng, low, high, area, most)
    return {"batch": max(batch, 1), "width": width}


def crnn(name, low, high, area, **shape):
    register(
        Model(
            name=name,
            axes={
                "pixels": {0: "batch", 3: "width"},
                "scores": {0: "batch", 1: "columns"},
            },
            outputs=("scores",),
            inputs=functools.partial(line_inputs, channels=1, height=32),
            sizes=functools.partial(line_sizes, low=low, high=high, area=area, most=8),
            module=functools.partial(crnn_module, **shape),
            example={"batch": 2, "width": 72},
            dims={"width": (4, 4096)},
        )
    )


crnn("crnn-small", 4, 131, 140, width=6, hidden=24, classes=97)
crnn("crnn", 32, 1200, 1200, width=64, hidden=256, classes=97)


def reader_module(width, classes):
    """A text line recogniser in the style of PP-OCR: separable convolutions with
    squeeze-and-excite and hard activations, attention along the line."""
    import torch
    from torch import nn

    class Squeeze(nn.Module):
        def __init__(self, channels):
            super().__init__()
            self.gate = nn.Sequential(
                nn.AdaptiveAvgPool2d(1),
                nn.Conv2d(channels, channels // 4, 1),
                nn.ReLU(),
                nn.Conv2d(channels // 4, channels, 1),
                nn.Hardsigmoid(),
            )

        def forward(self, x):
            return x * self.gate(x)

    def separable(inner, outer, stride, kernel=3):
        return [
            nn.Conv2d(inner, inner, kernel, stride, kernel // 2, groups=inner, bias=False),
            nn.BatchNorm2d(inner),
            nn.Hardswish(),
            Squeeze(inner),
            nn.Conv2d(inner, outer, 1, bias=False),
            nn.BatchNorm2d(outer),
            nn.Hardswish(),
        ]

    class Mixer(nn.Module):
        def __init__(self, channels, heads):
            super().__init__()
            self.heads = heads
            self.norms = nn.ModuleList([nn.LayerNorm(channels) for _ in range(2)])
            self.qkv = nn.Linear(channels, 3 * channels)
            self.out = nn.Linear(channels, channels)
            self.mlp = nn.Sequential(
                nn.Linear(channels, 2 * channels),
                nn.SiLU(),
                nn.Linear(2 * channels, channels),
            )

        def forward(self, x):
            batch, columns, channels = x.shape
            split = self.qkv(self.norms[0](x)).reshape(
                batch, columns, 3, self.heads, channels // self.heads
            )
            q, k, v = split.permute(2, 0, 3, 1, 4).unbind(0)
            weights = torch.softmax(q @ k.transpose(2, 3) / (channels // self.heads) ** 0.5, -1)
            x = x + self.out((weights @ v).transpose(1, 2).reshape(batch, columns, channels))
            return x + self.mlp(self.norms[1](x))

    class Reader(nn.Module):
        def __init__(self):
            super().__init__()
            w = width
            self.features = nn.Sequential(
                nn.Conv2d(3, w, 3, 2, 1, bias=False),
                nn.BatchNorm2d(w),
                nn.Hardswish(),
                *separable(w, 2 * w, (2, 1)),
                *separable(2 * w, 4 * w, (2, 1), kernel=5),
                *separable(4 * w, 8 * w, (2, 1)),
                nn.AvgPool2d((3, 2), (3, 2)),
            )
            self.mixers = nn.Sequential(Mixer(8 * w, 4), Mixer(8 * w, 4))
            self.scores = nn.Linear(8 * w, classes)

        def forward(self, pixels):
            columns = self.features(pixels).squeeze(2).transpose(1, 2)
            return torch.softmax(self.scores(self.mixers(columns)), -1)

    return Reader()


def reader(name, low, high, area, exporter, **shape):
    register(
        Model(
            name=name,
            axes={
                "pixels": {0: "batch", 3: "width"},
                "scores": {0: "batch", 1: "columns"},
            },
            outputs=("scores",),
            inputs=functools.partial(line_inputs, channels=3, height=48),
            sizes=functools.partial(line_sizes, low=low, high=high, area=area, most=8),
            module=functools.partial(reader_module, **shape),
            exporter=exporter,
            example={"batch": 2, "width": 72},
            dims={"width": (4, 4096)},
        )
    )


reader("ocr-rec-small", 4, 255, 512, "script", width=8, classes=97)
