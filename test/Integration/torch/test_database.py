# ===- test_database.py - PyTorch's operator database ----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/PyTorchOperators.md states for each entry of PyTorch's operator database whether dyn
runs it: some entries are run here, all of them in the long tier."""

import os
import pathlib
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "utils" / "x"))

import torch_database
import torch_operators

PAGE = (ROOT / "docs" / "PyTorchOperators.md").read_text()
STATUSES = torch_operators.statuses_of(PAGE)

#: The short tier runs entries at this distance.
STRIDE = 101


def _names(full):
    return list(STATUSES) if full else sorted(STATUSES)[::STRIDE]


def test_entries(full):
    jobs = min(4, len(os.sched_getaffinity(0))) if full else 1
    results = torch_operators.run_all(_names(full), limit=2 if full else 1, jobs=jobs)
    differ = {
        name: result
        for name, result in results.items()
        # With fewer samples the result of an entry may be better.
        if result["status"] != STATUSES[name] and (full or result["status"] != "ok")
    }
    assert not differ, differ


def test_entries_of_the_short_tier_are_of_all_types():
    assert torch_operators.dtypes_of(_names(full=False)) == list(torch_operators.DTYPES)


def test_page_is_of_the_database():
    """The page has all entries of the database, counts them correctly, and no other status;
    dyn runs nearly all entries that PyTorch traces."""
    script = "import torch_database; print(*torch_database.entries(), sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT / "utils" / "x", capture_output=True, text=True
    )
    assert set(done.stdout.splitlines()) == set(STATUSES), done.stderr
    assert set(STATUSES.values()) == {"ok", "refused", "not traced"}
    for line in torch_operators.summary(STATUSES):
        assert line in PAGE, line
    for dtype in torch_operators.DTYPES:
        assert torch_operators.share(torch_operators.counts_of(STATUSES, dtype)) >= 0.92, dtype
    assert f"PyTorch {torch.__version__.split('+')[0]})" in PAGE


def test_results_are_as_near_to_those_of_doubles():
    """As close as PyTorch's, which may be NaN."""
    call = torch_database.Call((torch.ones(2, dtype=torch.bfloat16),), {})
    right, nan = (torch.full((2,), x, dtype=torch.bfloat16) for x in (3.0, float("nan")))

    def is_near(actual, expected):
        return torch_database._is_as_near(lambda args, _: args[0] * 3, call, actual, expected)

    assert is_near(right, right + 0.5) and is_near(right + 0.5, right + 0.25)
    assert not is_near(right + 0.5, right)
    assert is_near(right, nan) and is_near(nan, nan)
    assert not is_near(right + 0.5, nan) and not is_near(nan, right)


SERVER = """
import json, os, subprocess, sys, time
for line in sys.stdin:
    name, limit = json.loads(line)
    if name == "crash": os.abort()
    if name == "hang":
        compiler = subprocess.Popen(["sleep", "1000"])
        print(compiler.pid, file=open("compiler", "w"), flush=True)
        compiler.wait()
    print(json.dumps({"status": "ok", "detail": name, "samples": limit}), flush=True)
"""


def test_a_crash_or_a_hang_costs_one_entry(tmp_path, monkeypatch):
    """And its processes end."""
    monkeypatch.chdir(tmp_path)
    server = tmp_path / "server.py"
    server.write_text(SERVER)
    kept = []
    results = torch_operators.run_all(
        ["a", "crash", "b", "hang", "c"], limit=3, seconds=5, command=[sys.executable, str(server)],
        keep=lambda name, result: kept.append(name),
    )  # fmt: skip
    found = {name: result["status"] for name, result in results.items()}
    assert found == {"a": "ok", "crash": "crash", "b": "ok", "hang": "hang", "c": "ok"}
    assert kept == ["a", "crash", "b", "hang", "c"] and results["a"]["samples"] == 3
    state = pathlib.Path("/proc", (tmp_path / "compiler").read_text().strip(), "stat")
    assert not state.exists() or state.read_text().split()[2] == "Z"
    assert "-6" in results["crash"]["detail"] and "5 seconds" in results["hang"]["detail"]


def test_page_of_results():
    results = {
        "add float32": {"status": "ok", "detail": ""},
        "add bool": {"status": "not traced", "detail": "Unsupported"},
        "linalg.qr complex64": {"status": "refused", "detail": "aten.qr: no s7 | here; more"},
    }
    page = torch_operators.text_of(results, "1.0")
    assert "| add | ok | not traced |  |  |" in page
    assert "| linalg.qr |  |  | refused | aten.qr: no a size / here |" in page
    assert torch_operators.statuses_of(page) == {n: r["status"] for n, r in results.items()}
    assert "| complex64 | 1 | 0 | 1 | 0 | 0.0 % |" in page
