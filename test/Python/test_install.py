# ===- test_install.py - The package as `pip install .` installs it --------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs only the package and runs an artifact with it."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = """
import sys
import dyn, numpy
assert dyn.__file__.startswith(sys.argv[1]), dyn.__file__
x = numpy.full((2, 3), 2, "float32")
print(dyn.load(sys.argv[2])(x, x)[0, 0])
"""


def test_installed_package_runs_an_artifact(zoo, tmp_path):
    target = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    pip += ["--disable-pip-version-check", "--no-input", "--target", str(target)]
    subprocess.run([*pip, str(ROOT)], check=True, stdin=subprocess.DEVNULL)
    # LLVM is not included.
    files = [path for path in target.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 10 * 2**20
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(target), str(zoo)],
        env=dict(os.environ, PYTHONPATH=str(target)),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "4.0"
