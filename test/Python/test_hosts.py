# ===- test_hosts.py - The same artifact in every host ---------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same artifact gives the same bits in a C program, in Python, in LibTorch
and in TensorFlow."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import dyn

MIXTURE = pathlib.Path(__file__).parents[1] / "Tools" / "dyn-profile" / "Inputs" / "mixture.mlir"
SCRIPT = pathlib.Path(__file__).parent / "Inputs" / "run_in_host.py"
OPERATORS = {"libtorch": "libdyn_torch.so", "tensorflow": "libdyn_tensorflow.so"}
PACKAGES = {"libtorch": "torch", "tensorflow": "tensorflow"}


def skip_without(package):
    """Skips a test if a package is absent, without importing it: TensorFlow and Triton,
    which torch requires, each contain LLVM's command line options and cannot share a
    process."""
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")


def find_operator(host, build):
    """The library of a host's operators; skips the test if there is none."""
    package = PACKAGES[host]
    skip_without(package)
    operator = build / "lib" / OPERATORS[host]
    if not operator.exists():
        pytest.skip(f"{operator.name} was not built: {package} was absent")
    return operator


def run_c(build, artifact, inputs, folder):
    """Runs the plain C program."""
    model = dyn.load(artifact)
    command = [str(build / "bin" / "dyn-host"), str(artifact)]
    for port, value in zip(model.inputs, inputs):
        file = folder / f"{port.name}.bin"
        file.write_bytes(value.tobytes())
        shape = "x".join(map(str, value.shape))
        command.append(f"{port.name}={shape}:{file}")
    files = [folder / f"{port.name}.out" for port in model.outputs]
    command += [f"{port.name}={f}" for port, f in zip(model.outputs, files)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return [file.read_bytes() for file in files]


def run_host(host, build, artifact, inputs, folder):
    """Runs another host and returns the bytes of each output."""
    operator = find_operator(host, build) if host in OPERATORS else ""
    np.savez(folder / "in.npz", **{str(i): value for i, value in enumerate(inputs)})
    command = [sys.executable, str(SCRIPT), host, str(artifact), str(operator)]
    command += [str(folder / "in.npz"), str(folder / "out.npz")]
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3")
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[-2000:]
    with np.load(folder / "out.npz") as archive:
        return [archive[name].tobytes() for name in archive.files]


@pytest.mark.parametrize("host", ["c", "python", "libtorch", "tensorflow"])
def test_same_bits(host, build, zoo, tmp_path):
    rng = np.random.default_rng(0)
    inputs = [rng.normal(size=(7, 1009)).astype(np.float32) for _ in range(2)]
    expected = [value.tobytes() for value in dyn.load(zoo, threads=1).run(inputs)]
    if host == "c":
        found = run_c(build, zoo, inputs, tmp_path)
    else:
        found = run_host(host, build, zoo, inputs, tmp_path)
    assert found == expected


def test_libtorch_operator(build, zoo, artifacts):
    operator = find_operator("libtorch", build)
    import torch

    torch.ops.load_library(operator)
    x = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    for _ in range(3):
        (total,) = torch.ops.dyn.run([x, x], str(zoo))
        assert torch.equal(total, 2 * x)
    (total,) = torch.ops.dyn.run([x.t(), x.t()], str(zoo))
    assert torch.equal(total, 2 * x.t())
    (total,) = torch.ops.dyn.run([x[:0], x[:0]], str(zoo))
    assert total.shape == (0, 3)
    (total,) = torch.ops.dyn.run([torch._neg_view(x), x], str(zoo))
    assert torch.equal(total, 0 * x)
    # A model without inputs can be run, too.
    with pytest.raises(RuntimeError, match="entry 'add' takes 2 inputs"):
        torch.ops.dyn.run([], str(zoo))
    with pytest.raises(RuntimeError, match="input 'y', axis 1: expected n = 3 as in"):
        torch.ops.dyn.run([x, x[:, :2].contiguous()], str(zoo))
    with pytest.raises(RuntimeError, match="input 'x': expected f32.*got elements of"):
        torch.ops.dyn.run([x.double(), x], str(zoo))
    with pytest.raises(RuntimeError, match="cannot open 'none.so'"):
        torch.ops.dyn.run([x], "none.so")
    with pytest.raises(RuntimeError, match="expected the mode 'auto' or '', got 'fast'"):
        torch.ops.dyn.run([x, x], str(zoo), mode="fast")
    with pytest.raises(RuntimeError, match="no call has loaded 'none.so'"):
        torch.ops.dyn.report("none.so")
    with pytest.raises(RuntimeError, match="elements of .* are not supported"):
        torch.ops.dyn.run([x.to(torch.complex64)], str(zoo))


#: With a library of operators, an artifact and its source.
AUTOMATIC_TEST = """
import json, sys
import torch
torch.ops.load_library(sys.argv[1])
run = lambda x: torch.ops.dyn.run(
    [x], sys.argv[2], source=sys.argv[3], mode="auto", reoptimise=True)
x = torch.ones(2, 3)
assert torch.equal(run(x)[0], 2 * x)
report = json.loads(torch.ops.dyn.report(sys.argv[2]))
assert report["auto"]["why"] == "all sizes run dynamic: none is hot", report
assert report["reoptimise"]["windows"] == 3, report
assert report["variants"][0]["calls"] == 1, report
try:
    torch.ops.dyn.run([x], sys.argv[2] + ".copy", mode="auto")
except RuntimeError as error:
    assert "the automatic mode needs compiler or recompile" in str(error), error
else:
    raise AssertionError("no source")
"""


def test_libtorch_models_change(build, tmp_path):
    operator = find_operator("libtorch", build)
    source = tmp_path / "double.mlir"
    source.write_text("""
dhlo.dim @N
func.func @double(%x: tensor<?x3xf32, #dhlo.dims<N>>) -> tensor<?x3xf32, #dhlo.dims<N>>
    attributes {dhlo.entry} {
  %y = dhlo.add %x, %x : tensor<?x3xf32, #dhlo.dims<N>>
  return %y : tensor<?x3xf32, #dhlo.dims<N>>
}
""")
    artifact = tmp_path / "double.so"
    subprocess.run([build / "bin" / "dyn-compile", source, "-o", artifact], check=True)
    shutil.copy(artifact, f"{artifact}.copy")
    command = [sys.executable, "-c", AUTOMATIC_TEST, operator, artifact, source]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[-2000:]


@pytest.mark.parametrize("host", OPERATORS)
def test_variants_in_hosts(host, build, tmp_path):
    operator = find_operator(host, build)
    source, artifact = shutil.copy(MIXTURE, tmp_path), tmp_path / "mixture.so"
    subprocess.run([build / "bin" / "dyn-compile", source, "-o", artifact], check=True)
    script = SCRIPT.with_name("change_in_host.py")
    command = [sys.executable, script, host, operator, artifact, source]
    path = f"{build / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", PATH=path)
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[-2000:]


