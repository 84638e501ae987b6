# ===- test_profiles.py - Profiles from Python -----------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""dyn.compile accepts what dyn.Profile records."""

import json
import pathlib
import warnings

import numpy as np
import pytest

import dyn

TEST = pathlib.Path(__file__).resolve().parents[2]
MIXTURE = TEST / "Tools" / "dyn-profile" / "Inputs" / "mixture.mlir"


def test_recorded_and_compiled(tmp_path):
    plain = dyn.compile(MIXTURE, isa="v3")
    x = np.random.default_rng(0).standard_normal((97, 16), np.float32)
    file = tmp_path / "routes.json"
    with dyn.Profile(file):
        want = plain(x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tuned = dyn.compile(MIXTURE, isa="v3", profile=file)
    assert np.array_equal(tuned(x), want)

    # The same with all rows on one path, and with one router of another model.
    profile = json.loads(file.read_text())
    for router in profile["routers"]:
        for window in router["windows"]:
            window["load"] = [sum(window["load"])] + [0] * (router["paths"] - 1)
    profile["routers"][1]["fingerprint"] = "aa"
    file.write_text(json.dumps(profile))
    refusal = "router 'layers.1.mlp' of the profile is refused: fingerprint"
    with pytest.warns(dyn.CompileWarning, match=refusal) as caught:
        wrong = dyn.compile(MIXTURE, isa="v3", profile=file)
    assert caught[0].filename == __file__
    assert np.array_equal(wrong(x), want)


def test_no_profile(tmp_path):
    with pytest.raises(dyn.CompileError, match="cannot read .*none.json"):
        dyn.compile(MIXTURE, profile=tmp_path / "none.json")
    (tmp_path / "text.json").write_text("{}")
    with pytest.raises(dyn.CompileError, match="text.json"):
        dyn.compile(MIXTURE, profile=tmp_path / "text.json")
