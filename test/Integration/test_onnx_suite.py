# ===- test_onnx_suite.py - ONNX's own tests -------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports the models of ONNX's backend suite and compares the interpreter's results, and
those of compiled models.

A test that is listed in Inputs/onnx_suite_failures.txt must fail, for the reason given
there; any other must pass, with its static sizes and with all input sizes dynamic. Some
tests pass shapes and axes as inputs, which a compiled model needs as constants: these run
with such inputs made constant.
"""

import collections
import concurrent.futures
import os
import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import numpy_helper

FOLDER = pathlib.Path(__file__).parent
sys.path.insert(0, str(FOLDER / "Inputs"))

from onnx_suite import collect

FAILURES = FOLDER / "Inputs" / "onnx_suite_failures.txt"
Outcome = collections.namedtuple("Outcome", "name status message")


def freeze(model, inputs):
    """The model with all inputs except the first made constant."""
    frozen = onnx.ModelProto()
    frozen.CopyFrom(model)
    del frozen.graph.input[1:]
    for value, array in list(zip(model.graph.input, inputs))[1:]:
        frozen.graph.initializer.append(numpy_helper.from_array(array, value.name))
    return frozen


def erase_sizes(model):
    """The model with dynamic input sizes."""
    erased = onnx.ModelProto()
    erased.CopyFrom(model)
    for value in erased.graph.input:
        for dim in value.type.tensor_type.shape.dim:
            dim.Clear()
    # The types inside of the graph and of its outputs would still contain sizes.
    del erased.graph.value_info[:]
    for value in erased.graph.output:
        value.type.tensor_type.ClearField("shape")
    return erased


def run(command):
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def translate(model, path, compiled):
    onnx.save(model, str(path))
    if compiled:
        return run(["dyn-compile", str(path), "-o", f"{path}.so", "--isa=v3", "-O1"])
    return run(["dyn-translate", "--import-onnx", str(path), "-o", f"{path}.mlir"])


def as_array(value):
    return numpy_helper.to_array(value) if hasattr(value, "raw_data") else np.asarray(value)


def compare(expected, actual, rtol, atol):
    if expected.dtype == bool or np.issubdtype(expected.dtype, np.integer):
        return np.array_equal(expected, actual)
    # Expected values of half precision are rounded to it. numpy's files have no name for
    # bf16.
    if expected.dtype == np.float16:
        rtol, atol = max(rtol, 4e-3), max(atol, 1e-3)
    if expected.dtype == ml_dtypes.bfloat16:
        rtol, atol = max(rtol, 2**-6), max(atol, 2**-8)
        actual = actual.view(ml_dtypes.bfloat16)
    return np.allclose(
        actual.astype(np.float64),
        expected.astype(np.float64),
        rtol=max(rtol, 1e-3),
        atol=max(atol, 1e-6),
        equal_nan=True,
    )


def check(case, folder, compiled=False, dynamic=False):
    inputs, outputs = case.data_sets[0]
    inputs = [as_array(value) for value in inputs]
    outputs = [as_array(value) for value in outputs]
    model, path = case.model, folder / f"{case.name}.onnx"
    if dynamic:
        model = erase_sizes(model)
    done = translate(model, path, compiled)
    if done.returncode == 1 and any(
        word in done.stderr for word in ("constant", "known", "static", "rank")
    ):
        model = freeze(model, inputs)
        done = translate(model, path, compiled)
    if done.returncode:
        message = (done.stderr.strip() or "no message").splitlines()
        kind = "import" if done.returncode == 1 else "crash"
        return Outcome(case.name, kind, message[0])
    names = [value.name for value in model.graph.input]
    np.savez(folder / f"{case.name}.in.npz", **dict(zip(names, inputs)))
    result = folder / f"{case.name}.out.npz"
    program = [f"{path}.so"] if compiled else ["--reference", f"{path}.mlir"]
    done = run(
        ["dyn-run", *program, "--inputs"]
        + [str(folder / f"{case.name}.in.npz"), "--output", str(result)]
    )
    if done.returncode:
        message = (done.stderr.strip() or "no message").splitlines()
        kind = "run" if done.returncode == 1 else "crash"
        return Outcome(case.name, kind, message[0])
    with np.load(result) as found:
        for value, expected in zip(model.graph.output, outputs):
            actual = found[value.name]
            if actual.shape != expected.shape:
                message = f"{value.name}: {actual.shape} for {expected.shape}"
                return Outcome(case.name, "shape", message)
            if not compare(expected, actual, case.rtol, case.atol):
                return Outcome(case.name, "values", value.name)
    return Outcome(case.name, "pass", "")


def check_all(cases, folder, compiled=False, dynamic=False):
    def one(case):
        try:
            return check(case, folder, compiled, dynamic)
        except Exception as error:  # noqa: BLE001
            return Outcome(case.name, "harness", repr(error))

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(one, cases))


def expected_failures(dynamic):
    """Names and reasons; a name with the prefix `dynamic` is of a test that fails only with
    dynamic sizes."""
    lines = FAILURES.read_text().splitlines()
    pairs = (line.split(":", 1) for line in lines if line and line[0] != "#")
    reasons = {name.strip(): reason.strip() for name, reason in pairs}
    if dynamic:
        return {name.removeprefix("dynamic "): reason for name, reason in reasons.items()}
    return {name: reason for name, reason in reasons.items() if " " not in name}


@pytest.mark.parametrize("dynamic", [False, True], ids=["given", "dynamic"])
@pytest.mark.parametrize("compiled", [False, True], ids=["interpreted", "compiled"])
def test_onnx_suite(tmp_path, full, compiled, dynamic):
    cases = collect()
    if not full:
        cases = cases[5 + 7 * dynamic :: 18] if compiled else cases[dynamic::6]
    outcomes = check_all(cases, tmp_path, compiled, dynamic)
    if any("no interpreter" in outcome.message for outcome in outcomes):
        pytest.skip("dyn-run is built without the interpreter")
    expected = expected_failures(dynamic)
    passed = sum(outcome.status == "pass" for outcome in outcomes)
    print(f"{passed} of {len(outcomes)} numeric tests pass")
    bad = [
        outcome
        for outcome in outcomes
        if outcome.status == "crash" or (outcome.status == "pass") == (outcome.name in expected)
    ]
    assert not bad, "\n".join(map(str, bad))


if __name__ == "__main__":
    # Manually: test_onnx_suite.py [--compiled] [--dynamic] [WORD...] lists the outcomes of
    # the tests whose names contain a word.
    import tempfile

    wanted = [word for word in sys.argv[1:] if not word.startswith("--")]
    compiled, dynamic = "--compiled" in sys.argv, "--dynamic" in sys.argv
    selected = [
        case for case in collect() if not wanted or any(word in case.name for word in wanted)
    ]
    with tempfile.TemporaryDirectory() as temporary:
        for outcome in check_all(selected, pathlib.Path(temporary), compiled, dynamic):
            print(outcome.status, outcome.name, outcome.message, sep="\t")
