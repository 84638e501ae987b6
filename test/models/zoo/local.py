# ===- local.py - Networks that weigh the windows of a map -----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks that compute weights for the window around each pixel. The windows are unfolded:
exporters write gathers at positions in a window plus positions of windows."""

from models.zoo.dense import dense

SHAPES = (
    {"batch": 1, "height": 64, "width": 96},
    {"batch": 1, "height": 128, "width": 160},
    {"batch": 2, "height": 96, "width": 64},
)


def involutions(width, group):
    """RedNet: the weights of a window are the same for the channels of a group."""
    import torch
    from torch import nn

    side = 7

    class Involution(nn.Module):
        def __init__(self):
            super().__init__()
            few = width // 4
            self.reduce = nn.Sequential(nn.Conv2d(width, few, 1), nn.BatchNorm2d(few), nn.ReLU())
            self.weigh = nn.Conv2d(few, side**2 * (width // group), 1)

        def forward(self, x):
            batch, channels, height, columns = x.shape
            weights = self.weigh(self.reduce(x))
            weights = weights.view(batch, channels // group, 1, side**2, height, columns)
            windows = nn.functional.unfold(x, side, padding=side // 2)
            windows = windows.view(batch, channels // group, group, side**2, height, columns)
            return (weights * windows).sum(3).view(batch, channels, height, columns)

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = nn.Sequential(
                nn.Conv2d(3, width, 3, 2, 1), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(2)
            )
            self.windows = nn.ModuleList(Involution() for _ in range(3))
            self.mixes = nn.ModuleList(nn.Conv2d(width, width, 1) for _ in range(3))
            self.head = nn.Linear(width, 10)

        def forward(self, image):
            x = self.stem(image)
            for windows, mix in zip(self.windows, self.mixes):
                x = torch.relu(x + mix(torch.relu(windows(x))))
            return self.head(x.mean((2, 3)))

    return Network()


def content_aware(width):
    """CARAFE: pixels of the larger map are weighted sums of windows of the smaller one."""
    from torch import nn

    class Scaler(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = nn.Sequential(nn.Conv2d(3, width, 3, 2, 1), nn.ReLU())
            self.reduce, self.weigh = nn.Conv2d(width, 32, 1), nn.Conv2d(32, 100, 3, 1, 1)
            self.head = nn.Conv2d(width, 3, 3, 1, 1)

        def forward(self, image):
            x = self.stem(image)
            batch, channels, height, columns = x.shape
            weights = nn.functional.pixel_shuffle(self.weigh(self.reduce(x)), 2).softmax(1)
            windows = nn.functional.unfold(x, 5, padding=2)
            windows = windows.view(batch, channels * 25, height, columns)
            windows = nn.functional.interpolate(windows, scale_factor=2)
            windows = windows.view(batch, channels, 25, 2 * height, 2 * columns)
            return self.head((windows * weights[:, None]).sum(2))

    return Scaler()


def neighbourhood(width, heads):
    """Attention of each pixel to the window around it, with a bias for each position."""
    import torch
    from torch import nn

    side = 5

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.project, self.out = nn.Conv2d(width, 3 * width, 1), nn.Conv2d(width, width, 1)
            self.bias = nn.Parameter(torch.randn(heads, 1, side**2, 1))

        def windows(self, x):
            batch, channels, height, columns = x.shape
            unfolded = nn.functional.unfold(x, side, padding=side // 2)
            return unfolded.view(batch, heads, channels // heads, side**2, height * columns)

        def forward(self, x):
            batch, channels, height, columns = x.shape
            query, key, value = self.project(x).chunk(3, 1)
            query = query.reshape(batch, heads, channels // heads, 1, height * columns)
            scores = (query * self.windows(key)).sum(2, keepdim=True)
            weights = (scores / (channels // heads) ** 0.5 + self.bias).softmax(3)
            y = (weights * self.windows(value)).sum(3)
            return x + self.out(y.reshape(batch, channels, height, columns))

    head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 10))
    return nn.Sequential(
        nn.Conv2d(3, width, 4, 4),
        Attention(),
        nn.Conv2d(width, width, 1),
        nn.GELU(),
        Attention(),
        head,
    )


dense("involution", involutions, 64, 16, shapes=SHAPES)
dense("carafe", content_aware, 32, shapes=SHAPES)
dense("neighbourhood-attention", neighbourhood, 64, 4, shapes=SHAPES)
