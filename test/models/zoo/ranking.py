# ===- ranking.py - Recommenders -------------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of clicks and of sequences of items: 26 categories and 13 numbers, or histories."""

import functools

from models.zoo import draws
from models.zoo.entry import Entry, register

FIELDS, ROWS, WIDTH = 26, 2000, 16
SHAPES = ({"batch": 64}, {"batch": 237}, {"batch": 512})
HISTORIES = (
    {"batch": 16, "history": 50},
    {"batch": 33, "history": 31},
    {"batch": 8, "history": 100},
)
CATEGORIES = draws.ids("categories", "batch", FIELDS, low=0, high=ROWS)
NUMBERS = draws.floats("numbers", "batch", 13)
HISTORY = draws.ids("history", "batch", "history", low=0, high=ROWS)
CANDIDATE = draws.ids("candidate", "batch", low=0, high=ROWS)


def clicks(family, build, *arguments):
    build = functools.partial(build, *arguments)
    register(Entry(family, family, build, (CATEGORIES, NUMBERS), SHAPES))


def sequence(family, build, *arguments, ports=(HISTORY, CANDIDATE)):
    build = functools.partial(build, *arguments)
    register(Entry(family, family, build, ports, HISTORIES))


def layers(*widths):
    from torch import nn

    found = [layer for a, b in zip(widths, widths[1:]) for layer in (nn.Linear(a, b), nn.ReLU())]
    return nn.Sequential(*found[:-1])


def tables(width=WIDTH):
    """One table of the rows of all categories, which are looked up at once."""
    import torch
    from torch import nn

    class Tables(nn.Module):
        def __init__(self):
            super().__init__()
            self.rows = nn.Embedding(FIELDS * ROWS, width)
            self.register_buffer("first", torch.arange(FIELDS) * ROWS)

        def forward(self, categories):
            return self.rows(categories + self.first)

    return Tables()


