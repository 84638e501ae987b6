# ===- test_wheel.py - The contents of wheels ------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of wheels: with a script instead of the compiler, and in full in bare systems."""

import csv
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "utils" / "x"))
import make_wheel  # noqa: E402

PROGRAM = """
import sys
import dyn, numpy
from dyn.compiler import find_compiler
assert dyn.__file__.startswith(sys.argv[1]), dyn.__file__
assert find_compiler() == sys.argv[1] + "/dyn/bin/dyn-compile", find_compiler()
x = numpy.full((2, 3), 2, "float32")
print(dyn.compile(b"a model")(x, x)[0, 0])
"""


@pytest.fixture
def wheel(build, compiler, tmp_path):
    """A wheel of the build, with the fake compiler."""
    if not shutil.which("objdump") or not shutil.which("cmake"):
        pytest.skip("objdump or cmake is not installed")
    try:
        make_wheel.licenses()
    except make_wheel.WheelError as error:
        pytest.skip(str(error))
    output = tmp_path / "wheel"
    command = [sys.executable, str(ROOT / "utils/x/make_wheel.py"), f"--build={build}"]
    command += [f"--compiler={os.environ['DYN_COMPILE']}", f"--output={output}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (made,) = output.iterdir()
    return made


def test_says_what_it_is(wheel):
    tag = wheel.stem.split("-", 2)[2]
    assert tag.startswith("cp310-abi3-manylinux_2_") and tag.endswith("_x86_64")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        info = f"{wheel.stem.rsplit('-', 3)[0]}.dist-info"
        assert f"Tag: {tag}\n" in archive.read(f"{info}/WHEEL").decode()
        assert "Requires-Dist: numpy\n" in archive.read(f"{info}/METADATA").decode()
        points = archive.read(f"{info}/entry_points.txt").decode()
        assert "[torch_dynamo_backends]\ndyn = " in points and "dyn-compile = " in points
        licenses = {name for name in names if name.startswith(f"{info}/licenses/")}
        assert len(licenses) == 1 + len(make_wheel.BUNDLED)
        assert "LLVM" in archive.read(f"{info}/licenses/LICENSE.LLVM-MLIR-lld").decode()
        record = list(csv.reader(archive.read(f"{info}/RECORD").decode().splitlines()))
        assert [row[0] for row in record] == names
        mode = archive.getinfo("dyn/bin/dyn-compile").external_attr >> 16
        assert mode & stat.S_IXUSR
        assert {"dyn/runtime/native.abi3.so", "dyn/runtime/libdynrt.so"} <= set(names)
        assert not any(name.endswith((".cpp", ".h", ".pyc")) for name in names)


def test_runs_where_it_is_installed(wheel, tmp_path, monkeypatch):
    target = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    pip += ["--disable-pip-version-check", "--no-input", "--target", str(target), str(wheel)]
    subprocess.run(pip, check=True, stdin=subprocess.DEVNULL)
    monkeypatch.delenv("DYN_COMPILE")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(target)],
        env=dict(os.environ, PYTHONPATH=str(target)),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "4.0"
    # The command is the program itself.
    command = target / "bin" / "dyn-compile"
    environment = dict(os.environ, PYTHONPATH=str(target))
    output = tmp_path / "again.so"
    subprocess.run([command, "model.onnx", "-o", output], env=environment, check=True)
    assert output.exists()


def test_the_same_tree_makes_the_same_wheel(wheel, build, tmp_path):
    before = wheel.read_bytes()
    command = [sys.executable, str(ROOT / "utils/x/make_wheel.py"), f"--build={build}"]
    command += [f"--compiler={os.environ['DYN_COMPILE']}", f"--output={wheel.parent}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    assert wheel.read_bytes() == before


def test_programs_that_need_more_than_libc(tmp_path):
    python = os.path.realpath("/usr/bin/python3")
    if not shutil.which("objdump") or not os.path.exists(python):
        pytest.skip("objdump or the system's Python is not installed")
    shutil.copy(python, tmp_path / "python")
    with pytest.raises(make_wheel.WheelError, match="^python needs .*lib(z|expat)"):
        make_wheel.platform(tmp_path)


@pytest.mark.full
def test_bare_systems():
    """Each takes a minute or two, if debootstrap and its mirror are available."""
    done = subprocess.run(
        ["bash", "x", "wheel", "--test"], cwd=ROOT, stdin=subprocess.DEVNULL, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    last = done.stdout.splitlines()[-1]
    if last.startswith("0 passed, 0 failed"):
        pytest.skip(last)
    assert done.returncode == 0, done.stdout[-4000:]
