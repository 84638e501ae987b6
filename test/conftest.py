# ===- conftest.py - Options and fixtures of the Python tests --------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the build, puts the package on the path and tells the tier."""

import os
import pathlib
import subprocess
import sys
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]


def pytest_addoption(parser):
    parser.addoption("--dyn-build", default=str(ROOT / "build"), help="the build folder to test")
    parser.addoption("--full", action="store_true", help="all shapes and seeds")


def pytest_configure(config):
    build = pathlib.Path(config.getoption("--dyn-build")).resolve()
    sys.path.insert(0, str(build / "python"))
    # Tools that tests start find each other and the package.
    for name, folder in (("PATH", build / "bin"), ("PYTHONPATH", build / "python")):
        old = os.environ.get(name)
        os.environ[name] = f"{folder}{os.pathsep + old if old else ''}"
    os.environ["DYN_BUILD"] = str(build)
    if not hasattr(config, "workerinput"):
        os.environ["DYN_KERNEL_CACHE"] = kernel_cache(config)
    if config.getoption("--full"):
        os.environ["DYN_TEST_FULL"] = "1"
    config.addinivalue_line("markers", "full: runs in the long tier alone")


def kernel_cache(config):
    """The folder of kernels that the workers of a run share: many tests compile the same ones. It
    is new, since kernels of earlier runs must not hide what is tested. The long tier, which counts
    the passes that change something, compiles every kernel."""
    if config.getoption("--full"):
        return "off"
    folder = tempfile.TemporaryDirectory(prefix="dyn-kernels-")
    config.add_cleanup(folder.cleanup)
    return folder.name


def pytest_collection_modifyitems(config, items):
    if config.getoption("--full"):
        return
    skip = pytest.mark.skip(reason="long tier: ./x test --full")
    for item in items:
        if item.get_closest_marker("full"):
            item.add_marker(skip)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Tests of a file share a worker, and what it has compiled for them; those of random
    programs share nothing, and go wherever there is time."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return nodeid if nodeid.startswith("fuzz/") else nodeid.split("::")[0]

    return ByFile(config, log)


@pytest.fixture(scope="session")
def build(request):
    """The build folder."""
    return pathlib.Path(request.config.getoption("--dyn-build")).resolve()


@pytest.fixture(scope="session")
def full(request):
    """Whether this is the long tier."""
    return request.config.getoption("--full")


@pytest.fixture(scope="session")
def mpirun(build):
    """Runs a command on ranks of MPI. Skips the test where none was found."""
    launcher = build / "runtime" / "test" / "mpirun"
    if not launcher.exists():
        pytest.skip("MPI was not found when this was configured")

    def run(ranks, *command):
        made = subprocess.run(
            [launcher, str(ranks), *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
        )
        assert made.returncode == 0, made.stdout
        return made.stdout

    return run
