# ===- speech.py - A Conformer and a transducer ----------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A speech recogniser: a Conformer encoder, and a transducer that is decoded greedily. The
number of the decoder's steps depends on the speech."""

import math

import numpy
import torch
from torch import nn

from models.business.model import Business, repeat

BANDS, WIDTH, HEADS, LAYERS, WORDS = 20, 32, 4, 2, 30
#: Maximum number of tokens per frame.
MOST = 3


class RelativeAttention(nn.Module):
    """Attention by content and by relative position, as in Transformer-XL."""

    def __init__(self):
        super().__init__()
        self.project = nn.Linear(WIDTH, 3 * WIDTH)
        self.distances = nn.Linear(WIDTH, WIDTH, bias=False)
        self.content_bias = nn.Parameter(0.1 * torch.randn(HEADS, 1, WIDTH // HEADS))
        self.distance_bias = nn.Parameter(0.1 * torch.randn(HEADS, 1, WIDTH // HEADS))
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x, positions, mask):
        batch, frames, _ = x.shape
        split = (batch, frames, HEADS, WIDTH // HEADS)
        query, key, value = (
            part.reshape(split).transpose(1, 2) for part in self.project(x).chunk(3, -1)
        )
        far = self.distances(positions).reshape(1, 2 * frames - 1, HEADS, WIDTH // HEADS)
        far = (query + self.distance_bias) @ far.permute(0, 2, 3, 1)
        # Row i holds distances i - (frames - 1) .. i: each row moves by one.
        far = nn.functional.pad(far, (1, 0)).reshape(batch, HEADS, 2 * frames, frames)
        far = far[:, :, 1:].reshape(batch, HEADS, frames, 2 * frames - 1)[..., :frames]
        near = (query + self.content_bias) @ key.transpose(-2, -1)
        scores = (near + far) / math.sqrt(WIDTH // HEADS)
        scores = scores.masked_fill(~mask[:, None, None], -1e9).softmax(-1)
        return self.out((scores @ value).transpose(1, 2).reshape(batch, frames, WIDTH))


class Convolutions(nn.Module):
    """The convolution module of a Conformer."""

    def __init__(self):
        super().__init__()
        self.spread = nn.Conv1d(WIDTH, 2 * WIDTH, 1)
        self.along = nn.Conv1d(WIDTH, WIDTH, 15, padding=7, groups=WIDTH)
        self.norm = nn.BatchNorm1d(WIDTH)
        self.out = nn.Conv1d(WIDTH, WIDTH, 1)

    def forward(self, x, mask):
        x = nn.functional.glu(self.spread(x.transpose(1, 2)), 1)
        x = self.along(x * mask[:, None])
        return self.out(nn.functional.silu(self.norm(x))).transpose(1, 2)


def feed_forward():
    return nn.Sequential(
        nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 2 * WIDTH), nn.SiLU(), nn.Linear(2 * WIDTH, WIDTH)
    )


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.after = feed_forward(), feed_forward()
        self.attention, self.convolutions = RelativeAttention(), Convolutions()
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(3))

    def forward(self, x, positions, mask):
        x = x + self.before(x) / 2
        x = x + self.attention(self.norms[0](x), positions, mask)
        x = x + self.convolutions(self.norms[1](x), mask.to(x.dtype))
        return self.norms[2](x + self.after(x) / 2)


class Encoder(nn.Module):
    """One frame per four, each attending to its whole sentence."""

    def __init__(self):
        super().__init__()
        self.halve = nn.ModuleList(
            nn.Conv2d(channels, 8, 3, stride=2, padding=1) for channels in (1, 8)
        )
        self.inside = nn.Linear(8 * BANDS // 4, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))

    def forward(self, sound, lengths):
        x = sound[:, None]
        for halve in self.halve:
            x = nn.functional.relu(halve(x))
            lengths = (lengths + 1) // 2
        x = self.inside(x.transpose(1, 2).flatten(2))
        frames = x.shape[1]
        mask = torch.arange(frames)[None] < lengths[:, None]
        rates = torch.exp(torch.arange(0, WIDTH, 2) * (-math.log(1e4) / WIDTH))
        angles = torch.arange(frames - 1, -frames, -1)[:, None] * rates.to(x.dtype)
        positions = torch.cat([angles.sin(), angles.cos()], -1)
        for block in self.blocks:
            x = block(x, positions, mask)
        return x, lengths


class Recogniser(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.predictor = nn.GRUCell(WIDTH, WIDTH)
        self.joint = nn.Linear(WIDTH, WORDS)
        # Silence, token 0, is as likely as all others.
        self.joint.bias.data[0] += 1.3

    def step(self, frames, lengths, at, said, count, state, words, score):
        """One step of each sentence at its frame: a token, or the next frame."""
        batch, most, _ = frames.shape
        running = at < lengths
        here = at.clamp(max=most - 1)[:, None, None].expand(batch, 1, WIDTH)
        joint = self.joint(torch.tanh(frames.gather(1, here)[:, 0] + state))
        best, word = joint.log_softmax(-1).max(-1)
        speaks = running & (word != 0)
        position = torch.arange(MOST * most)[None] == count[:, None]
        words = torch.where(position & speaks[:, None], word[:, None], words)
        state = torch.where(speaks[:, None], self.predictor(self.words(word), state), state)
        said = said + speaks.to(torch.int64)
        leaves = running & (~speaks | (said == MOST))
        at = at + leaves.to(torch.int64)
        said = torch.where(leaves, 0, said)
        score = score + torch.where(running, best, 0.0)
        return at, said, count + speaks.to(torch.int64), state, words, score

    def forward(self, sound, lengths):
        frames, lengths = self.encoder(sound, lengths)
        batch, most, _ = frames.shape
        none = torch.zeros(batch, dtype=torch.int64)
        start = self.predictor(torch.zeros_like(frames[:, 0]))
        words = torch.zeros(batch, MOST * most, dtype=torch.int64)
        score = torch.zeros_like(frames[:, 0, 0])
        _, _, count, _, words, score = repeat(
            lambda at, *rest: (at < lengths).any(),
            lambda *state: self.step(frames, lengths, *state),
            (none, none.clone(), none.clone(), start, words, score),
        )
        return words, count, score, frames


def request(rng):
    lengths = rng.integers(9, 161, rng.integers(1, 5))
    sound = rng.standard_normal((lengths.size, lengths.max(), BANDS), "float32")
    return {"sound": sound, "lengths": lengths}


SPEECH = Business(
    name="speech",
    module=Recogniser,
    request=request,
    axes={"sound": (0, 1), "lengths": (0,)},
    results=("words", "count", "score", "frames"),
    example={"sound": numpy.ones((3, 50, BANDS), "float32"), "lengths": numpy.array([50, 9, 33])},
    write=Business.export,
)
