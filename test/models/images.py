# ===- images.py - A ViT that takes images of any size ---------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ViT whose position embeddings are interpolated to the size of the image."""

import functools

from models import draw
from models.model import Model, register


def vit_module(**config):
    import torch
    from transformers import ViTConfig, ViTModel

    class Vit(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.vit = ViTModel(ViTConfig(**config), add_pooling_layer=False)

        def forward(self, pixels):
            return self.vit(pixels, interpolate_pos_encoding=True).last_hidden_state

    return Vit()


def vit_inputs(sizes, rng):
    shape = sizes["batch"], 3, sizes["height"], sizes["width"]
    return {"pixels": rng.standard_normal(shape, "float32")}


def vit_sizes(rng, patch, most, area):
    """Multiples of the patch size, as the sizes of a resized image."""
    height, width = (patch * draw.size(rng, 1, most) for _ in range(2))
    return {"batch": draw.size(rng, 1, max(1, area // (height * width))), "height": height,
            "width": width}  # fmt: skip


def vit(name, most, area, **config):
    patch = config.get("patch_size", 16)
    register(
        Model(
            name=name,
            axes={
                "pixels": {0: "batch", 2: "height", 3: "width"},
                "hidden": {0: "batch", 1: "tokens"},
            },
            outputs=("hidden",),
            inputs=vit_inputs,
            sizes=functools.partial(vit_sizes, patch=patch, most=most, area=area),
            module=functools.partial(vit_module, **config),
            example={"batch": 2, "height": 3 * patch, "width": 4 * patch},
        )
    )


vit(
    "vit-any-small",
    9,
    60 * 60,
    image_size=40,
    patch_size=8,
    hidden_size=48,
    num_hidden_layers=2,
    num_attention_heads=3,
    intermediate_size=96,
)
vit("vit-any", 24, 384 * 384)
