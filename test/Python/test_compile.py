# ===- test_compile.py - dyn.compile with a fake compiler ------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of dyn.compile, with a script instead of the compiler."""

import os

import numpy as np
import pytest

import dyn
from dyn.compiler import find_compiler
from dyn.compiler.cache import cached_compile


def test_compiles_and_loads(compiler, model, tmp_path):
    output = tmp_path / "model.so"
    add = dyn.compile(
        str(model),
        output=output,
        dims={"batch": (1, 64), "n": 7},
        isa=("v3", "v4"),
        options=["--explain"],
        threads=1,
    )
    assert add.path == str(output) and add.threads == 1
    dims = ["--dim", "batch=1..64", "--dim", "n=7..7"]
    assert compiler() == [[str(model), "-o", str(output), *dims, "--isa=v3,v4", "--explain"]]
    x = np.ones((1, 1), np.float32)
    assert add(x, x) == 2


def test_temporary_output_and_bytes(compiler):
    add = dyn.compile(b"bytes of a model")
    assert os.path.exists(add.path)
    (call,) = compiler()
    assert call[0].endswith(".onnx") and not os.path.exists(call[0])


def test_objects_that_serialize(compiler):
    class Proto:
        def SerializeToString(self):
            return b"proto"

    dyn.compile(Proto())
    assert len(compiler()) == 1


def test_failures(compiler, model):
    with pytest.raises(dyn.CompileError) as info:
        dyn.compile(model, options=["--fail"])
    assert str(info.value) == "dyn-compile: error: model.onnx: no such op"
    with pytest.raises(dyn.CompileError, match="dyn-compile died of signal 6"):
        dyn.compile(model, options=["--die"])
    with pytest.raises(dyn.NotFoundError, match="cannot open 'none.onnx'"):
        dyn.compile("none.onnx")


def test_no_compiler(monkeypatch, model):
    monkeypatch.setenv("DYN_COMPILE", "/nowhere/dyn-compile")
    with pytest.raises(dyn.NotFoundError, match="DYN_COMPILE names '/nowhere"):
        dyn.compile(model)


def test_compiler_on_the_path(compiler, tmp_path, monkeypatch):
    monkeypatch.setenv("DYN_COMPILE", "dyn-compile")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_compiler() == str(tmp_path / "dyn-compile")


def test_cache(compiler, model, tmp_path):
    folder = tmp_path / "cache"
    first = cached_compile(model, folder=folder)
    assert cached_compile(model, folder=folder) == first
    assert cached_compile(model.read_bytes(), folder=folder) == first
    assert len(compiler()) == 1
    assert cached_compile(model, folder=folder, dims={"n": 3}) != first
    model.write_bytes(b"another model")
    assert cached_compile(model, folder=folder) != first
    assert len(compiler()) == 3
    assert len(list(folder.iterdir())) == 3


def test_cache_sees_external_data(compiler, model, tmp_path):
    (tmp_path / "w.data").write_bytes(b"1")
    model.write_bytes(b"a model with w.data beside it")
    first = cached_compile(model, folder=tmp_path / "cache")
    (tmp_path / "w.data").write_bytes(b"22")
    assert cached_compile(model, folder=tmp_path / "cache") != first


def test_failed_compile_leaves_nothing(compiler, model, tmp_path):
    with pytest.raises(dyn.CompileError):
        cached_compile(model, folder=tmp_path / "cache", options=["--fail"])
    assert list((tmp_path / "cache").iterdir()) == []
