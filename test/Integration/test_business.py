# ===- test_business.py - Models of businesses over many requests ----------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each model is compiled once and serves requests of all lengths, close to PyTorch in
float64 with the same weights and the same random numbers."""

import numpy
import pytest
from harness import describe, difference

torch = pytest.importorskip("torch")
pytest.importorskip("onnxscript")

from models.business import ALL, tensors


@pytest.fixture(autouse=True)
def one_thread():
    """Steps of a few rows are slower on several threads, which wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def truth(module, request):
    """Results of PyTorch in float64, converted to the element types of dyn's."""
    wide = {k: v.double() if v.is_floating_point() else v for k, v in tensors(request).items()}
    return [value.numpy() for value in module(**wide)]


@pytest.mark.parametrize("name", ALL)
def test_one_compilation_serves_all_requests(tmp_path, full, name):
    business = ALL[name]
    run = business.compile(tmp_path, isa=None if full else "v3")
    stamp = (tmp_path / f"{name}.so").stat().st_mtime_ns
    module, shapes = business.make().double(), set()
    for request in business.requests(200 if full else 24):
        got, want = run(request), truth(module, request)
        assert len(got) == len(want)
        for label, ours, theirs in zip(business.results, got, want):
            error = difference(numpy.asarray(ours), theirs.astype(ours.dtype))
            assert error <= 1e-4, f"{label} of {describe(request)}: {error}"
        shapes.add(tuple(value.shape for value in got))
    # One artifact for results of many sizes.
    assert (tmp_path / f"{name}.so").stat().st_mtime_ns == stamp
    assert len(shapes) > 8


@pytest.mark.parametrize("name", ["voice", "formula"])
def test_lengths_come_from_data(name):
    """Results of requests of one shape differ in shape: they do not depend on input sizes
    alone."""
    module, (request,), shapes = ALL[name].make(), ALL[name].requests(1), set()
    for scale in (0.1, 1, 30):
        scaled = {
            label: value * numpy.float32(scale) if value.dtype == "float32" else value
            for label, value in request.items()
        }
        shapes.add(tuple(value.shape for value in module(**tensors(scaled))))
    assert len(shapes) > 1
