# ===- test_session.py - dyn.InferenceSession ------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of dyn.InferenceSession."""

import types

import numpy as np
import pytest

import dyn


def test_runs_as_onnxruntime_does(zoo):
    session = dyn.InferenceSession(str(zoo), providers=["CPUExecutionProvider"])
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for names in (None, [], ["sum"]):
        (result,) = session.run(names, {"x": x, "y": x})
        np.testing.assert_array_equal(result, 2 * x)


def test_describes_the_model(zoo):
    session = dyn.InferenceSession(zoo)
    x, _ = session.get_inputs()
    assert (x.name, x.type, x.shape) == ("x", "tensor(float)", ["batch", "n"])
    (total,) = session.get_outputs()
    assert (total.name, total.type) == ("sum", "tensor(float)")
    meta = session.get_modelmeta()
    assert meta.custom_metadata_map == {"character": "a\nb"}
    assert meta.graph_name == "zoo"
    assert meta.producer_name == "a test"
    assert meta.version == 3
    assert meta.description == ""
    assert session.get_providers() == ["CPUExecutionProvider"]
    assert session.get_provider_options() == {"CPUExecutionProvider": {}}
    assert session.get_overridable_initializers() == []
    session.set_providers(["CPUExecutionProvider"])
    session.disable_fallback()
    session.enable_fallback()


def test_threads_of_the_options(zoo):
    options = types.SimpleNamespace(intra_op_num_threads=3)
    session = dyn.InferenceSession(zoo, options)
    assert session.artifact.threads == 3
    assert session.get_session_options() is options


def test_bytes_of_an_artifact(zoo):
    session = dyn.InferenceSession(zoo.read_bytes())
    x = np.ones((1, 1), np.float32)
    assert session.run(None, {"x": x, "y": x})[0] == 2


def test_onnx_models_are_compiled_once(compiler, model, tmp_path):
    for _ in range(2):
        session = dyn.InferenceSession(model, cache_dir=tmp_path / "cache")
        dyn.InferenceSession(model.read_bytes(), cache_dir=tmp_path / "cache")
    assert len(session.get_inputs()) == 2
    assert len(compiler()) == 1


def test_sessions_that_change(compiler, model, zoo, tmp_path):
    for given in (model, model.read_bytes()):
        session = dyn.InferenceSession(given, cache_dir=tmp_path, mode="auto", reoptimise=True)
        report = session.artifact.report()
        assert report["auto"]["why"] and report["reoptimise"]["threshold"] == 0.1
    with pytest.raises(dyn.InvalidArgumentError, match="reoptimise: expected `source`"):
        dyn.InferenceSession(zoo, reoptimise=True)


def test_failures(zoo):
    session = dyn.InferenceSession(zoo)
    x = np.ones((1, 1), np.float32)
    with pytest.raises(ValueError, match="input 'y' is missing"):
        session.run(None, {"x": x})
    with pytest.raises(ValueError, match="there is no output 'z': expected .*'sum'"):
        session.run(["z"], {"x": x, "y": x})
    with pytest.raises(dyn.NotFoundError, match="cannot open 'none.onnx'"):
        dyn.InferenceSession("none.onnx")
