# ===- test_artifact.py - dyn.load and its result --------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of dyn.load and dyn.Artifact."""

import concurrent.futures
import copy
import ctypes
import gc
import json
import os
import pickle
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest

import dyn


def test_describes_itself(zoo):
    model = dyn.load(zoo, entry="facts")
    assert model.path == str(zoo)
    assert model.producer == "by hand"
    assert model.metadata["model"]["properties"] == {"character": "a\nb"}
    assert "gather" in model.entries
    assert len(model.id) == 32
    assert model.isa.startswith("x86-64-v")
    ids, mask, past, ratio = model.inputs
    assert str(ids) == "ids: i64[rows, s]"
    assert mask.shape == ("rows", "s")
    assert past.shape == ("rows", 3, "2 * s + 1")
    assert past.numpy_dtype == np.float32
    assert ratio.dtype == "u8"
    assert model.outputs[0].shape == ()
    assert model.dims[0] == dyn.Dim("rows", 1, 8, 1, None)
    assert model.dims[1] == dyn.Dim("s", 4, None, 4, 16)
    assert repr(model).startswith("<dyn.Artifact '")


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (0, 4), (5, 0), (7, 509)])
def test_calls_by_name_and_position(zoo, shape):
    add = dyn.load(zoo)
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    for result in (add(x=x, y=x), add(x, x), add(x, y=x), add.run([x, x])["sum"]):
        assert result.dtype == np.float32
        assert result.flags.writeable
        np.testing.assert_array_equal(result, x + x)


def test_outputs_have_names(zoo):
    x = np.ones((1, 2), np.float32)
    outputs = dyn.load(zoo).run({"x": x, "y": x})
    assert outputs.names == ("sum",)
    assert outputs[0] is outputs["sum"]
    assert list(outputs.asdict()) == ["sum"]
    with pytest.raises(KeyError):
        outputs["total"]
    for copied in (copy.copy(outputs), copy.deepcopy(outputs), pickle.loads(pickle.dumps(outputs))):
        assert type(copied) is dyn.Outputs and copied.names == ("sum",)
        np.testing.assert_array_equal(copied["sum"], outputs["sum"])


def test_outputs_own_their_memory(zoo):
    add = dyn.load(zoo)
    x = np.ones((4, 1000), np.float32)
    results = [add(x=x * i, y=x) for i in range(20)]
    del add
    gc.collect()
    for i, result in enumerate(results):
        assert (result == i + 1).all()


def test_read_only_inputs(zoo):
    add = dyn.load(zoo)
    x = np.zeros((1, 8), np.float32)
    x.flags.writeable = False
    np.testing.assert_array_equal(add(x=x, y=x), x)


def test_inputs_are_not_copied(zoo):
    """An input could be a mapped file that is larger than memory."""
    add = dyn.load(zoo)
    x = np.lib.stride_tricks.as_strided(np.ones(1, np.float32), (0, 1 << 40), (4, 0))
    assert add(x=x, y=x).shape == x.shape


def test_strided_inputs_are_copied(zoo):
    add = dyn.load(zoo)
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    np.testing.assert_array_equal(add(x=x.T, y=x.T), 2 * x.T)
    np.testing.assert_array_equal(add(x=x[::2], y=x[1::2]), x[::2] + x[1::2])
    big_endian = x.astype(">f4")
    np.testing.assert_array_equal(add(x=big_endian, y=x), 2 * x)


def test_torch_tensors(zoo):
    torch = pytest.importorskip("torch")
    add = dyn.load(zoo)
    x = torch.arange(6, dtype=torch.float32).requires_grad_().reshape(2, 3)
    expected = 2 * x.detach().numpy()
    np.testing.assert_array_equal(add(x=x, y=x.detach()), expected)
    np.testing.assert_array_equal(add(x.t(), x.t()), expected.T)
    negative = torch._neg_view(x.detach())
    np.testing.assert_array_equal(add(negative, negative), -expected)


def test_tensors_need_no_call_of_their_library(zoo, monkeypatch):
    """Tensors are read by DLPack's functions of C, but for subclasses, which may keep their
    elements elsewhere."""
    torch = pytest.importorskip("torch")
    add = dyn.load(zoo)
    x = torch.ones(2, 3, requires_grad=True)

    class Other(torch.Tensor):
        pass

    def refuse(*args, **options):
        raise BufferError("asked for a capsule")

    monkeypatch.setattr(torch.Tensor, "__dlpack__", refuse)
    np.testing.assert_array_equal(add(x, x.detach()), np.full((2, 3), 2))
    with pytest.raises(BufferError, match="asked for a capsule"):
        add(x, torch.ones(2, 3).as_subclass(Other))
    # Types that dyn lacks have the library's own error.
    with pytest.raises(BufferError, match="asked for a capsule"):
        add(x, torch.ones(2, 3, dtype=torch.complex64))


