# ===- test_fallback.py - Graphs and calls that are left to PyTorch --------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(backend="dyn") never fails where PyTorch does not: what dyn refuses,
PyTorch's own code computes, after one warning."""

import collections
import copy
import pathlib
import sys
import threading
import warnings

import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import dyn
import dyn.frontend.torch
from closeness import assert_close
from dyn.frontend.torch import backend, fallback, statistics
from torch.utils import _pytree as pytree


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    torch.manual_seed(0)
    yield
    torch._dynamo.reset()


class Since:
    """The difference of :func:`statistics` since the test began."""

    def __init__(self):
        self._before = statistics()

    def __getattr__(self, name):
        return getattr(statistics(), name) - getattr(self._before, name)


@pytest.fixture
def since():
    return Since()


@pytest.fixture
def said():
    """The warnings of the test, as they are issued."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield _Messages(caught)


class _Messages:
    def __init__(self, caught):
        self._caught = caught

    def __call__(self):
        own = [w for w in self._caught if issubclass(w.category, dyn.FallbackWarning)]
        assert all(w.filename == __file__ for w in own), "a warning is about the caller's line"
        return [str(w.message) for w in own]


def compiled(function, **options):
    return torch.compile(function, backend="dyn", dynamic=True, **options)


def memory(tensors):
    """Which of some tensors share memory."""
    found = [x.untyped_storage().data_ptr() for x in tensors]
    return [[i == j for j in found] for i in found]


def _copied(x):
    """A copy with the same strides and a storage of its own."""
    if not isinstance(x, torch.Tensor) or type(x) is Subclass or x.device.type != "cpu":
        return x
    whole = x.as_strided((x.untyped_storage().nbytes() // x.element_size(),), (1,), 0).clone()
    return whole.as_strided(x.shape, x.stride(), x.storage_offset())


def _strides(x):
    """The strides of axes longer than 1."""
    return [s for n, s in zip(x.shape, x.stride()) if n > 1] if x.numel() else None


def check(fast, function, *args):
    """Results, their memory layout and the inputs after the call are PyTorch's."""
    own = tuple(map(_copied, args))
    found, expected = (args, fast(*args)), (own, function(*own))
    assert pytree.tree_structure(found) == pytree.tree_structure(expected)
    pairs = list(zip(pytree.tree_leaves(found), pytree.tree_leaves(expected)))
    tensors = [(a, b) for a, b in pairs if isinstance(b, torch.Tensor)]
    for a, b in tensors:
        assert type(a) is type(b) and a.device == b.device
        assert a.requires_grad == b.requires_grad
    dense = [(a, b) for a, b in tensors if b.layout == torch.strided and b.device.type == "cpu"]
    for a, b in dense:
        assert _strides(a) == _strides(b)
    assert memory(a for a, _ in dense) == memory(b for _, b in dense)
    assert_close([a.detach() for a, _ in dense], [b.detach() for _, b in dense], "results")
    assert [a for a, b in pairs if not isinstance(b, torch.Tensor)] == [
        b for _, b in pairs if not isinstance(b, torch.Tensor)
    ]


# ----------------------------------------------------------------------------
# Graphs
# ----------------------------------------------------------------------------


class Subclass(torch.Tensor):
    pass


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(()))

    def forward(self, x):
        return x + self.count.add_(1)


def _nothing(x):
    return x + 1


