# ===- test_padding.py - Masked tokens are not computed --------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batches with masks compared with ONNX Runtime, and bits with those of the rows alone."""

import subprocess

import models
import numpy
import pytest

from harness import difference, peer_session, same_bits


@pytest.fixture(scope="module")
def unpadded(tmp_path_factory):
    """A model by name, compiled with --unpad, and its peer."""
    import dyn

    made = {}

    def get(name, unpad):
        if name not in made:
            model = models.get(name)
            output = tmp_path_factory.mktemp("unpadded") / "model.so"
            artifact = dyn.compile(str(model.path()), output, model.dims, unpad=unpad)
            made[name] = model, artifact, peer_session(model.path())
        return made[name]

    return get


def masks(batch, sequence, rng):
    """Masks of many kinds: ends, holes, starts, full, and sentences without tokens."""
    position = numpy.arange(sequence)
    lengths = rng.integers(1, sequence + 1, (batch, 1))
    yield position < lengths
    yield position >= sequence - lengths
    yield rng.integers(0, 2, (batch, sequence)) == 1
    yield numpy.ones((batch, sequence), bool)
    yield numpy.zeros((batch, sequence), bool)
    one = numpy.zeros((batch, sequence), bool)
    one[:1] = True
    yield one


SIZES = ((1, 1), (2, 5), (3, 7), (5, 1), (4, 16))


@pytest.mark.parametrize("name", ("bert-small", "bert-dynamo-small"))
def test_masked_rows_on_request(unpadded, name):
    model, artifact, peer = unpadded(name, "attention_mask")
    rng = numpy.random.default_rng(3)
    for batch, sequence in SIZES:
        for mask in masks(batch, sequence, rng):
            inputs = model.inputs({"batch": batch, "sequence": sequence}, rng)
            inputs["attention_mask"] = mask.astype("int64")
            rows, pooled = artifact(**inputs)
            expected = peer.run(None, inputs)
            expected[0][~mask] = 0
            assert difference(numpy.array(rows), expected[0]) < 1e-4, mask
            assert (numpy.asarray(rows)[~mask] == 0).all()
            # The first row is read whether it is masked or not. For a sentence without
            # tokens, exporters differ: zeros, or the mean of all rows.
            assert difference(numpy.array(pooled), expected[1]) < 1e-4, mask


@pytest.mark.parametrize("name", ("bert-pooled-small", "bert-pooled-dynamo-small"))
def test_masked_pooling(unpadded, name):
    model, artifact, peer = unpadded(name, None)
    rng = numpy.random.default_rng(4)
    for batch, sequence in SIZES:
        for mask in masks(batch, sequence, rng):
            inputs = model.inputs({"batch": batch, "sequence": sequence}, rng)
            inputs["attention_mask"] = mask.astype("int64")
            (expected,) = peer.run(None, inputs)
            assert difference(numpy.array(artifact(**inputs)), expected) < 1e-4, mask


def test_empty_batch(unpadded):
    model, artifact, _ = unpadded("bert-small", "attention_mask")
    inputs = model.inputs({"batch": 0, "sequence": 5}, numpy.random.default_rng(0))
    rows, pooled = artifact(**inputs)
    assert numpy.asarray(rows).shape == (0, 5, 64) and numpy.asarray(pooled).shape == (0, 64)


def test_bits_do_not_depend_on_the_padding(unpadded):
    model, artifact, _ = unpadded("bert-small", "attention_mask")
    rng = numpy.random.default_rng(5)
    inputs = model.inputs({"batch": 4, "sequence": 21}, rng)
    lengths = (3, 21, 8, 1)
    mask = numpy.arange(21) < numpy.array(lengths)[:, None]
    inputs["attention_mask"] = mask.astype("int64")
    rows, pooled = map(numpy.array, artifact(**inputs))
    for i, length in enumerate(lengths):
        alone = {name: value[i : i + 1, :length] for name, value in inputs.items()}
        row, head = map(numpy.array, artifact(**alone))
        assert same_bits([rows[i : i + 1, :length], pooled[i : i + 1]], [row, head]), length
        # Other ids at masked positions have no effect.
        changed = {name: value.copy() for name, value in inputs.items()}
        changed["input_ids"][~mask] = 1
        assert same_bits(list(map(numpy.array, artifact(**changed))), [rows, pooled])


def compile_and_read(path, *options):
    """The output of dyn-compile, and whether it succeeded."""
    command = ["dyn-compile", str(path), "--emit=dhlo", "-o", "/dev/null", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode == 0, done.stderr


def test_remarks():
    path = models.get("bert-small").path()
    succeeded, said = compile_and_read(path)
    assert succeeded and "part of the output 'last_hidden_state'; --unpad=attention_mask" in said
    succeeded, said = compile_and_read(path, "--unpad=attention_mask")
    assert succeeded and "padding is removed: no row where 'attention_mask' is zero" in said
    succeeded, said = compile_and_read(models.get("bert-pooled-small").path())
    assert succeeded and "padding is removed" in said
    succeeded, said = compile_and_read(path, "--unpad=mask")
    assert (
        not succeeded and "no input called 'mask' to remove padding by; it has 'input_ids'" in said
    )
    succeeded, said = compile_and_read(path, "--unpad=token_type_ids")
    assert not succeeded and "no attention has a mask that follows from 'token_type_ids'" in said
