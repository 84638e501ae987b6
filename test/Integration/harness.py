# ===- harness.py - A model compiled once, and ONNX Runtime ----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a model once and runs it by both dyn and ONNX Runtime."""

import pathlib
import subprocess
import tempfile
import time

import numpy
import onnxruntime


def difference(got, want):
    """The largest |got - want| / (|want| + max |want|), which is compared with
    the tolerance; infinite where shapes, types or non-finite values differ."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return numpy.inf
    if want.size == 0:
        return 0.0
    if want.dtype.kind != "f":
        return 0.0 if numpy.array_equal(got, want) else numpy.inf
    finite = numpy.isfinite(want)
    if not numpy.array_equal(got[~finite], want[~finite], equal_nan=True):
        return numpy.inf
    got, want = got[finite].astype("float64"), want[finite].astype("float64")
    if want.size == 0:
        return 0.0
    scale = abs(want) + abs(want).max()
    error = numpy.divide(abs(got - want), scale, out=abs(got - want), where=scale > 0)
    return float(error.max()) if numpy.isfinite(got).all() else numpy.inf


def same_bits(left, right):
    """Whether two lists of arrays are equal to the last bit, NaNs included."""
    return len(left) == len(right) and all(
        a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()
        for a, b in zip(left, right)
    )


def describe(inputs):
    """Names and shapes, for messages."""
    return ", ".join(f"{name}: {list(value.shape)}" for name, value in inputs.items())


def peer_session(path, threads=1):
    """ONNX Runtime with its best settings, without messages on calls that it refuses."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])


class Compiled:
    """A model, its one artifact, and ONNX Runtime with the model."""

    def __init__(self, model, folder, options=()):
        import dyn

        self.model = model
        self.path = folder / f"{model.name}.so"
        self.taken = []  # sizes that ONNX Runtime has run
        self.compiles = 1
        start = time.monotonic()
        dyn.compile(
            str(model.path()), output=str(self.path), dims=model.dims or None, options=options
        )
        self.compile_seconds = time.monotonic() - start
        self.stamp = self.path.stat().st_mtime_ns
        self.release()

    def release(self):
        """Frees memory until the next call."""
        self._peer = None
        self._loaded = {}

    @property
    def peer(self):
        """ONNX Runtime with the model."""
        if self._peer is None:
            self._peer = peer_session(self.model.path())
        return self._peer

    def artifact(self, threads=1):
        """The artifact, loaded to run on that many threads."""
        import dyn

        if threads not in self._loaded:
            self._loaded[threads] = dyn.load(str(self.path), threads=threads)
        return self._loaded[threads]

    def run(self, inputs, threads=1):
        """Outputs of dyn, as a list of copied arrays."""
        result = self.artifact(threads)(**{k: v for k, v in inputs.items()})
        return [numpy.array(value) for value in _values(result)]

    def legal(self, rng, count):
        """Yields `count` pairs of inputs that ONNX Runtime accepts and its outputs. Sizes
        that the model refuses are drawn again."""
        refused = 0
        while count:
            sizes = self.model.sizes(rng)
            inputs = self.model.inputs(sizes, rng)
            try:
                outputs = self.peer.run(None, inputs)
            except Exception:
                refused += 1
                assert refused < 1000, "ONNX Runtime refuses nearly all sizes"
                continue
            count -= 1
            self.taken.append(sizes)
            yield inputs, outputs

    def inputs(self, rng, count):
        """Yields inputs of `count` sizes that ONNX Runtime accepts. It is run only if it
        has not accepted as many before."""
        known = self.taken[:count]
        yield from (self.model.inputs(sizes, rng) for sizes in known)
        yield from (inputs for inputs, _ in self.legal(rng, count - len(known)))

    def judge(self, inputs, index):
        """Output `index` in float64, by PyTorch, or by the interpreter if there
        is no module."""
        if self.model.module is None:
            return self._interpret(inputs)[index]
        import torch

        module = self.model.make_module().double()
        tensors = [torch.from_numpy(value) for value in inputs.values()]
        tensors = [t.double() if t.is_floating_point() else t for t in tensors]
        with torch.no_grad():
            outputs = module(*tensors)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        return outputs[index].numpy()

    def _interpret(self, inputs):
        """All outputs in float64, by the interpreter: slow."""
        source = self.model.path()
        # Weights lie in the same folder as the program.
        with (
            tempfile.TemporaryDirectory() as folder,
            tempfile.NamedTemporaryFile(dir=source.parent, suffix=".mlir") as beside,
        ):
            text, wide = pathlib.Path(folder, "m.mlir"), pathlib.Path(beside.name)
            for command in (
                ["dyn-translate", "--import-onnx", str(source), "-o", str(text)],
                ["dyn-opt", "--dhlo-widen-floats", str(text), "-o", str(wide)],
            ):
                subprocess.run(command, check=True)
            inputs = {k: v.astype("f8") if v.dtype.kind == "f" else v for k, v in inputs.items()}
            numpy.savez(f"{folder}/in.npz", **inputs)
            subprocess.run(
                ["dyn-run", "--reference", str(wide), f"--inputs={folder}/in.npz"]
                + [f"--output={folder}/out.npz"],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            with numpy.load(f"{folder}/out.npz") as file:
                return list(file.values())

    def rows(self, inputs):
        """The inputs of each row separately."""
        axes = self.model.axes
        count = next(v.shape[0] for n, v in inputs.items() if 0 in axes.get(n, {}))
        for row in range(count):
            yield {n: numpy.ascontiguousarray(v[row : row + 1]) for n, v in inputs.items()}


def _values(result):
    """The arrays of a result: dyn returns one array, a sequence or a dict."""
    if isinstance(result, dict):
        return list(result.values())
    return list(result) if isinstance(result, (list, tuple)) else [result]
