#!/usr/bin/env python3
# ===- lint_layers.py - Libraries and includes go downwards ----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that libraries of the compiler link only those of lower layers, that files include
none of the headers that their layer must not know, and that packages in python/dyn do not
import each other in a circle, not even inside of functions.

    lint_layers.py [ROOT]

Prints `file:line: message` for each finding; the exit status is 1 if there is one. See
docs/Architecture.md.
"""

import ast
import pathlib
import re
import sys

#: From the bottom to the top. Libraries of a layer do not link each other.
LAYERS = [
    {"dyn_abi"},
    {"DynSupport", "DynProfile", "DynPlan", "DynDHLO"},
    {"DynDLHLO", "DynCell", "DynDHLOAnalysis"},
    {"DynDist"},
    {"DynDLHLOAnalysis", "DynDHLOTransforms", "DynImportONNX", "DynInterpreter"},
    {"DynCellAnalysis"},
    {"DynDLHLOTransforms", "DynCellTransforms", "DynCodegenCommon"},
    {"DynDistTransforms"},
    {"DynDistPlan", "DynCellToDHLO", "DynDLHLOToLLVM", "DynKernelToLLVM", "DynNVVMToEmulation"},
    {"DynCodegenCPU", "DynCodegenGPU"},
    {"DynCodegen"},
    {"DynTarget"},
    {"DynPipelines"},
    {"DynRegisterAll"},
    {"DynDriver"},
]

#: Folders, and headers that their files must not include. Headers of the runtime, which are
#: included by name alone, are matched by their path, too.
FORBIDDEN = [
    (r"(lib|include/dyn)/Codegen/GPU/", r"(dyn/)?Codegen/CPU/"),
    (r"(lib|include/dyn)/Codegen/CPU/", r"(dyn/)?Codegen/GPU/"),
    (r"lib/Codegen/Common/", r"(dyn/)?Codegen/[CG]PU/"),
    (r"(lib|include/dyn)/Dialect/", r"(dyn/)?(Codegen|Conversion|Target)/"),
    (r"(lib|include/dyn)/Dialect/DHLO/", r"(dyn/)?Dialect/(DLHLO|Cell|Dist)/"),
    (r"(lib|include/dyn)/(Import|Interpreter)/", r"(dyn/)?(Codegen|Conversion|Target)/"),
    (r"runtime/", r"(mlir|llvm)/"),
    (r"runtime/system/", r"runtime/(artifact|memory|core)/"),
    (r"runtime/artifact/", r"runtime/(memory|core)/"),
    (r"runtime/memory/", r"runtime/core/"),
    (
        r"runtime/(system|artifact|memory|core)/",
        r"runtime/(devices|profile|model|comm|emulator|hosts|test)/|dyn/(cu|comm)",
    ),
    (r"runtime/devices/", r"runtime/(profile|model|comm|emulator|hosts|test)/|dyn/comm"),
    (r"runtime/profile/", r"runtime/(devices|model|comm|emulator|hosts|test)/|dyn/(cu|comm)"),
    (r"runtime/model/", r"runtime/(devices|comm|emulator|hosts|test)/|dyn/(cu|comm)"),
    (r"runtime/comm/", r"runtime/(devices|profile|model|emulator|hosts|test)/|dyn/cu"),
    (r"runtime/emulator/", r"runtime/(?!emulator/|include/)"),
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


def find_headers(root):
    """The paths of the runtime's headers by their names."""
    found = {}
    for path in sorted((root / "runtime").rglob("*.h")):
        found.setdefault(path.name, []).append(path.relative_to(root).as_posix())
    return found


def resolve(include, name, headers):
    """The meanings of an include: its text, and paths of headers of the runtime."""
    if not name.startswith("runtime/"):
        return [include]
    paths = headers.get(include.rpartition("/")[2], [])
    beside = f"{name.rpartition('/')[0]}/{include}"
    return [include, beside] if beside in paths else [include, *paths]


def check_includes(name, text, headers):
    """Findings of a source file."""
    for folder, forbidden in FORBIDDEN:
        if not re.match(folder, name):
            continue
        for match in INCLUDE.finditer(text):
            if any(re.match(forbidden, each) for each in resolve(match.group(1), name, headers)):
                line = text.count("\n", 0, match.start()) + 1
                yield f"{name}:{line}: must not include {match.group(1)}"


def imports_of(tree, package):
    """Pairs of a line and an imported module or name, with the full name. `package` has the
    syntax tree `tree`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            levels = package.split(".")
            parent = levels[: len(levels) + 1 - node.level] if node.level else []
            module = ".".join([*parent, *filter(None, [node.module])])
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and node.args:
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            name = node.args[0]
            # The beginning of an f-string says which package it is.
            name = name.values[0] if isinstance(name, ast.JoinedStr) else name
            if called in ("import_module", "__import__") and isinstance(name, ast.Constant):
                yield node.lineno, str(name.value)


def check_packages(root):
    """Findings of the Python package: imports that are part of a circle."""
    folder = root / "python" / "dyn"
    own = {path.stem for path in folder.glob("*") if path.is_dir() or path.suffix == ".py"}

    def package_of(name):
        """The package directly in dyn, or dyn itself for its own names; None for others."""
        first, _, rest = name.partition(".")
        inner = rest.partition(".")[0]
        return None if first != "dyn" else f"dyn.{inner}" if inner in own else "dyn"

    imported = {}
    for path in sorted(folder.rglob("*.py")):
        name = ".".join(path.relative_to(folder.parent).with_suffix("").parts)
        name = name.removesuffix(".__init__")
        parent = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for line, module in imports_of(ast.parse(path.read_text()), parent):
            source, target = package_of(name), package_of(module)
            if target and target != source:
                where = f"{path.relative_to(root).as_posix()}:{line}"
                imported.setdefault(source, {}).setdefault(target, where)

    def reaches(start, end):
        seen, rest = set(), [start]
        while rest:
            package = rest.pop()
            if package not in seen:
                seen.add(package)
                rest += imported.get(package, ())
        return end in seen

    for source, targets in imported.items():
        for target, where in targets.items():
            if reaches(target, source):
                yield f"{where}: {source} imports {target}, which imports {source}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found = []
    headers = find_headers(root)
    for folder in ("include", "lib", "runtime"):
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.name == "CMakeLists.txt":
                found += check_links(name, path.read_text())
            elif path.suffix in (".h", ".cpp", ".td"):
                found += check_includes(name, path.read_text(), headers)
    found += check_packages(root)
    print("\n".join(found + [f"layers: {len(found)} findings"]))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
