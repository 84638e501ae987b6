# ===- sampling.py - Samples between voxels ---------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""grid_sample of volumes; that of images PyTorch decomposes."""

import itertools

import torch

from dyn.frontend.torch.registry import decomposition

_NEAREST, _ZEROS, _BORDER = 1, 0, 1


@decomposition("aten.grid_sampler_3d.default")
def grid_sampler_3d(x, grid, interpolation_mode, padding_mode, align_corners):
    """[N, C, D, H, W] at places [N, d, h, w, 3], each from -1 to 1, the last axis first."""
    places = []
    for coordinate, size in zip(grid.unbind(-1), (x.shape[4], x.shape[3], x.shape[2])):
        places.append(_place(coordinate, size, padding_mode, align_corners))
    places = places[::-1]
    if interpolation_mode == _NEAREST:
        return _at(x, [place.round() for place in places])
    total, floors = 0, [place.floor() for place in places]
    for corner in itertools.product((0, 1), repeat=3):
        weight = 1
        for place, floor, side in zip(places, floors, corner):
            part = place - floor
            weight = weight * (part if side else 1 - part)
        value = _at(x, [floor + side for floor, side in zip(floors, corner)])
        total = total + value * weight.unsqueeze(1)
    return total


def _place(coordinate, size, padding_mode, align_corners):
    if align_corners:
        place = (coordinate + 1) / 2 * (size - 1)
        low, span = 0.0, (size - 1) * 1.0
    else:
        place = ((coordinate + 1) * size - 1) / 2
        low, span = -0.5, size * 1.0
    if padding_mode == _ZEROS:
        return place
    if padding_mode != _BORDER:
        # Mirrored at both ends, as often as it takes.
        away = (place - low).abs()
        turns = torch.floor(away / span) if span != 0 else torch.zeros_like(away)
        rest = away - turns * span
        place = torch.where(turns.remainder(2) == 0, rest, span - rest) + low
    return place.clamp(min=0).minimum(torch.full_like(place, size - 1))


def _at(x, places):
    """The elements at whole places, 0 outside."""
    inside, flat = True, 0
    for place, size in zip(places, x.shape[2:]):
        inside = (place >= 0) & (place <= size - 1) & inside
        flat = flat * size + torch.where((place >= 0) & (place <= size - 1), place, 0.0).long()
    shape = flat.shape
    flat = flat.reshape(shape[0], 1, -1).expand(-1, x.shape[1], -1)
    values = x.reshape(*x.shape[:2], -1).gather(2, flat)
    values = values.reshape(*x.shape[:2], *shape[1:])
    return torch.where(inside.unsqueeze(1), values, 0.0)
