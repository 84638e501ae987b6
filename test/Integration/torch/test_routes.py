# ===- test_routes.py - Models that route, eager and compiled --------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Routes through torch.export and torch.compile: eager PyTorch, the interpreter
and artifacts agree."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import dyn
from closeness import assert_close
from dyn.frontend.torch import to_dhlo
from route_cases import CASES


def make(name):
    torch.manual_seed(0)
    return CASES[name].model().eval()


def sizes(case):
    """Which sizes are dynamic, in the form for torch.export."""
    return tuple({axis: torch.export.Dim.AUTO for axis in axes} for axes in case.dynamic)


def inputs_of(case, shape):
    torch.manual_seed(len(str(shape)))
    return case.inputs(*shape)


#: Cases whose features others test, too.
LONG = {"FirstCome", "Many", "ShortCapacity"}
NAMES = [pytest.param(n, marks=[pytest.mark.full] if n in LONG else []) for n in CASES]


@pytest.mark.parametrize("name", NAMES)
def test_meaning(name, tmp_path, build):
    """Artifacts are close to eager PyTorch, and so is the interpreter, on the same program.
    One and two threads give the same bits."""
    case, model = CASES[name], make(name)
    example = inputs_of(case, case.shapes[0])
    program = torch.export.export(model, example, dynamic_shapes=sizes(case), strict=False)
    text, artifact = tmp_path / "model.mlir", tmp_path / "model.so"
    to_dhlo(program, text)
    compiled = dyn.compile(program, artifact, threads=1)
    threaded = dyn.load(artifact, threads=2)
    for i, shape in enumerate(case.shapes):
        inputs = inputs_of(case, shape)
        with torch.no_grad():
            expected = model(*inputs)
        assert_close(compiled(*inputs), expected, f"{name} at {shape}")
        arrays = list(inputs)
        outputs = compiled.artifact.run(arrays)
        for a, b in zip(outputs, threaded.run(arrays)):
            assert _bits(a) == _bits(b), f"{name} at {shape}: threads"
        if i < 2:
            reference = interpret(build, text, compiled.artifact, arrays, tmp_path)
            expected = torch.utils._pytree.tree_leaves(expected)
            for a, b in zip(reference, expected):
                assert_close(_as_torch(a, b.dtype), b, f"{name} at {shape}: interpreter")


def interpret(build, text, artifact, arrays, folder):
    """The interpreter's outputs."""
    named = {port.name: _as_numpy(x) for port, x in zip(artifact.inputs, arrays)}
    np.savez(folder / "inputs.npz", **named)
    command = [build / "bin" / "dyn-run", "--reference", text]
    command += ["--inputs", folder / "inputs.npz", "--output", folder / "outputs.npz"]
    subprocess.run(command, check=True)
    outputs = np.load(folder / "outputs.npz")
    return [outputs[port.name] for port in artifact.outputs]


def _bits(x):
    """bf16 outputs are tensors, as numpy has none."""
    return (_as_numpy(x) if isinstance(x, torch.Tensor) else x).tobytes()


def _as_numpy(x):
    """Elements of 16 bits in the form of files."""
    return x.view(torch.int16).numpy().view("V2") if x.dtype is torch.bfloat16 else x.numpy()


def _as_torch(array, dtype):
    if dtype is torch.bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(dtype)
    return torch.from_numpy(array)


# ----------------------------------------------------------------------------
# torch.compile
# ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Prioritized", "EarlyExit", "Replayed", "Blocks"])
def test_torch_compile(name, monkeypatch):
    """One graph and one artifact for all shapes."""
    from dyn.frontend.torch import backend

    programs, compile_program = [], backend.compile_program

    def record(program, **options):
        programs.append(program)
        return compile_program(program, **options)

    monkeypatch.setattr(backend, "compile_program", record)
    torch._dynamo.reset()
    case, model = CASES[name], make(name)
    compiled = torch.compile(model, backend="dyn", dynamic=True)
    with torch.no_grad():
        # In the first shape no sizes are equal by chance.
        for shape in case.shapes[1:]:
            inputs = inputs_of(case, shape)
            assert_close(compiled(*inputs), model(*inputs), f"{name} at {shape}")
    assert len(programs) == 1
    torch._dynamo.reset()


def test_broken_graphs_are_refused():
    """torch.compile ends its graph in a branch: the rest has no routes."""

    def branch(rows):
        torch._dynamo.graph_break()
        return rows + 1

    torch._dynamo.reset()
    model = Model(lambda routes, x: dyn.switch(routes, x, [branch, torch.neg]))
    compiled = torch.compile(model, backend="dyn", dynamic=True)
    with pytest.raises(Exception, match="expected routes that dyn.Router made in the same graph"):
        compiled(torch.ones(5, 3), torch.tensor([0, 1, 1, 0, -1]))
    torch._dynamo.reset()


def test_strict_export():
    case, model = CASES["EarlyExit"], make("EarlyExit")
    x = inputs_of(case, (9,))
    program = torch.export.export(model, x, dynamic_shapes=sizes(case), strict=True)
    assert_close(dyn.compile(program)(*x), model(*x), "strict")


# ----------------------------------------------------------------------------
# The importer's output
# ----------------------------------------------------------------------------


