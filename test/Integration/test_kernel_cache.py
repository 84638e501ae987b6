# ===- test_kernel_cache.py - Kernels that processes share -----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compilers that fill and read one cache of kernels at the same time, some of which are killed:
every artifact has the bytes of one that was compiled without the cache."""

import os
import pathlib
import shlex
import subprocess
import time

import pytest

import dyn

MODEL = pathlib.Path(__file__).parent / "Inputs" / "three_gemms.mlir"
#: Enough for some to be killed while they write, whatever the machine's speed is.
ROUNDS, PROCESSES, KILLED = 4, 8, 3


def start(output, folder):
    command = ["dyn-compile", str(MODEL), "-o", str(output), "--isa=v3,v4"]
    return subprocess.Popen([*command, f"--kernel-cache={folder}"])


def entries(folder):
    return [path for path in folder.glob("llvmcache-*") if path.suffix != ".timestamp"]


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The bytes of the artifact, and the seconds that a compilation takes."""
    output = tmp_path_factory.mktemp("without") / "model.so"
    began = time.monotonic()
    assert start(output, "off").wait() == 0
    return output.read_bytes(), time.monotonic() - began


def test_processes_that_are_killed(tmp_path, expected):
    """Kills come at other times of each round, and the first round has no entries yet."""
    contents, seconds = expected
    for attempt in range(ROUNDS):
        outputs = [tmp_path / f"{attempt}-{number}.so" for number in range(PROCESSES)]
        compilers = [start(output, tmp_path / "cache") for output in outputs]
        for number in range(KILLED):
            time.sleep(seconds * (attempt + 1) / ROUNDS)
            compilers[number].kill()
        codes = [compiler.wait() for compiler in compilers]
        assert not any(codes[KILLED:])
        for output in outputs[KILLED:]:
            assert output.read_bytes() == contents


def test_entries_that_are_cut(tmp_path, expected):
    """As after a loss of power: each entry is empty, or has its first half alone."""
    folder, output = tmp_path / "cache", tmp_path / "model.so"
    assert start(output, folder).wait() == 0
    whole = {path: path.read_bytes() for path in entries(folder)}
    assert len(whole) > 2
    for number, (path, data) in enumerate(whole.items()):
        path.write_bytes(data[: len(data) // 2 * (number % 2)])
    output.unlink()
    assert start(output, folder).wait() == 0
    assert output.read_bytes() == expected[0]
    # They were replaced.
    assert {path: path.read_bytes() for path in entries(folder)} == whole


def test_a_full_disk(tmp_path, expected):
    """A disk with space for some entries, as the root of a namespace may mount it."""
    folder, output = tmp_path / "disk", tmp_path / "model.so"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(folder)]
    if subprocess.run(["unshare", "-rm", *mount], check=False, capture_output=True).returncode:
        pytest.skip("may not mount a disk")
    command = ["dyn-compile", str(MODEL), "-o", str(output), "--isa=v3,v4"]
    # The second run has what the first one kept, and no space for more.
    script = f"{shlex.join(mount)} && {shlex.join(command)} && {shlex.join(command)}; ls {folder}"
    run = subprocess.run(
        ["unshare", "-rm", "sh", "-ec", script],
        env=dict(os.environ, DYN_KERNEL_CACHE=str(folder)),
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stderr.count("kernels are not kept: cannot write to") == 2
    assert "No space left on device" in run.stderr
    assert "llvmcache-" in run.stdout
    assert "tmp" not in run.stdout
    assert output.read_bytes() == expected[0]


def test_the_package_uses_it(tmp_path, expected, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("DYN_KERNEL_CACHE", str(folder))
    for name in ("first", "second"):
        path = tmp_path / f"{name}.so"
        dyn.compile(str(MODEL), output=str(path), isa=["v3", "v4"])
        assert path.read_bytes() == expected[0]
        assert entries(folder)


def test_the_package_warns_of_a_named_folder(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("DYN_KERNEL_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.warns(dyn.CompileWarning, match="kernels are not kept: cannot write to"):
        dyn.compile(str(MODEL), output=str(tmp_path / "model.so"), isa="v3")
