# ===- model.py - The class of test models, and the cache of files ---------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Model class, its registry and the export by PyTorch."""

import contextlib
import dataclasses
import hashlib
import importlib.metadata
import io
import logging
import os
import pathlib
import sys
import warnings
from typing import Callable, Dict, Optional, Tuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
Sizes = Dict[str, int]

_models: Dict[str, "Model"] = {}


def cache_folder():
    """The folder of model files: DYN_MODELS, or `models` in the build."""
    build = os.environ.get("DYN_BUILD", ROOT / "build")
    return pathlib.Path(os.environ.get("DYN_MODELS", pathlib.Path(build) / "models"))


@dataclasses.dataclass(frozen=True)
class Model:
    """A model, its legal sizes and inputs for them.

    `axes` names the dynamic axes of each input and output by their symbols, and
    `inputs(sizes, rng)` draws the inputs in the model's order, as a dict of arrays.
    `sizes(rng)` draws legal sizes, ones and primes among them.
    """

    name: str
    axes: Dict[str, Dict[int, str]]
    outputs: Tuple[str, ...]
    inputs: Callable[[Sizes, "numpy.random.Generator"], dict]
    sizes: Callable[["numpy.random.Generator"], Sizes]
    # The module in PyTorch, with its weights; called under a fixed seed.
    module: Optional[Callable[[], "torch.nn.Module"]] = None
    # Writes the ONNX file without an export of `module`.
    write: Optional[Callable[[pathlib.Path], None]] = None
    # "script" or "dynamo": the two exporters write shapes very differently.
    exporter: str = "script"
    # Sizes at which the module is traced. They are different, and none is 1.
    example: Sizes = dataclasses.field(default_factory=dict)
    # The symbol of the independent rows, on axis 0.
    batch: Optional[str] = "batch"
    # Bounds to declare when compiling: {"sequence": (1, 512)}.
    dims: Dict[str, Tuple[int, int]] = dataclasses.field(default_factory=dict)
    tolerance: float = 1e-4

    @property
    def full(self):
        """Whether this is a model of full size."""
        return not self.name.endswith("-small")

    def path(self):
        """The ONNX file, written if it does not exist yet."""
        target = cache_folder() / f"{self.name}-{self._fingerprint()}.onnx"
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            # Renamed when complete: another process may look for it.
            part = target.with_suffix(f".{os.getpid()}.part")
            try:
                (self.write or self._export)(part)
                os.replace(part, target)
            finally:
                part.unlink(missing_ok=True)
        return target

    def make_module(self):
        """The module in evaluation mode, with the weights of the ONNX file."""
        import torch

        torch.manual_seed(20)
        return self.module().eval()

    def _fingerprint(self):
        """Changes when the file must be written again."""
        # The sources that make it, and those that all models share: a change of another
        # model does not affect this file.
        makers = (self.inputs, self.module, self.write)
        modules = {getattr(m, "func", m).__module__ for m in makers if m}
        sources = {pathlib.Path(sys.modules[name].__file__) for name in modules}
        folder = pathlib.Path(__file__).parent
        digest = hashlib.sha256()
        for source in (*sorted(sources), folder / "model.py", folder / "draw.py"):
            digest.update(source.read_bytes())
        for package in ("torch", "transformers", "onnx", "rapidocr-onnxruntime"):
            with contextlib.suppress(importlib.metadata.PackageNotFoundError):
                digest.update(importlib.metadata.version(package).encode())
        return digest.hexdigest()[:12]

    def _export(self, path):
        import numpy
        import torch

        arrays = self.inputs(self.example, numpy.random.default_rng(1))
        arguments = tuple(torch.from_numpy(array) for array in arrays.values())
        options = dict(
            input_names=list(arrays),
            output_names=list(self.outputs),
            external_data=False,
            dynamo=self.exporter == "dynamo",
        )
        if self.exporter == "dynamo":
            symbols = {
                symbol: torch.export.Dim(symbol, max=self.dims.get(symbol, (0, None))[1])
                for axes in self.axes.values()
                for symbol in axes.values()
                if symbol.isidentifier()
            }
            options["dynamic_shapes"] = self._dynamic_shapes(arrays, symbols)
            options["verbose"] = False
        else:
            options["dynamic_axes"] = self.axes
        with _quiet(), torch.no_grad():
            torch.onnx.export(self.make_module(), arguments, str(path), **options)

    def _dynamic_shapes(self, arrays, symbols):
        shapes = [
            {axis: symbols[symbol] for axis, symbol in self.axes.get(name, {}).items()}
            for name in arrays
        ]
        # For a module that takes *tensors, shapes are a nested tuple.
        import inspect

        parameters = list(inspect.signature(self.make_module().forward).parameters.values())
        for number, parameter in enumerate(parameters):
            if parameter.kind is parameter.VAR_POSITIONAL:
                return (*shapes[:number], tuple(shapes[number:]))
        return tuple(shapes)


@contextlib.contextmanager
def _quiet():
    """Suppresses messages of exporters about normal conditions."""
    level = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)


def register(model):
    """Registers `model` for get() and names()."""
    _models[model.name] = model


def get(name):
    """The model with that name. KeyError lists the existing names."""
    if name not in _models:
        raise KeyError(f"no model '{name}', expected one of {', '.join(names())}")
    return _models[name]


def names(full=None):
    """Names of all models, or of the full (True) or small (False) ones."""
    return [n for n, m in _models.items() if full is None or m.full == full]
