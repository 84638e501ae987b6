#!/usr/bin/env python3
# ===- onnx_operators.py - The table of ONNX's operators -------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints docs/ONNXOperators.md: each operator of ai.onnx at each operator set since 6,
and whether dyn-translate imports it. A test compares the page with what this prints.

An operator that is not imported must have its reason here, and no other one may."""

import pathlib
import re
import subprocess
import sys
import tempfile

import onnx
from onnx import helper

OLDEST = 6
NEWEST = onnx.defs.onnx_opset_version()

_STRINGS = "strings are not supported"
REASONS = {
    "ImageDecoder": "its input is a file of pictures",
    "Optional": "an optional value that only a run decides",
    "RegexFullMatch": _STRINGS,
    "StringConcat": _STRINGS,
    "StringNormalizer": _STRINGS,
    "StringSplit": _STRINGS,
}

HEADER = f"""# Operators of ONNX

What `utils/x/onnx_operators.py` prints; [Importing ONNX models](ONNX.md) says the rest. A version is the first operator set with
that form of an operator; 6 stands for whatever an operator was up to there. This page knows the sets {OLDEST} to {NEWEST}.

| operator | versions | |
|---|---|---|"""


def schemas():
    """Each operator that a set from the oldest on holds: its name, its versions and the
    first set without it."""
    history = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        is_experiment = schema.support_level == onnx.defs.OpSchema.SupportType.EXPERIMENTAL
        if schema.domain == "" and not is_experiment:
            history.setdefault(schema.name, {})[schema.since_version] = schema.deprecated
    for name, versions in sorted(history.items()):
        known = [since for since in sorted(versions) if not versions[since]]
        # Of those up to the oldest set, the newest one counts.
        older = [OLDEST] if known and known[0] <= OLDEST else []
        known = older + [since for since in known if since > OLDEST]
        end = min((since for since in versions if versions[since]), default=NEWEST + 1)
        if known and end > OLDEST:
            yield name, known, end


def refused(names, opset, folder):
    """Those of the operators that the importer does not know. All read what a node of an
    unknown operator gives, so that nothing else is looked at."""
    nodes = [helper.make_node("Unknown", ["x"], ["y"])]
    nodes += [helper.make_node(name, ["y"], [f"y{i}"]) for i, name in enumerate(names)]
    values = [
        helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1])
        for name in ["x"] + [node.output[0] for node in nodes]
    ]
    graph = helper.make_graph(nodes, "g", values[:1], values[1:])
    imports = [helper.make_opsetid("", opset)]
    path = pathlib.Path(folder) / f"{opset}.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=imports).SerializeToString())
    done = subprocess.run(
        ["dyn-translate", "--import-onnx", str(path)], capture_output=True, text=True
    )
    found = re.findall(r"\((\w+), opset \d+\): operator is not supported", done.stderr)
    assert found[:1] == ["Unknown"] and len(found) < 100, done.stderr
    return set(found[1:])


def main():
    operators = list(schemas())
    unknown = {}
    with tempfile.TemporaryDirectory() as folder:
        for opset in range(OLDEST, NEWEST + 1):
            live = [name for name, since, end in operators if since[0] <= opset < end]
            for name in refused(live, opset, folder):
                unknown.setdefault(name, []).append(opset)
    for name, since, end in operators:
        if name in unknown and unknown[name] != list(range(since[0], end)):
            return f"{name} is refused at the sets {unknown[name]} alone"
    if unknown.keys() != REASONS.keys():
        return f"reasons for {sorted(REASONS)}, but refused are {sorted(unknown)}"
    print(HEADER)
    for name, since, end in operators:
        versions = " ".join(map(str, since)) + (f", not from {end} on" if end <= NEWEST else "")
        print(f"| {name} | {versions} | {REASONS.get(name, 'supported')} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
