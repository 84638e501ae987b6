# ===- dense.py - Segmentation, detection and super-resolution -------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks from image to image, and heads of detectors without their suppression, written
out: their structure is that of the papers, their widths are smaller."""

import functools

from models.zoo import draws
from models.zoo.entry import Entry, register

#: Sizes are multiples of 32.
SHAPES = (
    {"batch": 1, "height": 128, "width": 96},
    {"batch": 1, "height": 160, "width": 192},
    {"batch": 2, "height": 96, "width": 128},
)
SMALL = (
    {"batch": 1, "height": 48, "width": 40},
    {"batch": 1, "height": 64, "width": 93},
    {"batch": 2, "height": 37, "width": 48},
)


def dense(family, build, *arguments, channels=3, shapes=SHAPES, name=None):
    ports = (draws.floats("image", "batch", channels, "height", "width"),)
    build = functools.partial(build, *arguments)
    register(Entry(name or family, family, build, ports, shapes, exporter="script"))


def convolution(inputs, outputs, kernel=3, stride=1, groups=1, act=True, dilation=1):
    """Convolution, batch norm and ReLU."""
    from torch import nn

    padding = dilation * (kernel // 2)
    layers = [
        nn.Conv2d(inputs, outputs, kernel, stride, padding, dilation, groups, bias=False),
        nn.BatchNorm2d(outputs),
    ]
    return nn.Sequential(*layers, nn.ReLU()) if act else nn.Sequential(*layers)


def twice(inputs, outputs):
    """Two convolutions, of a U-Net."""
    from torch import nn

    return nn.Sequential(convolution(inputs, outputs), convolution(outputs, outputs))


def backbone(widths):
    """Residual stages at strides 4, 8, 16, ...; returns the results of all."""
    from torch import nn

    class Stage(nn.Module):
        def __init__(self, inputs, outputs):
            super().__init__()
            self.path = nn.Sequential(
                convolution(inputs, outputs, stride=2), convolution(outputs, outputs, act=False)
            )
            self.skip = convolution(inputs, outputs, 1, 2, act=False)

        def forward(self, x):
            return nn.functional.relu(self.path(x) + self.skip(x))

    class Backbone(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = convolution(3, widths[0], stride=2)
            self.stages = nn.ModuleList(map(Stage, (widths[0], *widths), widths))

        def forward(self, x):
            x, found = self.stem(x), []
            for stage in self.stages:
                x = stage(x)
                found.append(x)
            return found

    return Backbone()


def resized(x, like):
    import torch

    return torch.nn.functional.interpolate(
        x, size=like.shape[-2:], mode="bilinear", align_corners=False
    )


def unet(width, gated):
    """U-Net; `gated`: skips are weighted by attention."""
    import torch
    from torch import nn

    widths = [width * 2**level for level in range(5)]

    class Gate(nn.Module):
        def __init__(self, channels):
            super().__init__()
            self.x, self.g = (convolution(channels, channels // 2, 1, act=False) for _ in range(2))
            self.score = nn.Conv2d(channels // 2, 1, 1)

        def forward(self, x, g):
            return x * torch.sigmoid(self.score(torch.relu(self.x(x) + self.g(g))))

    class Unet(nn.Module):
        def __init__(self):
            super().__init__()
            self.down = nn.ModuleList(map(twice, (3, *widths), widths))
            self.up = nn.ModuleList(nn.ConvTranspose2d(2 * w, w, 2, 2) for w in widths[:-1])
            self.join = nn.ModuleList(twice(2 * w, w) for w in widths[:-1])
            self.gates = nn.ModuleList(Gate(w) for w in widths[:-1] if gated)
            self.head = nn.Conv2d(width, 5, 1)

        def forward(self, x):
            skips = []
            for level, down in enumerate(self.down):
                x = down(x if level == 0 else nn.functional.max_pool2d(x, 2))
                skips.append(x)
            for level in reversed(range(4)):
                x, skip = self.up[level](x), skips[level]
                skip = self.gates[level](skip, x) if gated else skip
                x = self.join[level](torch.cat([skip, x], 1))
            return self.head(x)

    return Unet()


def nested_unet(width):
    """U-Net++: every level is upsampled, and joined with all earlier ones of its level."""
    import torch
    from torch import nn

    widths = [width * 2**level for level in range(4)]

    class Nested(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.ModuleList(map(twice, (3, *widths), widths))
            self.nodes = nn.ModuleDict(
                {
                    f"{level}-{step}": twice(
                        step * widths[level] + widths[level + 1], widths[level]
                    )
                    for level in range(3)
                    for step in range(1, 4 - level)
                }
            )
            self.head = nn.Conv2d(width, 5, 1)

        def forward(self, x):
            rows = []
            for level, first in enumerate(self.first):
                x = first(x if level == 0 else nn.functional.max_pool2d(x, 2))
                rows.append([x])
            for step in range(1, 4):
                for level in range(4 - step):
                    up = resized(rows[level + 1][step - 1], rows[level][0])
                    node = self.nodes[f"{level}-{step}"]
                    rows[level].append(node(torch.cat([*rows[level][:step], up], 1)))
            return self.head(rows[0][-1])

    return Nested()


def segnet(width):
    """An encoder and a decoder without skips; pooled positions are not kept."""
    from torch import nn

    widths = [width, 2 * width, 4 * width]
    layers = []
    for inputs, outputs in zip((3, *widths), widths):
        layers += [twice(inputs, outputs), nn.MaxPool2d(2)]
    for inputs, outputs in zip(widths[::-1], (*widths[-2::-1], width)):
        layers += [nn.Upsample(scale_factor=2), twice(inputs, outputs)]
    return nn.Sequential(*layers, nn.Conv2d(width, 5, 1))


def linknet(widths):
    """A decoder of narrow transposed convolutions, added to the encoder's stages."""
    from torch import nn

    class Up(nn.Module):
        def __init__(self, inputs, outputs):
            super().__init__()
            self.path = nn.Sequential(
                convolution(inputs, inputs // 4, 1),
                nn.ConvTranspose2d(inputs // 4, inputs // 4, 3, 2, 1, 1),
                nn.BatchNorm2d(inputs // 4),
                nn.ReLU(),
                convolution(inputs // 4, outputs, 1),
            )

        def forward(self, x):
            return self.path(x)

    class Linknet(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = backbone(widths)
            self.ups = nn.ModuleList(map(Up, widths[:0:-1], widths[-2::-1]))
            self.head = nn.ConvTranspose2d(widths[0], 5, 4, 4)

        def forward(self, x):
            *skips, x = self.encoder(x)
            for up, skip in zip(self.ups, reversed(skips)):
                x = up(x) + skip
            return self.head(x)

    return Linknet()


def strip_pooling(widths):
    """SPNet: means over strips and over the image beside the features."""
    import torch
    from torch import nn

    class Scene(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = backbone(widths)
            last = widths[-1]
            self.parts = nn.ModuleList(convolution(last, last // 4, 1) for _ in range(4))
            self.head = nn.Sequential(convolution(2 * last, 128), nn.Conv2d(128, 5, 1))

        def forward(self, image):
            x = self.encoder(image)[-1]
            found = [x]
            for part, strip in zip(self.parts, ((2, 3), (2,), (3,), ())):
                mean = x.mean(strip, keepdim=True) if strip else x
                found.append(part(mean).expand(-1, -1, x.shape[2], x.shape[3]))
            return resized(self.head(torch.cat(found, 1)), image)

    return Scene()


def atrous(widths):
    """DeepLab: dilated convolutions in parallel, and a skip of early features."""
    import torch
    from torch import nn

    class Atrous(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder, last = backbone(widths), widths[-1]
            self.parts = nn.ModuleList(
                [convolution(last, 64, 1)] + [convolution(last, 64, dilation=d) for d in (2, 4, 6)]
            )
            self.whole, self.join = convolution(last, 64, 1), convolution(5 * 64, 128, 1)
            self.skip = convolution(widths[0], 24, 1)
            self.head = nn.Sequential(convolution(152, 128), nn.Conv2d(128, 5, 1))

        def forward(self, image):
            first, *_, x = self.encoder(image)
            parts = [part(x) for part in self.parts]
            whole = self.whole(x.mean((2, 3), keepdim=True)).expand_as(parts[0])
            x = resized(self.join(torch.cat([*parts, whole], 1)), first)
            return resized(self.head(torch.cat([x, self.skip(first)], 1)), image)

    return Atrous()


def bisenet(widths):
    """BiSeNet: a path of details and one of context, joined by weights of channels."""
    import torch
    from torch import nn

    class Bisenet(nn.Module):
        def __init__(self):
            super().__init__()
            self.details = nn.Sequential(
                convolution(3, 32, stride=2), convolution(32, 64, stride=2), convolution(64, 128)
            )
            self.context, last = backbone(widths), widths[-1]
            self.weigh = nn.Sequential(nn.Conv2d(last, last, 1), nn.Sigmoid())
            self.join = convolution(128 + last, 128, 1)
            self.scale = nn.Sequential(nn.Conv2d(128, 128, 1), nn.Sigmoid())
            self.head = nn.Conv2d(128, 5, 1)

        def forward(self, image):
            details, context = self.details(image), self.context(image)[-1]
            context = context * self.weigh(context.mean((2, 3), keepdim=True))
            x = self.join(torch.cat([details, resized(context, details)], 1))
            x = x + x * self.scale(x.mean((2, 3), keepdim=True))
            return resized(self.head(x), image)

    return Bisenet()


def pyramid(widths, channels):
    """A feature pyramid: the top is upsampled and added level by level."""
    from torch import nn

    class Pyramid(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = backbone(widths)
            self.laterals = nn.ModuleList(nn.Conv2d(w, channels, 1) for w in widths)
            self.smooth = nn.ModuleList(nn.Conv2d(channels, channels, 3, 1, 1) for _ in widths)

        def forward(self, image):
            levels = [lateral(x) for lateral, x in zip(self.laterals, self.encoder(image))]
            for level in reversed(range(len(levels) - 1)):
                levels[level] = levels[level] + resized(levels[level + 1], levels[level])
            return [smooth(x) for smooth, x in zip(self.smooth, levels)]

    return Pyramid()


def pyramid_segmenter(widths):
    """Panoptic FPN: all levels are brought to the finest and summed."""
    from torch import nn

    class Segmenter(nn.Module):
        def __init__(self):
            super().__init__()
            self.pyramid, self.head = pyramid(widths, 64), nn.Conv2d(64, 5, 1)

        def forward(self, image):
            first, *others = self.pyramid(image)
            for level in others:
                first = first + resized(level, first)
            return resized(self.head(first), image)

    return Segmenter()


def pyramid_detector(widths, kind):
    """Heads on a pyramid: `retina` classifies anchors and moves them, `fcos` has a centre
    and distances for each position, which are decoded into boxes."""
    import torch
    from torch import nn

    anchors = 3 if kind == "retina" else 1

    def head(outputs):
        towers = [convolution(64, 64) for _ in range(2)]
        return nn.Sequential(*towers, nn.Conv2d(64, outputs, 3, 1, 1))

    class Detector(nn.Module):
        def __init__(self):
            super().__init__()
            self.pyramid = pyramid(widths, 64)
            self.classes, self.boxes = head(10 * anchors), head(4 * anchors)
            self.centre = head(1) if kind == "fcos" else None

        def forward(self, image):
            scores, boxes = [], []
            for x in self.pyramid(image):
                score = self.classes(x).flatten(2).transpose(1, 2).sigmoid()
                box = self.boxes(x)
                if self.centre is not None:
                    score = score * self.centre(x).flatten(2).transpose(1, 2).sigmoid()
                    step = image.shape[2] // x.shape[2]
                    rows = torch.arange(x.shape[2])[:, None] * step
                    columns = torch.arange(x.shape[3])[None, :] * step
                    left, up, right, down = torch.exp(box.clamp(max=4)).unbind(1)
                    box = torch.stack([columns - left, rows - up, columns + right, rows + down], 1)
                scores.append(score)
                boxes.append(box.flatten(2).transpose(1, 2))
            return torch.cat(scores, 1), torch.cat(boxes, 1)

    return Detector()


def yolo(width):
    """A detector of three scales with split stages, pooling of several sizes, and boxes as
    expectations over bins."""
    import torch
    from torch import nn

    class Silu(nn.Module):
        def __init__(self, inputs, outputs, kernel=3, stride=1):
            super().__init__()
            self.conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)
            self.norm = nn.BatchNorm2d(outputs)

        def forward(self, x):
            return nn.functional.silu(self.norm(self.conv(x)))

    class Split(nn.Module):
        def __init__(self, inputs, outputs):
            super().__init__()
            self.first, half = Silu(inputs, outputs, 1), outputs // 2
            self.path = nn.Sequential(Silu(half, half), Silu(half, half))
            self.last = Silu(outputs + half, outputs, 1)

        def forward(self, x):
            a, b = self.first(x).chunk(2, 1)
            return self.last(torch.cat([a, b, b + self.path(b)], 1))

    class Pools(nn.Module):
        def __init__(self, channels):
            super().__init__()
            self.first = Silu(channels, channels // 2, 1)
            self.last = Silu(2 * channels, channels, 1)

        def forward(self, x):
            found = [self.first(x)]
            for _ in range(3):
                found.append(nn.functional.max_pool2d(found[-1], 5, 1, 2))
            return self.last(torch.cat(found, 1))

    class Yolo(nn.Module):
        def __init__(self):
            super().__init__()
            w = [width * 2**level for level in range(5)]
            self.stem = Silu(3, w[0], 3, 2)
            self.downs = nn.ModuleList(Silu(a, b, 3, 2) for a, b in zip(w, w[1:]))
            self.stages = nn.ModuleList(Split(b, b) for b in w[1:])
            self.pools = Pools(w[4])
            self.up4, self.up3 = Split(w[4] + w[3], w[3]), Split(w[3] + w[2], w[2])
            self.down3, self.down4 = Silu(w[2], w[2], 3, 2), Silu(w[3], w[3], 3, 2)
            self.out4, self.out5 = Split(w[2] + w[3], w[3]), Split(w[3] + w[4], w[4])
            self.boxes = nn.ModuleList(nn.Conv2d(c, 64, 1) for c in w[2:])
            self.classes = nn.ModuleList(nn.Conv2d(c, 10, 1) for c in w[2:])

        def forward(self, image):
            x, found = self.stem(image), []
            for down, stage in zip(self.downs, self.stages):
                x = stage(down(x))
                found.append(x)
            c3, c4, c5 = found[1], found[2], self.pools(found[3])
            p4 = self.up4(torch.cat([nn.functional.interpolate(c5, scale_factor=2), c4], 1))
            p3 = self.up3(torch.cat([nn.functional.interpolate(p4, scale_factor=2), c3], 1))
            p4 = self.out4(torch.cat([self.down3(p3), p4], 1))
            p5 = self.out5(torch.cat([self.down4(p4), c5], 1))
            boxes, scores = [], []
            for x, box, score in zip((p3, p4, p5), self.boxes, self.classes):
                bins = box(x).flatten(2).unflatten(1, (4, 16)).softmax(2)
                boxes.append((bins * torch.arange(16.0)[:, None]).sum(2))
                scores.append(score(x).flatten(2).sigmoid())
            return torch.cat(boxes, 2), torch.cat(scores, 2)

    return Yolo()


def centernet(widths):
    """Peaks of a heat map: a maximum over adjacent points that a point must equal."""
    import torch
    from torch import nn

    class Center(nn.Module):
        def __init__(self):
            super().__init__()
            self.pyramid = pyramid(widths, 64)
            self.heat, self.size = (
                nn.Sequential(convolution(64, 64), nn.Conv2d(64, n, 1)) for n in (10, 2)
            )

        def forward(self, image):
            x = self.pyramid(image)[0]
            heat = torch.sigmoid(self.heat(x))
            peaks = nn.functional.max_pool2d(heat, 3, 1, 1) == heat
            return heat * peaks, self.size(x)

    return Center()


def residual_scaler(kind, width, blocks, scale):
    """Super-resolution by residual blocks and a shuffle of pixels: `edsr`, `srresnet` with
    batch norms, `rcan` with weights of channels, `nafnet` with gates."""
    from torch import nn

    class Weigh(nn.Module):
        def __init__(self):
            super().__init__()
            self.path = nn.Sequential(
                nn.Conv2d(width, width // 4, 1), nn.ReLU(), nn.Conv2d(width // 4, width, 1),
                nn.Sigmoid(),
            )  # fmt: skip

        def forward(self, x):
            return x * self.path(x.mean((2, 3), keepdim=True))

    class Gated(nn.Module):
        def forward(self, x):
            a, b = x.chunk(2, 1)
            return a * b

    def conv(inputs=width, outputs=width, kernel=3, groups=1):
        return nn.Conv2d(inputs, outputs, kernel, 1, kernel // 2, groups=groups)

    def layers():
        if kind == "srresnet":
            return [conv(), nn.BatchNorm2d(width), nn.PReLU(), conv(), nn.BatchNorm2d(width)]
        if kind == "nafnet":
            wide = [nn.GroupNorm(1, width), conv(width, 2 * width, 1)]
            return [
                *wide,
                conv(2 * width, 2 * width, 3, 2 * width),
                Gated(),
                Weigh(),
                conv(kernel=1),
            ]
        return [conv(), nn.ReLU(), conv()] + ([Weigh()] if kind == "rcan" else [])

    class Residual(nn.Module):
        def __init__(self):
            super().__init__()
            self.path = nn.Sequential(*layers())

        def forward(self, x):
            return x + self.path(x)

    class Scaler(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = conv(3)
            self.body = nn.Sequential(*(Residual() for _ in range(blocks)), conv())
            self.last = nn.Sequential(
                conv(width, 3 * scale**2), nn.PixelShuffle(scale) if scale > 1 else nn.Identity()
            )

        def forward(self, x):
            x = self.first(x)
            return self.last(x + self.body(x))

    return Scaler()


def plain_scaler(kind):
    """Super-resolution by a chain of convolutions."""
    from torch import nn

    def conv(inputs, outputs, kernel):
        return nn.Conv2d(inputs, outputs, kernel, 1, kernel // 2)

    if kind == "srcnn":
        upsample = nn.Upsample(scale_factor=3, mode="bicubic", align_corners=False)
        return nn.Sequential(
            upsample, conv(3, 64, 9), nn.ReLU(), conv(64, 32, 5), nn.ReLU(), conv(32, 3, 5)
        )
    if kind == "fsrcnn":
        middle = [layer for _ in range(4) for layer in (conv(16, 16, 3), nn.PReLU())]
        first = [conv(3, 64, 5), nn.PReLU(), conv(64, 16, 1), nn.PReLU()]
        last = [conv(16, 64, 1), nn.PReLU(), nn.ConvTranspose2d(64, 3, 9, 3, 4, 2)]
        return nn.Sequential(*first, *middle, *last)
    if kind == "espcn":
        return nn.Sequential(
            conv(3, 64, 5), nn.Tanh(), conv(64, 64, 3), nn.Tanh(), conv(64, 32, 3), nn.Tanh(),
            conv(32, 27, 3), nn.PixelShuffle(3),
        )  # fmt: skip
    middle = [layer for _ in range(6) for layer in (conv(64, 64, 3), nn.ReLU())]
    return nn.Sequential(conv(3, 64, 3), nn.ReLU(), *middle, conv(64, 3, 3))


def dense_scaler(width, growth, blocks):
    """ESRGAN: blocks whose layers see all earlier ones, in residuals of residuals."""
    import torch
    from torch import nn

    class Dense(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(
                nn.Conv2d(width + i * growth, growth if i < 4 else width, 3, 1, 1) for i in range(5)
            )

        def forward(self, x):
            found = [x]
            for layer in self.layers[:-1]:
                found.append(nn.functional.leaky_relu(layer(torch.cat(found, 1)), 0.2))
            return x + 0.2 * self.layers[-1](torch.cat(found, 1))

    class Scaler(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last = nn.Conv2d(3, width, 3, 1, 1), nn.Conv2d(width, 3, 3, 1, 1)
            self.body = nn.Sequential(*(Dense() for _ in range(blocks)))
            self.up = nn.Conv2d(width, width, 3, 1, 1)

        def forward(self, x):
            x = self.first(x)
            x = nn.functional.interpolate(x + self.body(x), scale_factor=2, mode="nearest")
            return self.last(nn.functional.leaky_relu(self.up(x), 0.2))

    return Scaler()


def diffusion_unet(width):
    """A denoiser: group norms, attention at the coarsest level and an embedding of time."""
    import torch
    from torch import nn

    class Block(nn.Module):
        def __init__(self, inputs, outputs):
            super().__init__()
            self.norm1, self.norm2 = nn.GroupNorm(8, inputs), nn.GroupNorm(8, outputs)
            self.conv1 = nn.Conv2d(inputs, outputs, 3, 1, 1)
            self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1)
            self.time, self.skip = nn.Linear(128, outputs), nn.Conv2d(inputs, outputs, 1)

        def forward(self, x, time):
            y = self.conv1(nn.functional.silu(self.norm1(x))) + self.time(time)[:, :, None, None]
            return self.skip(x) + self.conv2(nn.functional.silu(self.norm2(y)))

    class Attention(nn.Module):
        def __init__(self, channels):
            super().__init__()
            self.norm, self.qkv = nn.GroupNorm(8, channels), nn.Conv2d(channels, 3 * channels, 1)
            self.out = nn.Conv2d(channels, channels, 1)

        def forward(self, x):
            q, k, v = self.qkv(self.norm(x)).flatten(2).transpose(1, 2).chunk(3, 2)
            y = nn.functional.scaled_dot_product_attention(q, k, v)
            return x + self.out(y.transpose(1, 2).reshape(x.shape))

    class Denoiser(nn.Module):
        def __init__(self):
            super().__init__()
            w = [width, 2 * width, 4 * width]
            self.embed = nn.Sequential(nn.Linear(64, 128), nn.SiLU(), nn.Linear(128, 128))
            self.first = nn.Conv2d(4, width, 3, 1, 1)
            self.downs = nn.ModuleList(map(Block, (width, *w), w))
            self.middle = Attention(w[-1])
            self.ups = nn.ModuleList(Block(2 * a, b) for a, b in zip(w[::-1], (*w[-2::-1], width)))
            self.last = nn.Conv2d(width, 4, 3, 1, 1)
            self.register_buffer("rates", torch.exp(-torch.arange(32.0) / 4))

        def forward(self, x, time):
            angle = time[:, None] * self.rates
            time = self.embed(torch.cat([angle.sin(), angle.cos()], 1))
            x, skips = self.first(x), []
            for number, down in enumerate(self.downs):
                x = down(x if number == 0 else nn.functional.avg_pool2d(x, 2), time)
                skips.append(x)
            x = self.middle(x)
            for number, up in enumerate(self.ups):
                skip = skips.pop()
                x = x if number == 0 else nn.functional.interpolate(x, scale_factor=2)
                x = up(torch.cat([x, skip], 1), time)
            return self.last(x)

    return Denoiser()


WIDTHS = (32, 64, 128, 256)
dense("unet", unet, 16, False)
dense("attention-unet", unet, 16, True)
dense("unet++", nested_unet, 16)
dense("segnet", segnet, 16)
dense("linknet", linknet, (64, 128, 256, 512))
dense("spnet", strip_pooling, (64, 128, 256))
dense("deeplabv3+", atrous, (64, 128, 256))
dense("bisenet", bisenet, WIDTHS)
dense("panoptic-fpn", pyramid_segmenter, WIDTHS)
dense("retinanet-head", pyramid_detector, WIDTHS, "retina")
dense("fcos-head", pyramid_detector, WIDTHS, "fcos")
dense("yolov8-like", yolo, 16)
dense("centernet", centernet, WIDTHS)
dense("edsr", residual_scaler, "edsr", 48, 6, 2, shapes=SMALL)
dense("srresnet", residual_scaler, "srresnet", 48, 6, 2, shapes=SMALL)
dense("rcan", residual_scaler, "rcan", 48, 6, 2, shapes=SMALL)
dense("nafnet", residual_scaler, "nafnet", 64, 8, 1, shapes=SMALL)
dense("srcnn", plain_scaler, "srcnn", shapes=SMALL)
dense("fsrcnn", plain_scaler, "fsrcnn", shapes=SHAPES)
dense("espcn", plain_scaler, "espcn", shapes=SHAPES)
dense("dncnn", plain_scaler, "dncnn", shapes=SMALL)
dense("esrgan", dense_scaler, 32, 16, 4, shapes=SMALL)
register(
    Entry(
        "diffusion-unet", "diffusion-unet", functools.partial(diffusion_unet, 32),
        (draws.floats("x", "batch", 4, "height", "width"), draws.unit("time", "batch")),
        ({"batch": 1, "height": 32, "width": 48}, {"batch": 1, "height": 64, "width": 48},
         {"batch": 2, "height": 40, "width": 32}), exporter="script",
    )
)  # fmt: skip
