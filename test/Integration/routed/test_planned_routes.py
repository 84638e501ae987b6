# ===- test_planned_routes.py - Plans that give paths to ranks -------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that route, compiled by plans for several ranks: they have the bits of one rank, each
rank reads the weights of its paths alone, and the rows that change rank move, and no others."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest

FOLDER = pathlib.Path(__file__).parent
sys.path[:0] = [str(FOLDER / "Inputs"), str(FOLDER.parent / "torch" / "Inputs")]

import dyn
from dyn.compiler.compile import compile_to_file
from harness import same_bits
from planned import (
    as_list,
    bytes_of_parts,
    compile_by_plan,
    run_over_mpi,
    run_ranks,
    write_small_machine,
)

WIDTH, OUT, PATHS = 16, 32, 5
FLOAT, COUNT = 4, 8

#: Cells with two paths each, or one if paths have a capacity.
PROGRAM = """
{mesh}
dhlo.dim @N in [0, 4096] likely [1024]
dhlo.dim @R = {choices} * @N
func.func @main(%x: tensor<?x16xf32, #dhlo.dims<N>> {{dhlo.name = "x"}},
                %ids: tensor<?x{choices}xi64, #dhlo.dims<N>> {{dhlo.name = "ids"}})
    -> tensor<?x32xf32, #dhlo.dims<N>> attributes {{dhlo.entry}} {{
  %w = dhlo.weight <"w.bin", offset = 0, length = 10240, key = "w"> : tensor<5x16x32xf32>
  %r = cell.route(%ids) {capacity} : (tensor<?x{choices}xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 5, @R> {{
  ^bb0(%i: tensor<?x{choices}xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x{choices}xi64, #dhlo.dims<N>>
  }} {placement}
  %rows = cell.dispatch %x, %r : (tensor<?x16xf32, #dhlo.dims<N>>, !cell.routes<@N, 5, @R>)
      -> tensor<?x16xf32, #dhlo.dims<R>>
  %o = cell.offsets %r : !cell.routes<@N, 5, @R> -> tensor<6xi64>
  %d = dhlo.grouped_dot %rows, %w, %o
      : (tensor<?x16xf32, #dhlo.dims<R>>, tensor<5x16x32xf32>, tensor<6xi64>) -> tensor<?x32xf32, #dhlo.dims<R>>
  %y = cell.combine %d, %r sum : (tensor<?x32xf32, #dhlo.dims<R>>, !cell.routes<@N, 5, @R>)
      -> tensor<?x32xf32, #dhlo.dims<N>>
  return %y : tensor<?x32xf32, #dhlo.dims<N>>
}}
"""


def write_program(path, ranks=0, placement=(), capacity=0):
    given = f"{{dist.placement = array<i64: {', '.join(map(str, placement))}>}}"
    path.write_text(
        PROGRAM.format(
            mesh=f'dist.mesh @mesh ["rank" = {ranks}]' if placement else "",
            choices=1 if capacity else 2,
            capacity=f"capacity = <{capacity}>" if capacity else "",
            placement=given if placement else "",
        )
    )
    rng = np.random.default_rng(0)
    path.with_name("w.bin").write_bytes(
        rng.standard_normal(PATHS * WIDTH * OUT, np.float32).tobytes()
    )
    return path


def draw_calls(choices):
    """Even and skewed loads, all rows on one path, dropped ones, fewer rows than ranks, none."""
    rng = np.random.default_rng(1)
    drawn = [rng.integers(0, PATHS, (n, choices)) for n in (64, 37, 3, 1, 0)]
    drawn.append(np.minimum(rng.geometric(0.6, (50, choices)) - 1, PATHS - 1))
    drawn += [np.full((29, choices), path) for path in (0, PATHS - 1)]
    drawn.append(rng.integers(-1, 2, (41, choices)))
    if choices > 1:  # A path is chosen once.
        drawn = [np.where(ids[:, 1:] == ids[:, :1], (ids + [0, 1]) % PATHS, ids) for ids in drawn]
    return [
        {"x": rng.standard_normal((len(ids), WIDTH), np.float32), "ids": ids.astype(np.int64)}
        for ids in drawn
    ]