class Elsewhere:
    """An array that claims to lie on a device of another kind."""

    def __init__(self, array, device):
        self.array, self.device = array, device

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self, **options):
        capsule = self.array.__dlpack__()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        # After the pointer to the data.
        ctypes.c_int32.from_address(pointer(capsule, b"dltensor") + 8).value = self.device
        return capsule


def test_devices_of_other_kinds(zoo):
    add = dyn.load(zoo)
    x = np.ones((2, 3), np.float32)
    pinned, rocm = 3, 10
    np.testing.assert_array_equal(add(x, Elsewhere(x, pinned)), 2 * x)
    with pytest.raises(TypeError, match="^input 'y': expected memory of the CPU or of CUDA, got"):
        add(x, Elsewhere(x, rocm))


def test_numbers_take_the_type_of_the_input(zoo):
    steps = dyn.load(zoo, entry="steps")
    assert steps(count=3) == 3
    assert steps(np.int64(4)) == 4
    result = steps(5)
    assert result.shape == () and result.dtype == np.int64


def test_booleans_and_unknown_sizes(zoo):
    take = dyn.load(zoo, entry="take")
    data = np.array([True, False, True])
    for k in range(4):
        result = take(data=data, k=k)
        assert result.dtype == np.bool_
        np.testing.assert_array_equal(result, data[:k])


def test_seed(zoo):
    random = dyn.load(zoo, entry="random")
    like = {"like": np.zeros(10, np.int8)}
    first = random.run(like, seed=1)[0]
    np.testing.assert_array_equal(first, random.run(like, seed=1)[0])
    assert (first != random.run(like, seed=2)[0]).any()


def test_threads_and_isa_do_not_change_bits(zoo):
    x = np.random.default_rng(0).normal(size=(3, 9999)).astype(np.float32)
    expected = dyn.load(zoo, threads=1, isa="v2")(x, x)
    for threads in (2, 3):
        model = dyn.load(zoo, threads=threads)
        assert model.threads == threads
        assert model(x, x).tobytes() == expected.tobytes()
        assert model.run([x, x], threads=1)[0].tobytes() == expected.tobytes()


def test_concurrent_calls(zoo):
    add = dyn.load(zoo, threads=2)

    def call(i):
        x = np.full((1, 1000 + i), i, np.float32)
        return (add(x, x) == 2 * i).all()

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(call, range(200)))
    assert add.stats["calls"] == 200


def test_stats(zoo):
    add = dyn.load(zoo, profile=True)
    x = np.ones((2, 50), np.float32)
    add(x, x)
    add(x, x)
    stats = add.stats
    assert stats["calls"] == 2
    assert stats["flops"] == 200
    (kernel,) = stats["kernels"]
    assert kernel["name"] == "add" and kernel["kind"] == "loop"
    assert kernel["launches"] == 2 and kernel["time_ns"] > 0
    add.reset_stats()
    assert add.stats["calls"] == 0 and add.stats["kernels"] == []


def test_trace(zoo, tmp_path):
    add = dyn.load(zoo)
    x = np.ones((2, 50), np.float32)
    with add.trace(tmp_path / "t.json"):
        add(x, x)
    add(x, x)
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    assert [e["name"] for e in events if e.get("cat") == "loop"] == ["add"]
    with add.trace(tmp_path / "outer.json"):
        inner = add.trace(tmp_path / "inner.json")
        with pytest.raises(dyn.Error, match="records already"), inner:
            pass
        add(x, x)
    events = json.loads((tmp_path / "outer.json").read_text())["traceEvents"]
    assert [e["name"] for e in events if e.get("cat") == "loop"] == ["add"]


