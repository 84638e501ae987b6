# ===- test_mutants.py - Damaged files -------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tools refuse damaged files properly: 500 of them in CI, 3000 with --full."""

import os
import pathlib
import shutil
import sys

import mutate
import pytest

FULL = bool(os.environ.get("DYN_TEST_FULL"))
# Of each kind.
COUNT = 430 if FULL else 72


@pytest.fixture(params=mutate.KINDS)
def mutants(request, tmp_path):
    if not shutil.which("dyn-compile"):
        pytest.skip("dyn-compile is not built")
    host = pathlib.Path(os.environ["DYN_BUILD"]) / "runtime-address-sanitizer/bin/dyn-host"
    if request.param == "artifact" and not host.exists():
        pytest.skip("the runtime is not built with AddressSanitizer: ctest -R sanitizer")
    return mutate.Mutants(request.param, tmp_path)


def test_mutants_are_refused_or_work(mutants):
    assert mutants.check_good() is None
    wrong = mutants.check_all(range(COUNT))
    assert not wrong, "\n".join(f"{number}: {message}" for number, message in wrong.items())


@pytest.mark.parametrize(
    "script, found",
    [
        ("kill -SEGV $$", "exit status -11"),
        ("exit 1", "refused without an error"),
        ("echo 'x: error: AddressSanitizer: heap-use-after-free'; exit 1", "AddressSanitizer"),
        ("exit 66", "exit status 66"),
        (f"{sys.executable} -c 'bytearray(1200 << 20)'", "MemoryError"),
    ],
)
def test_what_goes_wrong_shows(tmp_path, script, found):
    path = tmp_path / "mutant.x"
    path.write_bytes(b"x")
    kind = mutate.Kind(".x", None, None, lambda path: ["bash", "-c", script])
    assert found in mutate.run_limited(kind, path)


def test_no_end_shows(tmp_path, monkeypatch):
    monkeypatch.setattr(mutate, "WAITING", 0.5)
    path = tmp_path / "mutant.x"
    path.write_bytes(b"x")
    kind = mutate.Kind(".x", None, None, lambda path: ["sleep", "5"])
    assert mutate.run_limited(kind, path) == "no end after 0.5 s"


def test_mutants_repeat(tmp_path):
    if not shutil.which("dyn-compile"):
        pytest.skip("dyn-compile is not built")
    mutants = mutate.Mutants("text", tmp_path)
    assert mutants.data(3) == mutants.data(3) != mutants.data(4)