TENSORFLOW_TEST = """
import sys
import tensorflow as tf
operations = tf.load_op_library(sys.argv[1])
run = lambda x, y, path=sys.argv[2], types=[tf.float32], **more: operations.dyn_run(
    inputs=[x, y], path=path, Tout=types, **more)
x = tf.reshape(tf.range(6, dtype=tf.float32), (2, 3))
(total,) = run(x, x)
assert (total.numpy() == 2 * x.numpy()).all()
(total,) = tf.function(run)(x, x)
assert (total.numpy() == 2 * x.numpy()).all()
(total,) = run(x[:0], x[:0])
assert total.shape == (0, 3)

def fails(what, *arguments, **options):
    try:
        run(*arguments, **options)
    except Exception as error:
        assert what in str(error), error
    else:
        raise AssertionError(what)

fails("input 'y', axis 1: expected n = 3 as in input 'x'", x, x[:, :2])
fails("input 'x': expected f32[batch, n], got elements of f64",
      tf.cast(x, tf.float64), x)
fails("cannot open 'none.so'", x, x, path="none.so")
fails("the automatic mode needs compiler or recompile", x, x, mode="auto")
fails('"fast" is not in the list of allowed values: "", "auto"', x, x, mode="fast")
fails("Tout: expected 1 types, got 2", x, x, types=[tf.float32] * 2)
fails("output 'sum' is f32[batch, n], got int32", x, x, types=[tf.int32])
"""


def test_tensorflow_operation(build, zoo):
    operator = find_operator("tensorflow", build)
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3")
    result = subprocess.run(
        [sys.executable, "-c", TENSORFLOW_TEST, str(operator), str(zoo)],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr[-2000:]


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([], "usage: dyn-host MODEL.so"),
        (["none.so"], "cannot open 'none.so': No such file or directory"),
        (["{zoo}"], "expected an argument for input x"),
        (["{zoo}", "x=2y3:f"], "expected SHAPE:FILE for input x"),
        (["{zoo}", "x=2x3:none.bin"], "cannot read none.bin"),
    ],
)
def test_c_program_refuses(build, zoo, arguments, message):
    command = [str(build / "bin" / "dyn-host")]
    command += [argument.format(zoo=zoo) for argument in arguments]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 1
    assert result.stderr.startswith("dyn-host: error: " + message)