#: Functions that only PyTorch computes, an input, and a part of the warning.
GRAPHS = {
    "operator": (lambda x: torch.linalg.ldl_factor(x)[0], torch.eye(3),
                 r"aten\.linalg_ldl_factor_ex\.default \(test_fallback\.py:\d+ in <lambda>\): operator is not"),
    "several": (lambda x: torch.linalg.ldl_factor(x)[0] + torch.linalg.eigvals(x).real.sum(), torch.eye(3),
                r"(?s)linalg_ldl_factor.*\n.*linalg_eig"),
    "training": (torch.nn.BatchNorm1d(4), torch.randn(3, 4), "changes its buffer .*num_batches"),
    "dropout": (lambda x: torch.nn.functional.dropout(x, 0.5) * 0, torch.ones(3), "eval"),
    "buffer": (Counter(), torch.randn(3, 4), "the model changes its buffer"),
    "meta input": (_nothing, torch.ones(3, device="meta"), "on the device 'cpu', found 'meta'"),
    "meta inside": (lambda x: (x + 1, x.to("meta")), torch.ones(3),
                    r"^PyTorch computes a graph instead of dyn: to \(test_fallback\.py:\d+ in <l.*"
                    "expected a tensor on the device 'cpu', found 'meta'"),
    "subclass": (_nothing, torch.ones(3).as_subclass(Subclass), "plain tensor, found a Subclass"),
    "other type": (lambda x: x.view(torch.int32), torch.ones(3), "a view that keeps the type"),
    "data": (lambda x: x.data.add_(1) * 2, torch.ones(3), "PyTorch cannot export the model"),
    "offsets": (lambda x: x.t().as_strided((2,), (2,)) + 1, torch.ones(3, 3),
               r"as_strided \(test_f.*expected a tensor that lies in memory in the order of its"),
}  # fmt: skip


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_stay_with_pytorch(name, said, since):
    function, x, message = GRAPHS[name]
    fast = compiled(function, fullgraph=True)
    own = copy.deepcopy(function)
    with torch.no_grad():
        for _ in range(3):
            check(fast, own, x)
    (found,) = said()
    assert pytest.raises(ValueError, match=message).matches(ValueError(found))
    assert since.pytorch_graphs == 1 and since.pytorch_calls == 3 and since.calls == 0
    assert found.endswith(tuple(statistics().reasons))


def test_strict_graphs():
    function, x, message = GRAPHS["operator"]
    with pytest.raises(Exception, match=message):
        compiled(function, options={"strict": True})(x)


def test_errors_of_dyn_leave_a_graph(monkeypatch, said):
    """Any failure: here of the importer, and of the compiler."""
    monkeypatch.setitem(dyn.frontend.torch.registry._OPS, "aten.sin.default", lambda b, x: int(""))
    check(compiled(torch.sin), torch.sin, torch.ones(3))
    monkeypatch.setenv("DYN_COMPILE", "/bin/false")
    check(compiled(torch.cos), torch.cos, torch.ones(3))
    monkeypatch.setenv("DYN_COMPILE", "/nowhere")
    check(compiled(torch.tan), torch.tan, torch.ones(3))
    first, second, third = said()
    assert "ValueError: invalid literal" in first and "while dyn imported aten.sin" in first
    assert "CompileError" in second
    assert "NotFoundError: DYN_COMPILE names '/nowhere'" in third


def test_options_are_checked():
    with pytest.raises(Exception, match="options: expected .*strict.*, found strickt"):
        compiled(torch.sin, options={"strickt": True})(torch.ones(3))


def test_modes_mean_nothing():
    check(compiled(torch.sin, mode="reduce-overhead"), torch.sin, torch.ones(3))


def test_errors_of_pytorch_are_its_own(since):
    def function(x, i):
        return torch.linalg.ldl_factor(x)[0][i]

    fast = compiled(function)
    check(fast, function, torch.eye(3), torch.tensor([1]))
    with pytest.raises(IndexError, match="index 5 is out of bounds") as info:
        fast(torch.eye(3), torch.tensor([5]))
    assert isinstance(info.value.__cause__, dyn.UnsupportedError)
    assert "linalg_ldl_factor" in str(info.value.__cause__)


# ----------------------------------------------------------------------------
# Calls
# ----------------------------------------------------------------------------


def _refusing(monkeypatch, error, when=lambda flat: True):
    """Makes artifacts refuse calls; returns how often they did."""
    run, refused = dyn.frontend.torch.Model.run_flat, []

    def refuse(self, flat):
        if when(flat):
            torch.rand(1)
            refused.append(error)
            raise error
        return run(self, flat)

    monkeypatch.setattr(dyn.frontend.torch.Model, "run_flat", refuse)
    return refused


