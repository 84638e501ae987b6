# ===- lit.cfg.py - How the FileCheck tests run ----------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests are .mlir, .test, .c and .py files with RUN lines. Beside the tools on
# the PATH they may use
#   %python       an interpreter with numpy and onnx, if `venv` is available
#   %models       test/models, the generators of ONNX files
#   %root         the repository
#   %build        the build folder
#   %runtime      the folder of libdynrt's headers
#   %s, %t, %S    as always in lit
# and these features:
#   venv          %python has the packages of utils/x/requirements.txt
#   full          the long tier, ./x test --full
#   avx512        this machine runs x86-64-v4 code
#   avx512vnni    and x86-64-v4-vnni
#   avx512bf16    and x86-64-v4-bf16
#   amx           and x86-64-v4-amx
#   ptxas         %ptxas is the CUDA toolkit's assembler
#   asan, tsan    the build is sanitized

import os
import pathlib
import shutil

import lit.formats

config.name = "dyn"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".c", ".py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.dyn_build, "test")
# Suites of pytest and CTest, and what tests use.
config.excludes = [
    "CMakeLists.txt",
    "Inputs",
    "Integration",
    "Python",
    "Unit",
    "benchmarks",
    "conftest.py",
    "fuzz",
    "lit.cfg.py",
    "models",
]

build = pathlib.Path(config.dyn_build)
python = os.environ.get("DYN_PYTHON") or config.dyn_python
if os.path.exists(python):
    config.available_features.add("venv")
else:
    python = "python3"

path = [str(build / "bin"), config.llvm_tools, os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
# Python tests find the package as built and the models as in the source.
config.environment["PYTHONPATH"] = os.pathsep.join(
    [str(build / "python"), os.path.dirname(__file__)]
)
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
# Kernels that earlier runs have compiled must not hide what is tested.
config.environment["DYN_KERNEL_CACHE"] = "off"
for name in ("HOME", "DYN_TEST_FULL", "ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions += [
    ("%python", python),
    ("%models", os.path.join(os.path.dirname(__file__), "models")),
    ("%runtime", os.path.join(config.dyn_source, "runtime", "include")),
    ("%root", config.dyn_source),
    ("%build", config.dyn_build),
]

ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))

if lit_config.params.get("full", "0") != "0":
    config.available_features.add("full")
    config.environment["DYN_TEST_FULL"] = "1"
for name, feature in (("address", "asan"), ("thread", "tsan")):
    if name in config.dyn_sanitize:
        config.available_features.add(feature)
if config.dyn_sanitize:
    # LLVM's own libraries are not instrumented and keep memory until exit.
    config.environment.setdefault("ASAN_OPTIONS", "detect_leaks=0")
try:
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    for flag, feature in (
        ("avx512vl", "avx512"),
        ("avx512_vnni", "avx512vnni"),
        ("avx512_bf16", "avx512bf16"),
        ("amx_int8", "amx"),
    ):
        if flag in flags:
            config.available_features.add(feature)
except OSError:
    pass
