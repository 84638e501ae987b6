# ===- test_planted.py - Models with one operator that dyn does not have ---===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stock models with an unsupported operator in the middle: they run under torch.compile,
with one warning."""

import pathlib
import sys
import warnings

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import dyn
import image_nets
from closeness import assert_close
from dyn.frontend.torch import statistics
from model_cases import CASES, SHAPES
from torch.utils import _pytree as pytree


@torch.library.custom_op("dyntest::opaque", mutates_args=())
def opaque(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@opaque.register_fake
def _(x):
    return torch.empty_like(x)


def plant_custom(module, args, result):
    return torch.ops.dyntest.opaque(result)


def plant_factors(module, args, result):
    """A factorisation whose result changes nothing."""
    square = result.flatten(1).float()
    factor = torch.linalg.ldl_factor(square @ square.mT)[0]
    return result + torch.zeros_like(factor).sum().to(result.dtype)


PLANTS = {
    "dyntest.opaque.default": plant_custom,
    "aten.linalg_ldl_factor_ex.default": plant_factors,
}


def plant(model, inputs, hook):
    """Adds a hook to the middle one of the leaf modules that return a tensor."""
    called, handles = [], []
    for module in model.modules():
        if not list(module.children()):
            handles.append(
                module.register_forward_hook(
                    lambda m, a, r: called.append(m) if isinstance(r, torch.Tensor) else None
                )
            )
    with torch.no_grad():
        model(**inputs)
    for handle in handles:
        handle.remove()
    called[len(called) // 2].register_forward_hook(hook)


class Net(torch.nn.Module):
    def __init__(self, name):
        super().__init__()
        self.net = image_nets.make(name)

    def forward(self, x):
        return self.net(x)


def _models():
    """A function that makes a model, and one that makes its inputs, by name."""
    for name, case in CASES.items():
        yield name, case.make, case.inputs
    for name in image_nets.NETS:
        yield (
            f"image {name}",
            lambda name=name: Net(name),
            lambda *shape: {"x": image_nets.images(*shape)},
        )


MODELS = {name: (make, inputs) for name, make, inputs in _models()}
#: The models of the short tier.
FEW = {"bert", "image unet"}
NAMES = [pytest.param(n, marks=[] if n in FEW else [pytest.mark.full]) for n in MODELS]


def test_there_are_many():
    assert len(MODELS) >= 50


@pytest.mark.parametrize("name", NAMES)
def test_planted(name, full):
    make, inputs = MODELS[name]
    model = make()
    operator, hook = list(PLANTS.items())[list(MODELS).index(name) % 2]
    plant(model, inputs(*SHAPES[0]), hook)
    torch._dynamo.reset()
    fast = torch.compile(model, backend="dyn", dynamic=True)
    before = statistics()
    with warnings.catch_warnings(record=True) as caught, torch.no_grad():
        warnings.simplefilter("always")
        for shape in SHAPES[: 6 if full else 3]:
            torch.manual_seed(sum(shape))
            given = inputs(*shape)
            expected = model(**given)
            assert_close(pytree.tree_leaves(fast(**given)), pytree.tree_leaves(expected), name)
    torch._dynamo.reset()
    (message,) = [str(w.message) for w in caught if issubclass(w.category, dyn.FallbackWarning)]
    assert message.startswith(
        f"PyTorch computes a graph instead of dyn: {operator} (test_planted.py:"
    )
    assert statistics().pytorch_graphs > before.pytorch_graphs
