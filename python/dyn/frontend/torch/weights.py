# ===- weights.py - Parameters of a program in a file ---------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parameters go to a file once, and programs refer to them by offset."""

import json
import os
import struct

import torch
from safetensors.torch import save_file


class Weights:
    """Tensors by name, written to one safetensors file.

    Tensors that are one in memory, such as tied embeddings, are written once,
    under the first name.
    """

    def __init__(self, path, tensors):
        """Writes `tensors`, a dictionary, to the file `path`."""
        # Programs stand beside the file.
        self._file = os.path.basename(path)
        self._names = {}
        unique = {}
        for name, tensor in tensors.items():
            identity = _identity(tensor)
            if identity not in self._names:
                self._names[identity] = name
                unique[name] = _own(stored(tensor))
        save_file(unique, path)
        self._header, self._begin = _read_header(path)

    def reference(self, tensor):
        """The operation that stands for a tensor, without its type."""
        name = self._names[_identity(tensor)]
        low, high = self._header[name]["data_offsets"]
        return (
            f'weight <"{self._file}", offset = {self._begin + low}, length = {high - low}, '
            f"key = {json.dumps(name, ensure_ascii=False)}>"
        )


class Identities:
    """Stands for :class:`Weights` where programs are compared and not compiled:
    refers to tensors by their place in memory."""

    @staticmethod
    def reference(tensor):
        return f"weight {_identity(tensor)}"


def stored(tensor):
    """As files have it: complex numbers have their parts along a last axis, and what
    PyTorch has put off is done."""
    tensor = tensor.resolve_conj().resolve_neg()
    return torch.view_as_real(tensor) if tensor.is_complex() else tensor


def _identity(tensor):
    """Equal for tensors that are one in memory."""
    # Empty tensors have no address, and any of a shape is as good as another.
    address = tensor.data_ptr() if tensor.numel() else None
    put_off = tensor.is_conj(), tensor.is_neg()
    return address, tuple(tensor.shape), tensor.stride(), tensor.dtype, *put_off


def _own(tensor):
    """The elements as a tensor that shares its memory with no other."""
    tensor = tensor.detach().cpu().contiguous()
    whole = tensor.untyped_storage().nbytes() == tensor.numel() * tensor.itemsize
    return tensor if whole else tensor.clone()


def _read_header(path):
    """What a safetensors file says of its tensors, and where their bytes begin."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        return json.loads(file.read(length)), 8 + length
