# ===- rowwise.py - Functions of PyTorch on any number of rows -------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Some functions read the number of elements before they compute, but the number of rows of
a path is unknown while PyTorch traces. Their operators do not read it."""

import torch
from torch.nn import functional
from torch.overrides import TorchFunctionMode


class RowWise(TorchFunctionMode):
    """Within a ``with`` block such functions call their operators."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if function is functional.group_norm:
            return _group_norm(*args, **kwargs)
        if function is functional.batch_norm:
            return _batch_norm(*args, **kwargs)
        return function(*args, **kwargs)


def _group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    return torch.group_norm(input, num_groups, weight, bias, eps)


def _batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False,
                momentum=0.1, eps=1e-5):  # fmt: skip
    if training:
        return functional.batch_norm(
            input, running_mean, running_var, weight, bias, training, momentum, eps
        )
    return torch.ops.aten._native_batch_norm_legit_no_training.default(
        input, weight, bias, running_mean, running_var, momentum, eps
    )[0]
