# ===- test_registers.py - Registers of the kernels of a GPU ---------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels need no more registers than the table for the pinned toolkit, and do not
spill."""

import json
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "benchmarks" / "gpu"))

import registers


@pytest.fixture(scope="module")
def table():
    return json.loads(registers.TABLE.read_text())


@pytest.fixture(scope="module")
def ptxas(table):
    found = registers.find_ptxas()
    if not found:
        pytest.skip("no ptxas of the CUDA toolkit")
    if registers.version(found) != table["toolkit"]:
        pytest.skip(f"ptxas is {registers.version(found)}, the table is of {table['toolkit']}")
    return found


@pytest.mark.parametrize("chip", registers.CHIPS)
def test_no_worse_than_the_table(table, ptxas, chip):
    assert list(registers.compare(table[chip], registers.measure(chip, ptxas))) == []


def test_the_table_has_no_spills(table):
    assert [n for c in registers.CHIPS for n, f in table[c].items() if f["spills"]] == []


def test_the_page_is_of_the_table(table):
    assert registers.PAGE.read_text() == registers.render(table)


def test_what_is_worse_is_told(table):
    good = {"threads": 256, "spills": 0, "registers": 32, "shared": 0, "occupancy": 1.0}
    old = {"same": good, "gone": good, "worse": good, "better": good}
    new = {
        "same": good,
        "fresh": good,
        "worse": good | {"spills": 8, "registers": 40, "shared": 512, "occupancy": 0.75},
        "better": good | {"registers": 16},
    }
    assert list(registers.compare(old, new)) == [
        "fresh: only in kernels.mlir",
        "gone: only in the table",
        "worse: spills 8 bytes",
        "worse: 40 registers, 32 in the table",
        "worse: 512 bytes of shared memory, 0 in the table",
        "worse: occupancy 75%, 100% in the table",
    ]


def test_spills_of_called_functions_are_theirs():
    """ptxas lists a division that a kernel calls with separate properties."""
    ptx = ".visible .entry k(\n.param .b64 p)\n.reqntid 256\n{"
    log = """ptxas info    : Compiling entry function 'k' for 'sm_80'
ptxas info    : Function properties for k
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info    : Function properties for __internal_0_div
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 24 registers, used 1 barriers, 2048 bytes smem, 400 bytes cmem[0]
"""
    assert registers.parse(ptx, log) == {
        "k": {"threads": 256, "spills": 4, "registers": 24, "shared": 2048}
    }


@pytest.mark.parametrize(
    "chip, threads, used, shared, occupancy",
    [
        # Limited by warps, by registers (8 warps of 64 * 32, of 128 * 32), by shared
        # memory, by blocks.
        ("sm_80", 256, 32, 0, 1.0),
        ("sm_80", 256, 64, 0, 0.5),
        ("sm_80", 256, 128, 0, 0.25),
        ("sm_80", 256, 32, 40 << 10, 0.5),
        ("sm_90a", 256, 32, 40 << 10, 0.625),
        ("sm_80", 32, 16, 0, 0.5),
    ],
)
def test_occupancy(chip, threads, used, shared, occupancy):
    assert registers.CHIPS[chip].occupancy(threads, used, shared) == occupancy
