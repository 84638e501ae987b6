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
        tensors = list(tensors)
        # Lists are compared faster than tensors one by one: a call does it for all
        # parameters of a model.
        self._counted = [x for x in tensors if not x.is_inference()]
        self._versions = [x._version for x in self._counted]
        self._pointers = [x.data_ptr for x in tensors]
        self._addresses = [pointer() for pointer in self._pointers]
        # These keep the memory alive, so that no other elements get its address.
        self._aliases = [x.detach() for x in tensors]

    def is_current(self):
        """Whether no tensor has changed since."""
        return [x._version for x in self._counted] == self._versions and [
            pointer() for pointer in self._pointers
        ] == self._addresses


def versions_of(values):
    """The number of in-place changes of each tensor among some values."""
    return [_version(x) for x in values if isinstance(x, torch.Tensor)]


def _version(tensor):
    return None if tensor.is_inference() else tensor._version
