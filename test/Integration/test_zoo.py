# ===- test_zoo.py - The zoo's entries, and a run of one -------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`./x bench zoo` without its packages: the table of entries, the limits of their processes,
and one entry from its export to the tables."""

import functools
import json
import multiprocessing
import pathlib
import subprocess
import sys

import numpy
import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "benchmarks"
sys.path.insert(0, str(FOLDER))

import zoo as bench
import zoo_report
from models import zoo
from models.zoo import definition, entry


def test_entries():
    """A size that a shape leaves out, or that no input has, fails at an export, much later;
    equal shapes would measure nothing new."""
    assert len(zoo.entries()) > 150
    for one in zoo.entries():
        names = {size for port in one.ports for size in port.shape if isinstance(size, str)}
        assert len(one.shapes) == 3 and all(shape.keys() == names for shape in one.shapes), one.name
        assert len({tuple(shape.items()) for shape in one.shapes}) == 3, one.name


def test_inputs():
    """Inputs have the sizes of each shape; ids of a later draw differ."""
    for one in zoo.entries():
        for sizes in one.shapes:
            arrays = one.inputs(sizes, numpy.random.default_rng(0))
            for port in one.ports:
                want = tuple(sizes.get(size, size) for size in port.shape)
                assert arrays[port.name].shape == want, (one.name, port.name)


def test_names_are_unique():
    """Results are kept by name: the second of two would never run."""
    with pytest.raises(ValueError, match="two entries 'gcn'"):
        entry.register(zoo.get("gcn"))


def test_definition():
    """A result is kept only while what makes its model is the same: settings, and functions
    that the builder calls."""
    builder = zoo.get("gcn").build
    assert "index_add" in definition.describe(builder)
    other = functools.partial(builder.func, *builder.args[:-1], 1)
    assert definition.describe(builder) != definition.describe(other)


FAKE = """
import os, signal, time
def fine(): return {"value": 1}
def fail(): raise KeyError("x")
def crash(): os.kill(os.getpid(), signal.SIGSEGV)
def wait(): time.sleep(60)
def grow(): kept = b"x" * 2**28; time.sleep(60)
"""


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Calls a step of a worker that does nothing but fail."""
    (tmp_path / "zoo_worker.py").write_text(FAKE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(bench, "LIMITS", dict.fromkeys(("fine", "fail", "crash", "grow"), 60))
    bench.LIMITS["wait"] = 0.5
    context = multiprocessing.get_context("spawn")
    return lambda step: bench.call(context, step, 2**27, *())


def test_limits(call):
    """Whatever becomes of its process, an entry has a result, and the next one runs."""
    for step, status in {"fail": "error", "crash": "crash", "wait": "timeout",
                         "grow": "memory"}.items():  # fmt: skip
        with pytest.raises(bench.Failed) as caught:
            call(step)
        assert caught.value.status == status
    assert call("fine") == {"value": 1}


def test_judged():
    """dyn is wrong only if ONNX Runtime, which has the same file, is not."""
    fine = {"failed": {}, "wrong": [], "errors": {"dyn": 0, "onnxruntime": 0}}
    wrong = fine | {"wrong": ["dyn"], "errors": {"dyn": 0.5, "onnxruntime": 0}}
    both = wrong | {"wrong": ["dyn", "onnxruntime"]}
    assert bench.judged([fine, fine])["status"] == "ok"
    assert bench.judged([fine, wrong]) == {"status": "wrong", "message": "shape 1: error 0.5"}
    assert bench.judged([fine, both])["status"] == "bad export"


def test_histogram():
    """Weights, not counts, fill the classes, and a bound is in the upper one."""
    lines = zoo_report.histogram([(0.5, 1), (1.0, 3)], (0.5, 1.0)).splitlines()
    assert [float(line.split("%")[0].split()[-1]) for line in lines] == [0, 25, 75]


def test_run(tmp_path):
    """From the export to the tables. A second run has nothing to do."""
    command = [sys.executable, str(FOLDER / "zoo.py"), "--only=dlinear", "--threads=1"]
    for _ in range(2):
        command += ["--rounds=1", f"--output={tmp_path}"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        (line,) = (tmp_path / "zoo.jsonl").read_text().splitlines()
    record = json.loads(line)
    assert (record["status"], record["exporter"]) == ("ok", "dynamo"), record
    assert record["compile_seconds"] > 0 and record["compile_bytes"] > 0
    for times in record["seconds"]:
        assert times.keys() == {"dyn", "onnxruntime", "openvino", "torch"}
    assert record["kernels"]
    text = (tmp_path / "zoo.md").read_text()
    assert "| dlinear | dlinear | 1 | dynamo |" in text and "share of time" in text
