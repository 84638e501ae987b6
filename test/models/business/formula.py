# ===- formula.py - Formulas read from images ------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A formula recogniser: convolutions over an image of any size, and a decoder whose keys
and values grow by one token per step until all formulas have ended.

PyTorch cannot export a loop whose state grows: the file is composed of two that it exports,
of the encoder and of a step, with a Loop of ONNX between them.
"""

import math

import numpy
import onnx
import torch
from onnx import TensorProto, compose, helper
from torch import nn

from models.business.model import Business, export

WIDTH, HEADS, LAYERS, WORDS = 32, 4, 2, 40
START, END, MOST = 0, 1, 48


def heads(x):
    return x.unflatten(-1, (HEADS, WIDTH // HEADS)).transpose(1, 2)


def attend(query, key, value):
    scores = query @ key.transpose(-2, -1) / math.sqrt(WIDTH // HEADS)
    return (scores.softmax(-1) @ value).transpose(1, 2).flatten(2)


class Residual(nn.Module):
    def __init__(self, inside, outside, stride):
        super().__init__()
        self.first = nn.Conv2d(inside, outside, 3, stride, padding=1)
        self.second = nn.Conv2d(outside, outside, 3, padding=1)
        self.past = nn.Conv2d(inside, outside, 1, stride)
        self.norms = nn.ModuleList(nn.BatchNorm2d(outside) for _ in range(2))

    def forward(self, x):
        y = nn.functional.relu(self.norms[0](self.first(x)))
        return nn.functional.relu(self.norms[1](self.second(y)) + self.past(x))


class Encoder(nn.Module):
    """Keys and values of each position in the image, for each layer of the decoder."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(1, 8, 5, stride=2, padding=2)
        self.body = nn.Sequential(Residual(8, 16, 2), Residual(16, WIDTH, 2))
        self.out = nn.Linear(WIDTH, 2 * LAYERS * WIDTH)

    def forward(self, image):
        x = self.body(nn.functional.relu(self.stem(image)))
        height, width = x.shape[-2:]
        rows, columns = waves(torch.arange(height)), waves(torch.arange(width))
        positions = torch.cat(
            [rows[:, None].expand(-1, width, -1), columns[None].expand(height, -1, -1)], -1
        )
        x = x.permute(0, 2, 3, 1) + positions.to(x.dtype)
        x = self.out(x.flatten(1, 2)).unflatten(-1, (2 * LAYERS, HEADS, -1))
        keys, values = x.permute(2, 0, 3, 1, 4).chunk(2)
        batch = image.shape[0]
        word = torch.full((batch,), START, dtype=torch.int64)
        ended = torch.zeros(batch, dtype=torch.bool)
        none = x.new_zeros(LAYERS, batch, HEADS, 0, WIDTH // HEADS)
        return keys, values, word, ended, x.new_zeros(batch), none, none.clone()


def waves(at):
    rates = torch.exp(torch.arange(0, WIDTH // 2, 2) * (-math.log(100) / WIDTH))
    angles = at[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], -1)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(WIDTH, 3 * WIDTH)
        self.query = nn.Linear(WIDTH, WIDTH)
        self.outs = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(2))
        self.inside, self.out = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(3))

    def forward(self, x, past_key, past_value, key, value):
        query, now, here = (heads(part) for part in self.project(x).chunk(3, -1))
        now, here = torch.cat([past_key, now], 2), torch.cat([past_value, here], 2)
        x = self.norms[0](x + self.outs[0](attend(query, now, here)))
        x = self.norms[1](x + self.outs[1](attend(heads(self.query(x)), key, value)))
        return self.norms[2](x + self.out(nn.functional.gelu(self.inside(x)))), now, here


