# ===- test_drawn_routes.py - Routes as they are in production -------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The properties of the generators of routes."""

import pytest

torch = pytest.importorskip("torch")

from dyn.models import routes
from dyn.models.routes import Traffic

LAYOUT = 64, 128


@pytest.mark.parametrize("case", routes.CASES)
def test_choices(case):
    """Sizes, range and seeds."""
    routers = [((3, 5), 4), ((7,), 1), ((0,), 3), (LAYOUT, 64)]
    drawn = routes.for_routers(case, routers, seed=5)
    for choice, (layout, paths) in zip(drawn, routers):
        assert choice.dtype is torch.int64 and tuple(choice.shape) == layout
        assert ((choice >= -1) & (choice < paths)).all()
    again, other = (routes.for_routers(case, routers, seed) for seed in (5, 6))
    assert all(torch.equal(a, b) for a, b in zip(drawn, again))
    assert not torch.equal(drawn[-1], other[-1])


def test_loads_of_cases():
    hottest = {
        case: routes.hottest_over_mean(routes.CASES[case](LAYOUT, 64, 1), 64)
        for case in routes.CASES
    }
    assert hottest["uniform"] < 1.4
    assert 22 < hottest["skewed"] < 26
    assert hottest["one path"] == 64
    eight = routes.skewed(LAYOUT, 8, hottest=3)
    assert 2.8 < routes.hottest_over_mean(eight, 8) < 3.2
    # No path gets more than half of the cells.
    assert routes.loads(routes.skewed(LAYOUT, 4), 4).max() < 0.55 * 64 * 128
    counts = routes.loads(routes.some_empty(LAYOUT, 64), 64)
    assert int((counts == 0).sum()) == 32 and counts.sum() == 64 * 128
    assert (routes.some_empty((9,), 1) == -1).all()


def test_several_paths_differ():
    for draw in (routes.uniform, routes.skewed):
        ids = draw((50,), 8, k=3).sort(-1).values
        assert ids.shape == (50, 3) and (ids[:, 1:] != ids[:, :-1]).all()


def test_popularity():
    """Popularity falls as a power of the rank, in a different order for each layer."""
    traffic = Traffic(paths=64, layers=3, exponent=1.2)
    ranked = [traffic.popularity(layer).sort(descending=True).values for layer in range(3)]
    assert float(ranked[0][0] / ranked[0][7]) == pytest.approx(8**1.2, rel=1e-4)
    assert all(torch.allclose(ranked[0], other) for other in ranked)
    hottest = {int(traffic.popularity(layer).argmax()) for layer in range(3)}
    assert len(hottest) > 1
    choices = Traffic(paths=128, layers=1, exponent=1.4, tilt=0).draw(*LAYOUT)
    assert 24 < routes.hottest_over_mean(choices[0], 128) < 64


@pytest.mark.parametrize("stay", (0.0, 0.8))
def test_blocks(stay):
    """Tokens stay in their block from layer to layer with the given probability, in
    addition to those that return by chance."""
    traffic = Traffic(paths=32, layers=3, exponent=0.0, tilt=0.0, stay=stay)
    drawn = traffic.draw(*LAYOUT)
    for layer, (before, after) in enumerate(zip(drawn, drawn[1:])):
        inside = traffic.block_of(layer)[before] == traffic.block_of(layer + 1)[after]
        share = float(inside.float().mean())
        assert share == pytest.approx(stay + (1 - stay) / traffic.blocks, abs=0.03)
    table = routes.transitions(drawn[0], drawn[1], 32)
    assert table.sum() == 64 * 128
    same = traffic.block_of(0)[:, None] == traffic.block_of(1)[None, :]
    assert float(table[same].sum() / table.sum()) == pytest.approx(
        stay + (1 - stay) / traffic.blocks, abs=0.03
    )


def test_topics():
    """Sequences differ more than parts of one sequence."""

    def spread(tilt):
        (choices,) = Traffic(paths=16, layers=1, tilt=tilt, exponent=0.8).draw(32, 512)
        loads = torch.stack([routes.loads(sequence, 16) for sequence in choices]).float()
        return float((loads.std(0) / loads.mean(0).clamp(min=1)).mean())

    assert spread(1.0) > 2 * spread(0.0)


def test_drift():
    """Without drift, time changes nothing; with it, ranks move by the given amount."""
    still = Traffic(paths=32, layers=1)
    assert torch.equal(still.popularity(0), still.popularity(0, time=5))
    moving = Traffic(paths=32, layers=1, drift=2.0)
    order = moving.popularity(0).argsort(descending=True)
    assert moving.popularity(0, time=1).argmax() == order[2]
    assert moving.popularity(0, time=3.5).argmax() == order[7]
    now, soon, later = (moving.popularity(0, time) for time in (0, 0.1, 1))
    assert (now - soon).abs().sum() < (now - later).abs().sum()
    assert torch.allclose(later.sum(), torch.tensor(1.0))


def test_several_choices():
    drawn = Traffic(paths=16, layers=2, k=2).draw(4, 8, seed=1)
    assert [tuple(choice.shape) for choice in drawn] == [(4, 8, 2)] * 2
    assert all((choice[..., 0] != choice[..., 1]).all() for choice in drawn)
    with pytest.raises(ValueError, match="expected 4 equal blocks of at least 3 of 8 paths"):
        Traffic(paths=8, layers=1, k=3)


def test_published_loads():
    for paths, counts in (*routes.LIVE_SR_MOST.items(), *routes.LIVE_SR_LEAST.items()):
        choices = routes.of_loads(counts, seed=3)
        assert len(counts) == paths and tuple(routes.loads(choices, paths)) == counts
        assert not torch.equal(choices, choices.sort().values)


def test_exits():
    for shares in routes.MSDNET_EXITS:
        assert sum(shares) == pytest.approx(1)
        left = torch.bincount(routes.exits(shares, 10), minlength=5) / 10
        assert left.tolist() == pytest.approx(shares, abs=1e-6)
    assert routes.exits((0.5, 0.5), 1).shape == (1,)


def test_doors():
    """Gates are mostly predictable, as published."""
    drawn = torch.stack(routes.doors(300, 500))
    often = (drawn == 0).float().mean(1)
    assert 0.8 < float(torch.maximum(often, 1 - often).mean()) < 0.95
    assert set(drawn.unique().tolist()) == {-1, 0}
    # Gates drawn again for the same model are open as often.
    again = (torch.stack(routes.doors(300, 500, seed=1)) == 0).float().mean(1)
    assert float((again - often).abs().max()) < 0.15
