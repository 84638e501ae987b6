# ===- test_arguments.py - Arguments that the package refuses --------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrong arguments of dyn.load, of calls, of dyn.compile and of dyn.Profile: the class of the
exception, which callers catch, and its text, which says what was expected and what was given."""

import inspect
import os
import pickle
import stat
import warnings

import numpy as np
import pytest

import dyn
from dyn import errors

X = np.ones((2, 3), np.float32)


@pytest.fixture
def add(zoo):
    return dyn.load(zoo, threads=2)


# ===----------------------------------------------------------------------===#
# Exceptions
# ===----------------------------------------------------------------------===#


def test_every_status_has_a_class():
    """Statuses are numbered from 1, and one class is of one status."""
    assert sorted(errors.CLASSES) == list(range(1, 14))
    assert len(set(errors.CLASSES.values())) == len(errors.CLASSES)
    for error in errors.CLASSES.values():
        assert issubclass(error, dyn.Error) and issubclass(error, RuntimeError)
        assert error.__doc__ and getattr(dyn, error.__name__) is error


@pytest.mark.parametrize(
    "error, builtin",
    [
        (dyn.InvalidArgumentError, ValueError),
        (dyn.NotFoundError, FileNotFoundError),
        (dyn.OutOfMemoryError, MemoryError),
    ],
)
def test_builtin_bases(error, builtin):
    assert issubclass(error, builtin)


@pytest.mark.parametrize("error", [*errors.CLASSES.values(), dyn.CompileError])
def test_exceptions_keep_their_text(error):
    """OSError would print an errno, and a process pool pickles what a worker raises."""
    made = error("cannot open 'x': it's gone")
    assert str(made) == "cannot open 'x': it's gone"
    again = pickle.loads(pickle.dumps(made))
    assert type(again) is error and str(again) == str(made)
    assert str(error()) == ""


# ===----------------------------------------------------------------------===#
# dyn.load
# ===----------------------------------------------------------------------===#

LOADS = [
    ({"threads": 1025}, "a pool has at most 1024 threads, got 1025"),
    ({"isa": "v9"}, "unknown instruction set 'v9': expected x86-64-v2, x86-64-v3,"),
    ({"isa": ""}, "unknown instruction set ''"),
    ({"entry": "none"}, "entry 'none' does not exist: expected one of 'add', 'facts',"),
    ({"device": "tpu"}, "device: expected 'cpu', 'cuda' or 'emu', got 'tpu'"),
    ({"device": "CPU"}, "device: expected 'cpu', 'cuda' or 'emu', got 'CPU'"),
    ({"outputs": "gpu"}, "outputs: expected 'host' or 'device', got 'gpu'"),
    ({"outputs": "device"}, "outputs: expected 'host' on the CPU, got 'device'"),
    ({"stream": -1}, "stream: expected the handle of a stream, got -1"),
    ({"stream": 64}, "dyn_driver_t: expected no stream on the CPU"),
    ({"gemm_library": "none"}, "gemm_library: expected none on the CPU, got 'none'"),
    (
        {"exchange_library": "none"},
        "exchange_library: expected none on the CPU, got 'none'",
    ),
    ({"gemm_table": "t.json"}, "gemm_table: expected none on the CPU, got 't.json'"),
    ({"tune_gemms": 3}, "tune_gemms: expected none on the CPU, got 3"),
]


@pytest.mark.parametrize("options, message", LOADS, ids=[str(options) for options, _ in LOADS])
def test_values_of_load(zoo, options, message):
    with pytest.raises(dyn.InvalidArgumentError) as info:
        dyn.load(zoo, **options)
    assert str(info.value).startswith(message)


@pytest.mark.parametrize(
    "options, error",
    [
        ({"threads": -1}, OverflowError),
        ({"threads": 1 << 32}, OverflowError),
        ({"threads": 1.5}, TypeError),
        ({"tune_gemms": -1}, OverflowError),
        ({"isa": 3}, TypeError),
        ({"entry": 3}, TypeError),
        ({"gemm_library": 3}, TypeError),
        ({"exchange_library": 3}, TypeError),
        ({"profiles": True}, TypeError),
    ],
    ids=str,
)
def test_types_of_load(zoo, options, error):
    """Python's own exceptions, as of any function."""
    with pytest.raises(error):
        dyn.load(zoo, **options)


@pytest.mark.parametrize("path", [None, 3, ["a.so"]])
def test_paths_of_load(path):
    with pytest.raises(TypeError):
        dyn.load(path)


def test_an_empty_path():
    with pytest.raises(dyn.NotFoundError, match="^cannot open '': No such file"):
        dyn.load("")


def test_code_for_a_device_is_missing(zoo):
    """The message names the device that was asked for, and how to compile for it."""
    for device, name, target in (("cuda", "CUDA", "cuda:sm_80"), ("emu", "the emulator", "emu")):
        with pytest.raises(dyn.UnsupportedError) as info:
            dyn.load(zoo, device=device)
        expected = f"'{zoo}' holds no code for {name}; compile it with --target=cpu,{target}"
        assert str(info.value) == expected