@pytest.fixture
def text(tmp_path):
    """text(name) is the program of a case."""

    def write(name):
        path, case = tmp_path / "model.mlir", CASES[name]
        inputs = inputs_of(case, case.shapes[0])
        to_dhlo(make(name), path, args=inputs, dynamic_shapes=sizes(case))
        return path.read_text()

    return write


def test_router_is_a_region(text):
    """Operations that compute the scores are in the router; softmax and weights are only
    there."""
    program = text("Prioritized")
    before, rest = program.split("cell.route(")
    router, after = rest.split("cell.offsets")
    assert "dhlo.top_k" in router and "dhlo.softmax" in router and "cell.choose" in router
    assert "dhlo.softmax" not in before + after and "dhlo.top_k" not in before + after
    assert 'key = "router:experts"' in router
    # ceil(0.75 * 2 N / 4)
    assert "capacity = <(((15 + 6 * @x_d1 * @x_d0)) floordiv (16))>" in router


def test_scores_that_others_need_are_there_twice(text):
    program = text("Several")
    before, rest = program.split("cell.route(")
    router, after = rest.split("cell.offsets")
    assert "dhlo.softmax" in before + after and "dhlo.softmax" in router


def test_switches_nest(text):
    program = text("EarlyExit")
    outer = program.index("cell.switch")
    inner = program.index("cell.switch", outer + 1)
    assert program.count("cell.switch") == 2 and program.count("cell.route(") == 2
    assert "\n    dhlo.yield" not in program[outer:inner].split("}, {")[1]
    keys = ['key = "done"', 'key = "done#2"']
    assert all(key in program for key in keys)


def test_replayed_choices_are_inputs(text):
    program = text("Replayed")
    router = program.split("cell.route(")[1].split("cell.offsets")[0]
    assert "dhlo.top_k" not in program and "%arg1" in router.split(")")[0]
    assert "dhlo.gather_elements" in router, "the weights of the replayed ids"


# ----------------------------------------------------------------------------
# Refusals
# ----------------------------------------------------------------------------


class Model(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function
        self.router = dyn.routers.Label(2)

    def forward(self, x, labels):
        return self.function(self.router(x, labels), x)


def _leak(routes, x):
    rows = []
    y = dyn.switch(routes, x, [lambda r: rows.append(r) or r, torch.neg])
    return y, rows[0].exp()


def _mix(routes, x):
    rows = []
    return dyn.switch(routes, x, [lambda r: rows.append(r) or r, lambda r: r + rows[0].sum(0)])


def _few(routes, x):
    return dyn.switch(routes, x, [lambda r: r, lambda r: x])


def _order(routes, x):
    return x[routes.order]


REFUSALS = {
    "leak": (_leak, r"exp.* \(test_routes\.py:\d+ in forward\): uses the rows of a path outside"),
    "mix": (_mix, r"\(test_routes\.py:\d+ in forward\): combines rows of the paths 0 and 1"),
    "few": (_few, r"path 1: expected a row of each result for each of its rows, found \w+$"),
    "order": (_order, r"index.* \(test_routes\.py:\d+ in forward\): routes are for"),
    "operator": (lambda routes, x: dyn.switch(routes, x, [torch.neg, lambda r: r + torch.hash_tensor(
        r.sum()).to(r.dtype)]), r"hash.* \(test_routes\.py:\d+ in forward\): operator is not"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSALS)
def test_refusal(name):
    function, message = REFUSALS[name]
    inputs = (torch.ones(5, 3), torch.tensor([0, 1, 1, 0, -1]))
    rows = {0: torch.export.Dim.AUTO}
    with pytest.raises(dyn.UnsupportedError, match=message):
        dyn.compile(Model(function), args=inputs, dynamic_shapes=(rows, rows))


# ----------------------------------------------------------------------------
# SwitchTransformers
# ----------------------------------------------------------------------------


def test_switch_transformers():
    """Its own code and the adapter agree, with tokens over capacity."""
    T = pytest.importorskip("transformers")
    from dyn.routing.adapters import route_switch_transformers

    config = T.SwitchTransformersConfig(
        vocab_size=100, d_model=32, d_kv=16, d_ff=64, num_heads=2, num_layers=2,
        num_decoder_layers=2, num_sparse_encoder_layers=1, num_sparse_decoder_layers=1,
        num_experts=4, expert_capacity=3, use_cache=False,
    )  # fmt: skip
    torch.manual_seed(0)
    model = T.SwitchTransformersEncoderModel(config).eval()
    names = list(model.state_dict())

    def inputs(batch, length):
        ids = torch.randint(3, 100, (batch, length))
        return {"input_ids": ids, "attention_mask": torch.ones_like(ids)}

    shapes = [(3, 7), (1, 1), (4, 31)]
    calls = [inputs(*shape) for shape in shapes]
    with torch.no_grad():
        expected = [model(**x).last_hidden_state for x in calls]
    route_switch_transformers(model)
    assert list(model.state_dict()) == names
    rows = {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
    with dyn.record() as choices, torch.no_grad():
        model(**calls[2])
    assert len(choices) == 1 and (choices[0] == -1).sum() > 4 * 10, "dropped tokens"
    compiled = dyn.compile(model, kwargs=calls[0], dynamic_shapes=dict.fromkeys(calls[0], rows))
    for shape, x, value in zip(shapes, calls, expected):
        with torch.no_grad():
            assert_close(model(**x).last_hidden_state, value, f"eager at {shape}")
        assert_close(compiled(**x).last_hidden_state, value, f"at {shape}")
