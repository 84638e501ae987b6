# ===- equation_cases.py - Matrices to compare with eager PyTorch ----------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of linear algebra (see op_cases.py)."""

import torch
from op_cases import cases, family, floats


@family(
    "equations",
    [(3, 5), (1, 1), (2, 17), (0, 3)],
    {"a": {0: "rows", 1: "n", 2: "n"}, "p": {0: "rows", 1: "n", 2: "n"},
     "r": {0: "rows", 1: "n"}, "v": {0: "rows", 1: "n"}},
)  # fmt: skip
def equations(n, m):
    """A matrix without a dominant diagonal, a positive definite one, and right-hand
    matrices."""
    a = floats(n, m, m) + 2 * torch.eye(m).flip(0)
    return {"a": a, "p": a @ a.mT + torch.eye(m), "r": floats(n, m, 3), "v": floats(n, m)}


def _triangular(x, right, **how):
    return torch.linalg.solve_triangular(x, right, **how)


cases(
    equations,
    inverse=lambda a, **_: torch.inverse(a),
    inverse_double=lambda a, **_: torch.linalg.inv(a.double()),
    solve=lambda a, r, **_: torch.linalg.solve(a, r),
    solve_right=lambda a, r, **_: torch.linalg.solve(a, r.mT, left=False),
    solve_vectors=lambda a, v, **_: torch.linalg.solve(a, v),
    solve_one=lambda r, **_: torch.linalg.solve(torch.tensor([[0.0, 2], [1, 1]]), r[:, :1, :2].mT),
    determinant=lambda a, **_: torch.linalg.det(a),
    determinant_zero=lambda a, **_: torch.det(a * 0),
    slogdet=lambda a, **_: torch.linalg.slogdet(a),
    logdet=lambda p, **_: torch.logdet(p),
    logdet_negative=lambda a, **_: torch.logdet(a * 0 - torch.ones(1, 1)).isnan(),
    cholesky=lambda p, **_: torch.linalg.cholesky(p),
    cholesky_upper=lambda p, **_: torch.linalg.cholesky(p, upper=True),
    cholesky_solve=lambda p, r, **_: torch.cholesky_solve(r, torch.linalg.cholesky(p)),
    cholesky_solve_upper=lambda p, r, **_: torch.cholesky_solve(r, p / 9 + 1, upper=True),
    lower=lambda p, r, **_: _triangular(p, r, upper=False),
    upper=lambda p, r, **_: _triangular(p, r, upper=True),
    lower_right=lambda p, r, **_: _triangular(p, r.mT, upper=False, left=False),
    upper_right=lambda p, r, **_: _triangular(
        p / 9, r.mT, upper=True, left=False, unitriangular=True
    ),
)