def test_trace_ends_while_calls_run(zoo, tmp_path):
    add = dyn.load(zoo, threads=1)
    x = np.ones((2, 50), np.float32)
    done = threading.Event()

    def loop():
        while not done.is_set():
            add(x, x)

    threads = [threading.Thread(target=loop) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(10):
            with add.trace(tmp_path / "t.json"):
                add(x, x)
            events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
            assert "add" in [event["name"] for event in events]
    finally:
        done.set()
        for thread in threads:
            thread.join()


def test_threads_load_one_artifact(zoo):
    """Threads share what is loaded, and drop it at any time; messages are a thread's own."""
    gate = threading.Barrier(8)

    def work(number):
        gate.wait()
        for width in range(20, 40):
            model = dyn.load(zoo, threads=2)
            x = np.full((3, width), number, np.float32)
            with pytest.raises(dyn.InvalidArgumentError, match="^input 'y', axis 1: expected"):
                model(x, x[:, 1:])
            np.testing.assert_array_equal(model(x, x), 2 * x)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


CALLS_AT_THE_END = """
import sys, threading, time, numpy, dyn
add = dyn.load(sys.argv[1], threads=1)
x = numpy.ones((2, 50), numpy.float32)
def loop():
    while True:
        add(x, x)
        try:
            add(x, x[0])
        except ValueError:
            pass
for _ in range(4):
    threading.Thread(target=loop, daemon=True).start()
time.sleep(0.05)
"""


def test_interpreter_ends_while_daemons_call(zoo):
    command = [sys.executable, "-c", CALLS_AT_THE_END, str(zoo)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_wrong_inputs(zoo):
    add = dyn.load(zoo)
    x = np.ones((2, 3), np.float32)
    with pytest.raises(
        dyn.InvalidArgumentError, match=r"^input 'y' is missing: expected f32\[batch"
    ):
        add(x=x)
    with pytest.raises(dyn.InvalidArgumentError, match="there is no input 'z'"):
        add(x=x, y=x, z=x)
    with pytest.raises(ValueError, match="input 'y', axis 1: expected n = 3"):
        add(x=x, y=np.ones((2, 4), np.float32))
    with pytest.raises(ValueError, match="input 'x': expected f32.*elements of f64"):
        add(x=x.astype(np.float64), y=x)
    with pytest.raises(ValueError, match="input 'x': expected rank 2"):
        add(x=x[0], y=x)
    with pytest.raises(TypeError, match="input 'x': expected a contiguous array"):
        add(x="text", y=x)
    with pytest.raises(TypeError, match="input 'x' is given twice"):
        add(x, x=x)
    with pytest.raises(ValueError, match="takes 2 inputs .x, y., got 3"):
        add(x, x, x)


def test_data_errors_name_the_op(zoo):
    gather = dyn.load(zoo, entry="gather")
    np.testing.assert_array_equal(
        gather(ids=np.array([1])), np.arange(36, 40, dtype=np.float32)[None]
    )
    with pytest.raises(dyn.DataError, match="^dhlo.gather at '/embed/Gather': index"):
        gather(ids=np.array([1, 8]))


def test_timeout(zoo):
    steps = dyn.load(zoo, entry="steps")
    with pytest.raises(dyn.DeadlineExceededError, match="limit of 2.000 ms"):
        steps.run({"count": 10**15}, timeout=0.002)
    for timeout in (0, -1, 1e-12, np.float32(0)):
        with pytest.raises(dyn.DeadlineExceededError):
            steps.run({"count": 10**15}, timeout=timeout)
    for timeout in (None, 60, float("inf")):
        assert steps.run({"count": 3}, timeout=timeout)[0] == 3
    with pytest.raises(dyn.InvalidArgumentError, match="timeout: expected seconds, got nan"):
        steps.run({"count": 3}, timeout=float("nan"))


def test_names_of_files(zoo, tmp_path):
    x = np.ones((1, 2), np.float32)
    name = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.so")
    shutil.copyfile(zoo, name)
    for path in (name, os.fsencode(name)):
        add = dyn.load(path)
        assert add.path == name
        np.testing.assert_array_equal(add(x, x), 2 * x)
    with pytest.raises(dyn.NotFoundError, match="cannot open 'none\ufffd.so'"):
        dyn.load(b"none\xff.so")
    with add.trace(os.fsencode(tmp_path) + b"/\xff.json"):
        add(x, x)
    assert os.path.exists(os.fsencode(tmp_path) + b"/\xff.json")
    with pytest.raises(dyn.InvalidArgumentError, match="expected no null character"):
        dyn.load(f"{zoo}\0junk")


def test_files_that_are_no_artifacts(tmp_path, artifacts):
    with pytest.raises(dyn.NotFoundError, match="^cannot open 'none.so'"):
        dyn.load("none.so")
    with pytest.raises(FileNotFoundError):
        dyn.load("none.so")
    (tmp_path / "text.so").write_text("x" * 100)
    with pytest.raises(dyn.BadArtifactError, match="expected an ELF shared object"):
        dyn.load(tmp_path / "text.so")
    with pytest.raises(dyn.UnsupportedError, match="has version 999"):
        dyn.load(artifacts / "faulty_version.so")
    with pytest.raises(dyn.InvalidArgumentError, match="unknown instruction set 'x'"):
        dyn.load(artifacts / "zoo.so", isa="x")
    with pytest.raises(dyn.InvalidArgumentError, match="entry 'x' does not exist"):
        dyn.load(artifacts / "zoo.so", entry="x")
