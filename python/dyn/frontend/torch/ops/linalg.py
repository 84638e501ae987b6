# ===- linalg.py - Systems of linear equations -----------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Solutions, inverses, determinants and Cholesky factorisations of batches of square
matrices: loops over their columns, each step of which is computed for the whole batch, in
f64. A matrix without a solution or factorisation is an error of the call."""

import functools

import sympy
import torch

from dyn.frontend.torch.complex import conjugate, parts_of, part_dtype, real_part, whole_of
from dyn.frontend.torch.control import loop
from dyn.frontend.torch.ops.reductions import argmax
from dyn.frontend.torch.registry import op

# ----------------------------------------------------------------------------
# Batches
# ----------------------------------------------------------------------------


def flat(b, x, outer):
    """Matrices with some batch sizes as [batch, row, column] in f64."""
    x = b.broadcast_to(b.convert(x, torch.float64), [*outer, *x.sizes[-2:]])
    return b.reshape(x, [b.count(x, range(len(outer))), *x.sizes[-2:]])


def steps(b, count, states, step):
    """The states after `count` steps; `step` computes the next ones from an index and the
    states. They may be complex: their parts are carried."""
    count = b.scalar(count, torch.int64)

    def body(values):
        number, *before = values
        after = step(number, whole_of(before, states))
        number = b.binary("add", number, 1)
        return b.compare("lt", number, count), [number, *parts_of(after)]

    start = b.scalar(sympy.Integer(0), torch.int64)
    inits = [start, *parts_of(states)]
    return whole_of(loop(plain(b), b.compare("gt", count, 0), inits, body)[1:], states)


def plain(b):
    """The underlying builder of one for complex numbers."""
    return getattr(b, "plain", b)


def adjoint(b, x):
    return conjugate(b, b.swap(x, -1, -2))


def _check(b, good, condition):
    """All elements of a batch must be true, or the call is an error."""
    bad = b.convert(b.unary("not", good), torch.int64)
    b.check_zero(b.reduce("sum", bad, range(bad.rank)), condition)


def _identity(b, n):
    return b.compare("eq", b.iota(0, [n, n], torch.int64), b.iota(1, [n, n], torch.int64))


# ----------------------------------------------------------------------------
# Elimination
# ----------------------------------------------------------------------------


def _eliminate(b, x, right=None):
    """Gauss-Jordan elimination with the largest element of each column as its pivot.
    Returns the pivots [batch, column], each with the sign of its exchange of rows, and the
    solutions if there is a `right` of the equations, [batch, row, column]."""
    batch, n, _ = x.sizes
    row = b.iota(1, [1, n], torch.int64)
    wide = x if right is None else b.concat([x, right], 2)

    def step(number, before):
        whole, pivots = before
        column, own = b.gather(whole, number, 2), b.gather(whole, number, 1)
        left = b.compare("ge", row, number)
        best = b.unsqueeze(argmax(b, b.select(left, b.unary("abs", column), -1.0), 1), 1)
        line = b.gather(whole, best, 1, batch=1)
        pivot = b.gather(column, best, 1, batch=1)
        # The current row moves to the index of the pivot's.
        is_best, is_here = b.compare("eq", row, best), b.compare("eq", row, number)
        whole = b.select(b.unsqueeze(is_best, 2), b.unsqueeze(own, 1), whole)
        factor = b.select(is_here, 0.0, b.gather(whole, number, 2))
        divisor = b.select(b.compare("eq", pivot, 0.0), 1.0, pivot)
        line = b.binary("div", line, b.unsqueeze(divisor, 2))
        rest = b.binary("sub", whole, b.binary("mul", b.unsqueeze(factor, 2), line))
        whole = b.select(b.unsqueeze(is_here, 2), line, rest)
        signed = b.select(b.compare("eq", best, number), pivot, b.unary("neg", pivot))
        return [whole, b.select(is_here, signed, pivots)]

    pivots = b.full(0.0, [batch, n], x.dtype)
    solved, pivots = steps(b, x.sizes[-1], [wide, pivots], step)
    return pivots, right and b.slice(solved, 2, n, right.sizes[2])


def _solve(b, x, right):
    """For batches that broadcast."""
    solved, pivots = _solve_unchecked(b, x, right)
    _check(b, b.compare("ne", pivots, 0.0), "a matrix that is not singular")
    return solved


def _solve_unchecked(b, x, right):
    """Returns the pivots, too."""
    outer = b.broadcast_sizes(x.sizes[:-2], right.sizes[:-2])
    pivots, solved = _eliminate(b, flat(b, x, outer), flat(b, right, outer))
    return b.convert(b.reshape(solved, [*outer, *right.sizes[-2:]]), right.dtype), pivots


def _from_left(solve, b, x, right, left):
    """Solves A X = B for X, or X A = B if not `left`."""
    if left:
        return solve(b, x, right)
    return b.swap(solve(b, b.swap(x, -1, -2), b.swap(right, -1, -2)), -1, -2)


@op("aten.linalg_solve.default")
def linalg_solve(b, A, B, left=True):
    """B consists of vectors if its sizes are those of A without the last one."""
    return _solve_sides(b, _solve, A, B, left)


def _solve_sides(b, solve, A, B, left):
    vectors = B.rank == 1 or B.sizes == A.sizes[:-1]
    if not vectors:
        return _from_left(solve, b, A, B, left)
    return b.squeeze(solve(b, A, b.unsqueeze(B, -1)), [max(A.rank, B.rank + 1) - 1])


def info(b, bad, outer):
    """The number of the first bad column, from 1 on; 0 if there is none."""
    count = bad.sizes[1]
    remaining = b.binary("sub", b.scalar(count, torch.int64), b.iota(1, [1, count], torch.int64))
    left = b.reduce("max", b.pad(b.select(bad, remaining, 0), [0, 1], [0, 0]), [1])
    first = b.binary("sub", b.scalar(count + 1, torch.int64), left)
    first = b.select(b.compare("eq", left, 0), 0, first)
    return b.reshape(b.convert(first, torch.int32), outer)


@op("aten.linalg_inv_ex.default")
def linalg_inv_ex(b, A, check_errors=False):
    outer, n = A.sizes[:-2], A.sizes[-1]
    solved, pivots = _solve_unchecked(b, A, b.convert(_identity(b, n), A.dtype))
    singular = b.compare("eq", pivots, 0.0)
    if check_errors:
        _check(b, b.unary("not", singular), "a matrix that is not singular")
    return solved, info(b, singular, outer)


@op("aten.linalg_solve_ex.default")
def linalg_solve_ex(b, A, B, left=True, check_errors=False):
    found = []

    def solve(b, x, right):
        solved, pivots = _solve_unchecked(b, x, right)
        found.append(b.compare("eq", pivots, 0.0))
        return solved

    solved = _solve_sides(b, solve, A, B, left)
    if check_errors:
        _check(b, b.unary("not", found[0]), "a matrix that is not singular")
    return solved, info(b, found[0], b.out[1].sizes)


@op("aten.linalg_inv.default")
def linalg_inv(b, A):
    return _solve(b, A, b.convert(_identity(b, A.sizes[-1]), A.dtype))


@op("aten.inverse.default")
def inverse(b, self):
    return linalg_inv(b, self)


# ----------------------------------------------------------------------------
# Substitution
# ----------------------------------------------------------------------------


def _substitute(b, x, right):
    """Solves with the lower triangle of [batch, row, column]; elements above are
    ignored."""
    row = b.iota(1, [1, x.sizes[1]], torch.int64)

    def step(number, before):
        (rest,) = before
        column = b.gather(x, number, 2)
        pivot = b.unsqueeze(b.gather(column, number, 1), 1)
        line = b.unsqueeze(b.binary("div", b.gather(rest, number, 1), pivot), 1)
        below = b.select(b.compare("gt", row, number), column, 0.0)
        rest = b.binary("sub", rest, b.binary("mul", b.unsqueeze(below, 2), line))
        is_here = b.unsqueeze(b.compare("eq", row, number), 2)
        return [b.select(is_here, line, rest)]

    return steps(b, x.sizes[-1], [right], step)[0]


def substitute(b, x, right, backwards=False):
    """For equal batches. For an upper triangle, the last equation comes first."""
    if not backwards:
        return _substitute(b, x, right)
    return b.reverse(_substitute(b, b.reverse(x, [1, 2]), b.reverse(right, [1])), [1])


def _solve_triangle(b, x, right, backwards):
    """For batches that broadcast."""
    outer = b.broadcast_sizes(x.sizes[:-2], right.sizes[:-2])
    solved = substitute(b, flat(b, x, outer), flat(b, right, outer), backwards)
    return b.promote(b.reshape(solved, [*outer, *solved.sizes[-2:]]))


@op("aten.linalg_solve_triangular.default")
def linalg_solve_triangular(b, self, B, upper, left=True, unitriangular=False):
    """As in PyTorch, a zero on the diagonal is not an error: the solution is not finite."""
    if unitriangular:
        self = b.select(_identity(b, self.sizes[-1]), 1.0, self)
    # With left=False, upper and lower triangles are exchanged.
    solve = functools.partial(_solve_triangle, backwards=upper == left)
    return _from_left(solve, b, self, B, left)


@op("aten.cholesky_inverse.default")
def cholesky_inverse(b, self, upper=False):
    unit = b.convert(_identity(b, self.sizes[-1]), self.dtype)
    return cholesky_solve(b, b.broadcast_to(unit, self.sizes), self, upper)


@op("aten.cholesky_solve.default")
def cholesky_solve(b, self, input2, upper=False):
    """The matrix is L times its transpose."""
    lower = b.swap(input2, -1, -2) if upper else input2
    half = _solve_triangle(b, lower, self, backwards=False)
    return _solve_triangle(b, b.swap(lower, -1, -2), half, backwards=True)


# ----------------------------------------------------------------------------
# Determinants
# ----------------------------------------------------------------------------


def _pivots(b, x):
    """[..., column]"""
    outer = x.sizes[:-2]
    return b.reshape(_eliminate(b, flat(b, x, outer))[0], [*outer, x.sizes[-1]])


@op("aten.linalg_det.default")
def linalg_det(b, A):
    return b.convert(b.reduce("prod", _pivots(b, A), [A.rank - 2]), A.dtype)


@op("aten.det.default")
def det(b, self):
    return linalg_det(b, self)


@op("aten.linalg_slogdet.default")
def linalg_slogdet(b, A):
    """The sign, and the logarithm of the magnitude."""
    pivots = _pivots(b, A)
    sign = b.reduce("prod", b.unary("sign", pivots), [A.rank - 2])
    log = b.reduce("sum", b.unary("log", b.unary("abs", pivots)), [A.rank - 2])
    return b.convert(sign, A.dtype), b.convert(log, part_dtype(A.dtype))


@op("aten.slogdet.default")
def slogdet(b, self):
    return linalg_slogdet(b, self)


@op("aten.logdet.default")
def logdet(b, self):
    """NaN if the determinant is negative."""
    sign, log = linalg_slogdet(b, self)
    return b.select(b.compare("lt", sign, 0.0), float("nan"), log)


# ----------------------------------------------------------------------------
# Cholesky factorisation
# ----------------------------------------------------------------------------


@op("aten.linalg_cholesky.default", "aten.cholesky.default")
def cholesky(b, self, upper=False):
    """From one half of the matrix, the lower one or the upper one."""
    factor, pivots = _cholesky(b, self, upper)
    _check(b, b.compare("gt", pivots, 0.0), "a matrix that is positive definite")
    return factor


@op("aten.linalg_cholesky_ex.default")
def linalg_cholesky_ex(b, self, upper=False, check_errors=False):
    factor, pivots = _cholesky(b, self, upper)
    good = b.compare("gt", pivots, 0.0)
    if check_errors:
        _check(b, good, "a matrix that is positive definite")
    return factor, info(b, b.unary("not", good), self.sizes[:-2])


def _cholesky(b, self, upper):
    """The factor and the pivots."""
    outer, n = self.sizes[:-2], self.sizes[-1]
    x = flat(b, adjoint(b, self) if upper else self, outer)
    row, position = b.iota(1, [1, n], torch.int64), b.iota(2, [1, 1, n], torch.int64)

    def step(number, before):
        rest, factor, pivots = before
        column = b.gather(rest, number, 2)
        pivot = b.unsqueeze(real_part(b.gather(column, number, 1)), 1)
        column = b.binary("div", column, b.unary("sqrt", pivot))
        column = b.select(b.compare("ge", row, number), column, 0.0)
        other = conjugate(b, b.unsqueeze(column, 1))
        square = b.binary("mul", b.unsqueeze(column, 2), other)
        is_here = b.compare("eq", position, number)
        return [
            b.binary("sub", rest, square),
            b.select(is_here, b.unsqueeze(column, 2), factor),
            b.select(b.compare("eq", row, number), pivot, pivots),
        ]

    pivots = b.full(1.0, x.sizes[:2], torch.float64)
    states = [x, b.full(0.0, x.sizes, x.dtype), pivots]
    _, factor, pivots = steps(b, x.sizes[-1], states, step)
    factor = b.convert(b.reshape(factor, self.sizes), self.dtype)
    return adjoint(b, factor) if upper else factor, pivots
