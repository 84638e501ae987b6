# ===- routers.py - Standard routers ---------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Standard routers, as ``dyn.routers``. The compiler knows no more about them than about
others: each is a few operations, without special treatment."""

import torch

from dyn.routing.router import Router

_NORMALIZED = {
    "softmax": lambda scores: scores.softmax(-1),
    "sigmoid": lambda scores: scores.sigmoid(),
}


class TopK(Router):
    """The `k` paths with the highest scores.

    Args:
      scores: a function or module from rows [N, ...] to scores [N, P].
      weights: "softmax" (over all paths) or "sigmoid" of the scores, or None for 1.
      normalize: whether the weights of a cell are divided by their sum.
      capacity: as for :class:`dyn.Router`.
      priority: whether cells of larger weight are kept if capacity is exceeded
        (batch-prioritised routing); else the first cells are.
    """

    def __init__(self, scores, paths, k=1, weights="softmax", capacity=None, priority=False,
                 normalize=False, label=""):  # fmt: skip
        super().__init__(scores, paths, label, capacity)
        if weights is not None and weights not in _NORMALIZED:
            raise ValueError(f"expected 'softmax', 'sigmoid' or None, found {weights!r}")
        if not 1 <= k <= paths:
            raise ValueError(f"expected k in [1, {paths}], found {k}")
        self.k, self.weights, self.priority, self.normalize = k, weights, priority, normalize

    def choose(self, rows, *more):
        scores = self.fn(rows, *more)
        ids = scores.topk(self.k, -1).indices
        every = scores if self.weights is None else _NORMALIZED[self.weights](scores)

        def weigh(ids):
            found = every.gather(1, ids.clamp(min=0))
            return found / found.sum(-1, keepdim=True) if self.normalize else found

        return (
            ids,
            None if self.weights is None else weigh,
            every.amax(-1) if self.priority else None,
        )


class Threshold(Router):
    """All paths whose score is above a threshold.

    Args:
      scores: a function or module from rows [N, ...] to scores [N, P].
      weights: whether the weight of a choice is its score; else 1.
    """

    def __init__(self, scores, paths, threshold=0.0, weights=False, capacity=None, label=""):
        super().__init__(scores, paths, label, capacity)
        self.threshold, self.weights = threshold, weights

    def choose(self, rows, *more):
        scores = self.fn(rows, *more)
        return scores > self.threshold, scores if self.weights else None


class Label(Router):
    """The path that is each cell's label: ``router(x, labels)``, labels [N] or [N, k] of
    integers, -1 for none."""

    def __init__(self, paths, capacity=None, label=""):
        super().__init__(None, paths, label, capacity)

    def choose(self, rows, labels):
        return labels


class Hash(Router):
    """The path that the hash of an integer, such as a token's id, selects: ``router(x,
    ids)``, ids [N]; less than 0 for none."""

    def __init__(self, paths, capacity=None, label=""):
        super().__init__(None, paths, label, capacity)

    def choose(self, rows, ids):
        # Multiplicative hash: the golden ratio in 32 bits spreads consecutive ids.
        mixed = (ids.long() * 0x9E3779B1).bitwise_and(0xFFFFFFFF)
        return torch.where(ids < 0, -1, (mixed // 65536) % self.paths)


class Task(Router):
    """The path of the task that a cell belongs to: ``router(x, tasks)``, tasks [N]
    of integers; less than 0 for none.

    Args:
      table: the path of each task; by default the task modulo the paths.
    """

    def __init__(self, paths, table=None, capacity=None, label=""):
        super().__init__(None, paths, label, capacity)
        if table is not None:
            table = torch.as_tensor(table, dtype=torch.long)
        self.register_buffer("table", table)

    def choose(self, rows, tasks):
        tasks = tasks.long()
        path = tasks % self.paths if self.table is None else self.table[tasks.clamp(min=0)]
        return torch.where(tasks < 0, -1, path)
