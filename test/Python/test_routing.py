# ===- test_routing.py - Routes in eager PyTorch ---------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The semantics of routes, compared with loops over cells, and each message."""

import pytest

torch = pytest.importorskip("torch")

import dyn


def ids(*paths):
    return torch.tensor(paths)


# ----------------------------------------------------------------------------
# Cells
# ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sizes, dims, shape, cells",
    [((2, 5, 8), (0, 1), None, (10, 8)),
     ((2, 5, 8), (1, 0), (1, 2), (5, 2, 8)),
     ((2, 3, 8, 12), (0, 2, 3), (1, 4, 4), (12, 3, 4, 4)),
     ((2, 3, 8, 12), (0, -2, -1), None, (192, 3)),
     ((6, 4), (0,), (3,), (2, 3, 4)),
     ((0, 5, 8), (0, 1), None, (0, 8))],
)  # fmt: skip
def test_cells(sizes, dims, shape, cells):
    x = torch.randn(*sizes)
    found = dyn.annotate(x, dims, shape)
    assert found.rows.shape == cells
    assert torch.equal(found.join(), x) and torch.equal(dyn.join(found, found.rows), x)


def test_order_of_cells():
    x = torch.arange(2 * 1 * 4 * 6).reshape(2, 1, 4, 6)
    rows = dyn.annotate(x, (0, 2, 3), (1, 2, 3)).rows
    assert torch.equal(rows[1], x[0, :, :2, 3:]) and torch.equal(rows[4], x[1, :, :2, :3])


def test_other_contents():
    image = dyn.annotate(torch.randn(1, 3, 8, 8), (0, 2, 3), (1, 4, 4))
    assert image.join(torch.zeros(4, 5, 8, 2)).shape == (1, 5, 16, 4)
    tokens = dyn.annotate(torch.randn(2, 5, 8), (0, 1))
    assert tokens.join(torch.zeros(10)).shape == (2, 5)
    assert tokens.join(torch.zeros(10, 3, 4)).shape == (2, 5, 3, 4)
    with pytest.raises(ValueError, match="expected cells of 3 axes, found 1: only cells of one"):
        image.join(torch.zeros(4, 7))


def test_wrong_cells():
    x = torch.zeros(4, 6)
    with pytest.raises(ValueError, match=r"a size of cells for each of the axes \(0, 1\), found"):
        dyn.annotate(x, (0, 1), (1,))
    with pytest.raises(ValueError, match="expected different axes and sizes of at least 1"):
        dyn.annotate(x, (0, 0))
    with pytest.raises(ValueError, match="expected different axes and sizes of at least 1"):
        dyn.annotate(x, (0,), (0,))
    with pytest.raises(ValueError, match=r"expected an axis in \[-2, 1\], found 2"):
        dyn.annotate(x, (2,))
    with pytest.raises(RuntimeError, match="expected whole cells along each axis"):
        dyn.annotate(x, (0,), (3,))


# ----------------------------------------------------------------------------
# Routes
# ----------------------------------------------------------------------------


def expected_rows(choices, paths, capacity=None, priorities=None):
    """For each path the flat indices of its choices, by loops."""
    cells = range(len(choices))
    if priorities is not None:
        cells = sorted(cells, key=lambda c: -priorities[c])
    rows = [[] for _ in range(paths)]
    for cell in cells:
        for slot, path in enumerate(choices[cell]):
            if path >= 0 and (capacity is None or len(rows[path]) < capacity):
                rows[path].append(cell * len(choices[cell]) + slot)
    return rows


