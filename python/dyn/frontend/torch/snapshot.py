# ===- snapshot.py - Whether tensors have changed --------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Detects whether tensors that are built into an artifact have changed since."""

import torch


class Snapshot:
    """The state of some tensors: the addresses of their elements and the number of in-place
    changes.

    PyTorch does not count changes that are made through ``.data`` or to inference tensors:
    they are not detected.
    """

    def __init__(self, tensors):
        self._states = [(x, _version(x), x.data_ptr()) for x in tensors]
        # These keep the memory alive, so that no other elements get its address.
        self._aliases = [x.detach() for x, _, _ in self._states]

    def is_current(self):
        """Whether no tensor has changed since."""
        return all(
            _version(x) == version and x.data_ptr() == address
            for x, version, address in self._states
        )


def versions_of(values):
    """The number of in-place changes of each tensor among some values."""
    return [_version(x) for x in values if isinstance(x, torch.Tensor)]


def _version(tensor):
    return None if tensor.is_inference() else tensor._version
