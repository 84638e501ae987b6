# ===- test_robustness.py - Bad models and inputs, from the command line ---===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A refusal has exit status 1, a message with the expected and the actual value, and leaves
every file unchanged."""

import os
import pathlib
import subprocess
import sys

import numpy
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import models

ROOT = pathlib.Path(__file__).resolve().parents[1]


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


def listing(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(done, *words):
    """The message of a run that must have failed properly."""
    assert done.returncode == 1, (done.returncode, done.stderr)
    assert done.stdout == ""
    for word in words:
        assert word in done.stderr, done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def malformed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("malformed") / "models"
    script = ROOT / "Import" / "ONNX" / "Inputs" / "malformed.py"
    subprocess.run([sys.executable, str(script), str(folder)], check=True)
    return folder


BAD_MODELS = {
    "text": ["text.onnx"],
    "empty": ["empty.onnx"],
    "cut": ["cut.onnx"],
    "deep": ["deep.onnx"],
    "vast": ["'w'"],
    "short": ["'w'", "expected 400 bytes"],
    "truncated": ["'w'", "expected 400 bytes at offset 4", "which has 400 bytes"],
    "missing": ["'w'"],
    "climbs": ["'w'", "leaves the model's folder"],
    "absolute": ["'w'", "leaves the model's folder"],
    "linked": ["'w'", "leaves the model's folder"],
}


@pytest.mark.parametrize("name", BAD_MODELS)
def test_bad_models(malformed, tmp_path, name):
    artifact = tmp_path / "model.so"
    done = run("dyn-compile", malformed / "good.onnx", "-o", artifact, "--isa=v3")
    assert done.returncode == 0, done.stderr
    before = listing(tmp_path)
    refused(
        run("dyn-compile", malformed / f"{name}.onnx", "-o", artifact, "--isa=v3"),
        "error: ",
        *BAD_MODELS[name],
    )
    # An existing artifact is unchanged.
    assert listing(tmp_path) == before


def test_every_prefix_of_a_model(tmp_path, full):
    """A file that was truncated while it was written."""
    whole = models.get("mlp-small").path().read_bytes()
    count = 400 if full else 25
    for length in {len(whole) * i // count for i in range(count)}:
        (tmp_path / "cut.onnx").write_bytes(whole[:length])
        done = run("dyn-translate", "--import-onnx", tmp_path / "cut.onnx", "-o", tmp_path / "o")
        assert done.returncode == 1 and "error:" in done.stderr, (length, done.stderr)
        assert not (tmp_path / "o").exists()


def test_interrupted_compile_leaves_nothing(tmp_path):
    """A full disk, simulated by a limit on the size of files."""
    weight = numpy.zeros((1024, 1024), "float32")
    ports = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["n", 1024]) for n in "xy"]
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"])]
    graph = helper.make_graph(
        nodes, "g", ports[:1], ports[1:], [numpy_helper.from_array(weight, "w")]
    )
    model = tmp_path / "m.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), str(model))
    before = listing(tmp_path)
    done = run("bash", "-c", f"ulimit -f 2048; dyn-compile {model} -o {tmp_path / 'm.so'}")
    assert done.returncode != 0
    assert listing(tmp_path) == before


@pytest.fixture(scope="module")
def bert(compiled):
    return compiled("bert-small")


BAD_INPUTS = {
    "rank": (
        lambda i: dict(i, input_ids=i["input_ids"][0]),
        ["'input_ids'", "expected rank 2, i64[batch, sequence]", "got rank 1"],
    ),
    "type": (
        lambda i: dict(i, input_ids=i["input_ids"].astype("float32")),
        ["'input_ids'", "expected i64", "f32"],
    ),
    "range": (
        lambda i: {k: v.repeat(200, 1) for k, v in i.items()},
        ["'input_ids', axis 1", "expected sequence in [1, 512]", "got 1000"],
    ),
    "agreement": (
        lambda i: dict(i, attention_mask=i["attention_mask"][:, :4]),
        ["'attention_mask', axis 1", "sequence = 5", "'input_ids', axis 1", "got 4"],
    ),
    "missing": (
        lambda i: {k: v for k, v in i.items() if k != "input_ids"},
        ["input 'input_ids' is missing", "i64[batch, sequence]"],
    ),
    "unknown": (
        lambda i: dict(i, ids=i["input_ids"]),
        ["there is no input 'ids'", "'input_ids'"],
    ),
}


@pytest.mark.parametrize("case", BAD_INPUTS)
def test_bad_inputs(bert, tmp_path, case):
    change, words = BAD_INPUTS[case]
    inputs = bert.model.inputs({"batch": 2, "sequence": 5}, numpy.random.default_rng(0))
    numpy.savez(tmp_path / "in.npz", **change(inputs))
    before = listing(tmp_path)
    done = run(
        "dyn-run", bert.path, f"--inputs={tmp_path / 'in.npz'}", f"--output={tmp_path / 'out.npz'}"
    )
    refused(done, "dyn-run: error: ", *words)
    assert listing(tmp_path) == before


def test_data_error_writes_nothing(bert, tmp_path):
    inputs = bert.model.inputs({"batch": 2, "sequence": 5}, numpy.random.default_rng(0))
    inputs["input_ids"][1, 3] = 10**6
    numpy.savez(tmp_path / "in.npz", **inputs)
    done = run(
        "dyn-run", bert.path, f"--inputs={tmp_path / 'in.npz'}", f"--output={tmp_path / 'out.npz'}"
    )
    refused(done, "dhlo.gather at '", "word_embeddings", "index out of range")
    assert not (tmp_path / "out.npz").exists()


def test_not_an_artifact(malformed, tmp_path):
    refused(run("dyn-run", malformed / "text.onnx"), "text.onnx")
    artifact = tmp_path / "model.so"
    assert run("dyn-compile", malformed / "good.onnx", "-o", artifact).returncode == 0
    whole = artifact.read_bytes()
    for length in (0, 10, 64, len(whole) // 2, len(whole) - 1):
        cut = tmp_path / "cut.so"
        cut.write_bytes(whole[:length])
        refused(run("dyn-run", cut, "--input", "x=random:100"), f"'{cut}'")
    os.unlink(artifact)
    refused(run("dyn-run", artifact, "--input", "x=random:100"), "cannot open")
