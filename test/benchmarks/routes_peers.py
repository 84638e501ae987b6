# ===- routes_peers.py - Routed models by dyn and its peers ----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each engine opens a routed model with its routes as inputs and returns functions without
arguments that run it. Peers run the models of dyn.models with dyn.switch replaced by the
code that one writes without dyn."""

import contextlib
import copy
import dataclasses
import functools
import io
import pathlib
import tempfile
import time
import warnings

import torch
from dyn.models import Replayed
from torch.export import Dim
from torch.utils import _pytree as pytree

import dyn


@dataclasses.dataclass
class PlainRoutes:
    """Choices and weights [N, k], as in a model without dyn."""

    ids: torch.Tensor
    weights: torch.Tensor


def plain_router(self, x, *more):
    """dyn.Router without a sort: cells dropped by capacity get no path."""
    rows = [a.rows if isinstance(a, dyn.Cells) else a for a in (x, *more)]
    choices, weights, priorities = self._parse(self.choose(*rows))
    ids, weights = self._replay(choices, weights)
    capacity = self._rows(ids)
    if capacity is not None:
        # The rank of each cell among the cells of its path, by priority.
        order = priorities.argsort(descending=True, stable=True)
        taken = torch.nn.functional.one_hot(ids[order, 0] + 1, self.paths + 1)
        rank = torch.empty_like(ids)
        rank[order] = (taken.cumsum(0) * taken).sum(1, keepdim=True) - 1
        ids = torch.where(rank < capacity, ids, -1)
    return PlainRoutes(ids, torch.ones(ids.shape) if weights is None else weights)


def _cells(x):
    return [
        a.rows if isinstance(a, dyn.Cells) else a for a in (x if isinstance(x, tuple) else (x,))
    ]


def _like(x, results, spec):
    first = x[0] if isinstance(x, tuple) else x
    if isinstance(first, dyn.Cells):
        results = [first.with_rows(result) for result in results]
    return pytree.tree_unflatten(results, spec)


def loop_switch(routes, x, branches, combine="sum", default=None, skip=True):
    """The usual loop over branches: selects the cells of each branch by a mask, and adds or
    copies the results into the output. With `skip`, Python skips branches without cells."""
    operands, results, spec = _cells(x), None, None
    for number, branch in enumerate(branches):
        cell, slot = torch.where(routes.ids == number)
        if skip and not len(cell) and (results is not None or number + 1 < len(branches)):
            continue
        flat, spec = pytree.tree_flatten(branch(*(operand[cell] for operand in operands)))
        if results is None:
            results = [part.new_zeros((operands[0].shape[0], *part.shape[1:])) for part in flat]
        for at, part in enumerate(flat):
            if combine == "last":
                results[at] = results[at].index_copy(0, cell, part)
                continue
            weight = routes.weights[cell, slot].reshape(-1, *[1] * (part.dim() - 1))
            results[at] = results[at].index_add(0, cell, part * weight)
    return _like(x, results, spec)


class GroupedLinear(torch.nn.Module):
    """Multiplies each group of rows by its own matrix, like transformers."""

    def __init__(self, layers):
        super().__init__()
        self.weight = torch.stack([layer.weight.T.contiguous() for layer in layers])
        biases = [layer.bias for layer in layers if layer.bias is not None]
        self.bias = torch.stack(biases) if biases else None
        self.ends, self.paths = None, None  # of the groups, and of each row

    def forward(self, rows):
        from transformers.integrations.moe import _grouped_mm

        each = rows[0].numel() // rows.shape[-1] if rows.dim() > 2 else 1
        matmul = _grouped_mm(rows.flatten(0, -2), self.weight, self.ends * each)
        matmul = matmul.unflatten(0, rows.shape[:-1])
        if self.bias is None:
            return matmul
        bias = self.bias[self.paths]
        return matmul + (bias if rows.dim() == 2 else bias[:, None])


def grouped_branch(branches):
    """Returns one branch with grouped linear layers for branches that differ in weights only."""
    if any(isinstance(m, torch.nn.Conv2d) for branch in branches for m in branch.modules()):
        raise TypeError("branches are not matmuls")
    one, layers = copy.deepcopy(branches[0]), []
    for name, module in list(branches[0].named_modules()):
        if isinstance(module, torch.nn.Linear):
            stacked = GroupedLinear([branch.get_submodule(name) for branch in branches])
            parent, _, child = name.rpartition(".")
            setattr(one.get_submodule(parent), child, stacked)
            layers.append(stacked)
    return one, layers


def grouped_switch(stacks, routes, x, branches, combine="sum", default=None):
    """Sorts rows by path, runs grouped GEMMs, and restores the order."""
    if not isinstance(branches, torch.nn.ModuleList):
        raise TypeError("branches are no modules")
    if id(branches) not in stacks:
        stacks[id(branches)] = grouped_branch(branches)
    one, layers = stacks[id(branches)]
    (operand,) = _cells(x)
    ids = routes.ids.flatten()
    kept, order = ids.sort(stable=True)
    dropped = (ids < 0).sum()
    kept, order = kept[dropped:], order[dropped:]
    ends = torch.bincount(kept, minlength=len(branches)).cumsum(0).int()
    for layer in layers:
        layer.ends, layer.paths = ends, kept
    cell = order // routes.ids.shape[1]
    rows = one(operand[cell])
    rows = rows * routes.weights.flatten()[order].reshape(-1, *[1] * (rows.dim() - 1))
    result = rows.new_zeros((len(operand), *rows.shape[1:])).index_add_(0, cell, rows)
    return _like(x, [result], pytree.tree_structure(0))


@contextlib.contextmanager
def without_dyn(switch):
    """Replaces routers and switches of models by plain PyTorch."""
    forward, old = dyn.Router.forward, dyn.switch
    dyn.Router.forward, dyn.switch = plain_router, switch
    try:
        yield
    finally:
        dyn.Router.forward, dyn.switch = forward, old


class Dyn:
    """One artifact for all sizes and routes. It is stored in `folder`, and reused if it exists."""

    name = "dyn"

    def __init__(self, case, model, threads, folder):
        self.open(case, model, threads, folder / f"{case.file}.so")

    def open(self, case, model, threads, path, profile=None):
        inputs, choices = case.example(model)
        if path.exists():
            self.artifact, self.compile_seconds = dyn.load(path, threads=threads), None
            return
        shapes = {"inputs": case.dynamic(inputs), "choices": case.dynamic(choices)}
        arguments = {"args": (inputs, choices), "dynamic_shapes": shapes, "threads": threads}
        start = time.perf_counter()
        compiled = dyn.compile(Replayed(model), path, profile=profile, **arguments)
        self.artifact, self.compile_seconds = compiled.artifact, time.perf_counter() - start

    def prepare(self, inputs, choices):
        flat = {f"inputs_{number}": x for number, x in enumerate(inputs)}
        flat |= {f"choices_{number}": x for number, x in enumerate(choices)}
        arrays = {port.name: flat[port.name].numpy() for port in self.artifact.inputs}

        def call():
            results = self.artifact(**arrays)
            results = results if isinstance(results, (tuple, list)) else [results]
            return [torch.from_numpy(result) for result in results]

        return call


class Profiled(Dyn):
    """dyn with a profile of exactly the measured calls."""

    name = "dyn-profiled"

    def __init__(self, case, model, threads, folder):
        super().__init__(case, model, threads, folder)
        stem = f"{case.name.replace(' ', '-')}.{self.name}"
        profile = folder / f"{stem}.json"
        with dyn.Profile(profile):
            for inputs, choices in self.recorded(case, model):
                self.prepare(inputs, choices)()
        self.open(case, model, threads, folder / f"{stem}.so", profile)

    def recorded(self, case, model):
        return [(inputs, choices) for _, inputs, choices in case.calls(model, 0)]


class Misled(Profiled):
    """dyn with an old profile, of the case's `before`, or else with all cells on the last path."""

    name = "dyn-misled"

    def recorded(self, case, model):
        if case.before:
            return super().recorded(case.before, model)
        return [
            (
                inputs,
                [torch.full_like(c, p - 1) for c, (_, p) in zip(choices, model.routers(*inputs))],
            )
            for _, inputs, choices in case.calls(model, 0)
        ]


