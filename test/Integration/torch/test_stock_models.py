# ===- test_stock_models.py - Stock models against eager PyTorch -----------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Architectures of transformers: compiled once, close to eager at 20 shapes."""

import gc
import pathlib
import sys

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import dyn
from closeness import assert_close
from dyn.frontend.torch import statistics, to_dhlo
from model_cases import CASES, SHAPES, Decode, decode, ids

NAMES = [pytest.param(n, marks=[pytest.mark.full] if c.full else []) for n, c in CASES.items()]


def compare(compiled, model, name, shapes=SHAPES):
    """Compares both on the inputs of a case at some shapes."""
    for shape in shapes:
        torch.manual_seed(sum(shape))
        inputs = CASES[name].inputs(*shape)
        with torch.no_grad():
            # Eager first: some models install hooks when they are called.
            expected = model(**inputs)
        assert_close(compiled(**inputs), expected, f"{name} at {shape}")


@pytest.mark.parametrize("name", NAMES)
def test_export(name):
    case = CASES[name]
    model = case.make()
    compiled = dyn.compile(model, kwargs=case.inputs(3, 7), dynamic_shapes=case.dynamic)
    compare(compiled, model, name)


#: The long tier: torch.compile traces a model several times.
COMPILED = [pytest.param(n, marks=[] if n == "t5" else [pytest.mark.full]) for n in CASES]


@pytest.fixture
def dynamo():
    """PyTorch's own limits are raised: beyond them it would run models without dyn."""
    torch._dynamo.reset()
    with torch._dynamo.config.patch(recompile_limit=64, fail_on_recompile_limit_hit=True):
        yield
    torch._dynamo.reset()


@pytest.mark.parametrize("name", COMPILED)
def test_torch_compile(name, dynamo):
    """One artifact for all graphs that PyTorch makes of a model."""
    model = CASES[name].make()
    compiled = torch.compile(model, backend="dyn", dynamic=True, fullgraph=True)
    gc.collect()
    before = statistics()
    with torch.no_grad():
        compare(compiled, model, name)
    after = statistics()
    assert after.calls - before.calls == len(SHAPES)
    assert len(set(after.artifacts) - set(before.artifacts)) == 1


def test_generation(dynamo):
    """Steps of one token, each with the previous keys and values: one artifact."""
    torch.manual_seed(0)
    model = Decode()
    compiled = torch.compile(model, backend="dyn", dynamic=True, fullgraph=True)
    gc.collect()
    before = statistics()
    cases = [(2, 1, 5, 0), (3, 1, 4, 6), (1, 1, 2, 6), (3, 1, 1, 4)]
    for batch, words, past, steps in cases:
        inputs = decode(batch, past) | {"input_ids": ids(batch, words)}
        for step in range(steps + 1):
            with torch.no_grad():
                expected = model(**inputs)
                _, keys, values = found = compiled(**inputs)
            assert_close(found, expected, f"{batch} x {words} after {past}, step {step}")
            inputs = {"input_ids": ids(batch, 1), "keys": keys, "values": values}
    after = statistics()
    assert len(set(after.artifacts) - set(before.artifacts)) == 1


def test_experts_do_not_add_launches():
    """All experts of a mixture are one GEMM, however many there are."""
    torch.manual_seed(0)
    case = CASES["mixtral"]
    launches = []
    for experts in (2, 8):
        model = case.make(num_local_experts=experts)
        inputs = case.inputs(3, 7)
        compiled = dyn.compile(model, kwargs=inputs, dynamic_shapes=case.dynamic)
        compiled(**inputs)
        kernels = compiled.artifact.stats["kernels"]
        launches.append(sum(kernel["launches"] for kernel in kernels))
        grouped = [k for k in kernels if "grouped_dot" in k["name"]]
        assert sum(k["launches"] for k in grouped) == 4, "two grouped GEMMs in two layers"
    assert launches[0] == launches[1]


EXPERTS = [("mixtral", torch.float32), ("olmoe", torch.float32), ("qwen3moe", torch.bfloat16)]


@pytest.mark.parametrize("name, dtype", EXPERTS[:1] + [pytest.param(*e, marks=pytest.mark.full)
                                                       for e in EXPERTS[1:]])  # fmt: skip
def test_gathered_experts_are_routes(name, dtype, tmp_path):
    """The "batched_mm" setting gathers matrices; here none is copied."""
    case = CASES[name]
    model = case.make().to(dtype)
    model.set_experts_implementation("batched_mm")
    shapes = {"kwargs": case.inputs(3, 7), "dynamic_shapes": case.dynamic}
    to_dhlo(model, tmp_path / "model.mlir", **shapes)
    program = (tmp_path / "model.mlir").read_text()
    # Two GEMMs in two layers, and one router for both of a layer.
    assert program.count("grouped_dot") == 4 and program.count("cell.route(") == 2
    compiled = dyn.compile(model, **shapes)
    compare(compiled, model, name, SHAPES[:6])


