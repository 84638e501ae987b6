# ===- entry.py - Entries of the zoo, and their table ----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Entry class: a module, its inputs by named sizes, and three shapes; and the table of
all entries."""

import dataclasses
import functools
import hashlib
import importlib.metadata
import importlib.util
import json
import pathlib
from typing import Callable, Dict, Tuple, Union

from models.model import cache_folder
from models.zoo import definition

#: Packages whose versions decide what a builder makes and what is exported.
PACKAGES = ("torch", "transformers", "onnx", "onnxscript", "timm", "torchvision", "torchaudio")

_entries: Dict[str, "Entry"] = {}


@dataclasses.dataclass(frozen=True)
class Input:
    """An input: `shape` has numbers and the names of dynamic sizes, and `draw(rng, shape)`
    returns the array."""

    name: str
    shape: Tuple[Union[int, str], ...]
    draw: Callable

    def array(self, rng, sizes):
        return self.draw(rng, tuple(sizes.get(size, size) for size in self.shape))


@dataclasses.dataclass(frozen=True)
class Entry:
    """An architecture with random weights.

    `build()` returns a module that takes the inputs by position; it is called under a fixed
    seed. `shapes` are the three sets of sizes that are measured. Serves as the model of an
    engine (test/benchmarks/engines.py).
    """

    name: str
    family: str
    build: Callable[[], "torch.nn.Module"]
    ports: Tuple[Input, ...]
    shapes: Tuple[Dict[str, int], ...]
    # Packages besides those of the tests: "timm".
    needs: Tuple[str, ...] = ()
    # Where the first exporter is known to fail or to take minutes: "script".
    exporter: str = "dynamo"
    # Outputs to compare; all by default. Some are not functions of the inputs alone, or
    # are discontinuous.
    keep: Union[slice, None] = None
    tolerance: float = 1e-4
    dims: Dict[str, Tuple[int, int]] = dataclasses.field(default_factory=dict)

    @property
    def example(self):
        """Sizes to export at: none is 1, which exporters take for a constant."""
        largest = self.shapes[-1]
        return {name: max(size, 2) for name, size in largest.items()}

    def available(self):
        """Whether the packages are installed."""
        return all(importlib.util.find_spec(package) for package in self.needs)

    def inputs(self, sizes, rng):
        return {port.name: port.array(rng, sizes) for port in self.ports}

    def sizes(self, rng):
        return self.shapes[rng.integers(len(self.shapes))]

    def make_module(self):
        """The module in evaluation mode, which returns a tuple of tensors."""
        import torch
        from models.zoo import packages
        from models.zoo.export import Flat

        packages.admit_torchaudio()
        torch.manual_seed(20)
        return Flat(self.build(), self.keep).eval()

    def definition(self):
        """Changes when the entry has to be run again."""
        digest = hashlib.sha256(definition.describe(self).encode())
        for package in PACKAGES:
            if package in ("torch", "transformers", "onnx", "onnxscript", *self.needs):
                digest.update(f"{package} {_version(package)}\n".encode())
        return digest.hexdigest()[:12]

    def path(self):
        """The ONNX file, exported if it does not exist yet."""
        from models.zoo import export

        path = cache_folder() / "zoo" / f"{self.name}-{self.definition()}.onnx"
        if not path.with_suffix(".json").exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            facts = export.export(self, path)
            path.with_suffix(".json").write_text(json.dumps(facts))
        return path

    def export_facts(self):
        """How path() was exported: {"exporter", "seconds", "tried": {exporter: message}}."""
        return json.loads(pathlib.Path(self.path()).with_suffix(".json").read_text())


@functools.lru_cache
def _version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "none"


def register(entry):
    """Adds an entry to the table. ValueError if there is one of that name."""
    if entry.name in _entries:
        raise ValueError(f"two entries '{entry.name}'")
    _entries[entry.name] = entry


def get(name):
    """The entry with that name, or KeyError."""
    return _entries[name]


def entries():
    """All entries, in the order of the table."""
    return list(_entries.values())
