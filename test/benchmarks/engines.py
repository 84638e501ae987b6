# ===- engines.py - dyn and its peers, behind one interface ----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each engine opens a model with its best settings and runs it on arrays."""

import contextlib
import io
import logging
import pathlib
import tempfile
import time


class Dyn:
    """One artifact for all shapes."""

    name = "dyn"

    def __init__(self, model, threads):
        import dyn

        folder = tempfile.TemporaryDirectory()
        self._keep = folder
        output, source = pathlib.Path(folder.name) / "model.so", str(model.path())
        start = time.perf_counter()
        options = getattr(model, "options", ())
        self.artifact = dyn.compile(
            source, output, model.dims or None, options=options, threads=threads
        )
        self.compile_seconds = time.perf_counter() - start

    def prepare(self, inputs):
        return inputs

    def run(self, inputs):
        return self.artifact(**inputs)


class OnnxRuntime:
    """All optimisations enabled. For transformers, the faster of the model and its version
    rewritten by the package's own optimiser."""

    name = "onnxruntime"

    def __init__(self, model, threads):
        self._keep = tempfile.TemporaryDirectory()
        rewritten, file = self._rewritten(model), model.path()
        if rewritten:
            files = (model.path(), rewritten)
            seconds = [self._seconds(self.open(file, threads), model) for file in files]
            file = files[seconds[1] < seconds[0]]
        # Opened again, as its arena keeps the memory of the calls above.
        self.session = self.open(file, threads)

    @staticmethod
    def _seconds(session, model):
        """Returns the time of a few calls at sizes drawn by the model."""
        import numpy

        rng, total = numpy.random.default_rng(1), 0
        for _ in range(3):
            inputs = model.inputs(model.sizes(rng), rng)
            times = []
            for _ in range(3):
                start = time.perf_counter()
                session.run(None, inputs)
                times.append(time.perf_counter() - start)
            total += min(times)
        return total

    @staticmethod
    def open(path, threads):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.graph_optimization_level = level
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        return onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])

    def _rewritten(self, model):
        """Returns the file written by the optimiser, or None if it does not support the model."""
        kinds = {"bert": "bert", "minilm": "bert", "gpt2": "gpt2", "vit": "vit"}
        kind = next((k for n, k in kinds.items() if model.name.startswith(n)), None)
        if kind is None:
            return None
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                logging.disable(logging.CRITICAL)
                from onnxruntime.transformers import optimizer

                better = optimizer.optimize_model(str(model.path()), kind, opt_level=0)
                path = pathlib.Path(self._keep.name) / "rewritten.onnx"
                better.save_model_to_file(str(path))
        except Exception:
            return None
        finally:
            logging.disable(logging.NOTSET)
        return path

    def prepare(self, inputs):
        return inputs

    def run(self, inputs):
        return self.session.run(None, inputs)


class OpenVino:
    """The latency hint, float32 and one stream. Threads are not pinned one by one, because
    the process is pinned. Inputs and outputs are not copied, as in the other engines."""

    name = "openvino"

    def __init__(self, model, threads):
        import openvino

        options = {
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": "f32",
            "NUM_STREAMS": 1,
            "INFERENCE_NUM_THREADS": threads,
            "ENABLE_CPU_PINNING": False,
        }
        compiled = openvino.Core().compile_model(str(model.path()), "CPU", options)
        self.request = compiled.create_infer_request()

    def prepare(self, inputs):
        return inputs

    def run(self, inputs):
        return self.request.infer(inputs, share_inputs=True, share_outputs=True)


class Eager:
    """PyTorch without a compiler."""

    name = "torch"

    def __init__(self, model, threads):
        import torch

        torch.set_num_threads(threads)
        self.module = model.make_module()

    def prepare(self, inputs):
        import torch

        return [torch.from_numpy(value) for value in inputs.values()]

    def run(self, inputs):
        import torch

        with torch.inference_mode():
            return self.module(*inputs)


class Compiled(Eager):
    """torch.compile with dynamic shapes and frozen weights."""

    name = "torch.compile"

    def __init__(self, model, threads):
        import torch

        super().__init__(model, threads)
        torch._inductor.config.freezing = True
        self.module = torch.compile(self.module, dynamic=True)


ENGINES = {engine.name: engine for engine in (Dyn, OnnxRuntime, OpenVino, Eager, Compiled)}
