# ===- conftest.py - Fixtures of the package's tests -----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hand-written artifacts, which need no compiler, and a fake compiler."""

import json
import stat
import sys

import pytest

COMPILER = """#!{python}
import json, os, shutil, sys, time
arguments = sys.argv[1:]
output = arguments[arguments.index("-o") + 1]
open({log!r}, "a").write(json.dumps(arguments) + "\\n")
if "--litter" in arguments:
    open(os.path.join(os.path.dirname(output), "litter"), "w").close()
if "--slow" in arguments:
    time.sleep(1)
if "--fail" in arguments:
    sys.exit("dyn-compile: error: model.onnx: no such op")
if "--die" in arguments:
    os.abort()
if "--full" in arguments and output.startswith(arguments[arguments.index("--full") + 1]):
    sys.exit("dyn-compile: error: cannot reserve space in " + output + ": No space left on device")
if "--sidecar" in arguments:
    open(output + ".weights", "w").close()
shutil.copyfile({zoo!r}, output + ".tmp")
os.rename(output + ".tmp", output)
"""


@pytest.fixture(scope="session")
def artifacts(build):
    """The folder of the runtime's test artifacts."""
    folder = build / "runtime" / "test" / "artifacts"
    if not (folder / "zoo.so").exists():
        pytest.skip("the runtime's test artifacts are not built")
    return folder


@pytest.fixture(scope="session")
def zoo(artifacts):
    """The artifact with an entry for each feature of the runtime."""
    return artifacts / "zoo.so"


@pytest.fixture
def compiler(zoo, tmp_path, monkeypatch):
    """A compiler that writes the zoo for every model. Returns its calls so far."""
    log = tmp_path / "log"
    log.touch()
    path = tmp_path / "dyn-compile"
    path.write_text(COMPILER.format(python=sys.executable, log=str(log), zoo=str(zoo)))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("DYN_COMPILE", str(path))
    monkeypatch.delenv("DYN_CACHE", raising=False)
    return lambda: [json.loads(line) for line in log.read_text().splitlines()]


@pytest.fixture
def model(tmp_path):
    """A file for the fake compiler."""
    path = tmp_path / "model.onnx"
    path.write_bytes(b"a model")
    return path
