# ===- test_random.py - Random numbers of PyTorch models -------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws have PyTorch's distributions, repeat with a seed and differ without."""

import math

import pytest

torch = pytest.importorskip("torch")

import dyn


class Draws(torch.nn.Module):
    def forward(self, p):
        rows = p.shape[0]
        return {
            "even": torch.rand(rows, 100),
            "again": torch.rand_like(p),
            "normal": torch.randn(rows, 100),
            "like": torch.randn_like(p),
            "coins": torch.bernoulli(p),
            "one": torch.multinomial(p, 1, replacement=True),
            "three": torch.multinomial(p, 3),
            "whole": torch.randint(-1, 3, (rows, 10)),
            "whole_like": torch.randint_like(p, 2, dtype=torch.int32),
            "order": torch.randperm(rows),
            "waits": torch.empty_like(p).exponential_(2.0),
        }


P = torch.tensor([0.0, 0.1, 0.2, 0.0, 0.7, 0.4]).repeat(20000, 1)


@pytest.fixture(scope="module")
def draws():
    rows = {"p": {0: torch.export.Dim.DYNAMIC}}
    return dyn.compile(Draws(), args=(P[:3],), dynamic_shapes=rows)


def close(found, expected):
    assert torch.allclose(found, torch.as_tensor(expected), atol=0.02), (found, expected)


def test_distributions(draws):
    found = draws(P)
    for name in ("even", "again"):
        close(found[name].mean(), 0.5)
        close(found[name].var(), 1 / 12)
        assert 0 <= found[name].min() and found[name].max() < 1
    for name in ("normal", "like"):
        close(found[name].mean(), 0.0)
        close(found[name].var(), 1.0)
    close(found["coins"].mean(0), P[0])
    close((found["whole"] + 1).flatten().bincount(minlength=4) / found["whole"].numel(), 0.25)
    close(found["whole_like"].flatten().bincount(minlength=2) / P.numel(), 0.5)
    close(found["waits"].mean(), 0.5)
    close((found["waits"] > 1).float().mean(), math.exp(-2))
    assert found["waits"].min() > 0
    assert torch.equal(found["order"].sort().values, torch.arange(len(P)))
    close(found["order"][: len(P) // 2].float().mean() / len(P), 0.5)
    assert set(found["coins"].unique().tolist()) == {0.0, 1.0}


def test_draws_by_weight(draws):
    found = draws(P)
    weights = P[0] / P[0].sum()
    close(found["one"].flatten().bincount(minlength=6) / len(P), weights)
    three = found["three"]
    close(three[:, 0].bincount(minlength=6) / len(P), weights)
    assert not torch.isin(three, torch.tensor([0, 3])).any()
    assert all(len(set(row)) == 3 for row in three.tolist())
    # The second draw, from the remaining elements, where the first was the heaviest.
    left = three[three[:, 0] == 4, 1].bincount(minlength=6)
    rest = weights.clone()
    rest[4] = 0
    close(left / left.sum(), rest / rest.sum())


def test_draws_differ_from_one_another(draws):
    found = draws(P[:50])
    assert not torch.equal(found["even"][:, :6], found["again"])
    assert not torch.equal(found["normal"][:, :6], found["like"])


def test_calls_repeat_with_their_seed(draws):
    (port,) = draws.artifact.inputs
    first, same, other = (
        draws.artifact.run({port.name: P[:5].numpy()}, seed=seed) for seed in (1, 1, 2)
    )
    assert all((a == b).all() for a, b in zip(first, same))
    assert not (first["even"] == other["even"]).all()


def test_calls_have_seeds_of_pytorch(draws):
    def numbers(seed=None):
        if seed is not None:
            torch.manual_seed(seed)
        return draws(P[:5])["even"]

    first = numbers(7)
    assert not torch.equal(first, numbers()) and torch.equal(first, numbers(7))


def test_calls_without_draws_leave_the_generator():
    class Double(torch.nn.Module):
        def forward(self, x):
            return x * 2

    model = dyn.compile(Double(), args=(P[:3],))
    state = torch.get_rng_state()
    model(P[:3])
    assert torch.equal(state, torch.get_rng_state())


def test_several_draws_with_replacement_are_refused():
    class Several(torch.nn.Module):
        def forward(self, p):
            return torch.multinomial(p, 2, replacement=True)

    with pytest.raises(dyn.UnsupportedError, match="samples without replacement, or a single one"):
        dyn.compile(Several(), args=(P[:3],))