def interaction(kind):
    """dlrm: inner dot products of all pairs. deepfm: the sum of pairs by squares. wide: a
    linear part. dcn: cross layers. autoint: attention of fields. fibinet: weights of
    fields, and bilinear pairs. xdeepfm: outer combinations, compressed."""
    import torch
    from torch import nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.tables, self.line = tables(), tables(1)
            self.numbers = layers(13, 128, WIDTH)
            count, flat = FIELDS + 1, (FIELDS + 1) * WIDTH
            pairs = count * (count - 1) // 2
            upper = torch.triu_indices(count, count, 1)
            self.register_buffer("upper", upper[0] * count + upper[1])
            self.register_buffer("left", upper[0])
            self.register_buffer("right", upper[1])
            self.cross = nn.ModuleList(nn.Linear(flat, flat) for _ in range(3))
            self.attention = nn.ModuleList(
                nn.MultiheadAttention(WIDTH, 2, batch_first=True) for _ in range(3)
            )
            self.weigh = layers(count, count // 3, count)
            self.bilinear = nn.Linear(WIDTH, WIDTH, bias=False)
            self.outer = nn.ModuleList(nn.Conv1d(count * h, 32, 1) for h in (count, 32))
            more = {"dlrm": WIDTH + pairs, "dcn": flat, "autoint": flat, "xdeepfm": flat + 64,
                    "fibinet": flat + pairs * WIDTH}.get(kind, flat)  # fmt: skip
            self.deep = layers(more, 512, 256, 1)

        def forward(self, categories, numbers):
            dense = self.numbers(numbers)
            x = torch.cat([self.tables(categories), dense.unsqueeze(1)], 1)
            flat, wide = x.flatten(1), self.line(categories).sum(1)
            if kind == "dlrm":
                dots = (x @ x.transpose(1, 2)).flatten(1)[:, self.upper]
                return torch.sigmoid(self.deep(torch.cat([dense, dots], 1)))
            if kind == "deepfm":
                pairs = (x.sum(1).square() - x.square().sum(1)).sum(1, keepdim=True) / 2
                wide = wide + pairs
            if kind == "dcn":
                start = flat
                for layer in self.cross:
                    flat = start * layer(flat) + flat
            if kind == "autoint":
                for attention in self.attention:
                    x = torch.relu(x + attention(x, x, x, need_weights=False)[0])
                flat = x.flatten(1)
            if kind == "fibinet":
                x = x * torch.sigmoid(self.weigh(x.mean(2))).unsqueeze(2)
                pairs = self.bilinear(x)[:, self.left] * x[:, self.right]
                flat = torch.cat([flat, pairs.flatten(1)], 1)
            if kind == "xdeepfm":
                state, found = x, [flat]
                for outer in self.outer:
                    every = state.unsqueeze(2) * x.unsqueeze(1)
                    state = torch.relu(outer(every.flatten(1, 2)))
                    found.append(state.sum(2))
                flat = torch.cat(found, 1)
            return torch.sigmoid(wide + self.deep(flat))

    return Model()


def tasks(kind):
    """Several tasks on experts: mmoe mixes all for each task, ple has experts of tasks too."""
    import torch
    from torch import nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            flat = FIELDS * WIDTH + 13
            count = 4 if kind == "mmoe" else 2
            self.tables = tables()
            self.shared = nn.ModuleList(layers(flat, 256, 128) for _ in range(count))
            self.own = nn.ModuleList(
                nn.ModuleList(layers(flat, 256, 128) for _ in range(0 if kind == "mmoe" else 2))
                for _ in range(2)
            )
            self.gates = nn.ModuleList(nn.Linear(flat, 4) for _ in range(2))
            self.towers = nn.ModuleList(layers(128, 64, 1) for _ in range(2))

        def forward(self, categories, numbers):
            x = torch.cat([self.tables(categories).flatten(1), numbers], 1)
            shared = [expert(x) for expert in self.shared]
            found = []
            for own, gate, tower in zip(self.own, self.gates, self.towers):
                experts = torch.stack(shared + [expert(x) for expert in own], 1)
                mixed = (gate(x).softmax(1).unsqueeze(2) * experts).sum(1)
                found.append(torch.sigmoid(tower(mixed)))
            return torch.cat(found, 1)

    return Model()


def towers():
    """Two towers: users from their categories, items from the last of them; all dots."""
    import torch
    from torch import nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.tables = tables(32)
            self.user = layers(20 * 32 + 13, 512, 256, 128)
            self.item = layers(6 * 32, 256, 128)

        def forward(self, categories, numbers):
            x = self.tables(categories)
            user = self.user(torch.cat([x[:, :20].flatten(1), numbers], 1))
            item = self.item(x[:, 20:].flatten(1))
            return nn.functional.normalize(user) @ nn.functional.normalize(item).T

    return Model()


def interest(kind, width):
    """din: weights of the past by the candidate. dien: a GRU before. gru4rec: a GRU alone,
    scores of all items. caser: convolutions along and across the last items. sasrec and
    bert4rec: attention, of the past or both ways."""
    import torch
    from torch import nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.items, self.positions = nn.Embedding(ROWS, width), nn.Embedding(128, width)
            self.score, self.head = layers(4 * width, 64, 1), layers(2 * width, 128, 1)
            self.gru = nn.GRU(width, width, batch_first=True)
            layer = nn.TransformerEncoderLayer(width, 4, 4 * width, 0.0, batch_first=True)
            self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
            self.across = nn.ModuleList(nn.Conv1d(width, 32, k) for k in (2, 3, 4))
            self.along, self.join = nn.Linear(8, 4), nn.Linear(96 + 4 * width, width)

        def forward(self, history, candidate):
            past, one = self.items(history), self.items(candidate)
            if kind in ("din", "dien"):
                past = self.gru(past)[0] if kind == "dien" else past
                other = one.unsqueeze(1).expand_as(past)
                weight = self.score(torch.cat([past, other, past - other, past * other], 2))
                return torch.sigmoid(self.head(torch.cat([(weight * past).sum(1), one], 1)))
            if kind == "gru4rec":
                return self.gru(past)[1][0] @ self.items.weight.T
            if kind == "caser":
                last = past[:, -8:].transpose(1, 2)
                found = [torch.relu(conv(last)).amax(2) for conv in self.across]
                user = self.join(torch.cat([*found, self.along(last).flatten(1)], 1))
                return (user * one).sum(1)
            steps = torch.arange(history.shape[1])
            past = past + self.positions(steps)
            mask = steps[None] > steps[:, None] if kind == "sasrec" else None
            return self.encoder(past, mask, is_causal=False)[:, -1] @ self.items.weight.T

    return Model()


for _kind in ("dlrm", "deepfm", "wide-deep", "dcn", "autoint", "fibinet", "xdeepfm"):
    clicks(_kind, interaction, _kind)
for _kind in ("mmoe", "ple"):
    clicks(_kind, tasks, _kind)
clicks("two-towers", towers)
for _kind in ("din", "dien", "gru4rec", "caser", "sasrec", "bert4rec"):
    sequence(_kind, interest, _kind, 128)
