# ===- test_fuzz.py - Random programs, compiled and interpreted ------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Differential fuzzing: a thousand programs in CI, ten thousand with --full. Each seed
compiles for one instruction set, so that all of this machine's are run."""

import math
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from differ import DENSE_VARIANTS, EMULATED, LIBRARY, VARIANTS, fuzz
from generator import generate
from hits import Coverage, known_operations, known_passes
from machine import LEVELS
from predictions import KINDS
from ranks import check_compiled, check_ranks, check_sums, in_blocks, split_batches, staged
from rewrites import are_close, check_predictions, check_rewrites, programs, speculated
from routes import generate_routed

FULL = bool(os.environ.get("DYN_TEST_FULL"))


def isa_of(seed):
    # Shifted each time that all variants of differ.py have been used.
    turns = math.lcm(len(DENSE_VARIANTS), 3 * len(VARIANTS))
    return f"--isa={LEVELS[(seed + seed // turns) % len(LEVELS)]}"


def assert_same(seeds, **how):
    """Checks the programs of some seeds, a few per test: a thousand tests would be a long
    list. The arguments are those of differ.fuzz."""
    need_tools()
    # All programs with routers are supported, and all for the emulator.
    refusals = how.get("routed", False) or how.get("builds") == EMULATED
    reports = [fuzz(seed, refusals=refusals, **how) for seed in seeds]
    reports = [report for report in reports if report]
    assert not reports, "\n" + "\n".join(reports)


def portions(few, many, size=10):
    """Ranges of seeds: `few` in CI, `many` with --full."""
    count = many if FULL else few
    return pytest.mark.parametrize(
        "seeds", [range(i, min(i + size, count)) for i in range(0, count, size)], ids=str
    )


def need_tools():
    if not shutil.which("dyn-compile"):
        pytest.skip("dyn-compile is not built")


@portions(300, 4000)
def test_compiled_as_interpreted(seeds, coverage):
    for seed in seeds:
        level = "-O2" if FULL else "-O1"
        assert_same([seed], coverage=coverage, options=(isa_of(seed), level))


@portions(60, 1500, size=5)
def test_routed_as_interpreted(seeds, coverage):
    for seed in seeds:
        how = {"kind": "routed", "routed": True, "coverage": coverage}
        level = "-O2" if FULL else "-O1"
        assert_same([seed], options=(isa_of(seed), level), **how)


@portions(60, 1000)
def test_emulated_as_interpreted(seeds, coverage):
    """On the emulator of a GPU, which reports races, accesses out of bounds and
    uninitialised reads."""
    how = {"kind": "emulated", "builds": EMULATED, "coverage": coverage}
    assert_same(seeds, options=("--isa=v3", "-O1"), **how)


@portions(20, 400, size=5)
def test_routed_and_emulated(seeds, coverage):
    how = {"kind": "emulated-routed", "routed": True, "builds": EMULATED, "coverage": coverage}
    assert_same(seeds, options=("--isa=v3", "-O1"), **how)


@portions(20, 400)
def test_gemm_library(seeds, coverage):
    how = {"kind": "library", "builds": LIBRARY, "coverage": coverage}
    assert_same(seeds, options=("--isa=v3", "-O1"), **how)


@portions(540, 3500, size=20)
def test_routes_rewritten(seeds, coverage):
    need_tools()
    failures = check_rewrites(seeds, coverage)
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("routed", [False, True], ids=["dense", "routed"])
@portions(20, 500)
def test_ranks_as_one(seeds, routed, coverage):
    need_tools()
    failures = check_ranks(seeds, routed, coverage)
    assert not failures, "\n".join(failures)


def assert_compiled_as_one(seeds, coverage, **how):
    need_tools()
    how = {"kind": "ranks", "coverage": coverage, **how}
    reports = [check_compiled(seed, options=(isa_of(seed), "-O1"), **how) for seed in seeds]
    reports = [report for report in reports if report]
    assert not reports, "\n" + "\n".join(reports)


@pytest.mark.parametrize("routed", [False, True], ids=["dense", "routed"])
@portions(13, 250, size=5)
def test_ranks_compiled_as_one(seeds, routed, coverage):
    assert_compiled_as_one(seeds, coverage, routed=routed)


@pytest.mark.parametrize("routed", [False, True], ids=["dense", "routed"])
@portions(20, 400)
def test_stages_as_one(seeds, routed, coverage):
    need_tools()
    failures = check_ranks(seeds, routed, coverage, staged)
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("routed", [False, True], ids=["dense", "routed"])
@portions(3, 250, size=5)
def test_stages_compiled_as_one(seeds, routed, coverage):
    assert_compiled_as_one(seeds, coverage, routed=routed, stages=True)


@portions(20, 400)
def test_blocks_as_one(seeds, coverage):
    """Batches go through stages in blocks, where they can be cut: about half of the programs."""
    need_tools()
    failures = check_ranks(seeds, False, coverage, staged, blocks=True)
    assert not failures, "\n".join(failures)


