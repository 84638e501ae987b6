# ===- sampling.py - Samples between pixels --------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""grid_sample. That of PyTorch for images reads single elements of maps with channels first;
here the channels of a pixel are read together."""

import itertools

import torch

from dyn.frontend.torch.registry import decomposition

_NEAREST, _CUBIC, _ZEROS, _BORDER = 1, 2, 0, 1


@decomposition("aten.grid_sampler_2d.default", "aten.grid_sampler_3d.default")
def grid_sampler(x, grid, interpolation_mode, padding_mode, align_corners):
    """[N, C, D, H, W] at positions [N, d, h, w, 3], each from -1 to 1, in reverse order of
    axes; or the same without D."""
    dtype = torch.promote_types(x.dtype, torch.float32)
    if dtype is not x.dtype:
        whole = grid_sampler(
            x.to(dtype), grid.to(dtype), interpolation_mode, padding_mode, align_corners
        )
        return whole.to(x.dtype)
    indices = [
        _index(coordinate, size, align_corners)
        for coordinate, size in zip(grid.unbind(-1)[::-1], x.shape[2:])
    ]

    def kept(indices):
        how = padding_mode, align_corners
        return [_kept(index, size, *how) for index, size in zip(indices, x.shape[2:])]

    if interpolation_mode == _CUBIC:
        return _cubic(x, indices, kept).movedim(-1, 1)
    indices = kept(indices)
    if interpolation_mode == _NEAREST:
        return at(x, [index.round() for index in indices]).movedim(-1, 1)
    return linear(lambda corner: at(x, corner), indices).movedim(-1, 1)


def linear(values_at, indices):
    """Samples between pixels: `values_at` returns the channels of those at integral indices,
    as the last axis."""
    total, floors = 0, [index.floor() for index in indices]
    for corner in itertools.product((0, 1), repeat=len(indices)):
        weight = 1
        for index, floor, side in zip(indices, floors, corner):
            part = index - floor
            weight = weight * (part if side else 1 - part)
        value = values_at([floor + side for floor, side in zip(floors, corner)])
        total = total + value * weight.unsqueeze(-1)
    return total


def _cubic(x, indices, kept):
    """Four taps along each axis, each of which is clipped to the image separately."""
    taps, weight, rank = [], 1, len(indices)
    for axis, index in enumerate(indices):
        sizes = [4 if i == axis else 1 for i in range(rank)]
        offset = torch.arange(-1, 3, dtype=index.dtype).reshape(sizes)
        index = index.reshape(*index.shape, *[1] * rank)
        floor = index.floor()
        taps.append(floor + offset)
        weight = weight * _weight((index - floor - offset).abs())
    values = at(x, kept(taps)) * weight.unsqueeze(-1)
    return values.sum(tuple(range(-1 - rank, -1)))


def _weight(distance):
    """R. G. Keys' cubic convolution (1981)."""
    a, d = -0.75, distance
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return torch.where(d <= 1, near, torch.where(d < 2, far, 0.0))


def _index(coordinate, size, align_corners):
    """The index, not rounded, for a coordinate from -1 to 1."""
    if align_corners:
        return (coordinate + 1) / 2 * (size - 1)
    return ((coordinate + 1) * size - 1) / 2


def _kept(index, size, padding_mode, align_corners):
    """The index at which an index outside of the image is sampled."""
    if padding_mode == _ZEROS:
        return index
    low, span = (0.0, (size - 1) * 1.0) if align_corners else (-0.5, size * 1.0)
    if padding_mode != _BORDER:
        # Reflected at both ends, repeatedly if necessary.
        away = (index - low).abs()
        turns = torch.floor(away / span) if span != 0 else torch.zeros_like(away)
        rest = away - turns * span
        index = torch.where(turns.remainder(2) == 0, rest, span - rest) + low
    return index.clamp(min=0).minimum(torch.full_like(index, size - 1))


def at(x, indices, images=None):
    """The channels of the elements at integral indices, as the last axis; 0 outside. The
    first axis of the indices are the images, unless their numbers are given."""
    inside, flat = True, 0
    for index, size in zip(indices, x.shape[2:]):
        inside = (index >= 0) & (index <= size - 1) & inside
        flat = flat * size + torch.where((index >= 0) & (index <= size - 1), index, 0.0).long()
    if images is None:
        images = torch.arange(x.shape[0]).reshape(-1, *[1] * (flat.dim() - 1))
    pixels = x.flatten(2)
    flat = flat + images * pixels.shape[2]
    values = pixels.transpose(1, 2).flatten(0, 1)[flat]
    return torch.where(inside.unsqueeze(-1), values, 0.0)
