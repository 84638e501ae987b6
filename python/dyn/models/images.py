# ===- images.py - Random images -------------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random images. Noise alone would all be the same to a network without training, whose
routers see means."""

import torch


def random_images(generator, count, height, width):
    """[count, 3, height, width] in [-2, 2], each with its own colour, contrast and gradient
    of brightness."""

    def draw(*sizes):
        return torch.rand(count, 3, *sizes, generator=generator)

    slope = torch.linspace(-1, 1, height)[:, None] * (draw(1, 1) - 0.5)
    pixels = draw(1, 1) + slope + draw(1, 1) * (draw(height, width) - 0.5)
    return 4 * pixels.clamp(0, 1) - 2
