# ===- matrices.py - Functions of matrices ---------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of matrices by factorisations and matmuls."""

import torch

from dyn.frontend.torch.decompositions.complex_numbers import of_complex
from dyn.frontend.torch.registry import decomposition


@decomposition("aten.bilinear.default")
def bilinear(x, y, weight, bias=None):
    """Sums over j of (sums over i of x[..., i] weight[k, i, j]) y[..., j], so that the larger
    part is a matmul."""
    outputs, _, columns = weight.shape
    rows = (x @ weight.permute(1, 0, 2).flatten(1)).unflatten(-1, (outputs, columns))
    total = (rows * y.unsqueeze(-2)).sum(-1)
    return total if bias is None else total + bias


@decomposition("aten._weight_int8pack_mm.default")
def weight_int8pack_mm(x, weight, scales):
    """By a matrix of bytes with a scale for each row of it. Sums are in f32."""
    result = torch.nn.functional.linear(x.to(torch.float32), weight.to(torch.float32))
    return (result * scales).to(x.dtype)


@decomposition("aten.linalg_pinv.atol_rtol_tensor")
def pinv(x, atol=None, rtol=None, hermitian=False):
    """Singular values below a bound count as zero."""
    if x.is_complex():
        rtol = _relative(x, atol) if rtol is None else rtol
        x = _hermitian(x) if hermitian else x
        return _extract(pinv(_embed(x), atol, rtol, hermitian), x.shape[-1])
    rtol = _relative(x, atol) if rtol is None else rtol
    atol = torch.zeros((), dtype=torch.float64) if atol is None else atol
    if hermitian:
        values, basis = torch.linalg.eigh(x)
        left, right = basis, basis
    else:
        left, values, right = torch.linalg.svd(x, full_matrices=False)
        right = right.mT
    size = values.abs()
    largest = size.amax(-1, keepdim=True) if size.shape[-1] else size.sum(-1, keepdim=True)
    bound = torch.maximum(atol.unsqueeze(-1), rtol.unsqueeze(-1) * largest)
    inverse = torch.where(size > bound, 1 / torch.where(size > bound, values, 1.0), 0.0)
    return (right * inverse.unsqueeze(-2)) @ left.mT


def _relative(x, atol):
    """The default bound of singular values relative to the largest one, 0 if `atol` is
    given."""
    eps = torch.finfo(x.dtype).eps * max(x.shape[-2], x.shape[-1])
    rtol = torch.zeros((), dtype=torch.float64)
    return rtol + eps if atol is None else torch.where(atol > 0, rtol, eps)


@decomposition("aten.linalg_polar.default")
def polar(x):
    """A matrix with orthonormal columns, and a positive semidefinite one."""
    if x.is_complex():
        first, second = polar(_embed(x))
        return _extract(first, x.shape[-2]), _extract(second, x.shape[-1])
    left, values, right = torch.linalg.svd(x, full_matrices=False)
    return left @ right, (right.mT * values.unsqueeze(-2)) @ right


@decomposition("aten.linalg_matrix_sqrth.default")
def matrix_sqrth(x):
    """The square root of a symmetric positive semidefinite matrix."""
    if x.is_complex():
        return _extract(matrix_sqrth(_embed(_hermitian(x))), x.shape[-1])
    values, basis = torch.linalg.eigh(x)
    return (basis * values.clamp(min=0).sqrt().unsqueeze(-2)) @ basis.mT


@decomposition("aten.triangular_solve.default")
def triangular_solve(x, A, upper=True, transpose=False, unitriangular=False):
    left = A.mT if transpose else A
    solved = torch.linalg.solve_triangular(
        left, x, upper=upper != transpose, unitriangular=unitriangular
    )
    return solved, A.expand(*solved.shape[:-2], *A.shape[-2:]).clone()


@decomposition("aten._pdist_forward.default")
def pdist(x, p=2.0):
    """Distances of each row to the later ones."""
    first, second = torch.triu_indices(x.shape[0], x.shape[0], 1, device=x.device).unbind(0)
    apart = x.index_select(0, first) - x.index_select(0, second)
    return torch.linalg.vector_norm(apart, p, dim=1)


