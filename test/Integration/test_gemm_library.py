# ===- test_gemm_library.py - GEMMs by a library ---------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transformers whose dense GEMMs are all computed by a GEMM library, the emulator's: close
to ONNX Runtime at every shape, with one plan for each problem, without the library, and
with tables of tuned algorithms."""

import numpy
import pytest

import dyn
import models
from harness import Compiled, describe, difference

OPTIONS = ("--target=cpu,emu", "--isa=v3", "--cuda-library=always")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("gemms")


@pytest.mark.parametrize("name", ["bert-small", "gpt2-prefill-small", "vit-small"])
def test_close_with_a_library(folder, full, name):
    model = Compiled(models.get(name), folder, options=OPTIONS)
    device = dyn.load(str(model.path), device="emu")
    assert device.gemm_library["name"] == "libdynemu.so"
    assert device.gemm_library["reason"] == ""
    assert device.gemm_library["kernels"] > 0
    own = dyn.load(str(model.path), device="emu", gemm_library="none")
    assert own.gemm_library["name"] == ""
    assert own.gemm_library["reason"] == "none is wanted"
    for inputs, want in model.legal(numpy.random.default_rng(3), 20 if full else 3):
        for program in (device, own):
            got = program(**inputs)
            for ours, theirs in zip(got if isinstance(got, tuple) else (got,), want, strict=True):
                error = difference(numpy.array(ours), theirs)
                assert error <= model.model.tolerance, describe(inputs)
    stats, others = device.stats, own.stats
    assert stats["library_launches"] > 0
    assert stats["library_misses"] == 0
    assert others["library_launches"] == 0
    assert others["library_misses"] == stats["library_launches"]
    model.release()


def test_tables(folder):
    model = Compiled(models.get("gpt2-prefill-small"), folder, options=OPTIONS)
    inputs = model.model.inputs({"batch": 2, "sequence": 3}, numpy.random.default_rng(0))
    table = folder / "table.txt"
    tuned = dyn.load(str(model.path), device="emu", tune_gemms=3)
    tuned(**inputs)
    count = tuned.gemm_library["tuned"]
    assert count > 0
    tuned.write_gemm_table(table)
    read = dyn.load(str(model.path), device="emu", gemm_table=table)
    assert read.gemm_library["table"] == count
    first, second = tuned(**inputs), read(**inputs)
    for a, b in zip(first, second, strict=True):
        # The same algorithms, so the same bits.
        numpy.testing.assert_array_equal(numpy.array(a), numpy.array(b))
    assert read.gemm_library["tuned"] == 0
    text = table.read_text()
    table.write_text(text.replace("device emulator", "device simulator"))
    with pytest.raises(dyn.BadArtifactError, match="its lines do not hash to what its end says"):
        dyn.load(str(model.path), device="emu", gemm_table=table)
    with pytest.raises(dyn.NotFoundError):
        dyn.load(str(model.path), device="emu", gemm_table=folder / "nowhere")
    with pytest.raises(dyn.InvalidArgumentError, match="expected none on the CPU"):
        dyn.load(str(model.path), tune_gemms=1)
    model.release()
