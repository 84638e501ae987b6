# ===- model.py - A compiled PyTorch model ---------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled models, called as the model that they were made of."""

import numpy as np
import torch
from torch.export._tree_utils import reorder_kwargs
from torch.utils import _pytree as pytree

from dyn.errors import InvalidArgumentError
from dyn.frontend.torch.program import Port


class Model:
    """A compiled model: takes the model's arguments and returns its results.

    Tensors are read in place, and results own their memory; they have no gradients. If all
    arguments are numpy arrays, so are the results. Results lie in host memory unless the
    model was loaded with ``outputs="device"``. Any number of threads may call it at the
    same time.
    """

    def __init__(self, artifact, module, in_spec, out_spec, example):
        self._artifact = artifact
        self._module = module
        self._in_spec = in_spec
        self._out_spec = out_spec
        self._example = example

    @property
    def artifact(self):
        """The :class:`dyn.Artifact`: its signature, statistics and file."""
        return self._artifact

    @property
    def draws(self):
        """Whether it draws random numbers."""
        return self._module.draws

    @property
    def demands(self):
        """Relations between sizes that calls must meet, by PyTorch's symbols."""
        return self._module.demands

    @property
    def changed(self):
        """Indices of the flat inputs that are changed in place."""
        return self._module.mutations.keys()

    def __call__(self, *args, **kwargs):
        """Runs the model.

        Raises:
          InvalidArgumentError: the structure of the arguments differs from that of the
            example, constants differ, or the signature is violated.
          DataError: the values of an input are invalid.
        """
        flat = self._flatten(args, kwargs)
        outputs = self.run_flat(flat)
        return pytree.tree_unflatten(outputs, self._out_spec)

    def run_flat(self, flat):
        """The flat outputs for flat inputs."""
        arrays = [_real(x) for x, index in zip(flat, self._module.inputs) if index is not None]
        # From PyTorch's generator, so that its seed makes a model's random numbers
        # repeatable.
        seed = int(torch.randint(2**63 - 1, (), device="cpu")) if self._module.draws else 0
        results = self._artifact.run(arrays, seed=seed)
        wants_numpy = any(isinstance(x, np.ndarray) for x in arrays) and not any(
            isinstance(x, torch.Tensor) for x in arrays
        )
        if not wants_numpy:
            results = [_as_tensor(r, p.dtype) for r, p in zip(results, self._artifact.outputs)]
        for index, port in self._module.mutations.items():
            _store(flat[index], results[port])
        return [_output(port, results) for port in self._module.outputs]

    def _flatten(self, args, kwargs):
        """The flat inputs, checked against the structure of the example."""
        try:
            kwargs = reorder_kwargs(kwargs, self._in_spec)
        except ValueError as error:
            raise InvalidArgumentError(str(error)) from None
        flat, spec = pytree.tree_flatten((args, kwargs))
        if spec != self._in_spec:
            raise InvalidArgumentError(
                f"expected arguments of the structure {self._in_spec}, found {spec}"
            )
        for i, (x, index, example) in enumerate(zip(flat, self._module.inputs, self._example)):
            if index is None and not _is_same(x, example):
                raise InvalidArgumentError(
                    f"argument {i} is a constant of the program: expected {example!r}, found {x!r}"
                )
        return flat

    def __repr__(self):
        return f"<dyn model {self._artifact!r}>"


def _is_same(x, example):
    return example is None or type(x) is type(example) and x == example


def _output(port, results):
    if not isinstance(port, Port):
        return port
    result = results[port.index]
    if port.number is complex:
        return _complex(result)
    return result if port.number is None else port.number(result)


def _real(x):
    """An input with the parts of complex numbers along a last axis."""
    if isinstance(x, np.ndarray):
        if not np.iscomplexobj(x):
            return x
        return np.ascontiguousarray(x)[..., None].view(x.real.dtype)
    if not isinstance(x, torch.Tensor) or not x.is_complex():
        return x
    return torch.view_as_real(x.detach().resolve_conj())


def _complex(x):
    """The inverse."""
    if isinstance(x, torch.Tensor):
        return torch.view_as_complex(x)
    return x.view(np.result_type(x.dtype, np.complex64))[..., 0]


def _as_tensor(array, dtype):
    """A tensor on the array's memory."""
    if isinstance(array, torch.Tensor):
        return array
    if not isinstance(array, np.ndarray):
        return torch.from_dlpack(array)
    if dtype == "bf16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def _store(old, new):
    """Writes the new elements of an input that the model changes in place."""
    if isinstance(old, torch.Tensor):
        with torch.no_grad():
            old.copy_(_complex(new) if old.is_complex() else new)
    else:
        old[...] = _complex(new) if np.iscomplexobj(old) else new
