# ===- task_moe.py - Experts by task ---------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TaskMoE: a transformer whose cells are whole sequences. The task of a sequence, such as
the language to translate to, selects its expert in each layer.

Kudugunta et al.: Beyond Distillation: Task-level Mixture-of-Experts (2021).
"""

import dataclasses

import torch
from torch import nn
from torch.nn import functional

import dyn
from dyn.models.replaying import Routed


@dataclasses.dataclass(frozen=True)
class Config:
    vocabulary: int = 32000
    width: int = 512
    hidden: int = 2048
    heads: int = 8
    layers: int = 6  # all sparse
    experts: int = 16
    tasks: int = 64
    # Of the tasks that share an expert, the share that stays together in the next layer.
    together: float = 0.8


SMALL = Config(vocabulary=101, width=32, hidden=64, heads=2, layers=2, experts=4, tasks=8)


def assign_tasks(c):
    """The expert of each task, [layers, tasks]: tasks that share an expert in a layer
    mostly share another one in the next."""
    home = torch.arange(c.tasks) % c.experts
    table = []
    for _ in range(c.layers):
        home = torch.randperm(c.experts)[home]
        leaves = torch.rand(c.tasks) >= c.together
        home = torch.where(leaves, torch.randint(c.experts, (c.tasks,)), home)
        table.append(home)
    return torch.stack(table)


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.heads = c.heads
        self.parts, self.out = nn.Linear(c.width, 3 * c.width), nn.Linear(c.width, c.width)

    def forward(self, x):
        parts = self.parts(x).unflatten(-1, (3, self.heads, -1))
        query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = functional.scaled_dot_product_attention(query, key, value)
        return self.out(mixed.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, c, expert_of_task):
        super().__init__()
        self.attention, self.attention_norm = Attention(c), nn.LayerNorm(c.width)
        self.experts_norm = nn.LayerNorm(c.width)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(c.width, c.hidden), nn.ReLU(), nn.Linear(c.hidden, c.width))
            for _ in range(c.experts)
        )
        self.router = dyn.routers.Task(c.experts, expert_of_task)

    def forward(self, x, task):
        x = x + self.attention(self.attention_norm(x))
        sequences = self.experts_norm(x)  # on axis 0, as cells are
        return x + dyn.switch(self.router(sequences, task), sequences, self.experts)


class TaskMoE(Routed):
    """Hidden states [batch, tokens, width] for ids [batch, tokens], task [batch]."""

    def __init__(self, config=Config()):
        super().__init__()
        self.config = config
        self.embed = nn.Embedding(config.vocabulary, config.width)
        self.layers = nn.ModuleList(Layer(config, table) for table in assign_tasks(config))
        self.norm = nn.LayerNorm(config.width)

    def forward(self, ids, task):
        x = self.embed(ids)
        for layer in self.layers:
            x = layer(x, task)
        return self.norm(x)

    def routers(self, ids, task):
        return [(tuple(task.shape), self.config.experts)] * self.config.layers

    def inputs(self, generator, batch=16, tokens=64):
        ids = torch.randint(self.config.vocabulary, (batch, tokens), generator=generator)
        return ids, torch.randint(self.config.tasks, (batch,), generator=generator)
