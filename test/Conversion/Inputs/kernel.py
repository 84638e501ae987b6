# ===- kernel.py - Compiles and runs single kernels ------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Executes a dlhlo.kernel by itself: dyn-opt lowers it, clang compiles it, and
# its two functions are called as the runtime would. Every run is repeated with
# other splits of the items, which must give the same bits, and between guard
# bytes that must not change. Most kernels are compiled in less time than these
# programs take to start: those made before one is called are compiled together.

import atexit
import collections
import ctypes
import functools
import itertools
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

ERROR_NONE = 2**64 - 1
ALLOWED = {"memcpy", "memset", "memmove"}
# Artifacts are linked with it, for code that may call more of it.
BUILTINS = os.path.join(os.path.dirname(__file__), "../../../lib/Target/Builtins.c")
GUARD = 256
# Options of clang in addition to -march=x86-64-v4.
EXTENSIONS = {
    "vnni": ["-mavx512vnni"],
    "bf16": ["-mavx512vnni", "-mavx512bf16"],
    "amx": ["-mavx512vnni", "-mavx512bf16", "-mamx-tile", "-mamx-int8", "-mamx-bf16"],
}


def request_tile_registers():
    """As the runtime does for code of v4-amx."""
    arch_prctl, request, tile_data = 158, 0x1023, 18
    assert ctypes.CDLL(None).syscall(arch_prctl, request, tile_data) == 0


class Worker(ctypes.Structure):
    _fields_ = [
        ("scratch", ctypes.c_void_p),
        ("error", ctypes.c_void_p),
        ("site_base", ctypes.c_uint64),
        ("seed", ctypes.c_uint64),
        ("kept", ctypes.c_int64 * 2),
    ]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def compile_kernels(texts, folder, isa, calls):
    """The path of a library of kernels."""
    base = os.path.join(folder, "k")
    with open(base + ".mlir", "w") as file:
        file.write("\n".join(texts))
    pipeline = f"builtin.module(dyn-kernel-pipeline{{isa={isa}}})"
    run("dyn-opt", base + ".mlir", f"-pass-pipeline={pipeline}", "-o", base + ".ll.mlir")
    run("mlir-translate", "-mlir-to-llvmir", base + ".ll.mlir", "-o", base + ".ll")
    level, _, extension = isa.partition("-")
    target = [f"-march=x86-64-{level}", *EXTENSIONS.get(extension, ())]
    if extension == "amx":
        request_tile_registers()
    options = ["-O2", *target, "-fPIC", "-mprefer-vector-width=512", "-Wno-override-module"]
    run("clang", *options, "-c", base + ".ll", "-o", base + ".o")
    undefined = {line.split()[-1] for line in run("llvm-nm", "-u", base + ".o").splitlines()}
    assert undefined <= ALLOWED | set(calls), f"calls of {undefined - ALLOWED}"
    linked = ["-O1", "-fPIC", "-ffreestanding", "-fno-builtin", BUILTINS] if calls else []
    run("clang", "-shared", base + ".o", *linked, "-o", base + ".so")
    return base + ".so"


