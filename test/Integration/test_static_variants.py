# ===- test_static_variants.py - Bits of static and dynamic artifacts ------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fixing sizes may change fusions and schedules, and must not change bits."""

import numpy
import pytest

from harness import describe, same_bits


@pytest.mark.parametrize("name", ["bert-small", "resnet-small", "moe-small"])
def test_bits(compiled, name, full):
    import dyn

    if name == "resnet-small" and not full:
        pytest.skip("takes long: needs --full")

    model = compiled(name)
    options = [f"--dim={name}={low}..{high}" for name, (low, high) in model.model.dims.items()]
    artifact = dyn.load(
        str(model.path), source=model.model.path(), compile_options=options, threads=1
    )
    symbols = {dim.name for dim in artifact.dims}
    rng = numpy.random.default_rng(3)
    for inputs, _ in list(model.legal(rng, 2)):
        sizes = {
            symbol: inputs[port].shape[axis]
            for port, axes in model.model.axes.items()
            if port in inputs
            for axis, symbol in axes.items()
            if symbol in symbols
        }
        before = [numpy.array(value) for value in artifact.run(inputs)]
        artifact.recompile(dims=sizes, wait=True)
        report = artifact.report()
        assert report["failures"] == 0, report
        calls = report["variants"][-1]["calls"]
        after = list(artifact.run(inputs))
        assert artifact.report()["variants"][-1]["calls"] == calls + 1, report
        assert same_bits(before, after), f"{describe(inputs)}: {sizes}"