# ----------------------------------------------------------------------------
# Complex matrices
# ----------------------------------------------------------------------------


def _embed(x):
    """A complex matrix as a real one of twice the size, [[a, -b], [b, a]]: matmuls,
    inverses and functions composed of them correspond to those of the complex one."""
    a, b = torch.real(x), torch.imag(x)
    return torch.cat([torch.cat([a, -b], -1), torch.cat([b, a], -1)], -2)


def _hermitian(x, half="L"):
    """The Hermitian matrix that is given by one half."""
    part = x.tril(-1) if half.upper() == "L" else x.triu(1)
    return part + part.mH + torch.diag_embed(torch.real(x.diagonal(0, -2, -1)))


def _extract(x, rows):
    """The inverse, for a matrix with this many rows."""
    columns = x.shape[-1] // 2
    return torch.complex(x[..., :rows, :columns], x[..., rows:, :columns])


def _as_complex(x):
    return x if x.is_complex() else torch.complex(x, torch.zeros_like(x))


@of_complex("linalg_inv.default", "inverse.default")
def inv(x):
    return _extract(torch.linalg.inv(_embed(x)), x.shape[-1])


@of_complex("linalg_inv_ex.default")
def inv_ex(x, *, check_errors=False):
    inverse, info = torch.linalg.inv_ex(_embed(x))
    return _extract(inverse, x.shape[-1]), info


@of_complex("linalg_solve.default")
def solve(A, B, *, left=True):
    return _solve_embedded(torch.linalg.solve, A, B, left)


@of_complex("linalg_solve_ex.default")
def solve_ex(A, B, *, left=True, check_errors=False):
    infos = []

    def solve(x, right):
        solved, info = torch.linalg.solve_ex(x, right)
        infos.append(info)
        return solved

    return _solve_embedded(solve, A, B, left), infos[0]


def _solve_embedded(solve, A, B, left):
    A, B = _as_complex(A), _as_complex(B)
    vectors = B.dim() == 1 or (B.dim() == A.dim() - 1 and B.shape == A.shape[:-1])
    right = B.unsqueeze(-1) if vectors else B
    if not left:
        A, right = A.mT, right.mT
    solved = _extract(solve(_embed(A), _embed(right)), A.shape[-1])
    solved = solved if left else solved.mT
    return solved.squeeze(-1) if vectors else solved


@of_complex("linalg_solve_triangular.default")
def solve_triangular(A, B, *, upper, left=True, unitriangular=False):
    A = A.triu() if upper else A.tril()
    if unitriangular:
        unit = torch.eye(A.shape[-1], dtype=torch.bool)
        A = torch.where(unit, 1.0, A)
    return _solve_embedded(torch.linalg.solve, A, B, left)


@of_complex("linalg_matrix_exp.default")
def matrix_exp(x):
    return _extract(torch.linalg.matrix_exp(_embed(x)), x.shape[-1])


@of_complex("linalg_svdvals.default")
def svdvals(x, *, driver=None):
    """The singular values of the real matrix come in pairs."""
    return torch.linalg.svdvals(_embed(x))[..., ::2]


@of_complex("linalg_eigvalsh.default")
def eigvalsh(x, UPLO="L"):
    """From one half of the matrix."""
    return torch.linalg.eigvalsh(_embed(_hermitian(x, UPLO)))[..., ::2]


@of_complex("cholesky_solve.default")
def cholesky_solve(B, L, upper=False):
    lower = (L.mH if upper else L).tril()
    half = _solve_embedded(torch.linalg.solve, lower, B, True)
    return _solve_embedded(torch.linalg.solve, lower.mH, half, True)


@of_complex("cholesky_inverse.default")
def cholesky_inverse(L, upper=False):
    unit = torch.eye(L.shape[-1], dtype=L.dtype).expand(L.shape)
    return cholesky_solve(unit, L, upper)