class Kernel:
    """A compiled kernel. `text` is the operation dlhlo.kernel @k ...; `calls` are the functions
    of BUILTINS beside ALLOWED that its code may call; `filling` is in all bytes of the scratch
    that nobody has written."""

    #: Those that are not compiled yet, by their options.
    waiting = collections.defaultdict(list)

    def __init__(self, text, isa="v3", calls=(), filling=0xA5):
        self.filling = filling
        self.options = isa, tuple(calls)
        waiting = Kernel.waiting[self.options]
        self.name = f"k{len(waiting)}"
        self.text = re.sub(r"@k\b", f"@{self.name}", text)
        self.body = None
        waiting.append(self)

    def load(self):
        """Compiles the kernel with all that wait."""
        kernels = Kernel.waiting.pop(self.options)
        with tempfile.TemporaryDirectory() as folder:
            path = compile_kernels([k.text for k in kernels], folder, *self.options)
            library = ctypes.CDLL(path)
        for k in kernels:
            k.body, k.geometry = library[f"{k.name}.body"], library[f"{k.name}.geometry"]
            k.body.restype = k.geometry.restype = None

    def __call__(self, dims, inputs, outputs, seed=0, splits=(1, 2, 7)):
        """Runs on `inputs` (arrays) and gives arrays of the (shape, dtype) of
        `outputs` and the error word's site, or None."""
        if self.body is None:
            self.load()
        dims_array = (ctypes.c_int64 * max(len(dims), 1))(*dims)
        geometry = (ctypes.c_int64 * 8)()
        self.geometry(dims_array, geometry)
        items, grain, scratch_bytes = geometry[0], geometry[1], geometry[2]
        assert items >= 0 and grain >= 1 and scratch_bytes >= 0
        self.last_geometry = list(geometry)
        in_order, item_bytes, result_bytes = geometry[5:]
        assert in_order in (0, len(outputs))
        results = None
        # Where items write in order, once more with memory of its own for each part.
        ways = [(parts, False) for parts in splits] + [(splits[-1], True)] * bool(item_bytes)
        for parts, apart in ways:
            arrays = [np.ascontiguousarray(x) for x in inputs]
            memory = []
            pointers = [x.ctypes.data for x in arrays]
            for shape, dtype in outputs:
                size = int(np.prod(shape)) * np.dtype(dtype).itemsize
                block = np.full(size + 2 * GUARD, 0xA5, np.uint8)
                assert not item_bytes or size == result_bytes <= items * item_bytes
                memory.append((block, size))
                pointers.append(block.ctypes.data + GUARD)
            buffers = (ctypes.c_void_p * len(pointers))(*pointers)
            scratch = np.full(scratch_bytes + 2 * GUARD + 64, self.filling, np.uint8)
            start = -scratch.ctypes.data % 64 + GUARD
            error = ctypes.c_uint64(ERROR_NONE)
            worker = Worker(scratch.ctypes.data + start, ctypes.addressof(error), 100, seed)
            worker.kept[:] = [-1, -1]
            bounds = [items * i // parts for i in range(parts + 1)]
            for begin, end in reversed(list(zip(bounds, bounds[1:]))):
                pieces = []
                for block, size in memory if apart else []:
                    first, last = begin * item_bytes, min(end * item_bytes, size)
                    piece = np.full(last - first + 2 * GUARD, 0xA5, np.uint8)
                    pieces.append((piece, block[GUARD + first : GUARD + last]))
                    buffers[len(arrays) + len(pieces) - 1] = piece.ctypes.data + GUARD - first
                self.body(
                    buffers,
                    dims_array,
                    ctypes.c_int64(begin),
                    ctypes.c_int64(end),
                    ctypes.byref(worker),
                )
                for piece, target in pieces:
                    target[:] = piece[GUARD : GUARD + len(target)]
                    edges = piece[:GUARD], piece[GUARD + len(target) :]
                    assert all((edge == 0xA5).all() for edge in edges), "items are not in order"
            assert (scratch[start - 32 : start] == self.filling).all()
            after = scratch[start + scratch_bytes : start + scratch_bytes + 64]
            assert (after == self.filling).all()
            values = []
            for (block, size), (shape, dtype) in zip(memory, outputs):
                assert (block[:GUARD] == 0xA5).all(), "wrote before a result"
                assert (block[GUARD + size :] == 0xA5).all(), "wrote past a result"
                values.append(block[GUARD : GUARD + size].view(dtype).reshape(shape).copy())
            if results is None:
                results = values
            for one, other in zip(results, values):
                assert one.tobytes() == other.tobytes(), f"{parts} parts give other bits"
            site = None if error.value == ERROR_NONE else error.value - 100
        return results, site


#: Generators that have made their kernels.
waiting_cases = []


def case(function):
    """Of a generator that makes kernels, yields once and then runs them: a call makes the kernels,
    and run_cases runs them. So those of all calls are compiled together."""

    @functools.wraps(function)
    def start(*arguments, **options):
        waiting_cases.append(function(*arguments, **options))
        next(waiting_cases[-1])

    return start


def cases(*axes):
    """Of such a generator: a call begins it with each combination of elements of the axes. A tuple
    is several arguments."""

    def decorate(function):
        start = case(function)

        @functools.wraps(function)
        def start_all():
            for elements in itertools.product(*axes):
                parts = [part if isinstance(part, tuple) else (part,) for part in elements]
                start(*itertools.chain(*parts))

        return start_all

    return decorate


def run_cases():
    while waiting_cases:
        assert next(waiting_cases.pop(0), None) is None


@atexit.register
def check_that_cases_ran():
    if waiting_cases and not hasattr(sys, "last_value"):
        print(
            f"{len(waiting_cases)} cases did not run: no run_cases()?", file=sys.stderr, flush=True
        )
        os._exit(1)


def close(found, expected, tolerance=1e-5):
    """Whether |a - b| <= tolerance * (|b| + max|b|), and non-finite agree."""
    found = np.asarray(found, np.float64)
    expected = np.asarray(expected, np.float64)
    assert found.shape == expected.shape, (found.shape, expected.shape)
    finite = np.isfinite(expected)
    assert np.array_equal(finite, np.isfinite(found)), "non-finite values differ"
    assert np.array_equal(found[~finite], expected[~finite], equal_nan=True)
    if finite.any():
        b = expected[finite]
        error = np.abs(found[finite] - b) / (np.abs(b) + np.abs(b).max() + 1e-30)
        assert error.max() <= tolerance, f"error {error.max()}"


def narrow(values, dtype):
    """Bits of the nearest values of 16 bits, even ones between two, and their values."""
    if dtype == "f16":
        bits = values.astype(np.float16)
        return bits, bits.astype(np.float32)
    wide = values.view(np.uint32)
    bits = ((wide + 0x7FFF + (wide >> 16 & 1)) >> 16).astype(np.uint16)
    return bits, (bits.astype(np.uint32) << 16).view(np.float32)