@portions(100, 2000, size=50)
def test_routed_blocks_as_one(seeds, coverage):
    """One of 25 has rows that are the cells, and paths that keep them apart."""
    need_tools()
    failures = check_ranks(seeds, True, coverage, staged, blocks=True)
    assert not failures, "\n".join(failures)


def test_batches_are_cut():
    """Others of the programs above are refused, and not run."""
    need_tools()
    divided = [staged(generate(seed), seed) for seed in range(20)]
    texts = [in_blocks(mesh + held.text(), 2) for mesh, held, _ in divided]
    found, errors = split_batches(texts)
    assert sum("dist.block" in (text or "") for text in found) > 5 and not errors


@portions(5, 250, size=5)
def test_blocks_compiled_as_one(seeds, coverage):
    assert_compiled_as_one(seeds, coverage, blocks=True)


@portions(50, 2000, size=50)
def test_routed_blocks_compiled_as_one(seeds, coverage):
    assert_compiled_as_one(seeds, coverage, routed=True, blocks=True)


@portions(10, 300)
def test_divided_sums(seeds):
    need_tools()
    failures = check_sums(seeds)
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("kind", KINDS)
@portions(60, 1500, size=20)
def test_wrong_predictions(seeds, kind):
    need_tools()
    failures = check_predictions(seeds, kind)
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("kind", KINDS)
def test_paths_run_by_predictions(kind):
    need_tools()
    assert speculated(programs(range(60))[0], 0, kind).count("cell.select") >= 3


def test_differences_show():
    assert are_close("tensor<2xf32> [1, 0.25]", "tensor<2xf32> [1, 0.2500001]")
    assert not are_close("tensor<2xf32> [1, 0.25]", "tensor<2xf32> [1, 0.75]")
    assert not are_close("tensor<2xf32> [1, 0.25]", "tensor<1xf32> [1]")
    assert not are_close("tensor<1xf32> [1]", "tensor<1xf32> [nan]")


@pytest.mark.parametrize("make", [generate, generate_routed])
def test_generator_repeats(make):
    assert make(7).text() == make(7).text()


@pytest.mark.parametrize("make", [generate, generate_routed])
def test_programs_are_small_and_print(make):
    for seed in range(50):
        program = make(seed)
        assert len(program.statements) < 120
        assert program.text().count("func.func") == 1


def test_routed_programs_hold_every_operation():
    text = "".join(generate_routed(seed).text() for seed in range(100))
    names = "split join route choose offsets paths dispatch combine switch probe"
    missing = [name for name in names.split() if not re.search(rf"cell\.{name}\b", text)]
    assert not missing
    for part in ("capacity = ", "weights(", "priorities(", " sum :", " last :", " max :"):
        assert part in text


def test_every_operation_and_type_is_generated():
    """In programs of the seeds above. That each pass changes something fifty times is
    checked by a run with --full (conftest.py)."""
    coverage = Coverage()
    for seed in range(4000 if FULL else 1000):
        coverage.add_program("dense", generate(seed).text())
        if seed < (1500 if FULL else 300):
            coverage.add_program("routed", generate_routed(seed).text())
    lacking = coverage.lacking(50 if FULL else 2, passes=False)
    assert not lacking, "\n".join(lacking)


def test_no_reciprocal_shows_the_sign_of_zero():
    """Of +0 and -0, kernels and the interpreter may give another one as the extreme."""
    safe, shown = {"add", "cosh"}, 0
    for seed in range(400):
        text = generate(seed).text()
        makers = dict(re.findall(r"(%\w+) = dhlo\.(\w+)", text))
        for operand in re.findall(r"dhlo\.(?:reciprocal|rsqrt) (%\w+)", text):
            assert makers.get(operand) in safe, f"seed {seed}: {operand}\n{text}"
            shown += 1
    assert shown > 10


def test_what_is_no_program_is_not_interesting(tmp_path):
    """For dyn-reduce, which would otherwise reduce a program to nothing."""
    failure, program = tmp_path / "failure.json", tmp_path / "program.mlir"
    failure.write_text('{"stage": "differ", "sizes": null, "build": null}')
    program.write_text("module {}")
    recheck = pathlib.Path(__file__).parent / "recheck.py"
    done = subprocess.run([sys.executable, recheck, failure, program], stderr=subprocess.DEVNULL)
    assert done.returncode == 2


def test_lists_are_those_of_the_compiler():
    assert {"dhlo.add", "dhlo.while", "cell.route"} <= set(known_operations())
    assert {"dlhlo-fuse", "cell-stack-siblings", "canonicalize"} <= set(known_passes())


def test_coverage_shows_what_is_lacking():
    coverage = Coverage()
    coverage.add_program("dense", generate(7).text())
    assert any(line.startswith("operation cell.route: 0") for line in coverage.lacking(1))
    with coverage.tracing() as options:
        folder = pathlib.Path(options[-1].partition("=")[2])
        (folder / "2_dlhlo-fuse.mlir").touch()
        (folder / "0_1_cse.mlir").touch()
    assert coverage.passes == {"dlhlo-fuse": 1, "cse": 1}
    again = Coverage.of_counts(coverage.counts())
    again.add(Coverage.of_counts({}))
    assert again == coverage