def test_calls_stay_with_pytorch(monkeypatch, said, since):
    """Inputs are unchanged, and random numbers are those that PyTorch draws."""

    def function(x):
        return torch.rand_like(x) + x.add_(1)

    fast = compiled(function)
    fast(torch.zeros(3))
    refused = _refusing(monkeypatch, dyn.OutOfMemoryError("no memory"), lambda x: len(x[0]) < 6)
    for size in (3, 4, 6):
        x, own = torch.zeros(size), torch.zeros(size)
        torch.manual_seed(7)
        found = fast(x)
        torch.manual_seed(7)
        expected = function(own)
        assert torch.equal(x, own) and (size == 6 or torch.equal(found, expected))
    assert said() == ["PyTorch computes a call instead of dyn: OutOfMemoryError: no memory"]
    assert len(refused) == since.pytorch_calls == 2 and since.calls == 2
    assert since.compilations == 1 and since.pytorch_graphs == 0


def test_other_sizes_are_other_artifacts(monkeypatch, said, since):
    """For sizes that an artifact refuses, another one is compiled."""
    fast = compiled(torch.sin)
    fast(torch.ones(3))
    refused = _refusing(monkeypatch, dyn.DataError("Eq(Mod(x_d0, 3), 0)"), lambda x: len(x[0]) > 8)
    check(fast, torch.sin, torch.ones(9))
    assert since.pytorch_calls == 1 and len(refused) == 1


def test_graphs_whose_calls_are_refused_stay(monkeypatch, said, since):
    fast = compiled(torch.sin)
    fast(torch.ones(3))
    refused = _refusing(monkeypatch, dyn.DataError("the data"))
    calls = backend._MOST_REFUSALS + 3
    for _ in range(calls):
        check(fast, torch.sin, torch.ones(3))
    assert len(refused) == backend._MOST_REFUSALS and since.pytorch_calls == calls
    assert said() == [f"PyTorch computes a {what} instead of dyn: DataError: the data"
                      for what in ("call", "graph")]  # fmt: skip
    assert since.compilations == 1 and since.pytorch_graphs == 1


def test_errors_of_calls_are_pytorchs(since):
    """dyn's own error is the cause."""

    def function(x, i):
        return x[i] * 2

    fast = compiled(function)
    x = torch.randn(5, 2)
    check(fast, function, x, torch.tensor([1, 4]))
    for _ in range(2 * backend._MOST_REFUSALS):
        with pytest.raises(IndexError, match="index 7 is out of bounds") as info:
            fast(x, torch.tensor([1, 7]))
        assert isinstance(info.value.__cause__, dyn.DataError)
    check(fast, function, x, torch.tensor([1, 2]))
    assert since.calls == 2 and since.compilations == 1


def test_strict_calls():
    def function(x, i):
        return x[i] * 2

    fast = compiled(function, options={"strict": True})
    fast(torch.ones(3), torch.tensor([1]))
    with pytest.raises(dyn.DataError):
        fast(torch.ones(3), torch.tensor([4]))


def _squeezed(x, y):
    return x.reshape(y.shape[0], -1) + y


def test_guards_of_later_sizes(said, since):
    fast = compiled(_squeezed)
    for x, y in [((4, 6), (3, 8)), ((2, 5), (2, 5)), ((6, 1), (2, 1)), ((4, 9), (12, 3))]:
        check(fast, _squeezed, torch.randn(x), torch.randn(y))
    assert not said() and since.pytorch_calls == 0


# ----------------------------------------------------------------------------
# Inputs
# ----------------------------------------------------------------------------

STRIDED = {
    "contiguous": lambda b: torch.randn(b, 16, 9),
    "rows": lambda b: torch.randn(b * 288 + 7)[: b * 288].as_strided((b, 16, 9), (288, 9, 1)),
    "transposed": lambda b: torch.randn(b, 9, 16).transpose(1, 2),
    "columns": lambda b: torch.randn(b, 16, 18)[..., ::2],
    "expanded": lambda b: torch.randn(1, 16, 1).expand(b, 16, 9),
    "permuted": lambda b: torch.randn(16, b, 9).permute(1, 0, 2),
    "later": lambda b: torch.randn(b + 1, 16, 9)[1:],
    "flipped": lambda b: torch.randn(9, 16, b).permute(2, 1, 0),
}


FIRST = [pytest.param(n, marks=[] if n == "transposed" else [pytest.mark.full]) for n in STRIDED]


