# ===- test_rules.py - Rules by profiles, which change no bit --------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rules that are chosen for routed models, and that no profile changes a bit."""

import fnmatch
import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")
FOLDER = pathlib.Path(__file__).parent
sys.path[:0] = [str(FOLDER / "Inputs"), str(FOLDER.parent / "torch" / "Inputs")]

import dyn
from dyn.frontend.torch import to_dhlo
from route_rules import EXPECTED, lower, routers_of, rules_of, without_rules, write_profile
from routed_cases import CASES


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda expected: expected.model)
def test_expected(expected, tmp_path):
    """Each router has the rule of the list, and a remark says the same."""
    program = tmp_path / "model.mlir"
    expected.import_to(program)
    plain, _ = lower(program)
    routers = routers_of(plain)
    profile = write_profile(tmp_path / "p.json", routers, expected.load, expected.calls)
    for options, patterns in expected.rules.items():
        text, said = lower(program, f"--profile={profile}", *options)
        assert "warning" not in said
        chosen = rules_of(text)
        assert list(chosen) == [router.key for router in routers] and chosen
        for key, (rule, why) in chosen.items():
            _, wanted, reason = next(p for p in patterns if fnmatch.fnmatchcase(key, p[0]))
            assert wanted in (None, rule) and reason in why, f"{key}: {rule}: {why}"
            assert f"remark: router '{key}': {rule}: {why}" in said
        if not any("preload" in rule or "speculate" in rule for rule, _ in chosen.values()):
            assert without_rules(text) == without_rules(plain)


# ----------------------------------------------------------------------------
# Bits
# ----------------------------------------------------------------------------


def _swap(profile):
    """The hottest path is the coldest, and the other way round."""
    for router in profile["routers"]:
        for window in router["windows"]:
            window["load"] = [max(window["load"]) - rows for rows in window["load"]]
            window["load"][0] += not any(window["load"])
            window["cells"] = max(window["cells"], sum(window["load"]))
            window.pop("pairs", None)
            window["transitions"] = [[a, 0, n] for a, _, n in window.get("transitions", [])][:1]
    return profile


def _age(profile):
    """Of every second router another model is known."""
    for router in profile["routers"][::2]:
        router["fingerprint"] = "aa"
    return profile


def _rename(profile):
    """All routers are those of another model."""
    for router in profile["routers"]:
        router["key"] = "other." + router["key"]
        router.pop("after", None)
        router.pop("after_paths", None)
        for window in router["windows"]:
            window.pop("transitions", None)
    return profile


PROFILES = {
    "right": lambda profile: profile,
    "adversarial": _swap,
    "stale": _age,
    "foreign": _rename,
}


@pytest.mark.parametrize("name", CASES)
def test_bits(name, tmp_path, full):
    """Outputs and choices have the bits of the program without a profile, whatever the profile
    and wherever paths are guessed by it."""
    case = CASES[name]
    model = case.make()
    program = tmp_path / "model.mlir"
    inputs = case.inputs(model)
    to_dhlo(model, program, args=inputs, dynamic_shapes=case._dynamic(inputs))
    calls = [case.inputs(model, number, **sizes) for number, sizes in enumerate(case.sizes)]

    def compiled(label, *options):
        output = tmp_path / f"{label}.so"
        command = ["dyn-compile", program, "-o", output, "--isa=v3", *options]
        subprocess.run(command, check=True, capture_output=True)
        return [dyn.load(output, threads=threads) for threads in (1, 2)]

    def bits(artifact):
        return [[np.asarray(y).tobytes() for y in artifact.run(list(call))] for call in calls]

    plain = compiled("plain")
    with dyn.Profile(tmp_path / "right.json"):
        wanted = bits(plain[0])
    lowered = without_rules(lower(program)[0])
    changed = 0
    for label, change in PROFILES.items():
        profile = tmp_path / f"{label}-changed.json"
        profile.write_text(json.dumps(change(json.loads((tmp_path / "right.json").read_text()))))
        for rules in ("", "*=speculate"):
            options = (f"--profile={profile}", "--call-threads=2", f"--route-rules={rules}")
            # Equal programs need not be compiled.
            if without_rules(lower(program, *options)[0]) == lowered:
                continue
            changed += 1
            for artifact in compiled(f"{label}-{len(rules)}", *options):
                assert bits(artifact) == wanted, f"{name}, {label}, rules '{rules}'"
    # A capacity is not predicted.
    assert changed or name == "swin-moe"
