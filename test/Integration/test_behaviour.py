# ===- test_behaviour.py - Errors, sharing of kernels, many at once --------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The behaviour of compiled models apart from their results."""

import concurrent.futures

import numpy
import pytest

from harness import same_bits


def test_equal_layers_share_kernels(compiled):
    """Twelve layers compile the kernels of two: weights are arguments."""

    def launches(name):
        model = compiled(name)
        artifact = model.artifact()
        inputs = model.model.inputs({"batch": 2, "sequence": 5}, numpy.random.default_rng(0))
        artifact(**inputs)
        artifact.reset_stats()
        artifact(**inputs)
        return {kernel["name"]: kernel["launches"] for kernel in artifact.stats["kernels"]}

    two, twelve = launches("bert-small"), launches("bert-deep-small")
    assert two.keys() == twelve.keys()
    # The launches of a layer, and those before the first and after the last, which are the
    # same in both.
    per_layer, rest = divmod(sum(twelve.values()) - sum(two.values()), 10)
    assert rest == 0 and per_layer > 0
    for kernel, count in two.items():
        assert (twelve[kernel] - count) % 10 == 0, kernel


def test_ids_outside_the_vocabulary_name_the_op(compiled):
    import dyn

    model = compiled("bert-small")
    inputs = model.model.inputs({"batch": 2, "sequence": 5}, numpy.random.default_rng(0))
    inputs["input_ids"][1, 3] = 10**6
    for threads in (1, 2):
        with pytest.raises(dyn.DataError, match="gather"):
            model.run(inputs, threads)
    # The artifact still works.
    inputs["input_ids"][1, 3] = 7
    assert numpy.isfinite(model.run(inputs)[0]).all()


BAD_INPUTS = {
    "rank": (lambda x: x[0], "rank"),
    "type": (lambda x: x.astype("float64"), "f32"),
    "static size": (lambda x: x[:, :36], "37"),
}


@pytest.mark.parametrize("case", BAD_INPUTS)
def test_bad_inputs_are_named(compiled, case):
    import dyn

    change, expected = BAD_INPUTS[case]
    inputs = {"x": change(numpy.zeros((3, 37), "float32"))}
    with pytest.raises(dyn.InvalidArgumentError, match="x") as caught:
        compiled("mlp-small").run(inputs)
    assert expected in str(caught.value)


def test_sizes_that_must_agree(compiled):
    import dyn

    model = compiled("bert-small")
    inputs = model.model.inputs({"batch": 2, "sequence": 5}, numpy.random.default_rng(0))
    inputs["attention_mask"] = inputs["attention_mask"][:, :4]
    with pytest.raises(dyn.InvalidArgumentError, match="sequence"):
        model.run(inputs)


def test_size_outside_its_declared_range(compiled):
    import dyn

    model = compiled("bert-small")
    inputs = model.model.inputs({"batch": 1, "sequence": 513}, numpy.random.default_rng(0))
    with pytest.raises(dyn.InvalidArgumentError, match="sequence"):
        model.run(inputs)


def test_missing_input(compiled):
    import dyn

    with pytest.raises((dyn.InvalidArgumentError, TypeError), match="x"):
        compiled("mlp-small").run({})


def test_four_calls_at_once(compiled):
    """Concurrent calls of one artifact from four threads do not affect each other."""
    model = compiled("mlp-small")
    rng = numpy.random.default_rng(4)
    batch = [model.model.inputs({"batch": n % 7 + 1}, rng) for n in range(64)]
    alone = [model.run(inputs) for inputs in batch]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        together = list(pool.map(model.run, batch))
    assert all(same_bits(a, b) for a, b in zip(alone, together))