def count_bytes(ids, placement, ranks, rank, capacity):
    """The bytes that a rank sends in a call: counts, rows, results, and its block of the sums."""
    placement = np.array(placement)
    if capacity:
        loads = np.bincount(ids[ids >= 0], minlength=PATHS)
        kept = np.minimum(loads, capacity)[placement == rank].sum()
        return int(kept) * OUT * FLOAT * (ranks - 1)
    size = -(-len(ids) // ranks)
    home = np.minimum(np.arange(len(ids)) // max(size, 1), ranks - 1)
    home = np.repeat(home[:, None], ids.shape[1], 1)[ids >= 0]
    at = placement[ids[ids >= 0]]
    counts = COUNT * int((placement != rank).sum())
    sent = int(((home == rank) & (at != rank)).sum()) * WIDTH * FLOAT
    returned = int(((home != rank) & (at == rank)).sum()) * OUT * FLOAT
    block = min(len(ids), (rank + 1) * size) - min(len(ids), rank * size)
    return counts + sent + returned + block * OUT * FLOAT * (ranks - 1)


GIVEN = [
    (2, (0, 0, 1, 1, 1), 0),
    (3, (2, 0, 2, 0, 0), 0),
    (4, (3, 1, 0, 1, 3), 0),
    (8, (0, 7, 3, 2, 5), 0),
    (3, (1, 1, 1, 1, 1), 0),
    (2, (1, 0, 1, 0, 1), 9),
    (4, (3, 1, 0, 1, 3), 2),
]


@pytest.mark.parametrize("ranks, placement, capacity", GIVEN)
def test_what_moves(ranks, placement, capacity, tmp_path):
    (tmp_path / "one").mkdir()
    whole = write_program(tmp_path / "one" / "model.mlir", capacity=capacity)
    model = dyn.load(compile_to_file(str(whole), tmp_path / "one.so"), threads=1)
    calls = draw_calls(1 if capacity else 2)
    expected = [as_list(model.run(inputs)) for inputs in calls]
    program = write_program(tmp_path / "model.mlir", ranks, placement, capacity)
    many = compile_by_plan(program, tmp_path, ranks)
    parts = bytes_of_parts(many)
    assert len(parts) == ranks
    outputs, stats = run_ranks(many, ranks, calls)
    exchanges = 1 if capacity else 4
    for rank in range(ranks):
        # Tables of a few numbers beside the matrices.
        matrices = placement.count(rank) * WIDTH * OUT * FLOAT
        assert matrices <= parts[rank] < matrices + WIDTH * OUT * FLOAT
        for i, inputs in enumerate(calls):
            assert same_bits(outputs[rank][i], expected[i]), (rank, inputs["ids"].shape)
            before, after = stats[rank][i : i + 2]
            wanted = count_bytes(inputs["ids"], placement, ranks, rank, capacity)
            assert after["bytes_sent"] - before["bytes_sent"] == wanted, (rank, i)
            messages = after["messages_sent"] - before["messages_sent"]
            assert messages <= exchanges * (ranks - 1), (rank, i)


def test_memory_is_shared(tmp_path):
    """Without a placement, each of the ranks holds some paths, and all of them together hold
    each path once."""
    program = write_program(tmp_path / "model.mlir")
    parts = bytes_of_parts(compile_by_plan(program, tmp_path, 5))
    matrix = WIDTH * OUT * FLOAT
    assert len(parts) == 5
    assert all(matrix <= size < 2 * matrix for size in parts.values())


def make_mixture(name, folder):
    """A program of a mixture, and calls of it."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from dyn.frontend.torch import to_dhlo
    from model_cases import CASES

    case = CASES[name]
    to_dhlo(
        case.make(), folder / "model.mlir", kwargs=case.inputs(3, 7), dynamic_shapes=case.dynamic
    )
    shapes = [(2, 6), (1, 1), (5, 7), (1, 3)]
    return [list(case.inputs(*shape).values()) for shape in shapes]


def make_routed(name, folder):
    """The same of a model whose results have its choices, too."""
    pytest.importorskip("torch")
    from dyn.frontend.torch import to_dhlo
    from dyn.models import Recorded
    from routed_cases import CASES
    from torch.utils import _pytree as pytree

    case = CASES[name]
    model = case.make()
    inputs = case.inputs(model)
    shapes = {"inputs": case._dynamic(inputs)}
    to_dhlo(Recorded(model), folder / "model.mlir", args=(inputs,), dynamic_shapes=shapes)
    return [
        pytree.tree_leaves(case.inputs(model, seed, **sizes))
        for seed, sizes in enumerate(case.sizes)
    ]


FULL = pytest.mark.full
MODELS = [
    pytest.param(make_mixture, "mixtral"),
    pytest.param(make_mixture, "qwen2moe", marks=FULL),
    pytest.param(make_routed, "task-moe"),
    pytest.param(make_routed, "live-sr"),
    pytest.param(make_routed, "switch-transformer", marks=FULL),
    pytest.param(make_routed, "swin-moe", marks=FULL),
    pytest.param(make_routed, "msdnet", marks=FULL),
    pytest.param(make_routed, "dynamic-routing", marks=FULL),
]


@pytest.mark.parametrize("make, name", MODELS)
def test_bits_of_one_rank(make, name, tmp_path, full):
    program, calls, expected = run_one_rank(make, name, tmp_path)
    for ranks in (2, 3, 4, 8) if full else (3, 4):
        many = compile_by_plan(program, tmp_path, ranks)
        check_ranks(many, calls, expected)


@FULL
@pytest.mark.parametrize("make, name", MODELS)
def test_bits_over_mpi(make, name, tmp_path, mpirun):
    program, calls, expected = run_one_rank(make, name, tmp_path)
    for ranks in (2, 3, 4, 8):
        many = compile_by_plan(program, tmp_path, ranks)
        used = len(bytes_of_parts(many))
        check_results(run_over_mpi(mpirun, many, used, calls, tmp_path), expected)


#: A machine of which two ranks at a time are near each other.
PAIRS = {"share": 0.95, "near": 2}
#: Numbers of ranks, and of blocks of the batch, and the machine.
STAGES = [
    pytest.param(make_mixture, "mixtral", 2, 3, {}),
    pytest.param(make_mixture, "mixtral", 4, 2, {}, marks=FULL),
    pytest.param(make_routed, "task-moe", 4, 1, {}),
    pytest.param(make_routed, "switch-transformer", 4, 1, PAIRS, marks=FULL),
    pytest.param(make_routed, "swin-moe", 4, 1, PAIRS, marks=FULL),
]


@pytest.mark.parametrize("make, name, ranks, blocks, how", STAGES)
def test_bits_of_stages(make, name, ranks, blocks, how, tmp_path):
    """Stages of a pipeline, in which a router has its paths on the ranks of its stage."""
    program, calls, expected = run_one_rank(make, name, tmp_path)
    options = (f"--plan-micro-batches={blocks}",)
    machine = write_small_machine(tmp_path / "machine.json", ranks, program, options, **how)
    options += (f"--plan={machine}", f"--plan-stages={min(ranks, 3)}")
    many = compile_to_file(str(program), tmp_path / "many.so", options=options)
    command = ["dyn-compile", program, *options]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "stage 1:" in text
    check_ranks(many, calls, expected)


def run_one_rank(make, name, folder):
    """A program, calls of it, and their results on one rank."""
    calls = [[np.asarray(value) for value in call] for call in make(name, folder)]
    program = folder / "model.mlir"
    whole = dyn.load(compile_to_file(str(program), folder / "one.so"), threads=1)
    return program, calls, [as_list(whole.run(call)) for call in calls]


def check_ranks(artifact, calls, expected):
    """Each of several ranks has the results of one."""
    parts = bytes_of_parts(artifact)
    assert len(parts) > 1
    check_results(run_ranks(artifact, len(parts), calls)[0], expected)


def check_results(by_rank, expected):
    for rank, results in enumerate(by_rank):
        for i, wanted in enumerate(expected):
            assert same_bits(results[i], wanted), (len(by_rank), rank, i)
