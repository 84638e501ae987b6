# ===- test_backend.py - torch.compile on dyn ------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(backend="dyn")."""

import concurrent.futures
import gc
import pathlib
import sys
import threading

import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import dyn
import dyn.frontend.torch
from closeness import assert_close
from dyn.frontend.torch import statistics
from dyn.frontend.torch.sharing import Case


class Layer(torch.nn.Module):
    """A graph with a parameter, a buffer, a float and sizes."""

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)
        self.register_buffer("shift", torch.arange(4.0))
        self.scale = 0.5

    def forward(self, x, mask=None):
        y = self.linear(x) * self.scale + self.shift
        y = y.view(x.shape[0] * x.shape[1], 4).softmax(0).view(x.shape)
        return y if mask is None else y * mask.unsqueeze(-1)


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@pytest.fixture
def made():
    """Counts since the test began: (compilations, artifacts in use)."""
    gc.collect()
    before = statistics()

    def count():
        now = statistics()
        alive = {id(a) for a in now.artifacts} - {id(a) for a in before.artifacts}
        return now.compilations - before.compilations, len(alive)

    return count


def check(compiled, model, *args):
    with torch.no_grad():
        assert_close(compiled(*args), model(*args), str([tuple(a.shape) for a in args]))


def test_threads_compile_one_function(recwarn, made):
    """Each thread has its own torch.compile of the function, and all meet in one cache."""
    model = Layer()
    gate = threading.Barrier(8)

    def work(rows):
        gate.wait()
        # Dynamo counts the graphs of all of them together.
        compiled = torch.compile(model, backend="dyn", dynamic=True, recompile_limit=64)
        for columns in (2, 5):
            check(compiled, model, torch.randn(rows, columns, 4))

    # No two sizes are equal: PyTorch makes another graph, with one symbol, for those that are.
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(6, 14)))
    # One of them compiled it, and none ran without dyn.
    assert made() == (1, 1)
    assert not [warning for warning in recwarn if "without dyn" in str(warning.message)]


def test_exports_in_one_thread():
    """Compiled graphs that other threads run during an export take no part in it."""
    seen = []

    class Asks(torch.nn.Module):
        def forward(self, x):
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                seen.append(pool.submit(torch.compiler.is_exporting).result())
            seen.append(torch.compiler.is_exporting())
            return x + 1

    assert dyn.compile(Asks(), args=(torch.ones(3),))(torch.ones(5)).tolist() == [2] * 5
    assert seen == [False, True]
    assert not torch.compiler.is_exporting()


def test_is_registered():
    assert "dyn" in torch._dynamo.list_backends()
    project = (pathlib.Path(__file__).parents[3] / "pyproject.toml").read_text()
    assert '[project.entry-points.torch_dynamo_backends]\ndyn = "dyn.frontend.torch' in project


class Halved(torch.nn.Module):
    """The height of its result is static where it is 1."""

    def forward(self, x):
        y = torch.nn.functional.max_pool2d(x, 2)
        return y.reshape(y.shape[0], 4, 1, -1) * 2 if y.shape[2] == 1 else y * 2


def test_sizes_that_are_one_number(made):
    """Half of a height of 2 and 3 is 1, for which PyTorch makes a graph."""
    model = Halved()
    compiled = torch.compile(model, backend="dyn", dynamic=True)
    before = statistics()
    for sizes in [(2, 9, 7), (5, 3, 9), (5, 8, 8), (1, 3, 6), (3, 2, 5)]:
        check(compiled, model, torch.randn(sizes[0], 4, *sizes[1:]))
    assert made() == (1, 1)
    assert statistics().calls - before.calls == 5


