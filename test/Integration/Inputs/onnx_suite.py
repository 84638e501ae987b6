# ===- onnx_suite.py - ONNX's own tests ------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tests of ONNX's backend suite whose types dhlo has: node tests, which the package
generates, and those in its files (simple models, operators and modules that PyTorch
exported)."""

import dataclasses
import pathlib
import warnings

import onnx


def is_numeric(model):
    """Whether dhlo has the types of the model's inputs and outputs."""
    known = {1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 16}
    domains = {"", "ai.onnx", "ai.onnx.preview"}
    values = list(model.graph.input) + list(model.graph.output)
    return all(
        value.type.WhichOneof("value") == "tensor_type"
        and value.type.tensor_type.elem_type in known
        for value in values
    ) and all(opset.domain in domains for opset in model.opset_import)


def read_case(case):
    """A test in files, in the form of node tests; only the first of its data sets is
    used."""

    def read(kind):
        paths = pathlib.Path(case.model_dir).glob(f"test_data_set_0/{kind}_*.pb")
        ordered = sorted(paths, key=lambda path: int(path.stem.rpartition("_")[2]))
        return [onnx.TensorProto.FromString(path.read_bytes()) for path in ordered]

    model = onnx.load(f"{case.model_dir}/model.onnx")
    if not is_numeric(model):
        return None
    return dataclasses.replace(case, model=model, data_sets=[(read("input"), read("output"))])


def collect():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases
        from onnx.backend.test.loader import load_model_tests

        cases = collect_testcases(None)
    cases = [case for case in cases if case.model and is_numeric(case.model)]
    for kind in ("simple", "pytorch-operator", "pytorch-converted"):
        read = map(read_case, sorted(load_model_tests(kind=kind), key=lambda case: case.name))
        cases += [case for case in read if case]
    return cases
