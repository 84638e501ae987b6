# ===- test_device.py - Outputs that stay on a device ----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""dyn.load with outputs="device" and with a stream, on the emulator of a GPU."""

import gc

import numpy as np
import pytest

import dyn

X = np.arange(1, 5, dtype=np.float32)


@pytest.fixture
def load(artifacts):
    """The artifact that computes x + y + y on a device."""
    return lambda **options: dyn.load(artifacts / "device.so", device="emu", **options)


@pytest.fixture
def fetch(artifacts):
    """Copies an array from the device, by an entry that adds zeros."""
    add = dyn.load(artifacts / "device.so", device="emu")
    return lambda array: add(array, np.zeros(4, np.float32))


def test_outputs_stay(load, fetch):
    add = load(outputs="device")
    y = add(X, X)
    assert y.__dlpack_device__() == (2, 0)
    z = add.run({"x": y, "y": X})["out"]
    np.testing.assert_array_equal(fetch(z), 5 * X)
    stats = add.stats
    assert (stats["calls"], stats["copies_to_device"], stats["device_waits"]) == (2, 2, 2)


def test_arrays_keep_their_memory(load, fetch):
    add = load(outputs="device")
    arrays = [add(i * X, X) for i in range(5)]
    for i, array in enumerate(arrays):
        np.testing.assert_array_equal(fetch(array), (i + 2) * X)
    assert add.stats["calls"] == 5
    taken = add.stats["allocations"]
    del array, arrays[1:]
    gc.collect()
    # The memory of released arrays is available again.
    more = [add(i * X, X) for i in range(4)]
    assert add.stats["allocations"] == taken
    del add
    gc.collect()
    for i, array in enumerate(arrays + more):
        np.testing.assert_array_equal(fetch(array), (max(i - 1, 0) + 2) * X)


def test_calls_on_a_stream_wait_for_nothing(load, fetch):
    add = load(outputs="device", stream=0)
    y = add(X, X)
    for _ in range(3):
        y = add(y, y)
    stats = add.stats
    assert (stats["calls"], stats["device_waits"]) == (4, 0)
    add.wait()
    assert add.stats["device_waits"] > 0
    np.testing.assert_array_equal(fetch(y), 81 * X)


def test_errors_come_with_the_wait(load):
    add = load(outputs="device", stream=0)
    broken = add(-X, X)
    fine = add(X, X)
    with pytest.raises(dyn.errors.DataError, match="dhlo.gather at '/first/Add'"):
        add.wait()
    add.wait()
    overrun = load(outputs="device", stream=0, entry="overrun")
    overrun(X)
    with pytest.raises(dyn.errors.DeviceError, match="access out of bounds"):
        overrun.wait()
    del broken, fine


def test_a_stream_with_outputs_of_the_host(load):
    add = load(stream=3)
    np.testing.assert_array_equal(add(X, X), 3 * X)
    assert add.stats["device_waits"] == 1
    add.wait()
    assert add.stats["device_waits"] == 1


@pytest.mark.parametrize(
    "options, message",
    [
        ({"outputs": "device"}, "outputs: expected 'host' on the CPU, got 'device'"),
        ({"outputs": "there"}, "outputs: expected 'host' or 'device', got 'there'"),
        ({"stream": -1}, "stream: expected the handle of a stream, got -1"),
        ({"stream": 0}, "dyn_driver_t: expected no stream on the CPU"),
        ({"device": "emu:one"}, "device: expected 'cpu', 'cuda' or 'emu', got 'emu:one'"),
        ({"device": "cpu:0"}, "device: expected 'cpu', 'cuda' or 'emu', got 'cpu:0'"),
        ({"device": "gpu"}, "device: expected 'cpu', 'cuda' or 'emu', got 'gpu'"),
    ],
)
def test_refusals(zoo, options, message):
    with pytest.raises(dyn.errors.InvalidArgumentError, match=message):
        dyn.load(zoo, **options)


def test_nothing_to_wait_for(zoo):
    dyn.load(zoo).wait()
