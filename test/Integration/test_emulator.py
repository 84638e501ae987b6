# ===- test_emulator.py - Whole models on the emulator of a GPU ------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models, compiled for the CPU and for the emulator in one artifact: close to ONNX
Runtime on the emulator, without reports, with one copy back and one wait per call, also
with data-dependent sizes."""

import pathlib
import re
import shutil

import collections

import numpy
import pytest

import dyn
import models
from harness import Compiled, describe, difference

SMALL = [name for name in models.names() if "small" in name]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("devices")


@pytest.mark.parametrize("name", SMALL)
def test_close_on_the_emulator(folder, full, name):
    model = Compiled(models.get(name), folder, options=("--target=cpu,emu", "--isa=v3"))
    device = dyn.load(str(model.path), device="emu")
    rng = numpy.random.default_rng(21)
    calls = copied = 0
    for inputs, want in model.legal(rng, 20 if full else 3):
        # A fault of a kernel raises an exception.
        got = [numpy.array(value) for value in as_tuple(device(**inputs))]
        calls += 1
        copied += any(value.size for value in got)
        for index, (ours, theirs) in enumerate(zip(got, want, strict=True)):
            error = difference(ours, theirs)
            assert error <= model.model.tolerance, f"output {index} at {describe(inputs)}"
    stats = device.stats
    assert stats["device_waits"] == calls
    # Without an error word, empty outputs need no copy.
    assert copied <= stats["copies_to_host"] <= calls
    # If outputs stay on the device, the host does not wait.
    queued = dyn.load(str(model.path), device="emu", outputs="device", stream=0)
    kept = queued(**inputs)
    assert (queued.stats["calls"], queued.stats["device_waits"]) == (1, 0)
    queued.wait()
    del kept
    path = model.path
    model.release()
    path.unlink()


@pytest.mark.full
@pytest.mark.parametrize("name", SMALL)
def test_ptxas_accepts(folder, name):
    """Every kernel, for the oldest and the newest architecture."""
    if not shutil.which("ptxas"):
        pytest.skip("no ptxas of the CUDA toolkit")
    options = ("--target=cpu,cuda:sm_80,sm_90a", "--isa=v3", "-O1")
    model = Compiled(models.get(name), folder, options=options)
    model.release()
    model.path.unlink()


def launches(folder, name, sizes):
    """The number of launches per call, by kind of kernel."""
    model = Compiled(models.get(name), folder, options=("--target=cpu,emu", "--isa=v3"))
    device = dyn.load(str(model.path), device="emu")
    device(**model.model.inputs(sizes, numpy.random.default_rng(0)))
    counts = collections.Counter()
    for kernel in device.stats["kernels"]:
        counts[kernel["kind"]] += kernel["launches"]
    model.release()
    return counts


def test_launches_of_a_layer(folder):
    """Apart from its GEMMs, a layer of a transformer is one kernel of attention and two
    norms, with all elementwise operations in between fused."""
    sizes = {"batch": 2, "sequence": 5}
    two, twelve = (launches(folder, name, sizes) for name in ("bert-small", "bert-deep-small"))
    layer = {kind: count / 10 for kind, count in (twelve - two).items()}
    assert layer.pop("contraction") == 6
    assert layer == {"attention": 1, "row": 2}


@pytest.mark.parametrize("name", ["gpt2-prefill-small", "gpt2-decode-small", "vit-small"])
def test_attention_is_one_launch(folder, name):
    sizes = {"batch": 2, "sequence": 3} | ({"past": 4} if "decode" in name else {})
    counts = launches(folder, name, {"batch": 2} if "vit" in name else sizes)
    assert counts["attention"] == 2


def as_tuple(value):
    return value if isinstance(value, tuple) else (value,)


# Two layers of experts, the second with a capacity.
MIXTURE = pathlib.Path(__file__).parents[1] / "Tools" / "dyn-profile" / "Inputs" / "mixture.mlir"


def test_layers_of_paths(folder):
    """A routed layer has the same launches for 32 paths as for four, and no wait."""
    launches = set()
    for paths in (4, 32):
        text = re.sub(r"\b4x16x16", f"{paths}x16x16", MIXTURE.read_text())
        text = re.sub(r"<(16|\?)x4x", rf"<\1x{paths}x", text)
        text = text.replace("<@N, 4,", f"<@N, {paths},").replace("5xi64", f"{paths + 1}xi64")
        source, path = folder / f"{paths}.mlir", folder / f"{paths}.so"
        source.write_text(text)
        dyn.compile(str(source), output=str(path), options=("--target=cpu,emu", "--isa=v3"))
        x = numpy.random.default_rng(2).standard_normal((97, 16), "float32")
        device = dyn.load(str(path), device="emu")
        got, want = device(x=x), dyn.load(str(path))(x=x)
        assert numpy.allclose(got, want, rtol=1e-4, atol=1e-5)
        stats = device.stats
        assert (stats["device_waits"], stats["copies_to_host"]) == (1, 1)
        launches.add(stats["launches"])
    assert len(launches) == 1
