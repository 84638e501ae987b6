# ===- zoo_worker.py - Exports and runs one entry of the zoo ---------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of a run that load models: each is a function that zoo.py calls in a process of
its own, forked from one that has imported this file. Results are JSON."""

import json
import os
import pathlib
import subprocess
import tempfile

import blocks
import numpy
import onnxruntime  # noqa: F401
import torch
from models import zoo
from models.zoo import packages

packages.admit_torchaudio()
# Takes most of the time of a process.
import transformers.modeling_utils  # noqa: E402, F401

# A result may be further from float64 than the tolerance if PyTorch's own is.
SEED = 3
# Calls of a run with statistics.
REPEAT = 5


def export(name):
    """Exports the entry. Returns its facts and the path of the file."""
    entry = zoo.get(name)
    return {"path": str(entry.path()), **entry.export_facts()}


class Loaded:
    """An artifact that has been compiled before."""

    name = "dyn"

    def __init__(self, artifact, threads):
        import dyn

        self.artifact = dyn.load(artifact, threads=threads)

    def prepare(self, inputs):
        return inputs

    def run(self, inputs):
        return self.artifact.run(inputs)


def settle(threads):
    """Pins the process to its last cores."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-threads:])
    torch.set_num_threads(threads)


def difference(got, want):
    """The largest |got - want| / (|want| + max |want|); infinite where shapes or non-finite
    values differ."""
    if got.shape != want.shape:
        return float("inf")
    if got.size == 0:
        return 0.0
    if want.dtype.kind != "f":
        return 0.0 if numpy.array_equal(got, want) else float("inf")
    got, want = got.astype("float64"), want.astype("float64")
    finite = numpy.isfinite(want)
    if not numpy.array_equal(got[~finite], want[~finite], equal_nan=True):
        return float("inf")
    got, want = got[finite], want[finite]
    if not numpy.isfinite(got).all():
        return float("inf")
    scale = abs(want) + abs(want).max(initial=0)
    return float((abs(got - want) / numpy.where(scale > 0, scale, 1)).max(initial=0))


def worst(outputs, wanted):
    """The largest difference of lists of arrays; infinite if their lengths differ."""
    if len(outputs) != len(wanted):
        return float("inf")
    return max((difference(numpy.asarray(a), b) for a, b in zip(outputs, wanted)), default=0.0)


def arrays(tensors):
    return [tensor.detach().numpy() for tensor in tensors]


def in_float64(module, inputs):
    """The results of PyTorch in float64, or None if the module has parts of float32."""
    values = map(torch.from_numpy, inputs.values())
    wide = [value.double() if value.is_floating_point() else value for value in values]
    try:
        with torch.inference_mode():
            return arrays(module.double()(*wide))
    except Exception:
        return None
    finally:
        module.float()


def judge(entry, module, inputs, results):
    """Compares {engine: results} with eager PyTorch's, and where they differ, with those in
    float64. Returns ({engine: error}, names of engines that are wrong)."""
    wanted = results["torch"]
    errors = {name: worst(values, wanted) for name, values in results.items()}
    far = [name for name, error in errors.items() if error > entry.tolerance]
    exact = in_float64(module, inputs) if far else None
    if exact is None:
        return errors, far
    errors = {name: worst(values, exact) for name, values in results.items()}
    limit = max(entry.tolerance, errors["torch"])
    return errors, [name for name in far if errors[name] > limit]


def open_peers(names, entry, threads):
    """Returns the engines that take the model, and {name: reason} of the others."""
    import engines

    opened, refused = [], {}
    for name in names:
        try:
            opened.append(engines.ENGINES[name](entry, threads))
        except Exception as error:
            refused[name] = str(error).strip()[:400]
    return opened, refused


def results_of(engine, inputs):
    outputs = engine.run(engine.prepare(inputs))
    if engine.name == "torch":
        return arrays(outputs)
    values = list(outputs.values()) if hasattr(outputs, "values") else outputs
    return [numpy.array(value) for value in values]


def check(name, artifact, threads, peers):
    """Compares dyn and its peers at the shapes of an entry. Returns {"shapes": [{"sizes",
    "errors", "wrong", "failed"}], "refused"}."""
    settle(threads)
    entry = zoo.get(name)
    opened, refused = open_peers(["torch", *peers], entry, threads)
    opened.append(Loaded(artifact, threads))
    module = next(engine.module for engine in opened if engine.name == "torch")
    shapes = []
    for sizes in entry.shapes:
        inputs = entry.inputs(sizes, numpy.random.default_rng(SEED))
        results, failed = {}, {}
        for engine in opened:
            try:
                results[engine.name] = results_of(engine, inputs)
            except Exception as error:
                failed[engine.name] = f"{type(error).__name__}: {str(error).strip()[:600]}"
        errors, wrong = {}, []
        if any(not numpy.isfinite(value).any() for value in results.get("torch", [])):
            failed["torch"] = "a result has no finite element"
        elif "torch" in results:
            errors, wrong = judge(entry, module, inputs, results)
        shapes.append({"sizes": sizes, "errors": errors, "wrong": wrong, "failed": failed})
    return {"shapes": shapes, "refused": refused}


def measure(name, artifact, threads, peers, rounds):
    """Returns {"seconds": [{engine: seconds} of each shape], "kernels": [[kind, name,
    nanoseconds, share of roofline]] of all shapes}. Engines that fail are left out."""
    settle(threads)
    entry = zoo.get(name)
    opened = [Loaded(artifact, threads), *open_peers(peers, entry, threads)[0]]
    seconds = []
    for sizes in entry.shapes:
        inputs = entry.inputs(sizes, numpy.random.default_rng(SEED))
        actions = {}
        for engine in opened:
            prepared = engine.prepare(inputs)
            try:
                engine.run(prepared)
            except Exception:
                continue
            actions[engine.name] = lambda engine=engine, prepared=prepared: engine.run(prepared)
        seconds.append(blocks.medians(actions, rounds, threads))
    return {"seconds": seconds, "kernels": kernels_of(entry, artifact, threads)}


def kernels_of(entry, artifact, threads):
    """[[kind, name, nanoseconds, share of roofline]] of the kernels, at each shape."""
    found = []
    for sizes in entry.shapes:
        inputs = entry.inputs(sizes, numpy.random.default_rng(SEED))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "inputs.npz"
            numpy.savez(path, **inputs)
            command = ["dyn-run", artifact, f"--inputs={path}", f"--threads={threads}"]
            options = [f"--repeat={REPEAT}", "--stats=json", "--output=/dev/null"]
            done = subprocess.run([*command, *options], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"dyn-run: {done.stderr.strip()[:400]}")
        kernels = json.loads(done.stdout[done.stdout.index("{") :])["kernels"]
        found += [[k["kind"], k["name"], round(k["ns"]), round(k["share"], 4)] for k in kernels]
    return found