def test_calls_that_an_artifact_serves():
    """If a graph is a case of an artifact's program, calls are checked for it."""
    shapes = [(2, 3), (3, 5)]
    half = (lambda size: size // 2, [(1, 1)], 2)
    assert Case([], []).has(shapes)
    assert Case([((0, 1), (1, 0))], [half]).has(shapes)
    assert not Case([((0, 0), (1, 0))], [half]).has(shapes)
    assert not Case([], [half]).has([(2, 3), (3, 6)])


def test_one_artifact_for_all_sizes(made):
    model = Layer().eval()
    compiled = torch.compile(model, backend="dyn", dynamic=True)
    before = statistics()
    for n, m in [(2, 3), (5, 7), (1, 4), (3, 1), (1, 1), (13, 2)]:
        check(compiled, model, torch.randn(n, m, 4), torch.ones(n, m))
    assert made() == (1, 1)
    assert statistics().calls - before.calls == 6
    assert statistics().graphs - before.graphs > 1


@pytest.mark.parametrize("first", [(1, 3), (4, 4), (1, 1)])
def test_first_sizes_may_be_special(first, made):
    """The artifact of a later, more general graph serves the first one, too."""
    model = Layer().eval()
    compiled = torch.compile(model, backend="dyn", dynamic=True)
    for n, m in [first, (2, 3), first, (5, 7), (1, 4)]:
        check(compiled, model, torch.randn(n, m, 4), torch.ones(n, m))
    assert made() == (2, 1)


def attend(is_before):
    """Attention whose Python omits the mask of a single query."""

    def function(q, k):
        queries, keys = q.shape[2], k.shape[2]
        mask = None
        if queries > 1:
            last = torch.arange(queries) + (keys - queries)
            mask = is_before(torch.arange(keys)[None, None, None, :], last[None, None, :, None])
            mask = mask.expand(q.shape[0], -1, -1, -1)
        return torch.nn.functional.scaled_dot_product_attention(q, k, k, mask, scale=1.0)

    return function


def _first_two(x):
    return x[:2] * 2, x + 1


def _every_third(x):
    return x[1::3] * 2, x + 1


def _differences(x):
    return x[4:] - x[:-4], x + 1


@pytest.mark.parametrize("function", [_first_two, _every_third, _differences])
def test_sizes_that_an_artifact_refuses(function):
    """Where PyTorch made another graph for such sizes, it has an artifact of its own."""
    strict = torch.compile(function, backend="dyn", dynamic=True, options={"strict": True})
    for size in (9, 1, 0, 8, 5):
        x = torch.randn(size)
        for got, want in zip(strict(x), function(x), strict=True):
            assert torch.equal(got, want)


def test_integers_are_numbers_of_any_call(made):
    """Those of one sign have one graph, which is compiled once; the other sign has its own."""

    def rest(x, k):
        return x[k:] * 2

    strict = torch.compile(rest, backend="dyn", dynamic=True, options={"strict": True})
    before = statistics()
    for size, k in ((9, 2), (12, 3), (12, -2), (5, 0), (7, 4), (3, -3)):
        x = torch.randn(size)
        assert torch.equal(strict(x, k), rest(x, k))
    assert made()[0] == 2
    assert statistics().graphs - before.graphs == 2


@pytest.mark.parametrize("is_before, compilations", [(torch.le, 1), (torch.lt, 2)])
def test_masks_that_sizes_decide(is_before, compilations, made):
    """A single query sees all keys, except its own in the second case."""
    model = attend(is_before)
    compiled = torch.compile(model, backend="dyn", dynamic=True)
    for batch, queries, keys in [(3, 4, 7), (4, 1, 5), (1, 1, 8), (2, 5, 9)]:
        check(compiled, model, torch.randn(batch, 2, queries, 8), torch.randn(batch, 2, keys, 8))
    assert made()[0] == compilations


def test_branches_on_sizes_count(made):
    """A case that Python treats differently for one row is compiled separately."""

    def function(x):
        return x * 2 if x.shape[0] > 1 else x * 3

    compiled = torch.compile(function, backend="dyn", dynamic=True)
    for rows in (3, 1, 5, 1):
        check(compiled, function, torch.randn(rows, 4))
    assert made() == (2, 2)


def test_parameters_may_change(made):
    model = Layer().eval()
    compiled = torch.compile(model, backend="dyn", dynamic=True)
    x = torch.randn(2, 3, 4)
    check(compiled, model, x)
    with torch.no_grad():
        model.linear.weight.add_(1)
    check(compiled, model, x)
    assert made()[0] == 2
    check(compiled, model, x)
    assert made()[0] == 2


def _other_weights(linear):
    linear.load_state_dict({name: x + 1 for name, x in linear.state_dict().items()})


def _other_memory(linear):
    linear.weight.data = linear.weight + 1


@pytest.mark.parametrize("change", [_other_weights, _other_memory])
def test_weights_may_change(change, made):
    """The graphs for old and new weights differ in nothing else."""
    model = torch.nn.Linear(4, 8).eval()
    compiled = torch.compile(model, backend="dyn", dynamic=True)
    check(compiled, model, torch.randn(3, 4))
    with torch.no_grad():
        change(model)
    for rows in (3, 1, 3):
        check(compiled, model, torch.randn(rows, 4))
    assert made() == (2, 1)


def test_numbers_may_change():
    """PyTorch passes the floats of modules as inputs."""
    model = Layer().eval()
    compiled = torch.compile(model, backend="dyn", dynamic=True)
    x = torch.randn(2, 3, 4)
    check(compiled, model, x)
    model.scale = 0.25
    check(compiled, model, x)


def test_numbers_that_change_are_inputs(made):
    """PyTorch reports which inputs are numbers only for the first call."""

    def function(x, bound, slope):
        return torch.nn.functional.leaky_relu(x.clamp(-bound, bound), slope)

    compiled = torch.compile(function, backend="dyn", dynamic=True)
    x = torch.randn(3, 4)
    for bound, slope in [(0.5, 0.1), (0.7, 0.1), (0.7, 0.2), (0.5, 0.1)]:
        assert_close(compiled(x, bound, slope), function(x, bound, slope), f"{bound} {slope}")
    assert made()[0] == 2
    # PyTorch makes another graph for it.
    nan = float("nan")
    for _ in range(2):
        assert compiled(x, nan, 0.1).isnan().all()
    assert made()[0] == 3


def test_each_number_that_decides_is_built_in(made):
    def function(x, scale):
        return torch.nn.functional.hardtanh(x * scale, -scale, scale) + (scale > 0.6)

    compiled = torch.compile(function, backend="dyn", dynamic=True)
    x = torch.randn(3, 4)
    for scale in (0.5, 0.7, 0.5, 0.7):
        assert_close(compiled(x, scale), function(x, scale), f"{scale}")
    assert 2 <= made()[0] <= 3


def test_autocast_is_part_of_a_graph():
    model = torch.nn.Linear(4, 8).eval()
    compiled = torch.compile(model, backend="dyn", dynamic=True)
    x = torch.randn(3, 4)
    for enabled in (False, True, False, True):
        with torch.autocast("cpu", torch.bfloat16, enabled):
            check(compiled, model, x)


class Constant(torch.nn.Module):
    """Stops gradients for a part, as rotary embeddings do."""

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x):
        with torch.no_grad():
            angles = x.cumsum(0).cos()
        return self.linear(x) * angles


