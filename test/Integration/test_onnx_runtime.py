# ===- test_onnx_runtime.py - Operators of ONNX Runtime --------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of com.microsoft compared with ONNX Runtime's own kernels, and with numpy's
float64 where it has none. Many nodes make one model, which is compiled once and run at
several sizes."""

import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper

FOLDER = pathlib.Path(__file__).parent
sys.path.insert(0, str(FOLDER / "Inputs"))

import dyn
from runtime_cases import CASES

#: Nodes per model.
GROUP = 24
GROUPS = [CASES[i : i + GROUP] for i in range(0, len(CASES), GROUP)]
SIZES = [
    dict(B=2, S=3, P=4, T=5, N=4, Y=5),
    dict(B=1, S=1, P=0, T=1, N=1, Y=1),
    dict(B=3, S=7, P=5, T=2, N=13, Y=8),
    dict(B=0, S=3, P=1, T=2, N=0, Y=2),
]


def node_of(case):
    """The node, the values that it reads, the weights and the names of its results."""
    names, values, weights = [], [], []
    for i, each in enumerate(case.inputs):
        name = "" if each is None else f"{case.name}.{i}"
        names.append(name)
        if isinstance(each, np.ndarray):
            weights.append(numpy_helper.from_array(each, name))
        elif each is not None:
            kind = helper.np_dtype_to_tensor_dtype(np.dtype(each.type))
            values.append(helper.make_tensor_value_info(name, kind, each.sizes))
    while names and not names[-1]:
        names.pop()
    results = [f"{case.name}.out{i}" for i in range(case.outputs)]
    # Means and deviations are for training.
    stated = list(results)
    if "Skip" in case.op and case.outputs == 4:
        stated[1] = stated[2] = ""
    results = [name for name in stated if name]
    node = helper.make_node(
        case.op, names, stated, name=case.name, domain=case.domain, **case.attributes
    )
    return node, values, weights, results


def results_of(case, names):
    """ONNX Runtime cannot infer the type of one result."""
    if case.op == "MultiHeadAttention":
        return [helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, None) for n in names]
    return [helper.make_empty_tensor_value_info(name) for name in names]


def model_of(cases):
    parts = [node_of(case) for case in cases]
    graph = helper.make_graph(
        [part[0] for part in parts],
        "g",
        [value for part in parts for value in part[1]],
        [value for case, part in zip(cases, parts) for value in results_of(case, part[3])],
        [weight for part in parts for weight in part[2]],
    )
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=10)


def feeds_of(case, rng, env):
    feeds = {}
    for i, each in enumerate(case.inputs):
        if each is None or isinstance(each, np.ndarray):
            continue
        shape = tuple(s if isinstance(s, int) else eval(s, {}, env) for s in each.sizes)
        make = each.make or (lambda rng, shape, env: rng.standard_normal(shape))
        feeds[f"{case.name}.{i}"] = np.asarray(make(rng, shape, env)).astype(each.type)
    return feeds


def wanted(case, feeds):
    """The expected results; None if ONNX Runtime refuses such tensors."""
    if case.reference:
        # Weights are arguments, too; attributes of the node are not.
        arrays = [
            each if isinstance(each, np.ndarray) else feeds[f"{case.name}.{i}"]
            for i, each in enumerate(case.inputs)
            if each is not None
        ]
        result = case.reference(*[a.astype(np.float64) for a in arrays])
        return result if isinstance(result, tuple) else (result,)
    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    # Without optimisations: a fused operator would be replaced by another one.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        model_of([case]).SerializeToString(), options, ["CPUExecutionProvider"]
    )
    try:
        return session.run(None, feeds)
    except onnxruntime.capi.onnxruntime_pybind11_state.RuntimeException:
        assert any(0 in value.shape for value in feeds.values())
        return None
    except onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument:
        assert any(0 in value.shape for value in feeds.values())
        return None


def complain(case, got, want):
    """A message if a result is wrong."""
    if got.shape != want.shape:
        return f"shape {got.shape}, expected {want.shape}"
    got, want = got.astype(np.float64), want.astype(np.float64)
    if not np.isfinite(got).all():
        return "not finite"
    if case.tolerance >= 1:  # steps of an integer
        worst = abs(got - want).max(initial=0.0)
    else:
        bound = abs(want) + abs(want).max(initial=0.0) + 1e-30
        worst = (abs(got - want) / bound).max(initial=0.0)
    return None if worst <= case.tolerance else f"error {worst:.3g}"


@pytest.mark.parametrize("group", range(len(GROUPS)))
def test_as_onnx_runtime(tmp_path, group):
    cases = GROUPS[group]
    onnx.save(model_of(cases), str(tmp_path / "model.onnx"))
    compiled = dyn.compile(
        str(tmp_path / "model.onnx"), tmp_path / "model.so", isa="v3", options=["-O1"]
    )
    wrong = []
    for number, env in enumerate(SIZES):
        rng = np.random.default_rng(number)
        feeds = {case.name: feeds_of(case, rng, env) for case in cases}
        results = compiled.run({k: v for each in feeds.values() for k, v in each.items()})
        results = list(results)
        for case in cases:
            names = node_of(case)[3]
            own = [results.pop(0) for _ in names]
            # Some nodes crash ONNX Runtime on empty inputs.
            if env["B"] == 0 and not case.empty:
                continue
            want = wanted(case, feeds[case.name])
            for name, g, w in zip(names, own, want or ()):
                if problem := complain(case, np.asarray(g), np.asarray(w)):
                    wrong.append(f"{name} at {env}: {problem}")
    assert not wrong, "\n".join(wrong)
