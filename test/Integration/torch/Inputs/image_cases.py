# ===- image_cases.py - Images to compare with eager PyTorch ---------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families of operators (see op_cases.py) on images: convolutions, pools, resizing,
interpolation between pixels."""

import torch
import torch.nn.functional as F
from op_cases import NOT_EMPTY, cases, family, floats


@family("samples", NOT_EMPTY, {"x": {0: "batch", 2: "height"}, "g": {0: "batch", 1: "rows"}})
def samples(n, m):
    return {"x": floats(n, 2, m + 1, 5), "g": floats(n, m, 3, 2, low=-1.5, high=1.5)}


for _mode in ("bilinear", "nearest", "bicubic"):
    for _padding in ("zeros", "border", "reflection"):
        cases(samples, **{f"grid_{_mode}_{_padding}": lambda x, g, _m=_mode, _p=_padding:
                          F.grid_sample(x, g, _m, _p, align_corners=_m == "bicubic")})  # fmt: skip


def _voxels(x, g, padding):
    volumes = torch.stack([x, x.flip(3), x * 2], 2)
    positions = torch.cat([g, g[..., :1]], -1).unsqueeze(1)
    return F.grid_sample(volumes, positions, "bicubic", padding, align_corners=padding != "zeros")


for _padding in ("zeros", "border", "reflection"):
    cases(samples, **{f"voxels_{_padding}": lambda x, g, _p=_padding: _voxels(x, g, _p)})


@family("images", [(2, 13), (1, 8), (3, 17)], {"x": {0: "batch", 2: "height"}})
def images(n, m):
    return {"x": floats(n, 4, m, 12)}


def _own_filters(self, x):
    """A filter for each image: as many groups as images."""
    n, c, h, w = x.shape
    filters = self.conv.weight * x.mean((2, 3))[:, None, :, None, None]
    y = F.conv2d(x.reshape(1, n * c, h, w), filters.flatten(0, 1), stride=(1, 2), padding=(0, 1),
                 dilation=(2, 1), groups=n)  # fmt: skip
    return y.unflatten(1, (n, -1))


images.conv = torch.nn.Conv2d(4, 6, 3, padding=1, stride=2)
images.same = torch.nn.Conv2d(4, 4, (3, 4), padding="same")
images.grouped = torch.nn.Conv2d(4, 8, 3, groups=2, dilation=2, bias=False)
images.conv1d = torch.nn.Conv1d(4, 3, 5, padding=2)
images.up = torch.nn.ConvTranspose2d(4, 3, 3, stride=2, padding=1, output_padding=1)
images.up_grouped = torch.nn.ConvTranspose2d(4, 6, 2, stride=2, groups=2)
images.batch_norm = torch.nn.BatchNorm2d(4)
images.batch_norm.running_mean.uniform_(-1, 1)
images.batch_norm.running_var.uniform_(0.5, 2)
images.group_norm = torch.nn.GroupNorm(2, 4)
images.instance_norm = torch.nn.InstanceNorm2d(4, affine=True)
for _name in [
    "conv",
    "same",
    "grouped",
    "up",
    "up_grouped",
    "batch_norm",
    "group_norm",
    "instance_norm",
]:
    images.cases[_name] = lambda self, x, _name=_name: getattr(self, _name)(x)
images.cases["conv1d"] = lambda self, x: self.conv1d(x[:, :, 0])
images.cases["conv_own_filters"] = lambda self, x: _own_filters(self, x)
images.cases["conv_unbatched"] = lambda self, x: self.conv(x[0])
cases(
    images,
    max_pool=lambda x: F.max_pool2d(x, 3, 2, 1),
    max_pool_ceil=lambda x: F.max_pool2d(x, 2, 3, ceil_mode=True),
    max_pool_dilated=lambda x: F.max_pool2d(x, 2, 1, dilation=2),
    max_pool1d=lambda x: F.max_pool1d(x[:, :, 0], 3),
    max_indices=lambda x: F.max_pool2d(x, (3, 2), (2, 1), 1, return_indices=True),
    max_indices_ceil=lambda x: F.max_pool2d(x, 2, 3, ceil_mode=True, return_indices=True),
    max_indices_dilated=lambda x: F.max_pool2d(x.round(), 2, 1, dilation=2, return_indices=True),
    max_indices1d=lambda x: F.max_pool1d(x[:, :, 0].relu().log(), 3, 2, 1, return_indices=True),
    max_indices3d=lambda x: F.max_pool3d(x.unsqueeze(1), (2, 3, 2), 2, 1, return_indices=True),
    max_unpool=lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2),
    avg_pool=lambda x: F.avg_pool2d(x, 3, 2, 1),
    avg_pool_inner=lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
    avg_pool_ceil=lambda x: F.avg_pool2d(x, 2, 3, ceil_mode=True),
    avg_pool_divisor=lambda x: F.avg_pool2d(x, 2, divisor_override=3),
    avg_pool1d=lambda x: F.avg_pool1d(x[:, :, 0], 2),
    avg_pool3d=lambda x: F.avg_pool3d(x.unsqueeze(1), (2, 3, 2), 2, 1, count_include_pad=False),
    local_response=lambda x: F.local_response_norm(x, 3),
    adaptive=lambda x: F.adaptive_avg_pool2d(x, 1),
    adaptive_parts=lambda x: F.adaptive_avg_pool2d(x.transpose(2, 3)[:, :, :, :6], (4, 3)),
    no_parts=lambda x: (F.adaptive_avg_pool2d(x, (0, 3)), F.instance_norm(x[:, :0])),
    adaptive_uneven=lambda x: (
        F.adaptive_avg_pool2d(x, 5) + F.adaptive_avg_pool2d(x, (None, 3)).mean()
    ),
    adaptive_max=lambda x: F.adaptive_max_pool2d(x, (4, 3), return_indices=True),
    adaptive_max_one=lambda x: F.adaptive_max_pool2d(x.round(), 1, return_indices=True),
    adaptive_max1d=lambda x: F.adaptive_max_pool1d(x.flatten(2), 50),
    adaptive_max3d=lambda x: F.adaptive_max_pool3d(x, (2, 3, 1), return_indices=True),
    adaptive_more=lambda x: F.adaptive_avg_pool1d(x.flatten(2), 50),
    filtered=lambda x: F.interpolate(x, size=(9, 5), mode="bilinear", antialias=True),
    filtered_cubic=lambda x: F.interpolate(x, scale_factor=0.5, mode="bicubic", antialias=True),
    filtered_corners=lambda x: F.interpolate(
        x, size=(1, 20), mode="bicubic", antialias=True, align_corners=True
    ),
    nearest=lambda x: F.interpolate(x, scale_factor=2),
    nearest_size=lambda x: F.interpolate(x, size=(7, 9)),
    nearest_exact=lambda x: F.interpolate(x, size=(7, 9), mode="nearest-exact"),
    bilinear=lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
    bilinear_corners=lambda x: F.interpolate(x, size=(9, 5), mode="bilinear", align_corners=True),
    bicubic=lambda x: F.interpolate(x, scale_factor=1.5, mode="bicubic"),
    linear=lambda x: F.interpolate(x[:, :, 0], size=17, mode="linear"),
)
