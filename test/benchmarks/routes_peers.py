# ===- routes_peers.py - Routed models by dyn and its peers ----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each engine opens a routed model with its routes as inputs and gives functions
without arguments that run it. Peers run the models of dyn.models with dyn.switch
replaced by what one writes without dyn."""

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
    """Choices and weights [N, k], as a model without dyn has them."""

    ids: torch.Tensor
    weights: torch.Tensor


def plain_router(self, x, *more):
    """dyn.Router without a sort: what capacity drops gets no path."""
    rows = [a.rows if isinstance(a, dyn.Cells) else a for a in (x, *more)]
    choices, weights, priorities = self._parse(self.choose(*rows))
    ids, weights = self._replay(choices, weights)
    capacity = self._rows(ids)
    if capacity is not None:
        # The rank of each cell among those of its path, by priority.
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
    """The loop over branches that models are written with: the cells of each, by a
    mask, and their results added or put in place. With `skip`, Python asks whether
    there are any."""
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
    """A product of each group of rows with a matrix of its own, as transformers has it."""

    def __init__(self, layers):
        super().__init__()
        self.weight = torch.stack([layer.weight.T.contiguous() for layer in layers])
        biases = [layer.bias for layer in layers if layer.bias is not None]
        self.bias = torch.stack(biases) if biases else None
        self.ends, self.paths = None, None  # of the groups, and of each row

    def forward(self, rows):
        from transformers.integrations.moe import _grouped_mm

        each = rows[0].numel() // rows.shape[-1] if rows.dim() > 2 else 1
        product = _grouped_mm(rows.flatten(0, -2), self.weight, self.ends * each)
        product = product.unflatten(0, rows.shape[:-1])
        if self.bias is None:
            return product
        bias = self.bias[self.paths]
        return product + (bias if rows.dim() == 2 else bias[:, None])


def grouped_branch(branches):
    """One branch for all that are alike but for the weights of products."""
    if any(isinstance(m, torch.nn.Conv2d) for branch in branches for m in branch.modules()):
        raise TypeError("branches are no products")
    one, layers = copy.deepcopy(branches[0]), []
    for name, module in list(branches[0].named_modules()):
        if isinstance(module, torch.nn.Linear):
            stacked = GroupedLinear([branch.get_submodule(name) for branch in branches])
            parent, _, child = name.rpartition(".")
            setattr(one.get_submodule(parent), child, stacked)
            layers.append(stacked)
    return one, layers


def grouped_switch(stacks, routes, x, branches, combine="sum", default=None):
    """Rows sorted by path, products of groups, and back."""
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
    """Routers and switches of models are plain PyTorch within."""
    forward, old = dyn.Router.forward, dyn.switch
    dyn.Router.forward, dyn.switch = plain_router, switch
    try:
        yield
    finally:
        dyn.Router.forward, dyn.switch = forward, old


class Dyn:
    """One artifact for all sizes and routes. It is kept in `folder`, and taken from
    there if it is there."""

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
    """dyn with a profile of the very calls that are measured."""

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
    """dyn with an old profile, of the case before this one, or else of all cells on the
    last path."""

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
    """PyTorch, with the switch as dyn has it for eager models: rows are sorted once,
    and each branch runs on a slice of them."""

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
    """The exporter warns of what is as it should be."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


class OnnxRuntime:
    """The loop as an ONNX file, without its questions."""

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
                # The exporter brings all of it back to the mode of the outermost.
                _Flat(model, len(inputs)).eval(),
                tuple(flat),
                str(path),
                input_names=self.names,
                dynamic_axes=axes,
                dynamo=False,
            )
        self.session = Sessions.open(path, threads)
        # Inputs that follow from replayed choices are not in the file.
        self.names_used = {port.name for port in self.session.get_inputs()}
        path.unlink()

    def prepare(self, inputs, choices):
        pairs = zip(self.names, (*inputs, *choices))
        arrays = {name: x.numpy() for name, x in pairs if name in self.names_used}

        def call():
            return [torch.from_numpy(y) for y in self.session.run(None, arrays)]

        return call


class _Flat(torch.nn.Module):
    """A replayed model with its inputs side by side."""

    def __init__(self, model, count):
        super().__init__()
        self.model, self.count = model, count

    def forward(self, *flat):
        return self.model.replayed(flat[: self.count], list(flat[self.count :]))


ENGINES = {e.name: e for e in (Dyn, Profiled, Misled, Eager, Loop, Grouped, Compiled, OnnxRuntime)}


def open_engines(names, case, model, threads, folder=None):
    """The engines that take the case, and {name: why not} of the others. With a
    folder, files are kept there."""
    opened, refused = {}, {}
    with tempfile.TemporaryDirectory() as temporary:
        for name in names:
            try:
                place = pathlib.Path(folder or temporary)
                opened[name] = ENGINES[name](case, model, threads, place)
            except Exception as error:
                refused[name] = f"{type(error).__name__}: {error}".strip()[:400]
    return opened, refused


def dynamic_axes(axes, tree):
    """The argument `dynamic_shapes` for tensors whose first of `axes` are dynamic."""
    return pytree.tree_map(lambda x: {a: Dim.AUTO for a in axes if a < x.dim()}, tree)
