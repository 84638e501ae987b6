# ===- test_table.py - The table of the generator, against the dialect -----===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation of the dialect, with each of its element types and keywords, is made by an
entry of the generator's table, and every entry makes valid programs."""

import collections
import re
import shutil
import subprocess

import pytest
from dialect import operations
from elements import RULES
from generator import generate_single
from hits import MADE_BY_PASSES, known_operations
from table import DTYPES, TABLE

# Operations that no entry makes.
NOT_MADE = {"dim": "declares a size; a program declares those that its types name"}
NOT_MADE |= {name.removeprefix("dhlo."): "a pass makes it" for name in MADE_BY_PASSES}
LOGICAL = "combines booleans, which this operation does not take"
# Keywords that no entry makes.
UNUSED = {
    (operation, word): LOGICAL
    for operation in ("reduce_window", "cumulative", "segment_reduce")
    for word in ("and", "or")
}
# Types that the definition allows and no entry makes.
UNSUPPORTED = {("grouped_dot", "f64"): "the compiler refuses grouped GEMMs of f64"}
# Programs of each entry. Each type has its turn several times.
COUNT = 10 * len(DTYPES)
# Patterns of optional parts of operations, and of their attributes.
VARIANTS = {
    "attention": ["mask", r"cap = ", r"tensor<[^>]*xi1[^>]*>\) ->"],
    "bind": [r"tensor<i64>", r"tensor<i32>"],
    "broadcast": [r"axes = \[\]", r"axes = \[1"],
    "concat": [r"concat %\w+, %\w+ axis", r"concat %\w+, %\w+, %\w+ axis"],
    "convolution": [
        r"strides = \[\d\]",
        r"strides = \[\d, \d\]",
        r"strides = \[\d, \d, \d\]",
        r"channels_last strides = \[\d, \d, \d\]",
        r"input_dilation = \[[^]]*2",
        r"filter_dilation = \[[^]]*2",
        r"groups = (?!1$)\d+",
    ],
    "dot_general": [
        r"batch = 1",
        r"lhs_contract = \[\d, \d\]",
        r"lhs_contract = \[0\]",
        r"rhs_contract = \[1\]",
        r"xi8[^>]*>, tensor<[^>]*xui8[^>]*>\)",
        r"xf16[^>]*>\) -> tensor<[^>]*f32",
    ],
    "fft": [
        "inverse %",
        r"fft %\w+ axis",
        r"fft %\w+ half",
        r"fft %\w+, %\w+ axis",
        r"%\w+, %\w+ half",
    ],
    "from_dims": [r"tensor<3xf32>", r"tensor<\dxi32>", r"tensor<i64>"],
    "gather": [r"batch = 1", r"tensor<(?:i64|i32)>\)"],
    "gather_nd": [r"batch = 1", r"x2xi(?:64|32)[^>]*>\)", r"x1xi(?:64|32)[^>]*>\)"],
    "group": ["capacity = <2>", "floordiv"],
    "grouped_convolution": ["channels_last", "channels_first"],
    "if": [r"binds \[@\w+\]", r"%\w+, %\w+ = dhlo\.if"],
    "iota": [r"axis = 1", r"start = \[@N\]", r"step = \[-1\]"],
    "layer_norm": [
        r"norm %\w+, %\w+ axis",
        r"norm %\w+, %\w+, %\w+ axis",
        r"tensor<\d+x\d+x\w+>[,)]",
    ],
    "lstm": ["hidden %", "cell %", "lengths %"],
    "probe": [r"\(%\w+, %\w+\)", r"\(%\w+, %\w+, %\w+\)"],
    "resize": [r"scales = \[[^]]*0\.0"],
    "rng": ["seed = "],
    "scatter_nd": [r"x2xi(?:64|32)[^>]*>, tensor", r"x1xi(?:64|32)[^>]*>, tensor"],
    "slice": [r"strides = \[[^]]*-1", r"strides = \[[^]]*2", r"starts = \[[^]]*@"],
    "sort": [r"sort %\w+ axis = \d+ :"],
    "while": ["loop_dims"],
}


@pytest.fixture(scope="module")
def programs():
    """Programs of each entry."""
    made = {name: [generate_single(i, name) for i in range(COUNT)] for name in TABLE}
    return {name: [p for p in made[name] if p.outputs] for name in made}


@pytest.fixture(scope="module")
def lines(programs):
    """For each operation, the lines that hold it, from its results on."""
    found = collections.defaultdict(list)
    for made in programs.values():
        for line in (line for program in made for line in program.text().splitlines()):
            head = re.search(r"(?<![#!.\w])dhlo\.(\w+)(?= |\()", line)
            if head:
                found[head.group(1)].append(line)
    return found


def first_types(operation, lines):
    """The first element types of lines. A loop carries several."""
    element = re.compile(r"tensor<(?:[\d?]+x)*(\w+)[,>]")
    found = (element.findall(line.partition("dhlo.")[2]) for line in lines)
    return {dtype for types in found for dtype in types[: None if operation == "while" else 1]}


def test_definitions_are_read():
    """All operations are found in the definition files, as the compiler was built of them."""
    known = {name.removeprefix("dhlo.") for name in known_operations() if name[:5] == "dhlo."}
    made_by_passes = {name.removeprefix("dhlo.") for name in MADE_BY_PASSES}
    assert set(operations()) == known | made_by_passes
    assert operations()["shift_left"].types == operations()["shift_right"].types
    assert set(operations()["convert"].types) == set(DTYPES)


def test_every_operation_has_an_entry():
    """A new operation of the dialect needs one; an elementwise one gets it by its form."""
    made = {name for entry in TABLE.values() for name in entry.operations}
    assert set(operations()) - made == set(NOT_MADE), "operations without an entry"
    assert made <= set(operations())


def test_rules_are_of_operations():
    """A rule whose operation is renamed would be ignored."""
    assert set(RULES) <= {o.name for o in operations().values() if o.form}


@pytest.mark.parametrize("name", TABLE)
def test_entry_makes_what_it_says(programs, name):
    made = programs[name]
    assert len(made) > COUNT // 2, "the entry seldom makes anything"
    text = "\n".join(program.text() for program in made)
    missing = [o for o in TABLE[name].operations if not re.search(rf"dhlo\.{o}\b", text)]
    assert not missing


@pytest.mark.parametrize("name", sorted(set(operations()) - set(NOT_MADE)))
def test_every_type_is_made(lines, name):
    types = {t for t in operations()[name].types if (name, t) not in UNSUPPORTED}
    assert not types - first_types(name, lines[name])


@pytest.mark.parametrize("name", [o.name for o in operations().values() if o.keywords])
def test_every_keyword_is_made(lines, name):
    text = "\n".join(lines[name])
    words = [word for word in operations()[name].keywords if (name, word) not in UNUSED]
    missing = [word for word in words if not re.search(rf"dhlo\.{name}\b.* {word}\b", text)]
    assert not missing


@pytest.mark.parametrize("name", VARIANTS)
def test_variants_are_made(lines, name):
    text = "\n".join(lines[name])
    missing = [part for part in VARIANTS[name] if not re.search(part, text)]
    assert not missing


def test_programs_of_each_entry_are_valid(programs, tmp_path):
    if not shutil.which("dyn-opt"):
        pytest.skip("dyn-opt is not built")
    texts = [program.text() for name in programs for program in programs[name][:5]]
    file = tmp_path / "programs.mlir"
    file.write_text("\n// -----\n".join(texts))
    command = ["dyn-opt", file, "-split-input-file", "-o", tmp_path / "out.mlir"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000]