class Step(nn.Module):
    """One more token of each formula."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.positions = nn.Embedding(MOST, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.out = nn.Linear(WIDTH, WORDS)

    def forward(self, keys, values, at, word, ended, score, past_keys, past_values):
        x = (self.words(word) + self.positions(at))[:, None]
        nows, heres = [], []
        for number, layer in enumerate(self.layers):
            states = (past_keys, past_values, keys, values)
            x, now, here = layer(x, *(state[number] for state in states))
            nows.append(now)
            heres.append(here)
        best, word = self.out(x[:, 0]).log_softmax(-1).max(-1)
        score = score + torch.where(ended, 0.0, best)
        word = torch.where(ended, END, word)
        ended = ended | (word == END)
        again = ~ended.all()
        return again, word, ended, score, torch.stack(nows), torch.stack(heres), word.clone()


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.step = Encoder(), Step()
        # With small weights, attention is uniform, and all formulas would be the same.
        self.encoder.out.weight.data *= 3
        for layer in self.step.layers:
            layer.query.weight.data *= 4
            layer.outs[1].weight.data *= 3
        self.step.words.weight.data /= 2
        self.step.out.bias.data[END] += 0.3

    def forward(self, image):
        keys, values, *state = self.encoder(image)
        said = []
        for at in range(MOST):
            again, *state, word = self.step(keys, values, torch.tensor(at), *state)
            said.append(word)
            if not again:
                break
        return torch.stack(said), state[2]


FEATURES = ("keys", "values")
STATE = ("word", "ended", "score", "past_keys", "past_values")


def write(business, module, path):
    """Encoder and step by PyTorch's exporter, and the loop."""
    dynamic = torch.export.Dim.DYNAMIC
    cache = {1: dynamic, 3: dynamic}
    image = torch.ones(3, 1, 40, 72)
    encoded = (*FEATURES, *STATE)
    sizes = {"image": {0: dynamic, 2: dynamic, 3: dynamic}}
    export(module.encoder, {"image": image}, sizes, encoded, path)
    encoder = onnx.load(path)
    keys, values, *state = (x.contiguous() for x in module.encoder(image))
    # Separate tensors: one that is passed twice would be one input.
    state[-2:] = [torch.ones(LAYERS, 3, HEADS, 5, WIDTH // HEADS) for _ in range(2)]
    inputs = dict(zip((*FEATURES, "at", *STATE), (keys, values, torch.tensor(5), *state)))
    sizes = {name: {0: dynamic} for name in ("word", "ended", "score")}
    sizes |= dict.fromkeys(("keys", "values", "past_keys", "past_values"), cache) | {"at": None}
    results = ("again", *(f"next_{name}" for name in STATE), "said")
    export(module.step, inputs, sizes, results, path)
    step = compose.add_prefix(onnx.load(path), "step/")
    onnx.save(join(encoder, step), path)


def join(encoder, step):
    """A model that repeats `step` on the results of `encoder`."""
    # The body has no weights: those of the step become the model's.
    body = step.graph
    given = {value.name: value for value in body.input}
    links = [
        helper.make_node("Identity", [name], [f"step/{name}"], f"link {name}") for name in FEATURES
    ]
    carried = [given[f"step/{name}"] for name in STATE]
    loop = helper.make_graph(
        [*links, *body.node],
        "step",
        [
            given["step/at"],
            helper.make_tensor_value_info("going", TensorProto.BOOL, []),
            *carried,
        ],
        body.output,
    )
    most = helper.make_tensor("most", TensorProto.INT64, [], [MOST])
    repeat = helper.make_node(
        "Loop", ["most", "", *STATE], [*(f"last_{name}" for name in STATE), "words"], body=loop
    )
    outputs = [
        helper.make_tensor_value_info("words", TensorProto.INT64, ["steps", "batch"]),
        helper.make_tensor_value_info("last_score", TensorProto.FLOAT, ["batch"]),
    ]
    graph = helper.make_graph(
        [*encoder.graph.node, repeat],
        "formula",
        encoder.graph.input,
        outputs,
        [*encoder.graph.initializer, *body.initializer, most],
    )
    model = helper.make_model(
        graph, opset_imports=encoder.opset_import, ir_version=encoder.ir_version
    )
    onnx.checker.check_model(model)
    return model


def request(rng):
    batch, height, width = rng.integers(1, 4), rng.integers(24, 73), rng.integers(32, 193)
    return {"image": rng.standard_normal((batch, 1, height, width), "float32")}


FORMULA = Business(
    name="formula",
    module=Reader,
    request=request,
    axes={"image": (0, 2, 3)},
    results=("words", "score"),
    example={"image": numpy.ones((3, 1, 40, 72), "float32")},
    write=write,
)
