#!/usr/bin/env python3
# ===- lint_layers.py - Libraries and includes go downwards ----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that libraries of the compiler link only those of lower layers, and that files
include none of the headers that their layer must not know.

    lint_layers.py [ROOT]

Prints `file:line: message` for each finding; the exit status is 1 if there is one. See
docs/Architecture.md.
"""

import pathlib
import re
import sys

#: From the bottom to the top. Libraries of a layer do not link each other.
LAYERS = [
    {"dyn_abi"},
    {"DynSupport", "DynProfile", "DynDHLO"},
    {"DynDLHLO", "DynCell"},
    {"DynAnalysis"},
    {"DynDHLOTransforms", "DynImportONNX", "DynInterpreter"},
    {"DynDLHLOTransforms", "DynCellTransforms", "DynCodegenCommon"},
    {"DynCellToDHLO", "DynDLHLOToLLVM", "DynKernelToLLVM", "DynNVVMToEmulation"},
    {"DynCodegenCPU", "DynCodegenGPU"},
    {"DynCodegen"},
    {"DynTarget"},
    {"DynPipelines"},
    {"DynRegisterAll"},
]

#: Folders, and headers that their files must not include.
FORBIDDEN = [
    (r"(lib|include/dyn)/Codegen/GPU/", r"(dyn/)?Codegen/CPU/"),
    (r"(lib|include/dyn)/Codegen/CPU/", r"(dyn/)?Codegen/GPU/"),
    (r"lib/Codegen/Common/", r"(dyn/)?Codegen/[CG]PU/"),
    (r"(lib|include/dyn)/Dialect/", r"(dyn/)?(Codegen|Conversion|Target)/"),
    (r"(lib|include/dyn)/(Analysis|Import|Interpreter)/", r"(dyn/)?(Codegen|Conversion|Target)/"),
    (r"runtime/", r"(mlir|llvm)/"),
]

LIBRARY = re.compile(r"dyn_library\(\s*(\w+)(.*?)\)", re.DOTALL)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def check_links(name, text):
    """Findings of a CMake file."""
    number = {library: i for i, layer in enumerate(LAYERS) for library in layer}
    for match in LIBRARY.finditer(text):
        library, rest = match.groups()
        line = text.count("\n", 0, match.start()) + 1
        if library not in number:
            yield f"{name}:{line}: {library} is in no layer of lint_layers.py"
            continue
        linked = rest.partition("LINK")[2].partition("DEPENDS")[0].split()
        for other in filter(number.__contains__, linked):
            if number[other] >= number[library]:
                yield f"{name}:{line}: {library} links {other}, which is not in a lower layer"


def check_includes(name, text):
    """Findings of a source file."""
    for folder, headers in FORBIDDEN:
        if not re.match(folder, name):
            continue
        for match in INCLUDE.finditer(text):
            if re.match(headers, match.group(1)):
                line = text.count("\n", 0, match.start()) + 1
                yield f"{name}:{line}: must not include {match.group(1)}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found = []
    for folder in ("include", "lib", "runtime"):
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.name == "CMakeLists.txt":
                found += check_links(name, path.read_text())
            elif path.suffix in (".h", ".cpp", ".td"):
                found += check_includes(name, path.read_text())
    print("\n".join(found + [f"layers: {len(found)} findings"]))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
