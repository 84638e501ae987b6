# ===- test_memory_limit.py - Weights that exceed a limit of memory --------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""dyn.load(memory_limit=): results are those without a limit."""

import json
import os
import re
import subprocess

import numpy
import pytest

MODEL = """
dhlo.dim @B in [1, 64]
func.func @main(%x: tensor<?x1024xf32, #dhlo.dims<B>> {dhlo.name = "x"})
    -> (tensor<?x4096xf32, #dhlo.dims<B>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %w = dhlo.weight <"w.bin", offset = 0, length = 16777216, key = "w"> : tensor<1024x4096xf32>
  %y = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x1024xf32, #dhlo.dims<B>>, tensor<1024x4096xf32>) -> tensor<?x4096xf32, #dhlo.dims<B>>
  return %y : tensor<?x4096xf32, #dhlo.dims<B>>
}
"""


@pytest.fixture
def path(tmp_path):
    import dyn

    numpy.random.default_rng(1).standard_normal(1 << 22, "float32").tofile(tmp_path / "w.bin")
    (tmp_path / "m.mlir").write_text(MODEL)
    dyn.compile(str(tmp_path / "m.mlir"), str(tmp_path / "m.so"))
    return tmp_path / "m.so"


def test_results_are_those_without_a_limit(path):
    import dyn

    try:
        limited = dyn.load(path, memory_limit=10 << 20)
    except dyn.UnsupportedError as error:
        pytest.skip(str(error))  # a container refuses userfaultfd
    whole = dyn.load(path)
    for rows in (1, 7, 64):
        x = numpy.random.default_rng(rows).standard_normal((rows, 1024), "float32")
        numpy.testing.assert_array_equal(limited(x), whole(x))


def test_statistics(path):
    import dyn

    try:
        limited = dyn.load(path, memory_limit=10 << 20)
    except dyn.UnsupportedError as error:
        pytest.skip(str(error))  # a container refuses userfaultfd
    limited(numpy.zeros((1, 1024), "float32"))
    stats = limited.stats
    assert 0 < stats["constant_bytes"] <= stats["peak_constant_bytes"] <= 10 << 20
    assert stats["constant_bytes_read"] >= 1 << 24

    def run(form):
        command = ["dyn-run", path, "--input", "x=random:1x1024", form]
        environment = os.environ | {"DYN_MEMORY_LIMIT": "10M"}
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True)

    done = run("--stats")
    line = r"constants: (\d+) bytes in memory, (\d+) at most; (\d+) read, \d+ waits\n"
    now, most, read = map(int, re.search(line, done.stdout + done.stderr).groups())
    assert 0 < now <= most <= 10 << 20 <= read
    done = run("--stats=json")
    constants = json.loads(done.stdout[done.stdout.index("{") :])["constants"]
    assert constants.keys() == {"bytes", "peak", "read", "waits"}


def test_a_limit_below_the_least_is_refused(path):
    import dyn

    with pytest.raises(dyn.InvalidArgumentError, match="memory_limit: expected at least"):
        dyn.load(path, memory_limit=4096)
    with pytest.raises(dyn.InvalidArgumentError, match="memory_limit: expected bytes, got -1"):
        dyn.load(path, memory_limit=-1)
