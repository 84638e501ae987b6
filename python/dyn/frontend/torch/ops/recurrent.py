# ===- recurrent.py - Recurrent networks -----------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent networks: in a layer, one matmul multiplies all inputs, and an operation or a
loop computes the steps. PyTorch's own operators fix the number of steps when a model is
exported; that of recurrence.py does not."""

import dataclasses
import functools
import typing

from dyn.frontend.torch.builder import Value
from dyn.frontend.torch.control import loop_over_rows
from dyn.frontend.torch.registry import Refused, op
from dyn.frontend.torch.sizes import floor_div


@dataclasses.dataclass
class _Direction:
    """The parameters of a layer in one direction; weights are [gates H, inputs]."""

    inputs: Value
    recurrent: Value
    biases: typing.Any  # of inputs and of states, or None
    projection: typing.Any  # of the hidden state, [P, H], or None


def _directions(params, layer, directions, has_biases, per):
    """The parameters of one layer, from PyTorch's list of all."""
    plain, found = 4 if has_biases else 2, []
    for number in range(layer * directions, (layer + 1) * directions):
        part = params[number * per : (number + 1) * per]
        projection = part[plain] if per > plain else None
        found.append(_Direction(part[0], part[1], part[2:plain] or None, projection))
    return found


def _run(layer, b, input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
         batch_first):  # fmt: skip
    """Layers one after another. `layer` takes the inputs [T, B, I], the parameters of each
    direction and the first states [D, B, H], and returns [T, B, D H] and the last states.
    The results are PyTorch's."""
    if train and dropout:
        raise Refused("expected evaluation mode: dropout is not supported")
    hx = [hx] if isinstance(hx, Value) else hx  # all layers but an LSTM have one state
    directions, lasts = (2 if bidirectional else 1), []
    per = len(params) // (int(num_layers) * directions)
    x = b.transpose(input, [1, 0, 2]) if batch_first else input
    for number in range(int(num_layers)):
        initial = [b.slice(state, 0, number * directions, directions) for state in hx]
        parts = _directions(params, number, directions, has_biases, per)
        x, *last = layer(b, x, parts, *initial)
        lasts.append(last)
    x = b.transpose(x, [1, 0, 2]) if batch_first else x
    return (x, *(b.concat(states, 0) for states in zip(*lasts)))


# ----------------------------------------------------------------------------
# LSTM
# ----------------------------------------------------------------------------


def _reorder_gates(b, x):
    """Reorders the parts i, f, g, o of PyTorch along the first axis to i, o, f, g."""
    hidden = floor_div(x.sizes[0], 4)
    i, f, g, o = (b.slice(x, 0, n * hidden, hidden) for n in range(4))
    return b.concat([i, o, f, g], 0)


def _lstm_layer(b, x, parts, hidden, cell):
    if parts[0].projection is not None:
        return _looped_layer(_lstm_cell, b, x, parts, hidden, cell)
    gates, recurrents = [], []
    for part in parts:
        y = b.dot(x, _reorder_gates(b, part.inputs), 0, [2], [1])
        if part.biases:
            y = b.binary("add", y, _reorder_gates(b, b.binary("add", *part.biases)))
        gates.append(b.unsqueeze(y, 2))
        turned = b.transpose(_reorder_gates(b, part.recurrent), [1, 0])
        recurrents.append(b.unsqueeze(turned, 0))
    gates, recurrent = b.concat(gates, 2), b.concat(recurrents, 0)
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


# ----------------------------------------------------------------------------
# Others, step by step
# ----------------------------------------------------------------------------


def _looped_layer(cell, b, x, parts, *initial):
    """A loop for each direction. `cell` computes the next states from the parameters, the
    multiplied input and hidden state, [B, gates H], and the states, of which the hidden one
    is first."""
    outputs, lasts = [], []
    for number, part in enumerate(parts):
        gates = b.dot(x, part.inputs, 0, [2], [1])
        if part.biases:
            gates = b.binary("add", gates, part.biases[0])
        states = [b.squeeze(b.slice(state, 0, number, 1), [0]) for state in initial]

        def step(at, states, gates=gates, part=part):
            recurrent = b.dot(states[0], part.recurrent, 0, [1], [1])
            if part.biases:
                recurrent = b.binary("add", recurrent, part.biases[1])
            following = cell(b, part, b.gather(gates, at, 0), recurrent, states)
            return following, following[:1]

        made = [([x.sizes[0], *states[0].sizes], x.dtype)]
        is_reverse = number == 1
        last, (output,) = loop_over_rows(b, x.sizes[0], states, made, step, is_reverse)
        outputs.append(output)
        lasts.append([b.unsqueeze(state, 0) for state in last])
    return b.concat(outputs, 2), *(b.concat(list(states), 0) for states in zip(*lasts))


def _gates(b, x, count):
    width = floor_div(x.sizes[1], count)
    return [b.slice(x, 1, i * width, width) for i in range(count)]


def _lstm_cell(b, part, inputs, recurrent, states):
    i, f, g, o = _gates(b, b.binary("add", inputs, recurrent), 4)
    i, f, o = (b.unary("logistic", gate) for gate in (i, f, o))
    c = b.binary("add", b.binary("mul", f, states[1]), b.binary("mul", i, b.unary("tanh", g)))
    h = b.binary("mul", o, b.unary("tanh", c))
    return [b.dot(h, part.projection, 0, [1], [1]), c]


def _gru_cell(b, part, inputs, recurrent, states):
    """r and z are sigmoids of sums, n = tanh(x_n + r h_n), h' = n + z (h - n)."""
    (h,) = states
    (xr, xz, xn), (hr, hz, hn) = _gates(b, inputs, 3), _gates(b, recurrent, 3)
    r = b.unary("logistic", b.binary("add", xr, hr))
    z = b.unary("logistic", b.binary("add", xz, hz))
    n = b.unary("tanh", b.binary("add", xn, b.binary("mul", r, hn)))
    return [b.binary("add", n, b.binary("mul", z, b.binary("sub", h, n)))]


def _tanh_cell(b, part, inputs, recurrent, states):
    return [b.unary("tanh", b.binary("add", inputs, recurrent))]


def _relu_cell(b, part, inputs, recurrent, states):
    return [b.binary("maximum", b.binary("add", inputs, recurrent), 0)]


# ----------------------------------------------------------------------------
# Operators
# ----------------------------------------------------------------------------

#: By the names of PyTorch's functions.
_LAYERS = {
    "lstm": _lstm_layer,
    "gru": functools.partial(_looped_layer, _gru_cell),
    "rnn_tanh": functools.partial(_looped_layer, _tanh_cell),
    "rnn_relu": functools.partial(_looped_layer, _relu_cell),
}

for _kind, _layer in _LAYERS.items():
    op(f"aten.{_kind}.input")(functools.partial(_run, _layer))


@op("dyn.recurrence.default")
def recurrence(b, kind, input, hx, params, *options):
    return _run(_LAYERS[kind], b, input, hx, params, *options)
