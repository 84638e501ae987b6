# ===- factors.py - Matrix factorisations ----------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LU and QR factorisations, singular values and eigenvalues of symmetric matrices: loops
over columns or pairs of columns, each step of which is computed for the whole batch, in
f64."""

import sympy
import torch

from dyn.frontend.torch.complex import Complex, conjugate, real_part
from dyn.frontend.torch.control import loop
from dyn.frontend.torch.ops import linalg
from dyn.frontend.torch.ops.contractions import matmul
from dyn.frontend.torch.ops.reductions import argmax, argsort, sort
from dyn.frontend.torch.registry import op

# ----------------------------------------------------------------------------
# LU factorisation
# ----------------------------------------------------------------------------


def _flat(b, x):
    """Matrices as [batch, row, column] in f64."""
    return linalg.flat(b, x, x.sizes[:-2])


def _shaped(b, x, outer, dtype=None):
    """The inverse of :func:`_flat`, for any axes after the batch."""
    x = x if dtype is None else b.convert(x, dtype)
    return b.reshape(x, [*outer, *x.sizes[1:]])


def _indices(b, x, axis):
    """The indices along an axis, as a tensor that broadcasts over `x`."""
    sizes = [size if i == axis else 1 for i, size in enumerate(x.sizes)]
    return b.iota(axis, sizes, torch.int64)


def _put(b, x, axis, number, values):
    """`x` with values at an index of an axis; the values have size 1 there or lack the
    axis."""
    if values.rank < x.rank:
        values = b.unsqueeze(values, axis)
    return b.select(b.compare("eq", _indices(b, x, axis), number), values, x)


def _take(b, x, number, axis):
    """The elements at an index of an axis, which is kept with size 1."""
    return b.unsqueeze(b.gather(x, number, axis), axis)


def _magnitude(b, x):
    """The magnitude by which LAPACK compares numbers: the sum of those of both parts."""
    if isinstance(x, Complex):
        return b.binary("add", *(b.unary("abs", part) for part in x.parts))
    return b.unary("abs", x)


def _lu(b, x, count, pivot=True):
    """Both factors in one matrix [batch, row, column], the lower one without its unit
    diagonal, and the index of the row that each row was exchanged with, [batch, count]."""
    rows, columns = _indices(b, x, 1), _indices(b, x, 2)

    def step(number, before):
        whole, exchanges = before
        column, own = b.gather(whole, number, 2), b.gather(whole, number, 1)
        row = b.reshape(rows, [1, x.sizes[1]])
        best = b.broadcast_to(b.reshape(number, [1, 1]), [x.sizes[0], 1])
        if pivot:
            left = b.select(b.compare("ge", row, number), _magnitude(b, column), -1.0)
            best = b.unsqueeze(argmax(b, left, 1), 1)
        line = b.gather(whole, best, 1, batch=1)
        whole = b.select(b.compare("eq", rows, b.unsqueeze(best, 2)), b.unsqueeze(own, 1), whole)
        whole = _put(b, whole, 1, number, line)
        divisor = _take(b, line, number, 2)
        divisor = b.select(b.compare("eq", divisor, 0.0), 1.0, divisor)
        below = b.compare("gt", rows, number)
        factor = b.select(below, b.binary("div", _take(b, whole, number, 2), divisor), 0.0)
        right = b.select(b.compare("gt", columns, number), line, 0.0)
        rest = b.binary("sub", whole, b.binary("mul", factor, right))
        is_factor = b.binary("and", below, b.compare("eq", columns, number))
        return [b.select(is_factor, factor, rest), _put(b, exchanges, 1, number, best)]

    exchanges = b.full(0, [x.sizes[0], count], torch.int64)
    return linalg.steps(b, count, [x, exchanges], step)


def _order(b, exchanges, rows):
    """The original index of each row, [batch, row], after the exchanges in order."""
    batch, count = exchanges.sizes
    order = b.iota(1, [batch, rows], torch.int64)

    def step(number, before):
        (order,) = before
        here, other = _take(b, order, number, 1), _take(b, exchanges, number, 1)
        there = b.gather(order, other, 1, batch=1)
        is_other = b.compare("eq", _indices(b, order, 1), other)
        return [_put(b, b.select(is_other, here, order), 1, number, there)]

    return linalg.steps(b, count, [order], step)[0]


def _inverse(b, order):
    return argsort(b, order, 1)


def _triangles(b, packed, count):
    """The two factors that are stored in one matrix."""
    _, m, n = packed.sizes
    rows, columns = _indices(b, packed, 1), _indices(b, packed, 2)
    one = b.scalar(1, packed.dtype)
    lower = b.select(b.compare("gt", rows, columns), packed, 0)
    lower = b.select(b.compare("eq", rows, columns), one, lower)
    upper = b.select(b.compare("le", rows, columns), packed, 0)
    return b.slice(lower, 2, 0, count), b.slice(upper, 1, 0, count)


def _permutation(b, order, dtype):
    """The matrix P with A = P L U."""
    wide = b.unsqueeze(order, 1)
    rows = b.iota(1, [1, order.sizes[1], 1], torch.int64)
    return b.convert(b.compare("eq", rows, wide), dtype)


def _counted(b, exchanges, outer):
    """Indices from 1 on, as in LAPACK."""
    return _shaped(b, b.binary("add", exchanges, 1), outer, torch.int32)


@op("aten.linalg_lu_factor_ex.default")
def linalg_lu_factor_ex(b, A, pivot=True, check_errors=False):
    outer, count = A.sizes[:-2], b.out[1].sizes[-1]
    packed, exchanges = _lu(b, _flat(b, A), count, pivot)
    diagonal = b.compare("eq", _indices(b, packed, 1), _indices(b, packed, 2))
    zero = b.binary("and", diagonal, b.compare("eq", packed, 0.0))
    zero = b.slice(b.reduce("or", zero, [2]), 1, 0, count)
    info = linalg.info(b, zero, outer)
    return _shaped(b, packed, outer, A.dtype), _counted(b, exchanges, outer), info


@op("aten.linalg_lu_factor.default")
def linalg_lu_factor(b, A, pivot=True):
    return linalg_lu_factor_ex(b, A, pivot)[:2]


@op("aten.linalg_lu.default")
def linalg_lu(b, A, pivot=True):
    outer, (m, n), count = A.sizes[:-2], A.sizes[-2:], b.out[2].sizes[-2]
    packed, exchanges = _lu(b, _flat(b, A), count, pivot)
    factors = (_shaped(b, x, outer, A.dtype) for x in _triangles(b, packed, count))
    if not pivot:
        return b.full(0, b.out[0].sizes, A.dtype), *factors
    return _shaped(b, _permutation(b, _order(b, exchanges, m), A.dtype), outer), *factors


@op("aten.lu_unpack.default")
def lu_unpack(b, LU_data, LU_pivots, unpack_data=True, unpack_pivots=True):
    """Results that are not requested are empty."""
    outer, dtype = LU_data.sizes[:-2], LU_data.dtype
    permutation = lower = upper = b.full(0, [0], dtype)
    if unpack_pivots:
        exchanges = _flat_pivots(b, LU_pivots)
        order = _order(b, exchanges, LU_data.sizes[-2])
        permutation = _shaped(b, _permutation(b, order, dtype), outer)
    if unpack_data:
        parts = _triangles(b, _flat(b, LU_data), b.out[2].sizes[-2])
        lower, upper = (_shaped(b, part, outer, dtype) for part in parts)
    return permutation, lower, upper


def _flat_pivots(b, pivots):
    """Indices from 0 on, [batch, row]."""
    outer = pivots.sizes[:-1]
    pivots = b.binary("sub", b.convert(pivots, torch.int64), 1)
    return b.reshape(pivots, [b.count(pivots, range(len(outer))), pivots.sizes[-1]])


@op("aten.linalg_lu_solve.default")
def linalg_lu_solve(b, LU, pivots, B, left=True, adjoint=False):
    """With left=False, solves the transposed equations."""
    LU = conjugate(b, LU) if adjoint else LU
    right = B if left else b.swap(B, -1, -2)
    outer = b.broadcast_sizes(LU.sizes[:-2], right.sizes[:-2])
    factors, right = linalg.flat(b, LU, outer), linalg.flat(b, right, outer)
    pivots = b.broadcast_to(pivots, [*outer, pivots.sizes[-1]])
    order = _order(b, _flat_pivots(b, pivots), factors.sizes[1])
    lower, upper = _triangles(b, factors, factors.sizes[1])
    if left != adjoint:
        right = b.gather(right, order, 1, batch=1)
        solved = linalg.substitute(b, upper, linalg.substitute(b, lower, right), True)
    else:
        half = linalg.substitute(b, b.swap(upper, 1, 2), right)
        half = linalg.substitute(b, b.swap(lower, 1, 2), half, True)
        solved = b.gather(half, _inverse(b, order), 1, batch=1)
    solved = b.promote(_shaped(b, solved, outer))
    return solved if left else b.swap(solved, -1, -2)


# ----------------------------------------------------------------------------
# QR factors
# QR factorisation


def _reflectors(b, x, count):
    """Householder reflectors in LAPACK's layout: R is the upper triangle, the vectors,
    whose first element is 1, are below; and their scalar factors, [batch, count]."""
    rows, columns = _indices(b, x, 1), _indices(b, x, 2)

    def step(number, before):
        whole, factors = before
        column = _take(b, whole, number, 2)
        head = _take(b, column, number, 1)
        below = b.select(b.compare("gt", rows, number), column, 0.0)
        rest = b.reduce("sum", _square(b, below), [1], True)
        length = b.unary("sqrt", b.binary("add", _square(b, head), rest))
        is_negative = b.compare("lt", real_part(head), 0.0)
        end = b.select(is_negative, length, b.unary("neg", length))
        done = b.compare("eq", rest, 0.0)
        if isinstance(head, Complex):
            done = b.binary("and", done, b.compare("eq", head.imag, 0.0))
        apart = b.select(done, 1.0, b.binary("sub", head, end))
        end = b.select(done, head, end)
        divisor = b.select(done, 1.0, end)
        factor = b.select(done, 0.0, b.binary("div", b.binary("sub", end, head), divisor))
        vector = _put(b, b.binary("div", below, apart), 1, number, b.full(1.0, (1, 1, 1), x.dtype))
        turned = _reflect(b, vector, conjugate(b, factor), whole)
        kept = b.select(b.compare("lt", rows, number), column, vector)
        kept = _put(b, kept, 1, number, end)
        whole = b.select(b.compare("gt", columns, number), turned, whole)
        return [
            _put(b, whole, 2, number, kept),
            _put(b, factors, 1, number, b.squeeze(factor, [2])),
        ]

    return linalg.steps(b, count, [x, b.full(0.0, [x.sizes[0], count], x.dtype)], step)


def _square(b, x):
    """The squared magnitude."""
    if isinstance(x, Complex):
        return b.binary("add", *(b.binary("mul", part, part) for part in x.parts))
    return b.binary("mul", x, x)


def _reflect(b, vector, factor, x):
    """(1 - factor v v^H) x"""
    along = b.reduce("sum", b.binary("mul", conjugate(b, vector), x), [1], True)
    return b.binary("sub", x, b.binary("mul", b.binary("mul", factor, vector), along))


def _apply(b, packed, factors, x, forward):
    """Applies the reflectors to x from the last one on, or their adjoints from the first
    one on."""
    rows, count = _indices(b, x, 1), factors.sizes[1]
    last = b.scalar(count - 1, torch.int64)

    def step(number, before):
        number = number if forward else b.binary("sub", last, number)
        column = _take(b, packed, number, 2)
        vector = b.select(b.compare("gt", rows, number), column, 0.0)
        vector = _put(b, vector, 1, number, b.full(1.0, (1, 1, 1), x.dtype))
        factor = b.unsqueeze(_take(b, factors, number, 1), 2)
        factor = conjugate(b, factor) if forward else factor
        return [_reflect(b, vector, factor, before[0])]

    return linalg.steps(b, count, [x], step)[0]


def _unit(b, batch, rows, columns):
    """A unit matrix, repeated for the batch."""
    row, column = b.iota(0, [rows, 1], torch.int64), b.iota(1, [1, columns], torch.int64)
    unit = b.convert(b.compare("eq", row, column), torch.float64)
    return b.broadcast_to(unit, [batch, rows, columns])


@op("aten.linalg_qr.default")
def linalg_qr(b, A, mode="reduced"):
    """In the mode "r" the first result is empty."""
    outer, (m, n), rows = A.sizes[:-2], A.sizes[-2:], b.out[1].sizes[-2]
    count = rows if mode != "complete" else sympy.Min(m, n)
    packed, factors = _reflectors(b, _flat(b, A), count)
    above = b.compare("le", _indices(b, packed, 1), _indices(b, packed, 2))
    upper = b.slice(b.select(above, packed, 0.0), 1, 0, rows)
    if mode == "r":
        first = b.full(0, [0], A.dtype)
    else:
        unit = b.convert(_unit(b, packed.sizes[0], m, rows), packed.dtype)
        first = _shaped(b, _apply(b, packed, factors, unit, False), outer, A.dtype)
    return first, _shaped(b, upper, outer, A.dtype)


def _flat_factors(b, tau):
    tau = b.convert(tau, torch.float64)
    return b.reshape(tau, [b.count(tau, range(tau.rank - 1)), tau.sizes[-1]])


@op("aten.linalg_householder_product.default")
def linalg_householder_product(b, input, tau):
    x, outer = _flat(b, input), input.sizes[:-2]
    unit = b.convert(_unit(b, *x.sizes), x.dtype)
    return _shaped(b, _apply(b, x, _flat_factors(b, tau), unit, False), outer, input.dtype)


@op("aten.ormqr.default")
def ormqr(b, self, input2, input3, left=True, transpose=False):
    """With left=False, multiplies the adjoints from the left."""
    other = input3 if left else linalg.adjoint(b, input3)
    packed, factors = _flat(b, self), _flat_factors(b, input2)
    turned = _apply(b, packed, factors, _flat(b, other), transpose == left)
    turned = _shaped(b, turned, other.sizes[:-2], self.dtype)
    return turned if left else linalg.adjoint(b, turned)


# ----------------------------------------------------------------------------
# Singular values
# ----------------------------------------------------------------------------

#: Jacobi's method converges quadratically: fewer sweeps than this suffice.
_SWEEPS = 30


def _orthogonal(b, x):
    """Jacobi rotations of pairs of columns until all are orthogonal. Returns the columns of
    x V and V, [batch, row, column], the longest first."""
    batch, m, n = x.sizes
    count = b.scalar(n, torch.int64)
    last = b.scalar(_SWEEPS * n * n, torch.int64)

    def body(values):
        number, moved, turns, whole, basis = values
        first = b.binary("rem", b.binary("div", number, count), count)
        second = b.binary("rem", number, count)
        p, q = _take(b, whole, first, 2), _take(b, whole, second, 2)
        square, other, product = (
            b.reduce("sum", b.binary("mul", u, v), [1], True) for u, v in ((p, p), (q, q), (p, q))
        )
        size = b.unary("sqrt", b.binary("mul", square, other))
        apart = b.compare("gt", b.unary("abs", product), b.binary("mul", size, 1e-15))
        apart = b.binary("and", apart, b.compare("lt", first, second))
        divisor = b.select(apart, product, 1.0)
        zeta = b.binary("div", b.binary("sub", other, square), b.binary("mul", divisor, 2.0))
        root = b.unary("sqrt", b.binary("add", b.binary("mul", zeta, zeta), 1.0))
        tangent = b.unary("reciprocal", b.binary("add", b.unary("abs", zeta), root))
        tangent = b.select(b.compare("lt", zeta, 0.0), b.unary("neg", tangent), tangent)
        tangent = b.select(apart, tangent, 0.0)
        length = b.unary("sqrt", b.binary("add", b.binary("mul", tangent, tangent), 1.0))
        cosine, sine = b.unary("reciprocal", length), b.binary("div", tangent, length)
        whole, basis = (_turned(b, y, first, second, cosine, sine) for y in (whole, basis))
        # Whether a pair was rotated in this sweep, and in the previous one.
        begins = b.compare("eq", b.binary("rem", number, b.binary("mul", count, count)), 0)
        moved = b.select(begins, turns, moved)
        turned = b.reduce("or", b.reshape(apart, [batch]), [0])
        turns = b.binary("or", b.select(begins, False, turns), turned)
        number = b.binary("add", number, 1)
        again = b.binary("and", b.compare("lt", number, last), b.binary("or", moved, turns))
        return again, [number, moved, turns, whole, basis]

    start, true = b.scalar(sympy.Integer(0), torch.int64), b.scalar(True, torch.bool)
    basis = _unit(b, batch, n, n)
    inits = [start, true, true, x, basis]
    *_, whole, basis = loop(b, b.compare("gt", last, 0), inits, body)
    lengths = b.unary("sqrt", b.reduce("sum", b.binary("mul", whole, whole), [1]))
    values, order = sort(b, lengths, 1, descending=True)
    return values, *(_columns(b, y, order) for y in (whole, basis))


def _turned(b, x, first, second, cosine, sine):
    """Rotates two columns; a column paired with itself is unchanged."""
    p, q = _take(b, x, first, 2), _take(b, x, second, 2)
    turned = b.binary("sub", b.binary("mul", cosine, p), b.binary("mul", sine, q))
    other = b.binary("add", b.binary("mul", sine, p), b.binary("mul", cosine, q))
    return _put(b, _put(b, x, 2, first, turned), 2, second, other)


def _columns(b, x, order):
    """Permutes columns by an order, [batch, column]."""
    return b.swap(b.gather(b.swap(x, 1, 2), order, 1, batch=1), 1, 2)


@op("aten._linalg_svd.default")
def linalg_svd(b, A, full_matrices=False, compute_uv=True, driver=None):
    """Vectors of singular values of 0, and those of full matrices, complete a basis."""
    outer, dtype, count = A.sizes[:-2], A.dtype, b.out[1].sizes[-1]
    x = _flat(b, A)
    batch, m, n = x.sizes
    values, whole, basis = _orthogonal(b, x)
    values, left = b.slice(values, 1, 0, count), b.slice(whole, 2, 0, count)
    result = _shaped(b, values, outer, dtype)
    if not compute_uv:
        return b.full(0, b.out[0].sizes, dtype), result, b.full(0, b.out[2].sizes, dtype)
    largest = b.reduce("max", b.pad(values, [0, 1], [0, 0]), [1], True)
    good = b.compare("gt", values, b.binary("mul", largest, 1e-14))
    lengths = b.unsqueeze(b.select(good, values, 1.0), 1)
    good = b.unsqueeze(good, 1)
    left = b.select(good, b.binary("div", left, lengths), 0.0)
    columns = b.out[0].sizes[-1]
    packed, factors = _reflectors(b, left, count)
    complete = _apply(b, packed, factors, _unit(b, batch, m, columns), False)
    padded = [0, 0, columns - count]
    left, good = b.pad(left, [0, 0, 0], padded), b.pad(good, [0, 0, 0], padded, False)
    left = _shaped(b, b.select(good, left, complete), outer, dtype)
    right = b.slice(b.swap(basis, 1, 2), 1, 0, b.out[2].sizes[-2])
    return left, result, _shaped(b, right, outer, dtype)


@op("aten._linalg_eigh.default")
def linalg_eigh(b, A, UPLO="L", compute_v=True):
    """From one half of the matrix. Singular vectors of a positive semidefinite matrix are
    eigenvectors."""
    outer, dtype = A.sizes[:-2], A.dtype
    x = _flat(b, A)
    rows, columns = _indices(b, x, 1), _indices(b, x, 2)
    given = b.compare("ge" if UPLO.upper() == "L" else "le", rows, columns)
    x = b.select(given, x, b.swap(x, 1, 2))
    square = b.reduce("sum", b.binary("mul", x, x), [1, 2], True)
    shift = b.unary("sqrt", square)
    diagonal = b.compare("eq", rows, columns)
    values, _, basis = _orthogonal(b, b.binary("add", x, b.select(diagonal, shift, 0.0)))
    values = b.binary("sub", b.reverse(values, [1]), b.squeeze(shift, [2]))
    vectors = b.full(0, b.out[1].sizes, dtype)
    if compute_v:
        vectors = _shaped(b, b.reverse(basis, [2]), outer, dtype)
    return _shaped(b, values, outer, dtype), vectors


# ----------------------------------------------------------------------------
# Exponentials
# ----------------------------------------------------------------------------


@op("aten.linalg_matrix_exp.default")
def linalg_matrix_exp(b, self):
    """Taylor's series of the matrix, which is halved until it is small; the result is
    squared as often."""
    x, outer = _flat(b, self), self.sizes[:-2]
    norm = b.reduce("sum", b.unary("abs", x), [1])
    norm = b.reduce("max", b.pad(b.reshape(norm, [b.count(norm, [0, 1])]), [1], [0], 1.0), [0])
    halvings = b.unary("ceil", b.binary("mul", b.unary("log", norm), 1.4426950408889634))
    halvings = b.binary("minimum", b.select(b.predicate("is_nan", halvings), 0.0, halvings), 1100.0)
    x = b.binary("div", x, b.binary("pow", 2.0, halvings))
    unit = _unit(b, *x.sizes)
    result = unit
    for term in range(18, 0, -1):
        result = b.binary("add", b.binary("div", matmul(b, x, result), float(term)), unit)
    count = b.convert(halvings, torch.int64)

    def body(values):
        number, squared = values
        number = b.binary("add", number, 1)
        return b.compare("lt", number, count), [number, matmul(b, squared, squared)]

    start = b.scalar(sympy.Integer(0), torch.int64)
    result = loop(b, b.compare("gt", count, 0), [start, result], body)[1]
    return _shaped(b, result, outer, self.dtype)