@pytest.mark.parametrize("first", FIRST)
def test_strides_of_inputs(first, full, said, since):
    """One artifact serves all."""

    def function(key):
        parts = key.reshape(key.shape[0], 8, -1)
        return parts + 1, key.sum(1)

    fast = compiled(function)
    with torch._dynamo.config.patch(recompile_limit=64):
        for size in (2, 3, 1, 7) if full else (2, 1):
            for name in [first, *STRIDED]:
                check(fast, function, STRIDED[name](size))
    assert not said() and since.compilations == 1


def test_strides_are_numbers(said):
    def function(x):
        return x * x.stride(0) + x.storage_offset()

    fast = compiled(function)
    for x in (torch.ones(3, 4), torch.ones(4, 3).t(), torch.ones(5, 4)):
        check(fast, function, x)
    assert not said()


def test_positions_in_memory(said, since):
    """Elements of the storage that the input does not contain."""

    def function(x):
        return x.as_strided((2, 3), (1, 2)) * 2

    fast = compiled(function)
    for x in (torch.randn(4, 4), torch.randn(6, 4)):
        check(fast, function, x)
    assert not said() and since.calls == 2
    whole = torch.randn(9, 4)
    assert_close(fast(whole[2:8]), function(whole[2:8]), "a part")
    assert_close(fast(whole[:1]), function(whole[:1]), "beyond the input")
    assert "positions in memory" in said()[0]


def _add(x, y):
    x.add_(1)
    return y * 2


SHARED = {
    "apart": (lambda: torch.zeros(4, 3).split(2), True),
    "overlapping": (lambda: (lambda b: (b[:2], b[1:]))(torch.zeros(3, 3)), False),
    "interleaved": (lambda: (lambda b: (b[::2], b[1::2]))(torch.zeros(4, 3)), False),
    "one": (lambda: (torch.zeros(2, 3),) * 2, True),
}


@pytest.mark.parametrize("name", SHARED)
def test_changed_inputs_that_share_memory(name, said, since):
    make, is_ours = SHARED[name]
    fast = compiled(_add)
    fast(torch.zeros(2, 3), torch.ones(2, 3))
    args, own = make(), make()
    assert torch.equal(fast(*args), _add(*own))
    assert torch.equal(args[0], own[0]) and torch.equal(args[1], own[1])
    assert since.calls == 1 + is_ours
    assert len(said()) == 1 - is_ours and all("shares memory" in m for m in said())


def test_repeated_inputs_do_not_change():
    """They are an error, as in PyTorch."""
    fast = compiled(_add)
    with pytest.raises(RuntimeError, match="more than one element") as info:
        fast(torch.zeros(1, 3).expand(2, 3), torch.ones(2, 3))
    assert isinstance(info.value.__cause__, dyn.Error)


# ----------------------------------------------------------------------------
# Results
# ----------------------------------------------------------------------------

Pair = collections.namedtuple("Pair", "first second")


#: Functions of complex tensors [n, 4].
COMPLEX = {
    "input": lambda x: x.abs() * x.shape[0],
    "output": lambda x: (x * x.shape[0], x.conj() + 1j),
    "transposed": lambda x: (x * 2).t(),
    "views": lambda x: (lambda y: (y, y[0], x.t()))(x + 1),
    "repeated": lambda x: (x + 1)[None].expand(3, -1, -1),
    "changed": lambda x: x.mul_(2j),
    "real": lambda x: (
        torch.zeros_like(x, dtype=torch.float64),
        torch.full_like(x, 2, dtype=torch.float32),
        x.new_ones(x.shape[0], dtype=torch.int64),
    ),
}


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_numbers(name, said, since):
    function = COMPLEX[name]
    fast = compiled(function)
    for x in (torch.randn(3, 4), torch.randn(4, 5).t(), torch.randn(1, 4)):
        check(fast, function, torch.complex(x, x + 1))
    assert not said() and since.pytorch_calls == 0
    # Such numbers have a lazy conjugation.
    x = torch.complex(torch.randn(3, 4), torch.ones(3, 4))
    assert_close(fast(x.clone().conj()), function(x.conj().clone()), name)


def _base(x):
    y = x + 1
    return y, y.t(), y[0], y


