# ===- factor_cases.py - Matrix factorisations -----------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix factorisations, and functions based on them (see op_cases.py). Vectors whose signs
are not specified are compared by their outer products."""

import torch
from op_cases import cases, family, floats


@family(
    "factors",
    [(3, 5), (1, 1), (2, 9), (0, 3), (2, 0)],
    {"a": {0: "rows", 1: "n", 2: "n"}, "z": {0: "rows", 1: "n", 2: "n"}},
)
def factors(n, m):
    a = floats(n, m, m)
    return {"a": a, "z": torch.complex(a, floats(n, m, m))}


@family(
    "tall_factors",
    [(3, 5), (1, 4), (2, 9), (0, 6)],
    {"a": {0: "rows", 1: "n", 2: "n"}, "t": {0: "rows", 1: "n"}},
)
def tall_factors(n, m):
    return {"a": floats(n, m, m), "t": floats(n, m, 3)}


def _composed(left, values, right):
    return (left * values.unsqueeze(-2)) @ right


def _svd(a, full=False):
    left, values, right = torch.linalg.svd(a, full_matrices=full)
    count = values.shape[-1]
    unit = left.mT @ left, right @ right.mT
    return _composed(left[..., :count], values, right[..., :count, :]), values, unit


def _eigh(a, half="L"):
    values, basis = torch.linalg.eigh(a, half)
    return _composed(basis, values, basis.mT), values


def _lu_solve(a, t, **how):
    packed, pivots = torch.linalg.lu_factor(a)
    return torch.linalg.lu_solve(packed, pivots, t, **how)


def _reflectors(a, t):
    """Reflectors in LAPACK's layout: vectors below the diagonal."""
    factors = 2 / (1 + a.tril(-1).abs().square().sum(-2))
    factors = factors.to(a.dtype)
    turned = torch.ormqr(a, factors, t), torch.ormqr(a, factors, t, transpose=True)
    right = torch.ormqr(a, factors, t.mT, left=False)
    return torch.linalg.householder_product(a, factors), turned, right


def _complex(t):
    return torch.complex(t, 1 - t * t)


def _positive(z):
    return z @ z.mH + 2 * torch.eye(z.shape[-1])


cases(
    factors,
    lu=lambda a, **_: torch.linalg.lu(a),
    lu_unpack=lambda a, **_: torch.lu_unpack(*torch.linalg.lu_factor(a)),
    lu_info=lambda a, **_: torch.linalg.lu_factor_ex(a * 0)[2],
    svd=lambda a, **_: _svd(a),
    eigenvalues=lambda a, **_: _eigh(a),
    eigenvalues_upper=lambda a, **_: _eigh(a, "U"),
    exponential=lambda a, **_: torch.linalg.matrix_exp(a),
    inverse_info=lambda a, **_: torch.linalg.inv_ex(a),
    cholesky_inverse=lambda a, **_: torch.cholesky_inverse(a.tril() / 9 + torch.eye(a.shape[-1])),
    complex_lu=lambda z, **_: torch.linalg.lu(z),
    complex_lu_unpack=lambda z, **_: torch.lu_unpack(*torch.linalg.lu_factor(z)),
    complex_determinant=lambda z, **_: (torch.linalg.det(z), torch.linalg.det(z * 0)),
    complex_logarithm=lambda z, **_: (torch.linalg.slogdet(z), torch.logdet(z)),
    complex_cholesky=lambda z, **_: torch.linalg.cholesky(_positive(z)),
    complex_cholesky_upper=lambda z, **_: torch.linalg.cholesky(_positive(z), upper=True),
    complex_inverse=lambda z, **_: torch.linalg.inv(_positive(z)),
    complex_exponential=lambda z, **_: torch.linalg.matrix_exp(z / 4),
    complex_solve=lambda z, a, **_: torch.linalg.solve(_positive(z), a + 0j),
    complex_triangle=lambda z, a, **_: torch.linalg.solve_triangular(
        _positive(z), a + 1j, upper=True
    ),
)
cases(
    tall_factors,
    lu_solve=lambda a, t, **_: _lu_solve(a, t),
    lu_solve_adjoint=lambda a, t, **_: _lu_solve(a, t, adjoint=True),
    lu_solve_right=lambda a, t, **_: _lu_solve(a, t.mT, left=False),
    qr=lambda t, **_: torch.linalg.qr(t),
    qr_wide=lambda t, **_: torch.linalg.qr(t.mT),
    qr_complete=lambda t, **_: torch.linalg.qr(t, "complete"),
    qr_upper=lambda t, **_: torch.linalg.qr(t, "r")[1],
    reflectors=lambda a, t, **_: _reflectors(a, t),
    complex_lu_solve=lambda a, t, **_: _lu_solve(_complex(a), _complex(t)),
    complex_lu_solve_adjoint=lambda a, t, **_: _lu_solve(_complex(a), _complex(t), adjoint=True),
    complex_lu_solve_right=lambda a, t, **_: [
        _lu_solve(_complex(a), _complex(t).mT, left=False, adjoint=adjoint)
        for adjoint in (False, True)
    ],
    complex_qr=lambda t, **_: torch.linalg.qr(_complex(t)),
    complex_reflectors=lambda a, t, **_: _reflectors(_complex(a), _complex(t)),
    svd_of_few=lambda t, **_: _svd(t, full=True),
    svd_of_rank_one=lambda t, **_: _svd(t[..., :1] @ t[..., :1].mT)[:2],
    singular_values=lambda t, **_: torch.linalg.svdvals(t.mT),
    rank=lambda t, **_: torch.linalg.matrix_rank(t @ t.mT),
    pseudoinverse=lambda t, **_: torch.linalg.pinv(t),
)
