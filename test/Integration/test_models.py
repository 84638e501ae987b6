# ===- test_models.py - Whole models at many shapes, each compiled once ----===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The properties of every model: close to ONNX Runtime at every legal shape from one
artifact, the same bits with any number of threads and for any batch, and no allocation in a
warm call.

Small models run at few shapes, and at 1000 with --full, where the full-size models follow
at 50.
"""

import shutil
import subprocess

import numpy
import pytest

import models
from harness import describe, difference, same_bits

LLVM_READELF = shutil.which("llvm-readelf-22") or "/usr/lib/llvm-22/bin/llvm-readelf"
# The OCR models are those of the demo: short enough for every run.
SHORT = [name for name in models.names() if "small" in name or "rapidocr" in name]


every_model = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in SHORT else pytest.mark.full, id=name)
        for name in models.names()
    ],
)


def count(model, full):
    """The number of shapes to run."""
    if model.full:
        return 50 if full else 3
    return 1000 if full else 10


@every_model
def test_close_at_every_shape(compiled, full, name):
    model = compiled(name)
    rng = numpy.random.default_rng(11)
    for inputs, want in model.legal(rng, count(model.model, full)):
        got = model.run(inputs)
        assert len(got) == len(want)
        for index, (ours, theirs) in enumerate(zip(got, want)):
            error = difference(ours, theirs)
            if error > model.model.tolerance:
                # ONNX Runtime may be the one with the larger error.
                truth = model.judge(inputs, index).astype(ours.dtype)
                judged = difference(ours, truth)
                print(
                    f"{describe(inputs)}: {error:.3g} from ONNX Runtime, which is "
                    f"{difference(theirs, truth):.3g} from float64; dyn is {judged:.3g}"
                )
                error = judged
            assert error <= model.model.tolerance, (
                f"output {index} at {describe(inputs)}: shape {ours.shape}, expected {theirs.shape}"
            )
    # The artifact on disk is the one that was compiled.
    assert model.path.stat().st_mtime_ns == model.stamp


@every_model
def test_same_bits_with_any_threads(compiled, full, name):
    model = compiled(name)
    rng = numpy.random.default_rng(12)
    for inputs in model.inputs(rng, 50 if full else 3):
        first = model.run(inputs, threads=1)
        assert same_bits(model.run(inputs, threads=1), first), describe(inputs)
        assert same_bits(model.run(inputs, threads=2), first), describe(inputs)


@every_model
def test_rows_do_not_see_their_batch(compiled, full, name):
    model = compiled(name)
    if model.model.batch is None or not any(0 in axes for axes in model.model.axes.values()):
        pytest.skip("the model has no independent rows")
    rng = numpy.random.default_rng(13)
    for _ in range(2 if not full else 20):
        sizes = dict(model.model.sizes(rng), **{model.model.batch: 8})
        inputs = model.model.inputs(sizes, rng)
        batch = model.run(inputs)
        for row, alone in enumerate(model.rows(inputs)):
            assert same_bits(model.run(alone), [output[row : row + 1] for output in batch]), (
                f"row {row} of {describe(inputs)}"
            )


@every_model
def test_warm_calls_allocate_nothing(compiled, full, name):
    model = compiled(name)
    artifact = model.artifact()
    rng = numpy.random.default_rng(14)
    for inputs in model.inputs(rng, 50 if full else 3):
        artifact(**inputs)
        before = artifact.stats
        artifact(**inputs)
        after = artifact.stats
        assert _field(after, "calls") == _field(before, "calls") + 1
        assert _field(after, "allocations") == _field(before, "allocations"), describe(inputs)


@every_model
def test_artifact_stands_alone(compiled, name):
    path = str(compiled(name).path)
    dynamic = subprocess.run(
        [LLVM_READELF, "--dynamic", "--dyn-syms", path],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "NEEDED" not in dynamic
    undefined = [line for line in dynamic.splitlines() if " UND " in line and line.split()[-1:]]
    # The first entry of the table is the null symbol.
    assert len(undefined) <= 1, undefined


def _field(stats, name):
    return stats[name] if isinstance(stats, dict) else getattr(stats, name)
