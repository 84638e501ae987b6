# ===- test_reoptimise.py - Artifacts that follow their routes -------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""``dyn.load(..., reoptimise=True)``: compiles again when routes drift, with equal bits."""

import pathlib
import shutil
import time

import numpy
import pytest

MIXTURE = pathlib.Path(__file__).parents[1] / "Tools" / "dyn-profile" / "Inputs" / "mixture.mlir"


@pytest.fixture
def source(tmp_path):
    import dyn

    shutil.copy(MIXTURE, tmp_path / "m.mlir")
    dyn.compile(str(tmp_path / "m.mlir"), str(tmp_path / "m.so"))
    return tmp_path / "m.mlir"


def call_until(artifact, inputs, holds, seconds=120):
    """Calls with the inputs until the report is as it should be."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for _ in range(20):
            artifact(inputs)
        report = artifact.report()
        if holds(report):
            return report
        time.sleep(0.005)
    pytest.fail(f"the report stays {report}")


def test_drift_is_compiled_for(source):
    import dyn

    generator = numpy.random.default_rng(5)
    first = numpy.repeat(generator.standard_normal((1, 16), "float32"), 512, 0)
    other = numpy.repeat(generator.standard_normal((1, 16), "float32"), 512, 0)
    mixed = generator.standard_normal((512, 16), "float32")
    plain = dyn.load(source.with_suffix(".so"))
    expected = [plain(x) for x in (first, other, mixed)]
    artifact = dyn.load(source.with_suffix(".so"), source=source, reoptimise=0.3, window=0.02)
    # All tokens take the same two of four experts: as far as can be from equal loads.
    report = call_until(artifact, first, lambda report: len(report["variants"]) == 2)
    compiled = next(e for e in report["last_events"] if e["what"] == "compiles")
    assert (
        "router 'layers." in compiled["detail"] and "the threshold is 0.300" in compiled["detail"]
    )
    # The variant was compiled for them: the drift ends.
    call_until(
        artifact,
        first,
        lambda report: all(
            router["rows"] and router["drift"] < 0.01 for router in report["reoptimise"]["routers"]
        ),
    )
    found = [artifact(x) for x in (first, other, mixed)]
    for value, right in zip(found, expected):
        numpy.testing.assert_array_equal(value, right)


def test_misuse(source):
    import dyn

    path = source.with_suffix(".so")
    with pytest.raises(dyn.InvalidArgumentError, match="reoptimise: expected `source`"):
        dyn.load(path, reoptimise=True)
    with pytest.raises(dyn.InvalidArgumentError, match="reoptimise: expected 0 to 1, got 2"):
        dyn.load(path, source=source, reoptimise=2)
    with pytest.raises(dyn.InvalidArgumentError, match="window: expected seconds, got 0"):
        dyn.load(path, source=source, reoptimise=True, window=0)
