# ===- convolution.py - Convolutions of other layouts ----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions whose layouts differ from those that are built."""

import torch

from dyn.frontend.torch.registry import decomposition


@decomposition("aten.conv_tbc.default")
def conv_tbc(x, weight, bias, pad=0):
    """[time, batch, channel] by [tap, from, to]."""
    x, weight = x.permute(1, 2, 0), weight.permute(2, 1, 0)
    return torch.nn.functional.conv1d(x, weight, bias, padding=pad).permute(2, 0, 1)
