# ===- test_planned_ranks.py - Models that a plan divides among ranks ------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models, compiled by plans for machines of several ranks, have the bits of one rank on
each of them."""

import os
import subprocess
import sys

import numpy
import pytest

import dyn
import models
from dyn.compiler.compile import compile_to_file
from harness import describe, same_bits
from planned import as_list, bytes_of_parts, compile_by_plan, run_ranks

MODELS = (
    "bert-small",
    "bert-int8-small",
    "gpt2-prefill-small",
    "gpt2-decode-small",
    "vit-any-small",
    "resnet-small",
    "crnn-small",
    "moe-small",
    "rec-small",
)


#: Run in a process of its own, since the emulator reads the number of its devices once.
ON_DEVICES = """
import sys; sys.path.insert(0, sys.argv[1])
import pathlib, test_planned_ranks
test_planned_ranks.compare(sys.argv[2], pathlib.Path(sys.argv[3]), "emu", (2, 4), 2)
"""


@pytest.mark.parametrize("name", ("bert-small", "gpt2-decode-small", "moe-small"))
def test_bits_of_one_device(name, tmp_path):
    """Each rank runs on an emulated device of its own."""
    folder = os.path.dirname(__file__)
    command = [sys.executable, "-c", ON_DEVICES, folder, name, tmp_path]
    subprocess.run(command, check=True, env={**os.environ, "DYN_EMU_DEVICES": "4"})


@pytest.mark.parametrize("name", MODELS)
def test_bits_of_one_rank(name, tmp_path):
    compare(name, tmp_path, "cpu", (2, 3, 4, 8), 4)


def compare(name, tmp_path, device, counts, samples):
    """The results of plans for some numbers of ranks and of one rank."""
    model = models.get(name)
    facts = model.dims or None
    target = ("--target=cpu,emu",) if device == "emu" else ()
    one = compile_to_file(str(model.path()), tmp_path / "one.so", facts, options=target)
    whole = dyn.load(one, threads=1, device=device)
    rng = numpy.random.default_rng(1)
    calls = [model.inputs(model.sizes(rng), rng) for _ in range(samples)]
    expected = [as_list(whole(**inputs)) for inputs in calls]
    divided = 0
    for ranks in counts:
        many = compile_by_plan(model.path(), tmp_path, ranks, facts, target)
        used = len(bytes_of_parts(many))
        divided += used > 1
        for rank, results in enumerate(run_ranks(many, used, calls, device)[0]):
            for inputs, outputs, wanted in zip(calls, results, expected):
                assert same_bits(outputs, wanted), (ranks, rank, describe(inputs))
    assert divided


def test_bits_over_mpi(tmp_path, mpirun):
    """The same in processes of MPI."""
    model = models.get("moe-small")
    facts = model.dims or None
    whole = compile_to_file(str(model.path()), tmp_path / "one.so", facts)
    rng = numpy.random.default_rng(1)
    numpy.savez(tmp_path / "in.npz", **model.inputs(model.sizes(rng), rng))
    inputs, expected = f"--inputs={tmp_path}/in.npz", f"{tmp_path}/out.npz"
    subprocess.run(["dyn-run", whole, inputs, f"--output={expected}"], check=True)
    for ranks in (2, 4):
        many = compile_by_plan(model.path(), tmp_path, ranks, facts)
        used = len(bytes_of_parts(many))
        assert used > 1
        check = ("--entry=main", "--threads=1", inputs, f"--check={expected}", "--tolerance=0")
        text = mpirun(used, "dyn-run", many, "--communicator=mpi", *check)
        assert text.count("close") == used * len(numpy.load(expected).files)