class Sorted(torch.nn.Module):
    """Rows that are sorted by expert, times the matrix of each, and in their order again."""

    def __init__(self, choose):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(4, 8, 8))
        self.bias = torch.nn.Parameter(torch.randn(4, 8))
        self.choose = choose

    def forward(self, x):
        ids = self.choose(x).reshape(-1)
        k = self.choose(x).numel() // x.shape[0]
        experts, order = torch.sort(ids)
        ends = torch.cumsum(torch.histc(experts.float(), 4, 0, 3), 0, dtype=torch.int32)
        y = torch._grouped_mm(x[order // k], self.weight, offs=ends) + self.bias[experts]
        inverse = torch.empty_like(order)
        inverse[order] = torch.arange(order.shape[0])
        return y[inverse]


@pytest.mark.parametrize(
    "choose, reason",
    [(lambda x: x[:, :4].topk(2).indices, None),
     (lambda x: x[:, :4].argmax(-1, keepdim=True), None),
     (lambda x: x[:, :3].topk(2).indices, "a top-k or maximum chose")],
)  # fmt: skip
def test_sorted_experts(choose, reason, tmp_path, caplog):
    """Sorted rows are routes if ids are choices among all matrices, here of four, and close to
    eager either way."""
    caplog.set_level("INFO", logger="dyn")
    torch.manual_seed(0)
    x, rows = torch.randn(7, 8), ({0: torch.export.Dim.DYNAMIC},)
    model = Sorted(choose)
    to_dhlo(model, tmp_path / "m.mlir", args=(x,), dynamic_shapes=rows)
    program = (tmp_path / "m.mlir").read_text()
    for op in ("route(", "dispatch", "paths", "combine"):
        assert (f"cell.{op}" in program) == (reason is None)
    said = [r.getMessage() for r in caplog.records if r.name == "dyn"]
    assert len(said) == (reason is not None) and all(reason in line for line in said)
    compiled = dyn.compile(model, args=(x,), dynamic_shapes=rows)
    for count in (7, 1, 40):
        x = torch.randn(count, 8)
        assert_close(compiled(x), model(x), f"{count} rows")


class Gathered(torch.nn.Module):
    """A matmul with matrices that are chosen for each row."""

    def __init__(self, choose, vectors=1):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(4, 5, 3))
        self.choose, self.vectors = choose, vectors

    def forward(self, x):
        columns = x.unsqueeze(-1).expand(-1, -1, self.vectors)
        return torch.bmm(self.weight[self.choose(x)], columns)


def _top(x):
    return torch.cat([x, x], 1)[:, :4].topk(2).indices[:, 0]


@pytest.mark.parametrize(
    "choose, vectors, dtype, reason",
    [(_top, 1, torch.float32, None),
     (_top, 1, torch.bfloat16, None),
     (_top, 1, torch.float64, "floats of 32 or 16 bits"),
     (lambda x: x.argmax(-1), 1, torch.float32, "a top-k or maximum chose"),
     (lambda x: torch.ones_like(x[:, 0]).long(), 1, torch.float32, "a top-k or maximum chose"),
     (_top, 2, torch.float32, "one vector for each gathered matrix")],
)  # fmt: skip
def test_gathers_that_are_no_routes(choose, vectors, dtype, reason, tmp_path, caplog):
    """Indices must be choices among all matrices: here of three of four."""
    caplog.set_level("INFO", logger="dyn")
    x = torch.randn(7, 3, dtype=dtype)
    rows = ({0: torch.export.Dim.DYNAMIC},)
    model = Gathered(choose, vectors).to(dtype)
    to_dhlo(model, tmp_path / "m.mlir", args=(x,), dynamic_shapes=rows)
    assert ("cell.route" in (tmp_path / "m.mlir").read_text()) == (reason is None)
    said = [r.getMessage() for r in caplog.records if r.name == "dyn"]
    assert len(said) == (reason is not None)
    if reason:
        assert reason in said[0] and "test_stock_models.py:" in said[0]


def test_any_number_of_gathered_matrices_is_no_routes(tmp_path, caplog):
    class Given(torch.nn.Module):
        def forward(self, weight, x):
            return torch.bmm(weight[(x @ weight[:, 0].T).argmax(1)], x.unsqueeze(-1))

    caplog.set_level("INFO", logger="dyn")
    sizes = {"weight": {0: torch.export.Dim.DYNAMIC}, "x": None}
    arguments = torch.randn(4, 5, 3), torch.randn(7, 3)
    to_dhlo(Given(), tmp_path / "m.mlir", args=arguments, dynamic_shapes=sizes)
    assert "cell.route" not in (tmp_path / "m.mlir").read_text()
    assert "a static number of matrices" in caplog.text