def test_load_and_artifact_have_the_same_options():
    """dyn.load passes each on by name; one that it lacks could not be given."""
    made = inspect.signature(dyn.Artifact.__init__).parameters
    load = inspect.signature(dyn.load).parameters
    assert list(made)[1:] == list(load)
    assert all(made[name].default == load[name].default for name in load)


# ===----------------------------------------------------------------------===#
# Calls
# ===----------------------------------------------------------------------===#


@pytest.mark.parametrize(
    "options, error",
    [
        ({"seed": -1}, OverflowError),
        ({"seed": 1 << 64}, OverflowError),
        ({"seed": 1.5}, TypeError),
        ({"threads": -1}, OverflowError),
        ({"timeout": "1"}, TypeError),
    ],
    ids=str,
)
def test_options_of_a_call(add, options, error):
    with pytest.raises(error):
        add.run([X, X], **options)
    # Nothing was run, and nothing is left over for the next call.
    assert add.stats["calls"] == 0
    np.testing.assert_array_equal(add(X, X), 2 * X)


def test_largest_options_of_a_call(add):
    for options in ({"seed": (1 << 64) - 1}, {"threads": (1 << 32) - 1}, {"timeout": 1e300}):
        np.testing.assert_array_equal(add.run([X, X], **options)["sum"], 2 * X)


@pytest.mark.parametrize(
    "missing", [None, object(), {}, {1.0}, len, 1j], ids=lambda value: type(value).__name__
)
def test_objects_that_are_no_arrays(add, missing):
    name = type(missing).__name__
    with pytest.raises(TypeError, match=f"^input 'y': expected a contiguous .*, got {name}$"):
        add(X, missing)


def test_numbers_of_inputs(add):
    with pytest.raises(dyn.InvalidArgumentError, match=r"takes 2 inputs \(x, y\), got 1$"):
        add(X)
    with pytest.raises(dyn.InvalidArgumentError, match=r"takes 2 inputs \(x, y\), got 0$"):
        add.run([])
    with pytest.raises(dyn.InvalidArgumentError, match="^input 'x' is missing: expected f32"):
        add()
    with pytest.raises(dyn.InvalidArgumentError, match="^input 'x' is missing"):
        add(x=None, y=X)
    with pytest.raises(TypeError, match="^input 'y' is given twice$"):
        add(X, X, X, y=X)
    with pytest.raises(dyn.InvalidArgumentError, match="^there is no input '1': expected one of"):
        add.run({"x": X, "y": X, 1: X})


def test_inputs_of_a_dictionary_in_any_order(zoo):
    """By name, not by the order in which they are given."""
    facts = dyn.load(zoo, entry="facts")
    arrays = {
        "ratio": np.zeros(0, np.uint8),
        "past": np.zeros((2, 3, 9), np.float32),
        "mask": np.zeros((2, 4), np.int32),
        "ids": np.zeros((2, 4), np.int64),
    }
    expected = facts.run([arrays[port.name] for port in facts.inputs])[0]
    assert facts.run(arrays)[0] == expected
    assert facts.run(dict(reversed(arrays.items())))[0] == expected


def test_failed_calls_are_counted(add):
    for _ in range(3):
        with pytest.raises(dyn.InvalidArgumentError):
            add(X, X.T)
    add(X, X)
    assert add.stats["calls"] == 4 and add.stats["failed_calls"] == 3


def test_the_cpu_has_no_gemm_library(add, tmp_path):
    assert add.gemm_library["name"] == ""
    assert add.gemm_library["reason"] == "the CPU has none"
    with pytest.raises(dyn.UnsupportedError, match="there is no GEMM library to write a table of"):
        add.write_gemm_table(tmp_path / "t.json")
    assert list(tmp_path.iterdir()) == []
    add.wait()


def test_traces_that_cannot_be_written(add, tmp_path):
    """The call in the block has run, and another recording may begin."""
    with pytest.raises(dyn.InputOutputError, match="^cannot write '/nonexistent/t.json': No such"):
        with add.trace("/nonexistent/t.json"):
            np.testing.assert_array_equal(add(X, X), 2 * X)
    with pytest.raises(TypeError), add.trace(None):
        pass
    with pytest.raises(ZeroDivisionError), add.trace(tmp_path / "t.json"):
        add(X, X)
        raise ZeroDivisionError
    # An exception in the block does not lose what was recorded before it.
    assert '"add"' in (tmp_path / "t.json").read_text()


# ===----------------------------------------------------------------------===#
# dyn.Profile
# ===----------------------------------------------------------------------===#


@pytest.mark.parametrize("window", [0, -1, float("nan"), float("inf"), -0.0])
def test_windows_that_are_no_length_of_time(window):
    with pytest.raises(dyn.InvalidArgumentError, match="^window: expected a positive number of"):
        dyn.Profile(window=window)


