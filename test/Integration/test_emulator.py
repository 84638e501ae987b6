# ===- test_emulator.py - Whole models on the emulator of a GPU -------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models, compiled for the CPU and for the emulator in one artifact: close to
ONNX Runtime on the emulator, with nothing reported, one copy of the inputs and one
wait a call, and one more for each time that data tell a size."""

import numpy
import pytest

import dyn
import models
from harness import Compiled, describe, difference

# Waits of a call for sizes that are data: tokens that a mask leaves, rows of eight experts,
# two sizes of a reshape that the model computes.
SIZES = {
    "bert-pooled-dynamo-small": 1,
    "bert-pooled-small": 1,
    "moe-small": 8,
    "vit-any-small": 2,
}
SMALL = [name for name in models.names() if "small" in name]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("devices")


@pytest.mark.parametrize("name", SMALL)
def test_close_on_the_emulator(folder, full, name):
    model = Compiled(models.get(name), folder, options=("--target=cpu,emu", "--isa=v3"))
    device = dyn.load(str(model.path), device="emu")
    rng = numpy.random.default_rng(21)
    calls = 0
    for inputs, want in model.legal(rng, 20 if full else 3):
        # A fault of a kernel is an exception.
        got = [numpy.array(value) for value in as_tuple(device(**inputs))]
        calls += 1
        for index, (ours, theirs) in enumerate(zip(got, want, strict=True)):
            error = difference(ours, theirs)
            assert error <= model.model.tolerance, f"output {index} at {describe(inputs)}"
    stats = device.stats
    assert stats["device_waits"] == calls * (1 + SIZES.get(name, 0))
    path = model.path
    model.release()
    path.unlink()


def as_tuple(value):
    return value if isinstance(value, tuple) else (value,)