#: Functions of [n, 4] whose results share memory, or have another memory order.
RESULTS = {
    "views of an input": lambda x: (x.t(), x[1:], x + 1),
    "the input": lambda x: (x, x * 2),
    "views of a result": _base,
    "parts": lambda x: (x @ torch.ones(4, 6)).chunk(2, -1),
    "a part": lambda x: (x @ torch.ones(4, 6)).chunk(2, -1)[1],
    "columns": lambda x: (x * 2)[:, :2],
    "transposed": lambda x: (x * 2).t(),
    "repeated": lambda x: x.sum(0)[None].expand(x.shape[0], 5, -1),
    "last": lambda x: (x[:, None, :, None].repeat(1, 2, 1, 3) * 2).permute(0, 2, 3, 1),
    "changed": lambda x: x.add_(1).t(),
    "changed view": lambda x: (x[1:].mul_(2), x.sum()),
    "nothing new": lambda x: (x.t(), x[1:]),
    "numbers": lambda x: (x + 1, x.shape[0] * 2, None, x.sum(), True),
    "named": lambda x: Pair(x + 1, {"a": x.t() * 2, "b": [x.mean()]}),
    "of no axis": lambda x: x.sum() * 2,
    "overlapping": lambda x: (x * 2).unfold(1, 2, 1),
}


@pytest.mark.parametrize("name", RESULTS)
def test_memory_of_results(name, said, since):
    function = RESULTS[name]
    fast = compiled(function)
    for rows in (3, 5, 8, 1):
        check(fast, function, torch.randn(rows, 4))
    assert not said() and since.pytorch_calls == 0


def test_views_of_results_go_on():
    """Operations on the memory of PyTorch's results work on these, too."""

    def function(x):
        y = (x * 2).t()
        stride = y.stride(1)
        torch._dynamo.graph_break()
        return y.t().view(-1), torch.as_strided(y, (2, 2), (1, stride))

    fast = compiled(function)
    for rows in (3, 5):
        check(fast, function, torch.randn(rows, 4))


def test_results_of_an_operator_that_share_memory():
    """The tensor that they are views of is none of the graph: they have memory of their
    own."""

    def function(x):
        return torch.unravel_index(x, (4, 5))

    fast = compiled(function)
    for rows in (3, 1, 5):
        x = torch.arange(rows)[:, None]
        assert_close(fast(x), function(x), str(rows))


def test_rows_do_not_keep_a_tensor():
    found = compiled(lambda x: (x * 2)[:, 0])(torch.randn(3, 400, 300))
    assert found.untyped_storage().nbytes() == 3 * 300 * 4


# ----------------------------------------------------------------------------
# Gradients
# ----------------------------------------------------------------------------


def _gradients(function, module, x):
    module.zero_grad()
    x = x.clone().requires_grad_()
    function(x).square().sum().backward()
    return [x.grad, *(p.grad for p in module.parameters())]


def _network():
    return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3))


def test_gradients(said, since):
    """Results of dyn have PyTorch's; once they are computed, PyTorch runs the graph."""
    model, x = _network(), torch.randn(5, 4)
    fast = compiled(model)
    for _ in range(3):
        assert fast(x).requires_grad
    assert since.calls == 3 and not said()
    for _ in range(3):
        assert_close(_gradients(fast, model, x), _gradients(model, model, x), "gradients")
    assert since.calls == 4 and since.pytorch_calls == 2
    assert len(said()) == 1 and "gradients of the graph are asked for" in said()[0]


def test_training_compiles_once(since):
    model = _network()
    fast = compiled(model)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(5):
        optimizer.zero_grad()
        fast(torch.randn(5, 4)).square().sum().backward()
        optimizer.step()
    assert since.compilations == 1


def test_second_gradients():
    def second(function):
        x = torch.ones(2, 4, requires_grad=True)
        (first,) = torch.autograd.grad(function(x).pow(3).sum(), x, create_graph=True)
        return first, *torch.autograd.grad(first.sin().sum(), x)

    model = _network()
    found, expected = second(compiled(model)), second(model)
    assert_close([x.detach() for x in found], [x.detach() for x in expected], "gradients")


def test_results_without_gradients():
    def function(x, y):
        z = x * y
        with torch.no_grad():
            w = z * 2
        return z, w, z.argmax(), z.t(), x.detach()

    x, y = torch.randn(3, 4, requires_grad=True), torch.randn(3, 4)
    found, expected = compiled(function)(x, y), function(x, y)
    assert [r.requires_grad for r in found] == [r.requires_grad for r in expected]
    found[3].sum().backward()
    assert torch.equal(x.grad, y)


