# ===- test_mixture_rules.py - Rules for the mixtures of transformers ------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each mixture of transformers has a router in each sparse layer, with the key of its module;
rules are as listed, and change no bit."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
FOLDER = pathlib.Path(__file__).parent
sys.path[:0] = [str(FOLDER / "Inputs"), str(FOLDER.parent / "routed" / "Inputs")]

import dyn
from dyn.frontend.torch import to_dhlo
from model_cases import CASES
from route_rules import lower, routers_of, rules_of, skewed, without_rules, write_profile

#: Layers with a router, and the module that routes. All paths of a mixture are one program.
LAYERS = {
    "mixtral": ((0, 1), "mlp.experts:experts"),
    "olmoe": ((0, 1), "mlp.experts:experts"),
    "qwen2moe": ((0, 1), "mlp.experts:experts"),
    "qwen3moe": ((0, 1), "mlp.experts:experts"),
    "granitemoe": ((0, 1), "block_sparse_moe.experts:experts"),
    "deepseek": ((1,), "mlp.experts:experts"),
    "gptoss": ((0, 1), "mlp.experts:experts"),
}


def imported(name, folder):
    case = CASES[name]
    program = folder / "model.mlir"
    to_dhlo(case.make(), program, kwargs=case.inputs(3, 7), dynamic_shapes=case.dynamic)
    return program


@pytest.mark.parametrize("name", LAYERS)
def test_rules(name, tmp_path):
    program = imported(name, tmp_path)
    plain, _ = lower(program)
    layers, module = LAYERS[name]
    routers = routers_of(plain)
    assert [router.key for router in routers] == [f"model.layers.{i}.{module}" for i in layers]
    profile = f"--profile={write_profile(tmp_path / 'p.json', routers, skewed)}"

    text, said = lower(program, profile, "--call-threads=2")
    for key, (rule, why) in rules_of(text).items():
        # The router is a small GEMM, and half of the rows are guessed wrongly.
        assert rule == "fuse" and "not speculated: majority (path 0), right for 50.0 %" in why
        assert f"remark: router '{key}': fuse: {why}" in said
    assert without_rules(text) == without_rules(plain)

    text, _ = lower(program, profile, "--memory-limit=1000")
    for rule, why in rules_of(text).values():
        assert rule == "fuse, preload"
        assert "preloaded by majority (path 0), right for 50.0 %" in why


def test_bits(tmp_path):
    """A profile that is wrong, and a limit of memory, change no bit."""
    program = imported("mixtral", tmp_path)
    routers = routers_of(lower(program)[0])
    profile = write_profile(tmp_path / "p.json", routers, lambda r: (9, [0] * (r.paths - 1) + [9]))
    rng, found = np.random.default_rng(0), []
    calls = [
        (rng.integers(3, 100, shape), np.ones(shape, np.int64))
        for shape in ((2, 5), (1, 1), (8, 32))
    ]
    for label, options in (
        ("plain", ()),
        ("wrong", (f"--profile={profile}", "--call-threads=2", "--memory-limit=1000")),
        ("guessed", (f"--profile={profile}", "--route-rules=*=speculate")),
    ):
        output = tmp_path / f"{label}.so"
        command = ["dyn-compile", program, "-o", output, "--isa=v3", *options]
        subprocess.run(command, check=True, capture_output=True)
        artifact = dyn.load(output, threads=2)
        found.append([np.asarray(artifact.run(list(call))[0]).tobytes() for call in calls])
    assert found[0] == found[1] == found[2]
