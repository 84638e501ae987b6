# ===- test_torch_programs.py - Random PyTorch functions -------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random functions of PyTorch against eager: 300 in CI, each by dyn.compile or torch.compile,
2000 with --full, each by both."""

import os
import shutil

import pytest

torch = pytest.importorskip("torch")

from torch_differ import (
    BATCH,
    CALLS,
    SMALL,
    WAYS,
    Failure,
    attempt,
    check,
    configuring,
    inputs,
    load,
    reduce,
    report,
    source,
)
from torch_programs import ARGUMENTS, Function, Statement, generate

FULL = bool(os.environ.get("DYN_TEST_FULL"))
COUNT = 2000 if FULL else 300


def cases():
    """Batches of seeds and ways. Every third one in CI is by torch.compile, which takes longer."""
    for number, first in enumerate(range(0, COUNT, BATCH)):
        for way in WAYS if FULL else WAYS[number % 3 > 0 :][:1]:
            yield pytest.param(range(first, first + BATCH), way, id=f"{way}-{first}")


@pytest.mark.parametrize("seeds, way", cases())
def test_compiled_as_eager(seeds, way):
    if not shutil.which("dyn-compile"):
        pytest.skip("dyn-compile is not built")
    # PyTorch compiles again for sizes of 0 and 1, which takes time.
    calls = CALLS + SMALL if FULL or way == "dyn.compile" else CALLS[:2]
    with configuring():
        result = check(seeds, way, calls)
    assert not result.failed, "\n".join(result.failed)
    assert len(result.refused) <= 1, "\n".join(result.refused)
    # Functions that PyTorch itself cannot trace are no tests of dyn.
    assert result.compared + len(result.untraced) + len(result.refused) == len(seeds)
    assert len(result.untraced) <= 3, "\n".join(result.untraced)


def test_generator_repeats():
    assert generate(7).text() == generate(7).text()


def test_functions_are_small_and_run():
    for seed in range(100):
        function = generate(seed)
        assert len(function.statements) < 20
        for call in CALLS + SMALL:
            load(source([function]))(*inputs(seed, call))


def test_every_kind_of_size_is_generated():
    text = "".join(generate(seed).text() for seed in range(300))
    parts = "nonzero unique repeat_interleave .item() masked_select bincount [::2] .expand(3"
    parts += " .add_( .transpose( index_copy torch.where( :k] .roll(k .unflatten( as_tuple"
    missing = [part for part in parts.split() if part not in text]
    assert not missing


def test_failures_are_reduced(monkeypatch):
    """Statements that a failure does not need are dropped."""
    import torch_differ

    def fails(functions, *_):
        bad = any("nonzero" in f.text() for f in functions)
        return (Failure("failed", "nonzero"), 1) if bad else (None, 1)

    monkeypatch.setattr(torch_differ, "attempt", fails)
    functions = [
        Function(
            [
                Statement("a1 = x * 2", (), ("a1",)),
                Statement("a2 = torch.nonzero(a1)", ("a1",), ("a2",)),
                Statement("a3 = a2 + 1", ("a2",), ("a3",)),
                Statement("a4 = y.clone()", (), ("a4",)),
            ]
        ),
        Function([Statement("a1 = y + 1", (), ("a1",))]),
    ]
    failure, _ = fails(functions)
    smaller, failure = reduce(functions, failure, "dyn.compile", 0, CALLS)
    assert [s.text for f in smaller for s in f.statements] == [
        "a1 = x * 2",
        "a2 = torch.nonzero(a1)",
    ]
    text = report(smaller, failure, "dyn.compile", 0)
    compile(text, "report", "exec")
    assert "torch.nonzero(a1)" in text and f"def batch({', '.join(ARGUMENTS)})" in text


def test_differences_show():
    if not shutil.which("dyn-compile"):
        pytest.skip("dyn-compile is not built")
    drawn = Function([Statement("a1 = torch.rand(3) + k", (), ("a1",))])
    with configuring():
        failure, _ = attempt([drawn], "dyn.compile", 0)
    assert failure.kind == "differs" and "result 0" in failure.message
