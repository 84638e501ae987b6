# ===- program.py - A pruned perceptron as a program for all ranks ---------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a pruned model as a local program (RFC 17): a function for each rank, with the weights
that it reads, whose exchanges send the features that are left."""

import os

import torch

from dyn.errors import UnsupportedError
from dyn.sparse_exchange.features import block


def write_program(pruned, path):
    """Writes a pruned `Sequential` of Linear and ReLU to `path`, and its weights beside it, with the
    ending .bin. The layers but the first must have been pruned. All ranks read the whole
    input and return the whole output.
    """
    _check(pruned)
    path = os.fspath(path)
    with open(path + ".bin", "wb") as weights:
        functions = [
            _Function(pruned, rank, weights, os.path.basename(path) + ".bin").text()
            for rank in range(pruned.ranks)
        ]
    with open(path, "w") as file:
        file.write("dhlo.dim @B\n\n" + "\n".join(functions))


def _check(pruned):
    model = pruned.model
    if not isinstance(model, torch.nn.Sequential):
        raise UnsupportedError(f"expected a Sequential, got {type(model).__name__}")
    seen = False
    for name, layer in model.named_children():
        linear = isinstance(layer, torch.nn.Linear)
        if not linear and not isinstance(layer, torch.nn.ReLU):
            raise UnsupportedError(
                f"layer '{name}': expected Linear or ReLU, got {type(layer).__name__}"
            )
        if linear and layer.weight.dtype != torch.float32:
            raise UnsupportedError(f"layer '{name}': expected float32, got {layer.weight.dtype}")
        if linear and seen != (name in pruned.sent):
            expected = "to be pruned" if seen else "the whole input, without pruning"
            raise UnsupportedError(f"layer '{name}': expected {expected}")
        seen |= linear
    if not seen:
        raise UnsupportedError("expected a layer")


class _Function:
    """The text of one rank's function."""

    def __init__(self, pruned, rank, weights, file):
        self.pruned, self.rank, self.ranks = pruned, rank, pruned.ranks
        self.weights, self.file = weights, file
        self.lines, self.values = [], 0

    def text(self):
        layers = list(self.pruned.model.named_children())
        linear = [layer for _, layer in layers if isinstance(layer, torch.nn.Linear)]
        inputs, outputs = linear[0].in_features, linear[-1].out_features
        value, width = "%x", inputs
        for name, layer in layers:
            if isinstance(layer, torch.nn.ReLU):
                value = self.relu(value, width)
                continue
            columns = range(inputs)
            if name in self.pruned.sent:
                value, columns = self.exchange(name, value, width)
            rows = block(layer.out_features, self.ranks, self.rank)
            value = self.linear(layer, name, value, rows, list(columns))
            width = len(rows)
        value = self.gather(value, width, outputs)
        part = f'#dist.part<"main", rank = {self.rank}, ranks = {self.ranks}>'
        return "\n".join(
            [
                f'func.func @main_{self.rank}(%x: {_rows(inputs)} {{dhlo.name = "x"}})',
                f'    -> ({_rows(outputs)} {{dhlo.name = "y"}})',
                f"    attributes {{dhlo.entry, dist.part = {part}}} {{",
                *(f"  {line}" for line in self.lines),
                f"  return {value} : {_rows(outputs)}",
                "}\n",
            ]
        )

    def add(self, operation):
        """Adds an operation and returns its result."""
        self.values += 1
        self.lines.append(f"%{self.values} = {operation}")
        return f"%{self.values}"

    def weight(self, values, key):
        data = values.detach().contiguous().numpy().tobytes()
        offset = self.weights.tell()
        self.weights.write(data)
        shape = "x".join(map(str, values.shape))
        return self.add(
            f'dhlo.weight <"{self.file}", offset = {offset}, length = {len(data)}, '
            f'key = "{key}.{self.rank}"> : tensor<{shape}xf32>'
        )

    def linear(self, layer, name, value, rows, columns):
        own = layer.weight[rows.start : rows.stop][:, columns]
        matrix = self.weight(own.t(), f"{name}.weight")
        result = self.add(
            f"dhlo.dot_general {value}, {matrix} batch = 0 lhs_contract = [1] rhs_contract = [0] : "
            f"({_rows(len(columns))}, tensor<{len(columns)}x{len(rows)}xf32>) -> {_rows(len(rows))}"
        )
        if layer.bias is None:
            return result
        bias = self.weight(layer.bias[rows.start : rows.stop], f"{name}.bias")
        wide = self.add(
            f"dhlo.broadcast {bias} axes = [1] : (tensor<{len(rows)}xf32>) -> {_rows(len(rows))}"
        )
        return self.add(f"dhlo.add {result}, {wide} : {_rows(len(rows))}")

    def relu(self, value, width):
        zero = self.add("dhlo.constant dense<0.0> : tensor<f32>")
        wide = self.add(f"dhlo.broadcast {zero} axes = [] : (tensor<f32>) -> {_rows(width)}")
        return self.add(f"dhlo.maximum {value}, {wide} : {_rows(width)}")

    def transpose(self, value, before, after):
        return self.add(f"dhlo.transpose {value} permutation = [1, 0] : ({before}) -> {after}")

    def exchange(self, name, value, width):
        """Sends what ranks read of the features of this one. Returns what it has received, and the
        features of these columns."""
        own = block(self.pruned.model.get_submodule(name).in_features, self.ranks, self.rank)
        sent = [receiver[self.rank] for receiver in self.pruned.sent[name]]
        received = self.pruned.sent[name][self.rank]
        chosen = [j - own.start for to in sent for j in to]
        indices = self.add(f"dhlo.constant dense<{chosen or ''}> : tensor<{len(chosen)}xi64>")
        held = self.transpose(value, _rows(width), _columns(width))
        rows = self.add(
            f"dhlo.gather {held}, {indices} axis = 0 batch = 0 : "
            f"({_columns(width)}, tensor<{len(chosen)}xi64>) -> {_columns(len(chosen))}"
        )
        columns = [j for sender in received for j in sender]
        sends, receives = (_ranges([len(part) for part in parts]) for parts in (sent, received))
        return self.move(rows, len(chosen), sends, receives, len(columns)), columns

    def gather(self, value, width, outputs):
        """The outputs of all ranks."""
        parts = [len(block(outputs, self.ranks, rank)) for rank in range(self.ranks)]
        held = self.transpose(value, _rows(width), _columns(width))
        return self.move(held, width, [0, width] * self.ranks, _ranges(parts), outputs)

    def move(self, rows, count, sends, receives, coming):
        pair = f"tensor<{2 * self.ranks}xi64>"
        first = self.add(f"dhlo.from_dims {sends} : {pair}")
        second = self.add(f"dhlo.from_dims {receives} : {pair}")
        request = self.add(
            f"dist.exchange_start {rows} among {list(range(self.ranks))} sends {first} "
            f"receives {second} : ({_columns(count)}, {pair}, {pair}) -> !dist.request"
        )
        come = self.add(f"dist.exchange_wait {request} : !dist.request -> {_columns(coming)}")
        return self.transpose(come, _columns(coming), _rows(coming))


def _rows(width):
    return f"tensor<?x{width}xf32, #dhlo.dims<B>>"


def _columns(width):
    return f"tensor<{width}x?xf32, #dhlo.dims<B>>"


def _ranges(counts):
    """The first row of each part and the one after its last."""
    ends = [sum(counts[: i + 1]) for i in range(len(counts))]
    return [edge for count, end in zip(counts, ends) for edge in (end - count, end)]