def test_gradients_may_be_on():
    """As by default."""
    model = Constant().eval()
    x = torch.randn(3, 4)
    result = torch.compile(model, backend="dyn", dynamic=True)(x)
    assert result.requires_grad
    assert_close(result.detach(), model(x).detach(), "with gradients on")


def test_sizes_as_inputs():
    def repeat(x, n):
        return x.unsqueeze(0).expand(n, -1) * n

    compiled = torch.compile(repeat, backend="dyn", dynamic=True)
    for n in (3, 5):
        assert torch.equal(compiled(torch.ones(4), n), repeat(torch.ones(4), n))


def test_graph_breaks():
    def broken(x):
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2

    compiled = torch.compile(broken, backend="dyn", dynamic=True)
    assert torch.equal(compiled(torch.ones(3)), torch.full((3,), 4.0))


def test_inputs_change_in_place():
    def accumulate(x, y):
        x.add_(y)
        return x * 2

    compiled = torch.compile(accumulate, backend="dyn", dynamic=True)
    x = torch.zeros(3)
    assert compiled(x, torch.ones(3)).tolist() == [2] * 3 and x.tolist() == [1] * 3


def test_options():
    compiled = torch.compile(torch.sin, backend="dyn", options={"isa": "v3", "threads": 1})
    assert_close(compiled(torch.ones(3)), torch.ones(3).sin(), "sin")


def test_artifacts_that_change():
    before = set(map(id, statistics().artifacts))
    compiled = torch.compile(torch.sin, backend="dyn", options={"mode": "auto", "threads": 1})
    x = torch.linspace(0, 1, 7)
    expected = compiled(x)
    (artifact,) = [a for a in statistics().artifacts if id(a) not in before]
    # The exported program is still there.
    artifact.recompile(wait=True)
    report = artifact.report()
    assert report["failures"] == 0 and len(report["variants"]) == 2 and report["auto"], report
    assert torch.equal(compiled(x), expected)


def test_refusals_name_the_line():
    def values(x):
        return torch.linalg.eigvals(x)

    with pytest.raises(
        Exception, match=r"eig.* \(test_backend\.py:\d+ in values\): operator is not"
    ):
        torch.compile(values, backend="dyn", options={"strict": True})(torch.ones(3, 3))


def test_linear_algebra():
    compiled = torch.compile(torch.linalg.inv, backend="dyn", dynamic=True)
    x = torch.eye(3) * 2
    assert_close(compiled(x), x / 4, "inverse")


def test_import_needs_no_torch():
    """`import dyn` does not import torch."""
    import subprocess

    program = "import sys, dyn; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
    assert dyn.__version__
