# ===- single.py - One operation by dyn and its peers, prepared ------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Common parts of the measurements of single operations: the process, an ONNX file of a few
nodes, and functions without arguments that run it by dyn and ONNX Runtime."""

import ctypes
import json
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def add_arguments(parser):
    parser.add_argument("--quick", action="store_true", help="few sizes")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7, help="blocks of each function")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "build" / "bench")


def settle(threads):
    """Pins the process to its last cores and lets malloc keep freed memory: otherwise, the
    times of peers that allocate each output would include page faults."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-threads:])
    os.environ["OMP_NUM_THREADS"] = str(threads)
    trim_threshold, mmap_threshold, most = -1, -3, 1 << 30
    libc = ctypes.CDLL(None)
    libc.mallopt(mmap_threshold, most)
    libc.mallopt(trim_threshold, most)
    import torch

    torch.set_num_threads(threads)


def aligned(values):
    """Returns an array in memory of PyTorch, which is aligned to a cache line. Arrays of
    numpy are not: a copy may be half as fast, and the alignment would vary between
    engines."""
    import torch

    return torch.from_numpy(values).clone().numpy()


def write_onnx(path, nodes, inputs, outputs, constants):
    """Writes an ONNX file. `inputs` and `outputs` are {name: shape}, `constants` {name:
    array}, all of float32."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    def ports(shapes):
        make = helper.make_tensor_value_info
        return [make(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]

    weights = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "single", ports(inputs), ports(outputs), weights)
    opset = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), str(path))


class Dyn:
    """One artifact for all sizes."""

    name = "dyn"

    def __init__(self, path, threads):
        import bare
        from dyn.compiler.compile import compile_to_file

        self.execution = bare.Execution(compile_to_file(path), threads)

    def prepare(self, inputs, shape):
        return self.execution.prepare(*inputs.values(), run=False)

    def verify(self, want, what):
        """Compares the last call's output with `want`: a fast but wrong result is an error."""
        error = abs(self.execution.output() - want)
        if (error > 1e-4 * (abs(want) + abs(want).max())).any():
            raise ValueError(f"dyn is wrong by {error.max():.3g} at {what}")


class OnnxRuntime:
    """ONNX Runtime with its inputs and output `y` bound to memory."""

    name = "onnxruntime"

    def __init__(self, path, threads):
        from engines import OnnxRuntime

        self.session = OnnxRuntime.open(path, threads)

    def prepare(self, inputs, shape):
        import functools

        import torch

        binding, out = self.session.io_binding(), torch.empty(shape).numpy()
        for name, value in inputs.items():
            binding.bind_cpu_input(name, value)
        binding.bind_output("y", "cpu", 0, "float32", shape, out.ctypes.data)
        call = functools.partial(self.session.run_with_iobinding, binding)
        call.keep = inputs, out
        return call


def write(args, name, result, text):
    """Writes a measurement as JSON and Markdown, prints the latter, and updates the table
    of targets."""
    import summary

    args.output.mkdir(parents=True, exist_ok=True)
    stem = args.output / f"{name}-{args.threads}"
    result = {"threads": args.threads, "quick": args.quick, **result}
    stem.with_suffix(".json").write_text(json.dumps(result))
    stem.with_suffix(".md").write_text(text)
    print("\n" + text)
    summary.write(args.output)
