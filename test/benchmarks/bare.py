# ===- bare.py - Calls of dyn through its C interface ----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of libdynrt through ctypes, for measuring kernels that take microseconds.

The package checks types and creates an array for each output, which takes two to four
microseconds: more than a small kernel. Here the arguments of a call are filled once, and
outputs stay in the memory of the execution, as do those of the peers that write into a
given tensor.
"""

import ctypes
import functools
import os
import pathlib

import numpy

# Values of dyn_dtype_t.
DTYPES = {"bool": 1, "int32": 4, "int64": 5, "float32": 12}


class PoolOptions(ctypes.Structure):
    """The first members of dyn_pool_options; `struct_size` tells that the rest is missing."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("threads", ctypes.c_uint32),
        ("spin_us", ctypes.c_uint32),
        ("parallel", ctypes.c_void_p),
        ("user", ctypes.c_void_p),
    ]


class ContextOptions(ctypes.Structure):
    """dyn_context_options."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("device", ctypes.c_int),
        ("device_ordinal", ctypes.c_int32),
        ("isa", ctypes.c_char_p),
        ("pool", ctypes.c_void_p),
        ("driver", ctypes.c_void_p),
        ("communicator", ctypes.c_void_p),
    ]


class Tensor(ctypes.Structure):
    """dyn_tensor."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("dtype", ctypes.c_uint32),
        ("rank", ctypes.c_uint32),
        ("device", ctypes.c_uint32),
        ("device_ordinal", ctypes.c_int32),
    ]


@functools.cache
def library():
    """libdynrt of the build, or the copy in the package."""
    import dyn.runtime.native

    build = os.environ.get("DYN_BUILD")
    folders = [pathlib.Path(build) / "lib"] if build else []
    folders.append(pathlib.Path(dyn.runtime.native.__file__).parent)
    for folder in folders:
        if (folder / "libdynrt.so").exists():
            loaded = ctypes.CDLL(str(folder / "libdynrt.so"))
            loaded.dyn_last_error.restype = ctypes.c_char_p
            return loaded
    raise FileNotFoundError("libdynrt.so: set DYN_BUILD to the build folder")


def check(status):
    if status:
        raise RuntimeError(library().dyn_last_error().decode())


class Execution:
    """An artifact with its own execution. Lives until the process ends."""

    def __init__(self, path, threads, outputs=1):
        handles = [ctypes.c_void_p() for _ in range(4)]
        artifact, pool, context, self._execution = handles
        api = library()
        check(api.dyn_artifact_load(str(path).encode(), None, ctypes.byref(artifact)))
        options = PoolOptions(ctypes.sizeof(PoolOptions), threads)
        check(api.dyn_pool_create(ctypes.byref(options), ctypes.byref(pool)))
        options = ContextOptions(ctypes.sizeof(ContextOptions), pool=pool)
        create = api.dyn_context_create
        check(create(artifact, ctypes.byref(options), ctypes.byref(context)))
        check(api.dyn_execution_create(context, None, ctypes.byref(self._execution)))
        self._results = (Tensor * outputs)()

    def prepare(self, *arrays, run=True):
        """Returns a function without arguments that runs the artifact on these arrays."""
        inputs = (Tensor * len(arrays))()
        shapes = []
        for tensor, array in zip(inputs, arrays):
            assert array.flags.c_contiguous
            shapes.append((ctypes.c_int64 * array.ndim)(*array.shape))
            tensor.data, tensor.shape = array.ctypes.data, shapes[-1]
            tensor.dtype, tensor.rank = DTYPES[array.dtype.name], array.ndim
        call = functools.partial(
            library().dyn_execution_run,
            self._execution,
            None,
            inputs,
            len(arrays),
            self._results,
            len(self._results),
        )
        call.keep = arrays, shapes
        if run:
            check(call())
        return call

    def output(self, index=0):
        """Returns a copy of a float32 output of the last call."""
        result = self._results[index]
        shape = result.shape[: result.rank]
        flat = ctypes.cast(result.data, ctypes.POINTER(ctypes.c_float))
        count = int(numpy.prod(shape))
        return numpy.ctypeslib.as_array(flat, (max(count, 1),))[:count].reshape(shape).copy()