class Eager:
    """PyTorch, with dyn's switch for eager models: rows are sorted once, and each branch
    runs on a slice of them."""

    name, switch = "torch", None

    def __init__(self, case, model, threads, folder):
        self.module = Replayed(model)
        self.prepare(*case.example(model))()

    def patched(self):
        return without_dyn(self.switch) if self.switch else contextlib.nullcontext()

    def prepare(self, inputs, choices):
        def call():
            with self.patched(), torch.inference_mode():
                return self.module(inputs, choices)

        return call


class Loop(Eager):
    name, switch = "loop", staticmethod(loop_switch)


class Grouped(Eager):
    name = "grouped"

    def __init__(self, case, model, threads, folder):
        self.switch = functools.partial(grouped_switch, {})
        super().__init__(case, model, threads, folder)


class Compiled(Loop):
    """torch.compile of the loop, with dynamic shapes and frozen weights."""

    name = "torch.compile"

    def __init__(self, case, model, threads, folder):
        torch._inductor.config.freezing = True
        torch._dynamo.reset()
        self.module = torch.compile(Replayed(model), dynamic=True)
        self.prepare(*case.example(model))()


@contextlib.contextmanager
def _quiet():
    """Suppresses warnings and output of the exporter, which are expected."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


class OnnxRuntime:
    """The loop as an ONNX file, without skipped branches."""

    name = "onnxruntime"

    def __init__(self, case, model, threads, folder):
        from engines import OnnxRuntime as Sessions

        inputs, choices = case.example(model)
        flat = [*inputs, *choices]
        self.names = [f"x{number}" for number in range(len(flat))]
        self.count = len(inputs)
        axes = {name: case.named_axes(name, x) for name, x in zip(self.names, flat)}
        path = folder / f"{case.file}.onnx"
        switch = functools.partial(loop_switch, skip=False)
        with _quiet(), without_dyn(switch), torch.no_grad():
            torch.onnx.export(
                # The exporter switches all submodules to the mode of the outermost module.
                _Flat(model, len(inputs)).eval(),
                tuple(flat),
                str(path),
                input_names=self.names,
                dynamic_axes=axes,
                dynamo=False,
            )
        self.session = Sessions.open(path, threads)
        # Inputs that are unused with replayed choices are not in the file.
        self.names_used = {port.name for port in self.session.get_inputs()}
        path.unlink()

    def prepare(self, inputs, choices):
        pairs = zip(self.names, (*inputs, *choices))
        arrays = {name: x.numpy() for name, x in pairs if name in self.names_used}

        def call():
            return [torch.from_numpy(y) for y in self.session.run(None, arrays)]

        return call


class _Flat(torch.nn.Module):
    """A replayed model with a flat list of inputs."""

    def __init__(self, model, count):
        super().__init__()
        self.model, self.count = model, count

    def forward(self, *flat):
        return self.model.replayed(flat[: self.count], list(flat[self.count :]))


ENGINES = {e.name: e for e in (Dyn, Profiled, Misled, Eager, Loop, Grouped, Compiled, OnnxRuntime)}


def open_engines(names, case, model, threads, folder=None):
    """Returns the engines that support the case, and {name: reason} of the others. Files
    are kept in the folder, if given."""
    opened, refused = {}, {}
    with tempfile.TemporaryDirectory() as temporary:
        for name in names:
            try:
                path = pathlib.Path(folder or temporary)
                opened[name] = ENGINES[name](case, model, threads, path)
            except Exception as error:
                refused[name] = f"{type(error).__name__}: {error}".strip()[:400]
    return opened, refused


def dynamic_axes(axes, tree):
    """Returns `dynamic_shapes` for tensors in which the existing axes of `axes` are dynamic."""
    return pytree.tree_map(lambda x: {a: Dim.AUTO for a in axes if a < x.dim()}, tree)
