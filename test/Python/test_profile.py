# ===- test_profile.py - dyn.Profile ---------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of recording which paths cells take."""

import concurrent.futures
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import dyn


@pytest.fixture
def route(zoo):
    return dyn.load(zoo, entry="route")


def test_records(route, tmp_path):
    ids = np.array([[0, 3], [3, -1], [1, 2]])
    route(ids)
    with dyn.Profile(tmp_path / "p.json", raw=tmp_path / "r.jsonl", window=3600) as profile:
        route(ids)
        assert profile.decisions == 15
    route(ids)
    assert profile.decisions == 15
    assert profile.lost == 0
    written = json.loads((tmp_path / "p.json").read_text())
    assert written["dyn_profile"] == 1
    first, second, third = written["routers"]
    assert first["key"] == "layers.0"
    assert first["window_ms"] == 3600000
    (window,) = first["windows"]
    assert window["load"] == [1, 1, 1, 2]
    assert window["pairs"] == [[0, 3, 1], [1, 2, 1]]
    assert second["after"] == "layers.0"
    raw = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()]
    assert [line["chosen"] for line in raw if "chosen" in line][0] == [0, 3, 3, -1, 1, 2]
    profile.write(tmp_path / "again.json")
    assert json.loads((tmp_path / "again.json").read_text()) == written


def test_sums_over_many_threads(route):
    ids = np.zeros((10, 1), np.int64)
    profile = dyn.Profile()
    with profile, concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: route(ids), range(200)))
    with profile:
        route(ids)
    assert profile.decisions == 201 * 10 * 3


def test_refusals(tmp_path):
    with pytest.raises(dyn.Error, match="cannot write '/nonexistent/p.json'"):
        dyn.Profile("/nonexistent/p.json")
    with dyn.Profile(), pytest.raises(dyn.Error, match="another profile records"):
        dyn.Profile().start()


PROGRAM = """
import sys, numpy, dyn
dyn.load(sys.argv[1], entry="route")(numpy.array([[2], [2]]))
"""


def test_environment(zoo, tmp_path):
    def run(path):
        return subprocess.run(
            [sys.executable, "-c", PROGRAM, str(zoo)],
            env={**os.environ, "DYN_PROFILE": path},
            capture_output=True,
            text=True,
        )

    result = run(str(tmp_path / "%p.json"))
    assert result.returncode == 0, result.stderr
    (path,) = tmp_path.iterdir()
    assert path.stem.isdigit()
    assert json.loads(path.read_text())["routers"][0]["windows"][0]["load"] == [0, 0, 2, 0]
    result = run("/nonexistent/p.json")
    assert result.returncode != 0
    assert "cannot write '/nonexistent/p.json': No such file or directory" in result.stderr
