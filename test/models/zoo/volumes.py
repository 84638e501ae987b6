# ===- volumes.py - Volumes, depths and fields -----------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks on volumes: of medical images, of the costs of two images, along rays."""

import functools

from models.zoo import draws
from models.zoo.entry import Entry, register


def volume(name, build, *arguments, ports, shapes):
    build = functools.partial(build, *arguments)
    register(Entry(name, name, build, ports, shapes))


def unet(width):
    """U-Net on volumes, with norms of single samples and trilinear interpolation."""
    import torch
    from torch import nn

    def twice(inputs, outputs):
        layers = []
        for channels in (inputs, outputs):
            layers += [
                nn.Conv3d(channels, outputs, 3, 1, 1),
                nn.InstanceNorm3d(outputs, affine=True),
                nn.LeakyReLU(),
            ]
        return nn.Sequential(*layers)

    class Unet(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.middle = twice(1, width), twice(width, 2 * width)
            self.last = twice(2 * width, 4 * width)
            self.up, self.upper = twice(6 * width, 2 * width), twice(3 * width, width)
            self.head = nn.Conv3d(width, 4, 1)

        def forward(self, x):
            larger = dict(scale_factor=2.0, mode="trilinear", align_corners=False)
            first = self.first(x)
            middle = self.middle(nn.functional.max_pool3d(first, 2))
            last = self.last(nn.functional.max_pool3d(middle, 2))
            x = torch.cat([nn.functional.interpolate(last, **larger), middle], 1)
            x = torch.cat([nn.functional.interpolate(self.up(x), **larger), first], 1)
            return self.head(self.upper(x)).softmax(1)

    return Unet()


def stereo(width, shifts):
    """PSMNet: features of two images at all shifts are a volume, whose result is the mean
    shift of each pixel."""
    import torch
    from torch import nn

    def convolution(inputs, outputs, stride=1):
        layers = [nn.Conv3d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm3d(outputs)]
        return nn.Sequential(*layers, nn.ReLU())

    class Stereo(nn.Module):
        def __init__(self):
            super().__init__()
            self.features = nn.Sequential(
                nn.Conv2d(3, width, 3, 2, 1), nn.ReLU(), nn.Conv2d(width, width, 3, 2, 1),
                nn.ReLU(), nn.Conv2d(width, width, 3, 1, 1),
            )  # fmt: skip
            self.first = convolution(2 * width, width)
            self.down = nn.Sequential(
                convolution(width, 2 * width, 2), convolution(2 * width, 2 * width)
            )
            self.up = nn.ConvTranspose3d(2 * width, width, 3, 2, 1, 1, bias=False)
            self.head = nn.Conv3d(width, 1, 3, 1, 1)

        def forward(self, left, right):
            left, right = self.features(left), self.features(right)
            height, columns = left.shape[2:]
            shifted = [nn.functional.pad(right, (n, 0))[..., :columns] for n in range(shifts)]
            x = self.first(torch.stack([torch.cat([left, other], 1) for other in shifted], 2))
            costs = self.head(torch.relu(x + self.up(self.down(x))))
            size = (4 * shifts, 4 * height, 4 * columns)
            costs = nn.functional.interpolate(costs, size=size, mode="trilinear")
            weights = (-costs.squeeze(1)).softmax(1)
            return (weights * torch.arange(4.0 * shifts)[:, None, None]).sum(1)

    return Stereo()


def radiance(width, steps):
    """NeRF: colours and densities along rays, from sines of positions, and what is seen
    through all of them."""
    import torch
    from torch import nn

    def waves(x, count):
        scaled = x[..., None, :] * (2.0 ** torch.arange(count))[:, None]
        return torch.cat([x, scaled.sin().flatten(-2), scaled.cos().flatten(-2)], -1)

    class Field(nn.Module):
        def __init__(self):
            super().__init__()
            layers = [nn.Linear(63, width), nn.ReLU()]
            for _ in range(2):
                layers += [nn.Linear(width, width), nn.ReLU()]
            self.density = nn.Sequential(*layers, nn.Linear(width, width + 1))
            self.colour = nn.Sequential(
                nn.Linear(width + 27, width // 2), nn.ReLU(), nn.Linear(width // 2, 3), nn.Sigmoid()
            )

        def forward(self, origins, directions):
            at = torch.linspace(2, 6, steps)
            y = self.density(waves(origins[:, None] + directions[:, None] * at[:, None], 10))
            seen = waves(nn.functional.normalize(directions, dim=-1), 4)
            seen = seen[:, None].expand(-1, steps, -1)
            colours = self.colour(torch.cat([y[..., 1:], seen], -1))
            gaps = torch.cat([at[1:] - at[:-1], at.new_full((1,), 1e10)])
            opaque = 1 - torch.exp(-torch.relu(y[..., 0]) * gaps)
            clear = torch.exp(torch.cumsum(torch.log(1 - opaque + 1e-10), -1))
            clear = torch.cat([torch.ones_like(clear[:, :1]), clear[:, :-1]], -1)
            weights = opaque * clear
            return (weights[..., None] * colours).sum(1), (weights * at).sum(1)

    return Field()


volume("unet-3d", unet, 12, ports=(draws.floats("x", "batch", 1, "depth", "height", "width"),),
       shapes=({"batch": 1, "depth": 16, "height": 32, "width": 32},
               {"batch": 1, "depth": 24, "height": 40, "width": 32},
               {"batch": 2, "depth": 12, "height": 24, "width": 28}))  # fmt: skip
volume("psmnet", stereo, 16, 12,
       ports=tuple(draws.floats(name, "batch", 3, "height", "width") for name in ("left", "right")),
       shapes=({"batch": 1, "height": 64, "width": 96}, {"batch": 1, "height": 96, "width": 128},
               {"batch": 2, "height": 32, "width": 64}))  # fmt: skip
volume("nerf", radiance, 128, 64,
       ports=(draws.floats("origins", "rays", 3), draws.floats("directions", "rays", 3)),
       shapes=({"rays": 100}, {"rays": 257}, {"rays": 400}))  # fmt: skip
