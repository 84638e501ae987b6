# ===- snapshot.py - Whether tensors have changed --------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tells whether tensors that are built into an artifact have changed since."""

import torch


class Snapshot:
    """The state of some tensors: where their elements are and how often they have been
    changed in place.

    PyTorch does not count changes that are written through ``.data`` or to inference
    tensors: those are not seen here.
    """

    def __init__(self, tensors):
        self._states = [(x, _version(x), x.data_ptr()) for x in tensors]
        # They keep the memory, so that its address stands for these elements alone.
        self._aliases = [x.detach() for x, _, _ in self._states]

    def is_current(self):
        """Whether no tensor has changed since."""
        return all(
            _version(x) == version and x.data_ptr() == address
            for x, version, address in self._states
        )


def versions_of(values):
    """How often those of some values were changed in place that are tensors."""
    return [_version(x) for x in values if isinstance(x, torch.Tensor)]


def _version(tensor):
    return None if tensor.is_inference() else tensor._version