def test_autocast_of_gradients():
    model, x = torch.nn.Linear(4, 3), torch.randn(5, 4)
    fast = compiled(model)

    def cast(x):
        with torch.autocast("cpu", torch.bfloat16):
            return fast(x)

    def expected(x):
        with torch.autocast("cpu", torch.bfloat16):
            return model(x)

    found = _gradients(cast, model, x)
    assert_close(found, _gradients(expected, model, x), "gradients", 2e-2)


def test_random_numbers_and_gradients(said):
    """The gradients would be those of other numbers."""
    x = torch.ones(3, requires_grad=True)
    result = compiled(lambda x: x * torch.rand_like(x))(x)
    result.sum().backward()
    assert torch.equal(result, x.grad)
    assert "gradients of a graph that draws random numbers" in said()[0]


def test_transforms_and_modes():
    from torch.autograd import forward_ad
    from torch.utils.flop_counter import FlopCounterMode

    def function(x):
        return (x.sin() @ x.t()).sum()

    fast, x = compiled(function), torch.randn(3, 3)
    fast(x)
    assert_close(torch.func.grad(fast)(x), torch.func.grad(function)(x), "grad")
    assert_close(torch.func.vmap(fast)(x[None]), torch.func.vmap(function)(x[None]), "vmap")
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, torch.ones(3, 3))
        assert_close(forward_ad.unpack_dual(fast(dual)), forward_ad.unpack_dual(function(dual)), "")
    with FlopCounterMode(display=False) as counter:
        fast(x)
    assert counter.get_total_flops() == 54


# ----------------------------------------------------------------------------
# Bounds
# ----------------------------------------------------------------------------


def test_limit_of_graphs(said, since):
    """PyTorch's limit; beyond it models run without dyn."""

    def function(x, times):
        return (x + 1).repeat(times)

    fast = torch.compile(function, backend="dyn", dynamic=False)
    with torch._dynamo.config.patch(recompile_limit=2):
        for size in range(2, 6):
            check(fast, function, torch.ones(size), 2)
    (message,) = said()
    assert "PyTorch has made 2 graphs of function (" in message and __file__ in message
    assert since.limited == 1 and since.graphs == 2 and since.calls == 2


def test_parameters_that_always_change(monkeypatch, said, since):
    monkeypatch.setattr(backend, "_MOST_VARIANTS", 2)
    model = torch.nn.Linear(4, 3)
    fast = compiled(model)
    with torch.no_grad():
        for _ in range(4):
            check(fast, model, torch.randn(2, 4))
            model.weight.add_(1)
    assert since.compilations == 2 and since.pytorch_calls == 2
    assert len(said()) == 1 and "have changed 2 times" in said()[0]


def test_reasons_are_bounded():
    counts = fallback.Counts()
    for i in range(3 * fallback._MOST_REASONS):
        counts.add(f"reason {i}", calls=1)
    sums, reasons = counts.read()
    assert sums["calls"] == 3 * fallback._MOST_REASONS == sum(reasons.values())
    assert len(reasons) == fallback._MOST_REASONS + 1


def test_messages_that_differ_in_sizes_are_one(said):
    warned = fallback.Warned()
    for text in ("s72 is (a.py:3 in f)", "s3 is (a.py:3 in f)", "s3 is (a.py:4 in f)"):
        warned.warn(text)
    assert said() == ["s72 is (a.py:3 in f)", "s3 is (a.py:4 in f)"]


def test_many_threads(said, since):
    """Concurrent threads make a graph each."""

    def function(x):
        return torch.linalg.ldl_factor(x)[0] + x.shape[0]

    refused = compiled(function, recompile_limit=64)
    taken = compiled(lambda x: x @ x + x.shape[0], recompile_limit=64)
    failures = []

    def work(seed):
        try:
            for size in (3, 1, 4):
                x = torch.eye(size) * (seed + 1)
                assert_close(refused(x), function(x), "refused")
                assert_close(taken(x), x @ x + size, "taken")
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert since.calls == since.pytorch_calls == 12
    assert len(said()) == 1
