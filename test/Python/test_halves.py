# ===- test_halves.py - bf16, which numpy lacks ----------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of bf16 are returned in the library of the inputs."""

import gc
import sys

import numpy as np
import pytest

import dyn

BITS = np.array([0x3FC0, 0xC000, 0x7F80, 0x0001, 0x7FC0], np.uint16)
WHOLE = np.arange(5, dtype=np.float32)


@pytest.fixture
def halves(zoo):
    return dyn.load(zoo, entry="halves")


def test_torch_tensors_come_back(halves):
    torch = pytest.importorskip("torch")
    x, y = torch.from_numpy(BITS.view(np.int16)).view(torch.bfloat16), torch.from_numpy(WHOLE)
    for inputs in ((x, y), (x, WHOLE), (BITS, y), (x, WHOLE.tolist())):
        for half, whole in (halves(*inputs), halves.run(dict(zip(("half", "whole"), inputs)))):
            assert type(half) is torch.Tensor and half.dtype == torch.bfloat16
            np.testing.assert_array_equal(half.view(torch.int16).numpy().view(np.uint16), BITS)
            # Types that numpy has are returned as numpy arrays.
            assert type(whole) is np.ndarray and whole.dtype == np.float32
            np.testing.assert_array_equal(whole, WHOLE)
    # The tensor owns its memory.
    many = [halves(x + i, y)[0] for i in range(20)]
    del halves
    gc.collect()
    assert all(torch.equal(half[:2], (x + i)[:2]) for i, half in enumerate(many))
    many[0] += 1
    torch.nn.Parameter(many[0])


def test_torch_tensors_of_other_kinds(halves):
    torch = pytest.importorskip("torch")
    y = torch.from_numpy(WHOLE)
    for count in (0, 1, 4):
        x = torch.ones(2 * count, dtype=torch.bfloat16, requires_grad=True)[::2]
        half = halves(x, y[:count])[0]
        assert half.shape == (count,) and not half.requires_grad
        assert torch.equal(half, x.detach())
    assert torch.equal(halves(torch.nn.Parameter(x), y[:4])[0], x)


def test_numpy_arrays_come_back(halves):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for x in (BITS, BITS.view(ml_dtypes.bfloat16), BITS.view(ml_dtypes.bfloat16).tolist()):
        half, whole = halves(x, WHOLE)
        assert half.dtype == ml_dtypes.bfloat16 and half.flags.writeable
        assert halves.outputs[0].numpy_dtype == half.dtype
        np.testing.assert_array_equal(half.view(np.uint16), BITS)
        assert whole.dtype == np.float32


def test_without_ml_dtypes_come_bits(halves, monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    half, _ = halves(BITS, WHOLE)
    assert half.dtype == np.uint16 == halves.outputs[0].numpy_dtype
    np.testing.assert_array_equal(half, BITS)


def test_no_inputs(zoo):
    half = dyn.load(zoo, entry="half")
    assert half().shape == () and half().dtype == half.outputs[0].numpy_dtype
    assert half.run({})["half"].view(np.uint16) == 0x3FC0


class OfAnotherLibrary:
    """An array that implements the array API standard."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __array_namespace__(self):
        class Namespace:
            from_dlpack = OfAnotherLibrary

        return Namespace


def test_other_libraries(halves):
    torch = pytest.importorskip("torch")
    x = torch.ones(3, dtype=torch.bfloat16)
    half = halves(OfAnotherLibrary(x), WHOLE[:3])[0]
    assert isinstance(half, OfAnotherLibrary)
    assert half.array.__dlpack_device__() == (1, 0)
    assert torch.equal(torch.from_dlpack(half.array), x)