@pytest.mark.parametrize("capacity", [None, 0, 1, 3])
@pytest.mark.parametrize("prioritized", [False, True])
@pytest.mark.parametrize("cells, k", [(0, 2), (1, 1), (9, 1), (13, 3)])
def test_routes(cells, k, prioritized, capacity):
    torch.manual_seed(cells)
    choices = torch.randint(-1, 4, (cells, k))
    # Among equal priorities, the first cell comes first.
    priorities = torch.randint(0, 3, (cells,)).float() if prioritized else None
    router = dyn.Router(lambda rows: (choices, None, priorities), 4, capacity=capacity)
    routes = router(torch.zeros(cells, 2))
    rows = expected_rows(choices.tolist(), 4, capacity, prioritized and priorities.tolist() or None)
    assert routes.counts().tolist() == [len(r) for r in rows]
    flat = sum(rows, [])
    assert routes.order.tolist() == flat + [-1] * (cells * k - len(flat))
    paths = [path for path, r in enumerate(rows) for _ in r]
    assert routes.row_paths().tolist() == paths + [0] * (cells * k - len(flat))
    for cell, seats in enumerate(routes.seats.tolist()):
        own = [row for row, number in enumerate(flat) if number // k == cell]
        assert seats == own + [-1] * (k - len(own))


def test_masks_are_choices():
    mask = torch.tensor([[True, False, True], [False, False, False], [True, True, True]])
    routes = dyn.Router(lambda rows: mask, 3)(torch.zeros(3, 1))
    assert routes.counts().tolist() == [2, 1, 2]
    assert routes.order[:5].tolist() == [0, 6, 7, 2, 8]


@pytest.mark.parametrize("capacity, rows", [(2, 2), (1.0, 3), (0.3, 1), (lambda n: n // 3, 4)])
def test_capacity(capacity, rows):
    """12 cells on one of four paths."""
    router = dyn.Router(lambda x: torch.zeros(12).long(), 4, capacity=capacity)
    assert router(torch.zeros(12, 1)).counts().tolist() == [rows, 0, 0, 0]


# ----------------------------------------------------------------------------
# Switches
# ----------------------------------------------------------------------------


def test_combine():
    x = torch.tensor([[1.0], [2.0], [3.0]])
    choices, weights = ids([0, 1], [1, -1], [-1, -1]), torch.tensor([[2.0, 3], [5, 7], [1, 1]])
    routes = dyn.Router(lambda rows: (choices, weights), 2)(x)
    branches = [lambda r: r * 10, lambda r: -r]
    for combine, result in (("sum", [17, -10, 0]), ("last", [-1, -2, 0]), ("max", [10, -2, 0])):
        assert dyn.switch(routes, x, branches, combine).flatten().tolist() == result
        result[2] = 3
        assert dyn.switch(routes, x, branches, combine, default=x).flatten().tolist() == result


def test_branches_without_rows_are_not_called():
    routes = dyn.routers.Label(2)(torch.ones(3, 1), ids(1, 1, 1))
    dyn.switch(routes, torch.ones(3, 1), [lambda r: 1 / 0, torch.neg])


def test_structures():
    x = dyn.annotate(torch.ones(2, 3, 4), (0, 1))
    routes = dyn.routers.Label(2)(x, torch.tensor([0, 1, 1, 0, -1, 1]))
    same = [lambda a, b: {"a": a, "b": b}] * 2
    result = dyn.switch(routes, (x, torch.zeros(6)), same)
    assert result["a"].join().shape == (2, 3, 4) and result["b"].join().shape == (2, 3)


def test_gradients():
    torch.manual_seed(0)
    x = torch.randn(5, 3, dtype=torch.double, requires_grad=True)
    scores = torch.randn(3, 2, dtype=torch.double, requires_grad=True)

    def model(x, scores):
        routes = dyn.routers.TopK(lambda rows: rows @ scores, 2, k=2)(x)
        return dyn.switch(routes, x, [torch.sin, torch.exp])

    assert torch.autograd.gradcheck(model, (x, scores))


def test_wrong_switches():
    x = torch.ones(3, 2)
    routes = dyn.routers.Label(2)(x, ids(0, 1, 1))
    with pytest.raises(ValueError, match="expected 2 branches, found 1"):
        dyn.switch(routes, x, [torch.sin])
    with pytest.raises(ValueError, match=r"path 1: expected rows of \[2\] torch.float32, found"):
        dyn.switch(routes, x, [torch.sin, lambda r: r[:, :1]])
    with pytest.raises(ValueError, match="path 1: expected results"):
        dyn.switch(routes, x, [torch.sin, lambda r: (r, r)])
    with pytest.raises(RuntimeError, match="expected a row for each row of the path"):
        dyn.switch(routes, x, [torch.sin, lambda r: r[:1]])
    with pytest.raises(ValueError, match="expected 'sum', 'last' or 'max', found 'mean'"):
        dyn.switch(routes, x, [torch.sin] * 2, combine="mean")
    with pytest.raises(ValueError, match="default: expected 1 tensors, found 2"):
        dyn.switch(routes, x, [torch.sin] * 2, default=(x, x))
    with pytest.raises(ValueError, match=r"default: expected cells of \[2\], found \[1\]"):
        dyn.switch(routes, x, [torch.sin] * 2, default=x[:, :1])
    with pytest.raises(TypeError, match="expected floats to sum, found torch.int64"):
        dyn.switch(routes, x.long(), [torch.neg] * 2)


# ----------------------------------------------------------------------------
# Routers
# ----------------------------------------------------------------------------


def test_top_k():
    scores = torch.tensor([[1.0, 3, 2], [0, -1, 4]])
    routes = dyn.routers.TopK(lambda rows: scores, 3, k=2, normalize=True)(torch.zeros(2, 1))
    assert routes.counts().tolist() == [1, 1, 2]
    top = scores.softmax(-1).topk(2).values
    torch.testing.assert_close(routes.weights, top / top.sum(-1, keepdim=True))
    with pytest.raises(ValueError, match=r"expected k in \[1, 3\], found 4"):
        dyn.routers.TopK(None, 3, k=4)
    with pytest.raises(ValueError, match="expected 'softmax', 'sigmoid' or None, found 'relu'"):
        dyn.routers.TopK(None, 3, weights="relu")


def test_integers():
    x = torch.zeros(6, 1)
    hashed = dyn.routers.Hash(4)(x, torch.tensor([5, 5, -3, 2**40, 6, 7]))
    assert hashed.counts().sum() == 5
    many = dyn.routers.Hash(4)(torch.zeros(4000, 1), torch.arange(4000)).counts()
    assert many.min() > 800
    tasks = dyn.routers.Task(3, table=[2, 2, 0])(x, torch.tensor([0, 1, 2, -1, 2, 2]))
    assert tasks.counts().tolist() == [3, 0, 2]
    assert dyn.routers.Task(3)(x, torch.tensor([0, 3, 4, 5, -1, 7])).counts().tolist() == [2, 2, 1]


WRONG = {
    "rank": (lambda x: torch.zeros(3, 2, 2).long(), r"expected ids \[N\] or \[N, k\] or a mask"),
    "floats": (lambda x: x, r"or a mask \[N, P\] of a router, found \[3, 2\] torch.float32"),
    "mask": (lambda x: x > 0, "expected a mask of 4 paths of a router, found 2"),
    "weights": (lambda x: (ids(0, 1, 2), x), r"expected weights of \[3, 1\], as choices"),
    "priorities": (lambda x: (ids(0, 1, 2), None, x), r"expected priorities \[N\] of a router"),
    "results": (lambda x: (x,) * 4, "expected choices, weights and priorities of a router, found 4"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_routers(name):
    function, message = WRONG[name]
    with pytest.raises(ValueError, match=message):
        dyn.Router(function, 4)(torch.ones(3, 2))


def test_wrong_choices():
    with pytest.raises(ValueError, match="expected at least one path, found 0"):
        dyn.Router(None, 0)
    with pytest.raises(RuntimeError, match="expected choices of a router for each cell"):
        dyn.Router(lambda x: ids(0, 1), 2)(torch.ones(3, 2))
    with pytest.raises(IndexError, match=r"expected paths in \[-1, 1\], found 0 to 2"):
        dyn.Router(lambda x: ids(0, 2), 2)(torch.ones(2, 2))


# ----------------------------------------------------------------------------
# Record and replay
# ----------------------------------------------------------------------------


def test_replay():
    torch.manual_seed(0)
    x, scores = torch.randn(6, 3), torch.randn(6, 4)
    router = dyn.routers.TopK(lambda rows: scores, 4, k=2, capacity=2, priority=True)
    branches = [torch.sin, torch.exp, torch.neg, torch.tanh]
    with dyn.record() as choices:
        expected = dyn.switch(router(x), x, branches)
    assert len(choices) == 1 and (choices[0] == -1).any(), "what capacity dropped"
    with dyn.replay(choices):
        assert torch.equal(dyn.switch(router(x), x, branches), expected)
    with dyn.replay([ids(0, 0, 1, 1, 3, -1)]), dyn.record() as again:
        routes = router(x)
    assert routes.counts().tolist() == [2, 2, 0, 1] and again[0].flatten().tolist()[:2] == [0, 0]
    torch.testing.assert_close(routes.weights[:5, 0], scores.softmax(-1)[range(5), [0, 0, 1, 1, 3]])


def test_wrong_replay():
    router, x = dyn.routers.Label(2), torch.ones(1, 1)
    with pytest.raises(ValueError, match="expected 2 calls of routers to replay, found 1"):
        with dyn.replay([ids(0), ids(0)]):
            router(x, ids(0))
    with pytest.raises(ValueError, match="there are choices for 1 calls of routers, and one more"):
        with dyn.replay([ids(0)]):
            router(x, ids(0)), router(x, ids(0))


def test_names():
    assert {"annotate", "Router", "switch", "routers"} <= set(dir(dyn))
    with pytest.raises(AttributeError, match="module 'dyn' has no attribute 'rooter'"):
        dyn.rooter
