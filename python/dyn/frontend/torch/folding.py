# ===- folding.py - Masks that sizes determine -----------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A builder with index arithmetic, for programs that are compared.

Python code of a model omits operations that a size makes redundant: the causal mask of a
single query, say, which masks nothing. Such masks are comparisons of positions, and
positions are affine in the indices of an element. So each integer tensor that is computed
from positions has its expression here, and each comparison of such tensors the conditions
under which it is true. A mask that is true everywhere selects nothing, and one that
compares the positions of queries and keys is a causal attention.
"""

import sympy
import torch

from dyn.frontend.torch.builder import Builder
from dyn.frontend.torch.sizes import to_expr


#: Types whose arithmetic on positions does not wrap.
_EXACT = (torch.int32, torch.int64)


def _index(axis):
    """The index of an element along an axis."""
    return sympy.Symbol(f"index_{axis}", integer=True, nonnegative=True)


class FoldingBuilder(Builder):
    """A :class:`Builder` that omits masks which mask nothing."""

    def __init__(self, symbols, weights):
        super().__init__(symbols, weights)
        #: By name of an integer tensor: the element as an expression of indices and sizes.
        #: By name of a boolean: the set of such expressions that must be at least 0.
        self._facts = {}

    def _know(self, value, fact):
        if fact is not None:
            self._facts[value.name] = fact
        return value

    def _fact(self, x):
        return self._facts.get(x.name)

    def _moved(self, x, result, indices):
        """Records that `result` has the elements of `x` at these indices of it."""
        fact = self._fact(x)
        values = {_index(axis): i for axis, i in indices.items()}
        if isinstance(fact, frozenset):
            fact = frozenset(to_expr(e.xreplace(values)) for e in fact)
        elif fact is not None:
            fact = to_expr(fact.xreplace(values))
        return self._know(result, fact)

    # ------------------------------------------------------------------------
    # Positions
    # ------------------------------------------------------------------------

    def scalar(self, number, dtype):
        result = super().scalar(number, dtype)
        if dtype is torch.bool:
            return self._know(result, frozenset() if number else None)
        return self._know(result, to_expr(number) if dtype in _EXACT else None)

    def iota(self, axis, sizes, dtype, start=0, step=1):
        result = super().iota(axis, sizes, dtype, start, step)
        fact = to_expr(start + step * _index(axis))
        return self._know(result, fact if dtype in _EXACT else None)

    def binary(self, name, x, y):
        x, y = self._pair(x, y)
        left, right = self._fact(x), self._fact(y)
        if name == "and" and frozenset() in (left, right):
            return y if left == frozenset() else x
        result = super().binary(name, x, y)
        if left is None or right is None:
            return result
        if isinstance(left, frozenset):
            return self._know(result, left | right if name == "and" else None)
        return self._know(result, _ARITHMETIC.get(name, lambda *_: None)(left, right))

    def compare(self, direction, x, y):
        x, y = self._pair(x, y)
        result = super().compare(direction, x, y)
        left, right = self._fact(x), self._fact(y)
        if direction not in _SURPLUS or not (_is_position(left) and _is_position(right)):
            return result
        surplus = to_expr(_SURPLUS[direction](left, right))
        holds = self._holds(surplus, result.sizes)
        return self._know(result, frozenset() if holds else frozenset([surplus]))

    def _holds(self, surplus, sizes):
        """Whether it is at least 0 at every index."""
        for axis, size in enumerate(sizes):
            index = _index(axis)
            factor = sympy.diff(surplus, index)
            if not factor.is_Integer:
                return False
            surplus = to_expr(surplus.xreplace({index: size - 1 if factor < 0 else 0}))
        return self.symbols.is_at_least(surplus, 0)

    # ------------------------------------------------------------------------
    # Movement
    # ------------------------------------------------------------------------

    def convert(self, x, dtype):
        result = super().convert(x, dtype)
        kept = x.dtype is dtype or (x.dtype in _EXACT and dtype in _EXACT)
        return self._know(result, self._fact(x) if kept else None)

    def broadcast(self, x, axes, sizes):
        axes = list(axes)
        result = super().broadcast(x, axes, sizes)
        if result is x:
            return x
        indices = {i: 0 if size == 1 else _index(axis)
                   for i, (axis, size) in enumerate(zip(axes, x.sizes))}  # fmt: skip
        return self._moved(x, result, indices)

    def reshape(self, x, sizes):
        result = super().reshape(x, sizes)
        if result is x:
            return x
        old = [axis for axis, size in enumerate(x.sizes) if size != 1]
        new = [axis for axis, size in enumerate(result.sizes) if size != 1]
        if [x.sizes[a] for a in old] != [result.sizes[a] for a in new]:
            return result
        indices = dict.fromkeys(range(x.rank), 0) | {a: _index(b) for a, b in zip(old, new)}
        return self._moved(x, result, indices)

    def transpose(self, x, permutation):
        result = super().transpose(x, permutation)
        if result is x:
            return x
        order = [self.axis(p, x.rank) for p in permutation]
        return self._moved(x, result, {axis: _index(i) for i, axis in enumerate(order)})

    # ------------------------------------------------------------------------
    # Uses of masks
    # ------------------------------------------------------------------------

    def select(self, predicate, x, y):
        if self._fact(predicate) != frozenset():
            return super().select(predicate, x, y)
        x, y = self._pair(x, y)
        return self.broadcast_to(x, self.broadcast_sizes(predicate.sizes, x.sizes))

    def attention(self, query, key, value, mask, scale, causal):
        queries, keys = query.sizes[2], key.sizes[2]
        fact = self._fact(mask) if mask is not None else None
        # dhlo's causal attention is aligned at the last key.
        aligned = frozenset([to_expr(keys - queries + _index(2) - _index(3))])
        if fact == aligned:
            mask, causal = None, True
        elif fact == frozenset():
            mask = None
        return super().attention(query, key, value, mask, scale, causal and queries != 1)


def _is_position(fact):
    return fact is not None and not isinstance(fact, frozenset)


_ARITHMETIC = {
    "add": lambda x, y: to_expr(x + y),
    "sub": lambda x, y: to_expr(x - y),
    "mul": lambda x, y: to_expr(x * y),
}

#: An expression that is at least 0 where a comparison of integers is true.
_SURPLUS = {
    "ge": lambda x, y: x - y,
    "gt": lambda x, y: x - y - 1,
    "le": lambda x, y: y - x,
    "lt": lambda x, y: y - x - 1,
}
