# ===- voice.py - Speech of a random length --------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A text-to-speech model: the duration of each sound is drawn from a distribution that
depends on the text, so all later sizes are data-dependent."""

import numpy
import torch
from torch import nn

from models.business.model import Business

SOUNDS, WIDTH, HEADS, BANDS = 40, 32, 2, 20
LONGEST = 12


class Block(nn.Module):
    """Attention and convolutions along the sounds, or along the frames."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.spread = nn.Conv1d(WIDTH, 2 * WIDTH, 9, padding=4)
        self.out = nn.Conv1d(2 * WIDTH, WIDTH, 1)
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(2))

    def forward(self, x):
        x = self.norms[0](x + self.attention(x, x, x, need_weights=False)[0])
        y = self.out(nn.functional.relu(self.spread(x.transpose(1, 2))))
        return self.norms[1](x + y.transpose(1, 2))


class Guess(nn.Module):
    """One number for each sound."""

    def __init__(self):
        super().__init__()
        self.along = nn.Conv1d(WIDTH, WIDTH, 3, padding=1)
        self.norm = nn.LayerNorm(WIDTH)
        self.out = nn.Linear(WIDTH, 1)

    def forward(self, x):
        x = nn.functional.relu(self.along(x.transpose(1, 2))).transpose(1, 2)
        return self.out(self.norm(x))[..., 0]


class Residual(nn.Module):
    """Convolutions with growing dilation."""

    def __init__(self, channels):
        super().__init__()
        self.along = nn.ModuleList(
            nn.Conv1d(channels, channels, 3, padding=far, dilation=far) for far in (1, 3, 5)
        )

    def forward(self, x):
        for along in self.along:
            x = x + along(nn.functional.leaky_relu(x, 0.1))
        return x


class Vocoder(nn.Module):
    """16 samples for each frame."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(BANDS, 32, 7, padding=3)
        self.up = nn.ModuleList(
            nn.ConvTranspose1d(channels, channels // 2, 8, stride=4, padding=2)
            for channels in (32, 16)
        )
        self.residuals = nn.ModuleList(Residual(channels) for channels in (16, 8))
        self.last = nn.Conv1d(8, 1, 7, padding=3)

    def forward(self, x):
        x = self.first(x)
        for up, residual in zip(self.up, self.residuals):
            x = residual(up(nn.functional.leaky_relu(x, 0.1)))
        return torch.tanh(self.last(nn.functional.leaky_relu(x, 0.1)))[:, 0]


class Voice(nn.Module):
    def __init__(self):
        super().__init__()
        self.sounds = nn.Embedding(SOUNDS, WIDTH)
        self.reader = nn.Sequential(Block(), Block())
        self.length, self.spread, self.pitch = Guess(), Guess(), Guess()
        self.pitches = nn.Linear(1, WIDTH)
        self.speaker = nn.Sequential(Block(), Block())
        self.bands = nn.Linear(WIDTH, BANDS)
        self.vocoder = Vocoder()

    def forward(self, sounds, noise, pace):
        """`noise` is the random part of each sound's duration."""
        x = self.reader(self.sounds(sounds)[None])
        lengths = 1 + self.length(x) + torch.exp(self.spread(x)) * noise
        lengths = (torch.exp(lengths) * pace).ceil().clamp(1, LONGEST).to(torch.int64)
        x = x + self.pitches(self.pitch(x)[..., None])
        x = torch.repeat_interleave(x, lengths[0], dim=1)
        bands = self.bands(self.speaker(x))
        return self.vocoder(bands.transpose(1, 2)), lengths


def request(rng):
    sounds = rng.integers(0, SOUNDS, rng.integers(1, 65))
    return {
        "sounds": sounds,
        "noise": rng.standard_normal(sounds.size, "float32"),
        "pace": rng.uniform(0.5, 2, 1).astype("float32"),
    }


VOICE = Business(
    name="voice",
    module=Voice,
    request=request,
    axes={"sounds": (0,), "noise": (0,)},
    results=("wave", "lengths"),
    example={
        "sounds": numpy.arange(7),
        "noise": numpy.zeros(7, "float32"),
        "pace": numpy.ones(1, "float32"),
    },
)