def test_windows_of_more_than_a_day():
    dyn.Profile(window=86400)
    with pytest.raises(dyn.InvalidArgumentError, match="windows of at most a day, got 86401000 ms"):
        dyn.Profile(window=86401)


def test_windows_of_less_than_a_millisecond(zoo, tmp_path):
    with dyn.Profile(tmp_path / "p.json", window=1e-9):
        dyn.load(zoo, entry="route")(np.array([[1]]))
    assert '"window_ms": 1,' in (tmp_path / "p.json").read_text()


def test_profiles_that_are_stopped_twice(zoo, tmp_path):
    """Only the first stop writes: a file that was removed since then stays away."""
    profile = dyn.Profile(tmp_path / "p.json")
    profile.stop()
    with profile:
        dyn.load(zoo, entry="route")(np.array([[1]]))
    assert profile.decisions == 3
    os.remove(tmp_path / "p.json")
    profile.stop()
    assert not (tmp_path / "p.json").exists()


def test_profiles_that_begin_twice():
    profile = dyn.Profile()
    with profile, pytest.raises(dyn.BusyError, match="this profile records already"):
        profile.start()
    # The inner failure did not stop it for good.
    with profile:
        pass


def test_an_exception_stops_the_profile(zoo, tmp_path):
    route = dyn.load(zoo, entry="route")
    with pytest.raises(ZeroDivisionError), dyn.Profile(tmp_path / "p.json") as profile:
        route(np.array([[2]]))
        raise ZeroDivisionError
    route(np.array([[2]]))
    assert profile.decisions == 3
    assert '"load": [0,0,1,0]' in (tmp_path / "p.json").read_text()


# ===----------------------------------------------------------------------===#
# dyn.compile
# ===----------------------------------------------------------------------===#


@pytest.mark.parametrize(
    "dims, expected",
    [
        ({}, []),
        ({"n": 0}, ["--dim", "n=0..0"]),
        ({"n": (0, 5)}, ["--dim", "n=0..5"]),
        ({"n": [3, 4]}, ["--dim", "n=3..4"]),
        ({"b": 1, "a": 2}, ["--dim", "b=1..1", "--dim", "a=2..2"]),
    ],
)
def test_dims_of_compile(compiler, model, dims, expected):
    dyn.compile(model, dims=dims)
    (call,) = compiler()
    assert call[3:] == expected


@pytest.mark.parametrize("bounds", [(1,), (1, 2, 3), None, 1.5])
def test_dims_that_are_no_bounds(compiler, model, bounds):
    """Nothing is compiled for bounds that are not understood."""
    with pytest.raises((TypeError, ValueError)):
        dyn.compile(model, dims={"n": bounds})
    assert compiler() == []


@pytest.mark.parametrize(
    "isa, expected",
    [("v3", ["--isa=v3"]), (["v3"], ["--isa=v3"]), (("v2", "v4"), ["--isa=v2,v4"]), (None, []), ("", [])],
)  # fmt: skip
def test_isa_of_compile(compiler, model, isa, expected):
    dyn.compile(model, isa=isa)
    (call,) = compiler()
    assert call[3:] == expected


@pytest.mark.parametrize(
    "model",
    [b"bytes", bytearray(b"array"), memoryview(b"a view")],
    ids=["bytes", "bytearray", "view"],
)
def test_models_in_memory(compiler, model):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(dyn.compile(model)(X, X), 2 * X)
    (call,) = compiler()
    # The file in which the compiler saw it is gone.
    assert not os.path.exists(call[0])


@pytest.mark.parametrize("model", [None, 3, ["model.onnx"]], ids=repr)
def test_models_that_are_nothing(compiler, model):
    with pytest.raises(TypeError):
        dyn.compile(model)
    assert compiler() == []


def test_artifacts_of_an_output_that_is_refused(compiler, model, tmp_path):
    """The output is loaded with the options of dyn.load, and stays if that fails."""
    with pytest.raises(dyn.InvalidArgumentError, match="entry 'none' does not exist"):
        dyn.compile(model, output=tmp_path / "m.so", entry="none")
    assert dyn.load(tmp_path / "m.so").entries


def test_warnings_of_the_compiler(compiler, model, tmp_path):
    """Each text is one warning, at the line that calls dyn.compile."""
    path = tmp_path / "warns"
    path.write_text(
        "#!/bin/sh\necho 'dyn-compile: warning: the profile is of another model' >&2\n"
        f'exec {os.environ["DYN_COMPILE"]} "$@"\n'
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    patch = pytest.MonkeyPatch()
    patch.setenv("DYN_COMPILE", str(path))
    try:
        with pytest.warns(dyn.CompileWarning, match="the profile is of another model$") as seen:
            dyn.compile(model)
    finally:
        patch.undo()
    assert len(seen) == 1 and seen[0].filename == __file__
