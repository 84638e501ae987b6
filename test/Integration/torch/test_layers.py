# ===- test_layers.py - Kernels of a layer on a GPU ------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The number of kernels of a transformer's layer besides its GEMMs, counted on the
emulator: those of twice as many layers, less those of half as many."""

import collections
import pathlib
import sys

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
FOLDER = pathlib.Path(__file__).parent
sys.path[:0] = [str(FOLDER / "Inputs"), str(FOLDER.parent / "Inputs")]

import dyn
import transformer_cases
from model_cases import CASES

#: Names of the number of layers in different configurations.
LAYERS = ("num_hidden_layers", "n_layer", "n_layers")
SHORT = ("gpt2", "llama", "gemma2")
NAMES = ("bert", "roberta", "distilbert", "albert", "electra", "gpt2", "opt", "llama", "qwen2",
         "mistral", "gemma", "gemma2", "phi3", "bloom", "gpt-neox", "phi", "cohere")  # fmt: skip


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in SHORT else pytest.mark.full) for n in NAMES]
)
def test_kernels_of_a_layer(tmp_path, name):
    case = {**transformer_cases.CASES, **CASES}[name]
    inputs = case.inputs(2, 7)
    shapes = {key: case.dynamic.get(key, {}) for key in inputs}
    counts = []
    for layers in (2, 4):
        compiled = dyn.compile(
            case.make(**dict.fromkeys(LAYERS, layers)),
            tmp_path / f"{layers}.so",
            kwargs=inputs,
            dynamic_shapes=shapes,
            options=("--target=cpu,emu", "--isa=v3", "-O1"),
            device="emu",
        )
        compiled(**inputs)
        count = collections.Counter()
        for kernel in compiled.artifact.stats["kernels"]:
            count[kernel["kind"]] += kernel["launches"]
        counts.append(count)
    layer = {kind: (counts[1][kind] - counts[0][kind]) / 2 for kind in counts[1]}
    assert layer["attention"] == 1
    assert sum(layer.values()) - layer["contraction"] <= 6, layer
