# ===- weights.py - Parameters of a program in a file ----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parameters are written to a file once, and programs refer to them by offset."""

import json
import os
import struct

import torch
from safetensors.torch import save_file


class Weights:
    """Tensors by name, written to one safetensors file.

    Tensors that share their memory, such as tied embeddings, are written once, under the
    first name.
    """

    def __init__(self, path, tensors):
        """Writes `tensors`, a dictionary, to the file `path`."""
        # Programs lie in the same folder.
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
        """The operation that loads a tensor, without its type."""
        name = self._names[_identity(tensor)]
        low, high = self._header[name]["data_offsets"]
        return (
            f'weight <"{self._file}", offset = {self._begin + low}, length = {high - low}, '
            f"key = {json.dumps(name, ensure_ascii=False)}>"
        )


class Identities:
    """Replaces :class:`Weights` where programs are compared and not compiled: refers to
    tensors by their address."""

    @staticmethod
    def reference(tensor):
        return f"weight {_identity(tensor)}"


def stored(tensor):
    """A tensor as it is stored in files: complex numbers have their parts along a last
    axis, and lazy conjugation and negation are resolved."""
    tensor = tensor.resolve_conj().resolve_neg()
    return torch.view_as_real(tensor) if tensor.is_complex() else tensor


def _identity(tensor):
    """Equal for tensors that are the same memory."""
    # Empty tensors have no address, and those of the same shape are equivalent.
    address = tensor.data_ptr() if tensor.numel() else None
    put_off = tensor.is_conj(), tensor.is_neg()
    return address, tuple(tensor.shape), tensor.stride(), tensor.dtype, *put_off


def _own(tensor):
    """The elements as a tensor with a storage of its own."""
    tensor = tensor.detach().cpu().contiguous()
    whole = tensor.untyped_storage().nbytes() == tensor.numel() * tensor.itemsize
    return tensor if whole else tensor.clone()


def _read_header(path):
    """The descriptions of tensors in a safetensors file, and the offset of their bytes."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        return json.loads(file.read(length)), 8 + length
