# ===- dynrt.py - libdynrt through ctypes, for tensors of PyTorch ----------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs artifacts on the device of PyTorch's tensors, on PyTorch's stream and in its memory.
dyn's own package is built for one version of Python; this works with any."""

import ctypes as c
import pathlib

import torch

DTYPES = {
    1: torch.bool, 2: torch.int8, 3: torch.int16, 4: torch.int32, 5: torch.int64,
    6: torch.uint8, 7: torch.uint16, 8: torch.uint32, 9: torch.uint64, 10: torch.float16,
    11: torch.bfloat16, 12: torch.float32, 13: torch.float64,
}  # fmt: skip
CODES = {dtype: code for code, dtype in DTYPES.items()}
CPU, CUDA = 0, 1

OUTPUT = c.CFUNCTYPE(c.c_void_p, c.c_void_p, c.c_uint32, c.c_int, c.c_uint32,
                     c.POINTER(c.c_int64), c.c_uint64)  # fmt: skip


class _Struct(c.Structure):
    """A struct of runtime.h whose first member is its size."""

    def __init__(self, **members):
        super().__init__(struct_size=c.sizeof(self), **members)


class _Driver(_Struct):
    _fields_ = [
        ("struct_size", c.c_size_t), ("user", c.c_void_p), ("allocate", c.c_void_p),
        ("deallocate", c.c_void_p), ("stream", c.c_void_p),
    ]  # fmt: skip


class _ContextOptions(_Struct):
    _fields_ = [
        ("struct_size", c.c_size_t), ("device", c.c_int), ("device_ordinal", c.c_int32),
        ("isa", c.c_char_p), ("pool", c.c_void_p), ("driver", c.POINTER(_Driver)),
        ("communicator", c.c_void_p), ("device_library", c.c_char_p),
    ]  # fmt: skip


class _Tensor(c.Structure):
    _fields_ = [
        ("data", c.c_void_p), ("shape", c.POINTER(c.c_int64)), ("dtype", c.c_uint32),
        ("rank", c.c_uint32), ("device", c.c_uint32), ("device_ordinal", c.c_int32),
    ]  # fmt: skip


class _CallOptions(_Struct):
    _fields_ = [
        ("struct_size", c.c_size_t), ("entry", c.c_uint32), ("max_threads", c.c_uint32),
        ("seed", c.c_uint64), ("timeout_ns", c.c_uint64), ("cancel", c.c_void_p),
        ("output", OUTPUT), ("output_user", c.c_void_p), ("trace", c.c_void_p),
        ("output_device", c.c_uint32), ("asynchronous", c.c_uint32),
    ]  # fmt: skip


class _Stats(_Struct):
    _fields_ = [("struct_size", c.c_size_t)] + [
        (name, c.c_uint64)
        for name in ("calls", "failed_calls", "launches", "parallel_launches", "time_ns",
                     "kernel_time_ns", "flops", "bytes", "allocations", "arena_bytes",
                     "arena_bytes_used", "scratch_bytes", "output_bytes", "copies_to_device",
                     "copies_to_host", "device_waits", "library_launches", "library_misses")
    ]  # fmt: skip


class Error(Exception):
    """The runtime's message for a failed call."""


class Artifact:
    """An artifact on a device: "cuda", PyTorch's current GPU, or "emu", the emulator.

    Call it with contiguous tensors, in the order of the model's inputs."""

    def __init__(self, folder, path, device):
        self._library = c.CDLL(str(pathlib.Path(folder) / "libdynrt.so"))
        self._library.dyn_last_error.restype = c.c_char_p
        self._library.dyn_execution_release.argtypes = [c.c_void_p]
        self._on_device = device == "cuda"
        self._device = torch.device("cuda" if self._on_device else "cpu")
        artifact, context, self._execution = c.c_void_p(), c.c_void_p(), c.c_void_p()
        options = _ContextOptions(device=CUDA)
        if self._on_device:
            stream = torch.cuda.current_stream().cuda_stream
            # 0 selects the runtime's own stream, which would not wait for PyTorch's.
            assert stream, "expected another stream than the default one"
            options.driver = c.pointer(_Driver(stream=stream))
            options.device_ordinal = torch.cuda.current_device()
        else:
            options.device_library = str(pathlib.Path(folder) / "libdynemu.so").encode()
        load = self._library.dyn_artifact_load
        self._check(load(str(path).encode(), None, c.byref(artifact)))
        self._library.dyn_artifact_release.argtypes = [c.c_void_p]
        self._library.dyn_context_release.argtypes = [c.c_void_p]
        create = self._library.dyn_context_create
        try:
            self._check(create(artifact, c.byref(options), c.byref(context)))
            create = self._library.dyn_execution_create
            self._check(create(context, None, c.byref(self._execution)))
        finally:
            # The execution keeps the context and the artifact alive.
            self._library.dyn_context_release(context)
            self._library.dyn_artifact_release(artifact)

    def __del__(self):
        if getattr(self, "_execution", None):
            self._library.dyn_execution_release(self._execution)

    def _check(self, status):
        if status:
            raise Error(self._library.dyn_last_error().decode())

    def __call__(self, *tensors):
        """Returns the only result, on the device."""
        return self.run(tensors, 1)[0]

    def run(self, tensors, count, on_host=False):
        """Returns the `count` results, on the device or in the host's memory."""
        made = {}
        where = torch.device("cpu") if on_host else self._device

        def output(_, index, dtype, rank, shape, size):
            memory = torch.empty(max(size, 16), dtype=torch.uint8, device=where)
            made[index] = memory[:size].view(DTYPES[dtype]).view(shape[:rank])
            return memory.data_ptr()

        options = _CallOptions(output=OUTPUT(output))
        options.output_device = CPU if where.type == "cpu" else CUDA
        inputs = (_Tensor * len(tensors))()
        for argument, tensor in zip(inputs, tensors, strict=True):
            assert tensor.is_contiguous(), "expected dense tensors"
            argument.data = tensor.data_ptr()
            argument.shape = (c.c_int64 * tensor.dim())(*tensor.shape)
            argument.dtype, argument.rank = CODES[tensor.dtype], tensor.dim()
            argument.device = CUDA if tensor.is_cuda else CPU
        results = (_Tensor * count)()
        run = self._library.dyn_execution_run
        self._check(run(self._execution, c.byref(options), inputs, len(tensors), results, count))
        return [made[i] for i in range(count)]

    def work(self):
        """Returns the operations, bytes and number of all calls so far."""
        stats = _Stats()
        self._check(self._library.dyn_execution_stats(self._execution, c.byref(stats)))
        names = ("calls", "launches", "flops", "bytes", "library_launches", "library_misses")
        return {name: getattr(stats, name) for name in names}
