# ===- complex_cases.py - Complex numbers to compare with eager PyTorch ----===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families of operators (see op_cases.py) on complex numbers, which models split into parts
before they return them."""

import torch
import torch.nn.functional as F
from op_cases import ROWS, SIZES, cases, family, floats


def parts(z):
    return torch.view_as_real(z)


def complex_cases(owner, **functions):
    """Cases that make complex numbers z and w of x and y."""
    for name, function in functions.items():
        owner.cases[name] = lambda self, x, y, _function=function: parts(
            _function(torch.complex(x, y), torch.complex(y, x - 0.5), x)
        )


@family("complex", SIZES, {"x": ROWS, "y": ROWS})
def numbers(n, m):
    return {"x": floats(n, m), "y": floats(n, m, low=0.5)}


complex_cases(
    numbers,
    add=lambda z, w, x: z + w + x,
    sub=lambda z, w, x: x - z - 2 * w,
    scalars=lambda z, w, x: (z * 1j + (2 - 1j)) / 4 - w / (1 + 1j) + 3,
    mul=lambda z, w, x: z * w * x,
    square=lambda z, w, x: z.square() + torch.add(z, w, alpha=2),
    div=lambda z, w, x: z / w + z / (x + 9) + x / w,
    reciprocal=lambda z, w, x: 1 / z + z.reciprocal(),
    neg=lambda z, w, x: -z,
    exp=lambda z, w, x: z.exp(),
    conj=lambda z, w, x: z.conj() * w.conj().resolve_conj(),
    polar=lambda z, w, x: torch.polar(x.abs(), x),
    doubles=lambda z, w, x: z.to(torch.complex128) * 1j,
    from_real=lambda z, w, x: x.to(torch.complex64) * z,
    where=lambda z, w, x: torch.where(x > 0, z, w),
    where_real=lambda z, w, x: torch.where(x > 0, z, x),
    where_integers=lambda z, w, x: torch.where(x > 0, z, x.long()),
    where_numbers=lambda z, w, x: torch.where(x > 0, z, 2.0) + torch.where(x > 0, 1j, w),
    cat=lambda z, w, x: torch.cat([z, w, torch.zeros_like(z)], 1),
    cat_types=lambda z, w, x: torch.cat([z, x.long(), x > 0, x]),
    sum_types=lambda z, w, x: torch.sum(x.long(), dtype=z.dtype) + (x > 0).sum(0, dtype=z.dtype),
    div_zero=lambda z, w, x: z / torch.zeros_like(z),
    div_infinite=lambda z, w, x: z / torch.complex(x - x + float("inf"), x),
    stack=lambda z, w, x: torch.stack([z, w], 1).transpose(0, 2).flatten(),
    moved=lambda z, w, x: z.t()[:, None].expand(-1, 3, -1).flip(2),
    parts=lambda z, w, x: torch.stack(z[:, None].repeat(1, 4, 1).split([1, 3], 1)[1].unbind(1)[:2]),
    padded=lambda z, w, x: F.pad(z, (1, 2)) + F.pad(w, (2, 1), value=1.5),
    triangle=lambda z, w, x: z.tril() + w.triu(1),
    sum=lambda z, w, x: z.sum(0) + w.sum(),
    cumsum=lambda z, w, x: z.cumsum(1),
    matmuls=lambda z, w, x: z @ w.T + z @ x.T.to(z.dtype),
    batches=lambda z, w, x: z[None] @ w.T[None],
)
cases(
    numbers,
    abs=lambda x, y: torch.complex(x, y).abs() + torch.complex(1e30 * x, 1e30 * y).abs() / 1e30,
    abs_infinite=lambda x, y: torch.complex(x / 0, x * float("nan")).abs(),
    angle=lambda x, y: torch.complex(x, y).angle(),
    real=lambda x, y: torch.complex(x, y).real + torch.complex(x, y).imag,
)


class Held(torch.nn.Module):
    """Complex constants of a model: positions as angles, and a few numbers."""

    def __init__(self):
        super().__init__()
        angles = torch.outer(torch.arange(64.0), torch.tensor([1.0, 0.1, 0.01]))
        self.register_buffer("turns", torch.polar(torch.ones_like(angles), angles))
        self.register_buffer("few", torch.tensor([1 + 2j, -1j, 0.5]))

    def forward(self, x):
        z = torch.view_as_complex(x.unflatten(-1, (3, 2)))
        return parts(z * self.turns[: x.shape[0], None] + self.few.conj()).flatten(2)


@family("complex_held", [(3, 4), (1, 1), (40, 2)], {"x": {0: "rows", 1: "columns"}})
def held(n, m):
    return {"x": floats(n, m, 6)}


held.module = Held()
held.cases["turned"] = lambda self, x: self.module(x)

#: Along both axes, one of which is static.
WAVES = [(12, 6), (1, 6), (2, 6), (7, 6), (31, 6)]


@family("fourier", WAVES, {"x": {0: "rows"}, "y": {0: "rows"}})
def fourier(n, m):
    return {"x": floats(n, m), "y": floats(n, m)}


complex_cases(
    fourier,
    fft=lambda z, w, x: torch.fft.fft(z, dim=0),
    fft_known=lambda z, w, x: torch.fft.fft(z),
    fft_real=lambda z, w, x: torch.fft.fft(x, norm="ortho"),
    ifft=lambda z, w, x: torch.fft.ifft(z, dim=0),
    fft2=lambda z, w, x: torch.fft.fft2(z, norm="forward"),
    rfft=lambda z, w, x: torch.fft.rfft(x, dim=0),
    rfft2=lambda z, w, x: torch.fft.rfft2(x, norm="ortho"),
    # Of known lengths, real numbers are transformed by halves from 16 on.
    halves=lambda z, w, x: torch.fft.rfft(x, n=16),
    halves_odd=lambda z, w, x: torch.fft.rfft(x, n=17, norm="forward"),
    halves_all=lambda z, w, x: torch.fft.fft(x.T.contiguous().T, n=45),
    stft=lambda z, w, x: torch.stft(x, 4, 2, return_complex=True),
    frames=lambda z, w, x: torch.stft(
        x[0], 6, 1, win_length=4, window=torch.hann_window(4), center=False, normalized=True,
        onesided=False, return_complex=True,
    ),
)  # fmt: skip
cases(
    fourier,
    irfft=lambda x, y: torch.fft.irfft(torch.complex(x, y)),
    irfft_odd=lambda x, y: torch.fft.irfft(torch.complex(x, y), n=11, norm="ortho"),
    filtered=lambda x, y: torch.fft.irfft2(torch.fft.rfft2(x) * torch.fft.rfft2(y), s=x.shape),
    back=lambda x, y: torch.fft.irfft(torch.fft.rfft(x, dim=0), n=x.shape[0], dim=0),
)


@family("spectra", [(2, 200), (1, 64), (3, 333)], {"x": {0: "rows", 1: "samples"}})
def spectra(n, m):
    return {"x": floats(n, m)}


def _there_and_back(x):
    window = torch.hann_window(16)
    return torch.istft(torch.stft(x, 16, 4, window=window, return_complex=True), 16, 4,
                       window=window)  # fmt: skip


cases(spectra, there_and_back=_there_and_back)
