# ===- test_mixture_rules.py - Rules for the mixtures of transformers ------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each mixture of transformers has a router in each sparse layer, with the key of its module;
rules are as listed, and change no bit."""

import pathlib
import re
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


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    """imported(name) is the program of a model, made once."""
    folder = tmp_path_factory.mktemp("mixtures")

    def get(name):
        case = CASES[name]
        program = folder / f"{name}.mlir"
        if not program.exists():
            to_dhlo(case.make(), program, kwargs=case.inputs(3, 7), dynamic_shapes=case.dynamic)
        return program

    return get


@pytest.mark.parametrize("name", LAYERS)
def test_rules(name, imported, tmp_path):
    program = imported(name)
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


def test_bits(imported, tmp_path):
    """A profile that is wrong, and a limit of memory, change no bit."""
    program = imported("mixtral")
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


def test_limited_memory_of_a_device(imported, tmp_path, monkeypatch):
    """On the emulator, with a limit for weights in memory of the device: the same bits, and the
    host waits for routers. A limit below what a launch reads is refused with the one to take."""
    monkeypatch.setenv("DYN_EMU_GRANULARITY", "4096")
    program, output = imported("mixtral"), tmp_path / "model.so"
    command = ["dyn-compile", program, "-o", output, "--isa=v3", "--target=cpu,emu"]
    subprocess.run(command, check=True, capture_output=True)
    command = ["dyn-compile", program, "--explain"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    line = (
        r"constants: 22, (\d+) bytes, of which a launch reads at most (\d+): "
        r"gather_grouped_dot at model\.layers\.0\.mlp\.experts "
    )
    weights, most = map(int, re.search(line, said).groups())

    whole = dyn.load(output, device="emu")
    rng = np.random.default_rng(0)
    call = lambda rows: (rng.integers(3, 100, (1, rows)), np.ones((1, rows), np.int64))
    calls = [call(rows) for rows in (1, 9, 3)]
    run = lambda artifact: [np.asarray(artifact.run(list(each))[0]).tobytes() for each in calls]
    wanted = run(whole)
    # Of the constants that a launch reads, the first and the last page may be shared.
    for limit in (most + 4 * 4096, weights * 6 // 10):
        assert weights // 4 < limit < weights * 7 // 10
        limited = dyn.load(output, device="emu", memory_limit=limit)
        assert run(limited) == wanted
        stats = limited.stats
        assert 0 < stats["constant_bytes"] <= stats["peak_constant_bytes"] <= limit
        assert stats["constant_bytes_read"] > limit
        # Each layer has a router; a call waits at its end.
        assert (stats["device_waits"], whole.stats["device_waits"]) == (9, 3)

    message = (
        r"memory_limit: 'gather_grouped_dot', which reads "
        r"'model\.layers\.0\.mlp\.experts\.gate_up_proj\w*', needs its constants in memory of "
        r"the device at once: expected at least (\d+) bytes, got 40960"
    )
    limited = dyn.load(output, device="emu", memory_limit=40960)
    with pytest.raises(dyn.OutOfMemoryError, match=message) as refused:
        run(limited)
    least = int(re.search(message, str(refused.value))[1])
    with pytest.raises(dyn.OutOfMemoryError, match=f"least {least} bytes, got {least - 1}"):
        run(dyn.load(output, device="emu", memory_limit=least - 1))
    assert run(dyn.load(output, device="emu", memory_limit=least)) == wanted
