# ===- sessions.py - Replacements for onnxruntime.InferenceSession ---------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs models by dyn or by ONNX Runtime behind one patched class name.

The demo patches `onnxruntime.InferenceSession` before the OCR program is imported. The
program then opens its models by Sessions.open, which uses the engine chosen at that time
and records the duration of each call.
"""

import dataclasses
import pathlib
import time

import numpy


@dataclasses.dataclass
class Call:
    """A call of a model: engine, model, shape and duration."""

    engine: str
    model: str
    shape: tuple
    seconds: float


class Session:
    """An InferenceSession that records the duration of its calls and, while checking, runs
    the peer on the same inputs."""

    def __init__(self, owner, engine, model, session, peer):
        self._owner, self._engine, self._model = owner, engine, model
        self._session, self._peer = session, peer

    def run(self, names, inputs, *args, **kwargs):
        start = time.perf_counter()
        outputs = self._session.run(names, inputs, *args, **kwargs)
        seconds = time.perf_counter() - start
        shape = next(iter(inputs.values())).shape
        if not self._owner.checking:
            self._owner.calls.append(Call(self._engine, self._model, shape, seconds))
        elif self._peer is not None:
            for ours, theirs in zip(outputs, self._peer.run(names, inputs)):
                self._owner.note_difference(self._model, ours, theirs)
        return outputs

    def __getattr__(self, name):
        return getattr(self._session, name)


class Sessions:
    """Opens models with the current engine and collects the measurements."""

    def __init__(self, peer_class, folder):
        self.peer_class = peer_class
        self.folder = pathlib.Path(folder)
        self.engine = "onnxruntime"
        self.peers = {}
        self.checking = False
        self.calls = []
        self.differences = {}
        self.compiles = {}

    def open(self, path, *args, **kwargs):
        """Called by the program as onnxruntime.InferenceSession(path, ...)."""
        path = pathlib.Path(path)
        # One peer for both, so that it has seen the shapes that are timed.
        if path not in self.peers:
            self.peers[path] = self.peer_class(str(path), *args, **kwargs)
        peer = self.peers[path]
        if self.engine == "onnxruntime":
            return Session(self, self.engine, path.stem, peer, None)
        import dyn

        artifact = self.folder / f"{path.stem}.so"
        start = time.perf_counter()
        dyn.compile(str(path), output=str(artifact))
        self.compiles.setdefault(path.stem, []).append(time.perf_counter() - start)
        session = dyn.InferenceSession(str(artifact), *args, **kwargs)
        return Session(self, self.engine, path.stem, session, peer)

    def note_difference(self, model, ours, theirs):
        """Keeps the largest |a - b| of each model. Texts depend on probabilities, whose
        scale is 1 even if all of an image's are small."""
        error = numpy.inf
        if ours.shape == theirs.shape:
            error = abs(ours - theirs).max(initial=0)
        self.differences[model] = max(self.differences.get(model, 0.0), float(error))
