# ===- test_decompositions.py - Operators that are decomposed --------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that are decomposed, numbers that must be static, and complex inputs and
outputs."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import dyn
from dyn.frontend.torch import registry, statistics


def compiled(function):
    torch._dynamo.reset()
    options = {"strict": True}
    return torch.compile(function, backend="dyn", dynamic=True, fullgraph=True, options=options)


def same(function, model, *args):
    with torch.no_grad():
        torch.testing.assert_close(model(*args), function(*args), equal_nan=True)


def test_numbers_that_must_be_known_are_built_in():
    """Strides are, and sizes of filters; a number that need not be static stays dynamic."""

    def function(x, w, stride, factor):
        return torch.nn.functional.conv2d(x, w, stride=stride) * factor

    model = compiled(function)
    same(function, model, torch.randn(5, 3, 19, 21), torch.randn(8, 3, 4, 6), 2, 9)
    before = statistics().compilations
    same(function, model, torch.randn(11, 3, 24, 17), torch.randn(10, 3, 4, 6), 2, 7)
    assert statistics().compilations == before
    same(function, model, torch.randn(11, 3, 24, 17), torch.randn(10, 3, 4, 6), 3, 7)
    same(function, model, torch.randn(11, 3, 24, 17), torch.randn(10, 3, 5, 6), 3, 7)
    assert statistics().compilations == before + 2


#: Widths before and after 5 elements.
CUTTING = [(2, -1), (2, 1), (-5, 4), (4, -5)]


@pytest.mark.parametrize(
    "mode,more", [("circular", [(-1, 3)]), ("reflect", CUTTING), ("replicate", CUTTING)]
)
def test_borders_that_cut_and_repeat(mode, more):
    """Widths are arguments of calls. The mode "circular" repeats what is left."""

    def function(x, low, high):
        return torch.nn.functional.pad(x, (low, high), mode=mode)

    model = compiled(function)
    for widths in ((-1, 2), (-2, 1), *more):
        same(function, model, torch.randn(2, 3, 5), *widths)


def test_convolution_along_time():
    """PyTorch makes a graph for each size."""
    weight, bias = torch.randn(3, 8, 6), torch.randn(6)
    model = compiled(torch.conv_tbc)
    for steps, batch in ((9, 3), (1, 2)):
        same(torch.conv_tbc, model, torch.randn(steps, batch, 8), weight, bias, 1)


def test_an_artifact_serves_no_size_that_a_guard_excludes():
    """PyTorch traces size 0 again; the graph is the old one except for its guards."""

    def function(x):
        return [part + 1 for part in torch.chunk(x, 2)]

    model = compiled(function)
    for size in (7, 10, 0, 1):
        same(function, model, torch.randn(size))


def test_statistics_of_the_batch():
    """Running statistics are updated."""

    def function(x, mean, variance):
        return torch.nn.functional.batch_norm(x, mean, variance, training=True, momentum=0.25)

    model = compiled(function)
    for size in (5, 3):
        x, found = torch.randn(size, 4, 6), []
        for f in (function, model):
            mean, variance = torch.zeros(4), torch.ones(4)
            with torch.no_grad():
                found.append((f(x, mean, variance), mean, variance))
        torch.testing.assert_close(*found)


class Standardized(torch.nn.Module):
    """Norms by the statistics of their inputs, which are not stored."""

    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(4, track_running_stats=False, momentum=None)
        self.weight = torch.nn.Parameter(torch.randn(4))

    def forward(self, x):
        native = torch.ops.aten._native_batch_norm_legit.no_stats
        weight = self.weight.to(x.dtype)
        return (
            self.norm(x),
            torch.nn.functional.batch_norm(x, None, None, weight, training=True, eps=1e-3),
            torch.nn.functional.instance_norm(x, weight=weight),
            native(x, weight, None, True, 0.1, 1e-5),
        )


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_norms_without_statistics(dtype):
    """With the means and the reciprocals of the deviations."""
    module = Standardized().eval().to(dtype)
    model = dyn.compile(module, args=(torch.randn(5, 4, 7, dtype=dtype),))
    short = dtype.itemsize == 2
    tolerance = {"rtol": 2e-2, "atol": 2e-2} if short else {"rtol": 1e-4, "atol": 1e-5}
    for size, length in ((5, 7), (1, 9), (2, 3)):
        x = (torch.randn(size, 4, length) * 3 + 1).to(dtype)
        with torch.no_grad():
            torch.testing.assert_close(model(x), module(x), **tolerance)


