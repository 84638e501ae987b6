# ===- dyn-run-types.py - Tensors of all types through files ---------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: %python %s %t
# REQUIRES: venv

# Files of numpy come out of dyn-run as they went in, for each element type, for no axis, for
# axes without elements, and packed or not; interpreted and compiled. So a wrong width, order of
# bytes or header shows here and not as a wrong result of a model.

import os
import shutil
import subprocess
import sys

import numpy as np

FOLDER = sys.argv[1]
shutil.rmtree(FOLDER, ignore_errors=True)
os.makedirs(FOLDER)

TYPES = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "ui8": np.uint8,
    "ui16": np.uint16,
    "ui32": np.uint32,
    "ui64": np.uint64,
    "f16": np.float16,
    "bf16": np.dtype("V2"),
    "f32": np.float32,
    "f64": np.float64,
}
rng = np.random.default_rng(0)


def path(name):
    return os.path.join(FOLDER, name)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def fail(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1, (done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def elements(name, shape):
    """Elements with bits of all kinds: NaN and both signs, too."""
    if name == "i1":
        return rng.integers(0, 2, shape).astype(bool)
    dtype = np.dtype(TYPES[name])
    size = int(np.prod(shape))
    return rng.integers(0, 256, size * dtype.itemsize, np.uint8).view(dtype).reshape(shape)


def write_model(shape):
    """Each input is an output; the tensors are added to nothing, so that they stay."""
    sizes = "".join(f"{size}x" for size in shape)
    inputs = [f'%{n}: tensor<{sizes}{n}> {{dhlo.name = "{n}"}}' for n in TYPES]
    outputs = [f'tensor<{sizes}{n}> {{dhlo.name = "{n}"}}' for n in TYPES]
    values, types = (
        ", ".join(f"%{n}" for n in TYPES),
        ", ".join(f"tensor<{sizes}{n}>" for n in TYPES),
    )
    with open(path("model.mlir"), "w") as file:
        file.write(f"func.func @main({', '.join(inputs)}) -> ({', '.join(outputs)})\n")
        file.write(f"    attributes {{dhlo.entry}} {{\nreturn {values} : {types}\n}}\n")


def round_trips():
    for shape in ((), (1,), (0,), (7,), (2, 0, 3), (2, 3, 5)):
        write_model(shape)
        tensors = {name: elements(name, shape) for name in TYPES}
        np.savez(path("in.npz"), **tensors)
        np.savez_compressed(path("packed.npz"), **tensors)
        run("dyn-compile", path("model.mlir"), "-o", path("model.so"))
        for program in (["--reference", path("model.mlir")], [path("model.so")]):
            for archive in ("in.npz", "packed.npz"):
                run("dyn-run", *program, "--inputs", path(archive), "--output", path("out.npz"))
                with np.load(path("out.npz")) as found:
                    assert sorted(found.files) == sorted(TYPES)
                    for name, x in tensors.items():
                        y = found[name]
                        assert y.shape == x.shape and y.dtype == x.dtype, (name, y.dtype, y.shape)
                        assert y.tobytes() == x.tobytes(), (name, shape)


def texts():
    """A type in a message is as short as those of the runtime."""
    write_model(())
    tensors = {name: np.ones((), TYPES[name] if name != "bf16" else np.uint16) for name in TYPES}
    tensors["bf16"] = np.array(0x3F80, np.uint16).view("V2")
    np.savez(path("one.npz"), **tensors)
    shown = run("dyn-run", "--reference", path("model.mlir"), "--inputs", path("one.npz"))
    lines = shown.splitlines()
    assert len(lines) == len(TYPES)
    for line, name in zip(lines, TYPES):
        kind = "bool" if name == "i1" else name.replace("ui", "u")
        assert line == f"{name}: {kind}[] = 1", line


def conversions():
    """An input of another width becomes one of the port's; of another kind it is refused."""
    write_model((3,))
    tensors = {name: elements(name, (3,)) for name in TYPES}
    tensors["f32"] = np.array([0.1, 2.5, 1e300])
    tensors["i8"] = np.array([-128, 0, 127])
    np.savez(path("wide.npz"), **tensors)
    program = ["dyn-run", "--reference", path("model.mlir"), "--inputs", path("wide.npz")]
    run(*program, "--output", path("out.npz"))
    with np.load(path("out.npz")) as found:
        assert found["f32"].tolist() == [np.float32(0.1), 2.5, np.inf]
        assert found["i8"].dtype == np.int8 and found["i8"].tolist() == [-128, 0, 127]
    np.save(path("ints.npy"), np.arange(3))
    text = fail(*program, "--input", "f32=" + path("ints.npy"))
    assert "input 'f32': expected tensor<3xf32>, got i64[3]" in text, text
    np.save(path("floats.npy"), np.arange(3.0))
    # As many bytes as the port's elements have make them no elements of it.
    np.save(path("words.npy"), np.arange(3, dtype=np.float32))
    text = fail(*program, "--input", "i32=" + path("words.npy"))
    assert "input 'i32': expected tensor<3xi32>, got f32[3]" in text, text
    text = fail(*program, "--input", "i8=" + path("floats.npy"))
    assert "input 'i8': expected tensor<3xi8>, got f64[3]" in text, text


def comparisons():
    """Outputs of other types are no close ones, nor is nothing."""
    write_model((2,))
    tensors = {name: elements(name, (2,)) for name in TYPES}
    tensors["i64"], tensors["f32"] = np.array([1, 2]), np.array([1, np.nan], np.float32)
    np.savez(path("in.npz"), **tensors)
    program = ["dyn-run", "--reference", path("model.mlir"), "--inputs", path("in.npz"), "--check"]
    # Floats of other widths and NaN of other bits are the same numbers.
    np.savez(path("same.npz"), f32=-np.array([-1, np.nan]), i64=np.array([1, 2]))
    assert run(*program, path("same.npz")).count(": close") == 2
    np.savez(path("kind.npz"), i64=np.array([1.0, 2.0]))
    assert "i64: not close: expected f64[2], got i64[2]" in fail(*program, path("kind.npz"))
    np.savez(path("width.npz"), i64=np.array([1, 2], np.int32))
    assert "i64: not close: expected i32[2], got i64[2]" in fail(*program, path("width.npz"))
    np.savez(path("rank.npz"), i64=np.array([[1, 2]]))
    assert "i64: not close: expected i64[1, 2], got i64[2]" in fail(*program, path("rank.npz"))
    np.savez(path("nothing.npz"))
    assert "nothing to compare with" in fail(*program, path("nothing.npz"))


for test in (round_trips, texts, conversions, comparisons):
    test()
    print(test.__name__, "ok", flush=True)
