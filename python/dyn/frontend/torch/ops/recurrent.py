# ===- recurrent.py - Recurrent networks ----------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent networks. PyTorch fixes the number of steps when it exports one;
dhlo's operation takes any."""

from dyn.frontend.torch.registry import Refused, op
from dyn.frontend.torch.sizes import floor_div


def _reorder_gates(b, x):
    """The parts i, f, g, o of PyTorch along the first axis as i, o, f, g."""
    hidden = floor_div(x.sizes[0], 4)
    i, f, g, o = (b.slice(x, 0, n * hidden, hidden) for n in range(4))
    return b.concat([i, o, f, g], 0)


class _Layer:
    """The parameters of a layer: of each direction, as PyTorch lists them."""

    def __init__(self, params, layer, directions, has_biases, per):
        first = layer * directions * per
        parts = [params[first + d * per : first + (d + 1) * per] for d in range(directions)]
        self.inputs = [part[0] for part in parts]
        self.recurrents = [part[1] for part in parts]
        self.biases = [part[2:4] if has_biases else None for part in parts]
        self.projected = len(parts[0]) > (4 if has_biases else 2)

    def gates(self, b, x):
        """x W^T + bias for all steps and directions, [T, B, D, 4H]."""
        results = []
        for weight, biases in zip(self.inputs, self.biases):
            y = b.dot(x, _reorder_gates(b, weight), 0, [2], [1])
            if biases is not None:
                y = b.binary("add", y, _reorder_gates(b, b.binary("add", *biases)))
            results.append(b.unsqueeze(y, 2))
        return b.concat(results, 2)

    def recurrent(self, b):
        """[D, H, 4H]."""
        turned = [b.transpose(_reorder_gates(b, w), [1, 0]) for w in self.recurrents]
        return b.concat([b.unsqueeze(w, 0) for w in turned], 0)


def _run_layer(b, layer, x, hidden, cell):
    """All hidden states as the next layer takes them, [T, B, D H], and the
    last states."""
    gates, recurrent = layer.gates(b, x), layer.recurrent(b)
    steps, batch = x.sizes[:2]
    directions, width = recurrent.sizes[:2]
    results = [
        b.value(sizes, x.dtype)
        for sizes in ([steps, directions, batch, width], *[[directions, batch, width]] * 2)
    ]
    operands = [gates, recurrent, hidden, cell]
    kind = "bidirectional" if directions == 2 else "forward"
    text = f"lstm {kind} {gates}, {recurrent} hidden {hidden} cell {cell}"
    names = ", ".join(map(str, results))
    b.line(f"{names} = dhlo.{text} : {b.signature(operands, results)}")
    states = b.transpose(results[0], [0, 2, 1, 3])
    return b.reshape(states, [steps, batch, directions * width]), *results[1:]


@op("aten.lstm.input")
def lstm(b, input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
         batch_first):  # fmt: skip
    """Layers of one operation each; a layer's inputs are one product."""
    if train and dropout:
        raise Refused("expected evaluation mode: dropout is not supported")
    directions, per = (
        (2 if bidirectional else 1),
        len(params) // (int(num_layers) * (2 if bidirectional else 1)),
    )
    x = b.transpose(input, [1, 0, 2]) if batch_first else input
    hiddens, cells = [], []
    for n in range(int(num_layers)):
        layer = _Layer(params, n, directions, has_biases, per)
        if layer.projected:
            raise Refused("expected no projection of the hidden state (proj_size)")
        initial = [b.slice(state, 0, n * directions, directions) for state in hx]
        x, hidden, cell = _run_layer(b, layer, x, *initial)
        hiddens.append(hidden)
        cells.append(cell)
    x = b.transpose(x, [1, 0, 2]) if batch_first else x
    return x, b.concat(hiddens, 0), b.concat(cells, 0)