@pytest.mark.full
def test_standardized_filters():
    """Of Big Transfer, of both kinds of layers."""
    T = pytest.importorskip("transformers")
    torch.manual_seed(0)
    sizes = {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1], "num_groups": 4}
    for kind in ("preactivation", "bottleneck"):
        module = T.BitModel(T.BitConfig(layer_type=kind, **sizes)).eval()
        images = torch.randn(2, 3, 32, 32)
        dims = {"pixel_values": {axis: torch.export.Dim.AUTO for axis in (0, 2, 3)}}
        exported = dyn.compile(module, kwargs={"pixel_values": images}, dynamic_shapes=dims)
        traced = compiled(module)
        for shape in ((2, 3, 32, 32), (1, 3, 48, 32)):
            images = torch.randn(shape)
            with torch.no_grad():
                expected = module(images).to_tuple()
                for model in (exported, traced):
                    found = model(pixel_values=images).to_tuple()
                    torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-4)


def test_checks_of_factors_are_errors_of_the_call():
    model = compiled(lambda x: torch.linalg.tensorinv(x, ind=1))
    with torch.no_grad(), pytest.raises(dyn.DataError, match="an inverse or factors"):
        model(torch.zeros(6, 2, 3))


def test_effects_are_refused():
    class Printing(torch.nn.Module):
        def forward(self, x):
            torch.ops.aten._print("x")
            return x

    with pytest.raises(dyn.UnsupportedError, match="has an effect|_print"):
        dyn.compile(Printing(), args=(torch.ones(3),))


def test_a_graph_of_sizes_alone():
    def function(x, y):
        return torch.broadcast_shapes(x.shape, y.shape)

    model = compiled(function)
    assert model(torch.ones(3, 1), torch.ones(4)) == (3, 4)


class Complex(torch.nn.Module):
    def forward(self, z, x):
        z.mul_(2)
        return z * x, z.abs(), (z + x).to(torch.complex128)


def test_complex_inputs_and_outputs():
    """Lazy conjugates and views of parts of tensors are read correctly."""
    dims = {"z": {0: torch.export.Dim.AUTO}, "x": {0: torch.export.Dim.AUTO}}
    z = torch.randn(5, 4, dtype=torch.complex64)
    model = dyn.compile(Complex(), args=(z, torch.randn(5, 4)), dynamic_shapes=dims)
    assert str(model.artifact.inputs[0]).startswith("z: f32[z_d0, 4, 2]")
    for size in (3, 0, 1):
        whole = torch.randn(4, 2 * size, dtype=torch.complex64)
        for z in (whole.conj().T[:size], whole.T[::2].clone()):
            x, changed, expected = torch.randn(size, 4), z.clone(), z.clone()
            wanted = Complex()(expected, x)
            torch.testing.assert_close(model(changed, x), wanted)
            torch.testing.assert_close(changed, expected)
            numbers = z.resolve_conj().numpy().copy()
            product, _, wide = model(numbers, x.numpy())
            np.testing.assert_allclose(product, wanted[0].numpy(), rtol=1e-5)
            assert wide.dtype == np.complex128
            np.testing.assert_allclose(numbers, expected.numpy(), rtol=1e-5)


def test_complex_numbers_have_functions_of_their_own():
    """An operator that is built for real numbers is decomposed for complex ones, and vice
    versa."""
    assert registry.is_known(torch.ops.aten.sin.default)
    assert not registry.is_known(torch.ops.aten.sin.default, is_complex=True)
    assert registry.is_known(torch.ops.aten.angle.default, is_complex=True)

    def function(z, x):
        return z.sin() + x.sin(), x.angle(), z.angle()

    same(function, compiled(function), torch.randn(5, dtype=torch.complex64), torch.randn(5))


def test_a_decomposition_may_leave_a_call_as_it_is():
    def first(x):
        return NotImplemented if x > 1 else "first"

    assert registry._first_of([first, lambda x: "second"], 1) == "first"
    assert registry._first_of([first, lambda x: "second"], 2) == "second"
    assert registry._first_of([first], 2) is NotImplemented
