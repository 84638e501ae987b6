# ===- test_planned_ranks.py - Models that a plan divides among ranks ------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models, compiled by plans for machines of several ranks, have the bits of one rank on
each of them."""

import json
import math
import os
import re
import socket
import subprocess
import sys

import numpy
import onnx
import onnx.parser
import pytest

import dyn
import models
from dyn.compiler.compile import compile_to_file
from harness import describe, same_bits
from planned import (
    as_list,
    bytes_of_parts,
    compile_by_plan,
    run_over_mpi,
    run_ranks,
    write_machine,
    write_small_machine,
)

MODELS = (
    "bert-small",
    "bert-int8-small",
    "gpt2-prefill-small",
    "gpt2-decode-small",
    "vit-any-small",
    "resnet-small",
    "crnn-small",
    "moe-small",
    "rec-small",
)

FULL = pytest.mark.full
#: A plan for one row divides columns, and others rows, where there are some.
ONE_ROW = ("--explain-at=batch=1",)

#: Run in a process of its own, since the emulator reads the number of its devices once.
ON_DEVICES = """
import sys; sys.path.insert(0, sys.argv[1])
import pathlib, test_planned_ranks
test_planned_ranks.compare(sys.argv[2], pathlib.Path(sys.argv[3]), "emu", (2, 4), 2)
"""


@pytest.mark.parametrize("name", ("bert-small", "gpt2-decode-small", "moe-small"))
def test_bits_of_one_device(name, tmp_path):
    """Each rank runs on an emulated device of its own."""
    folder = os.path.dirname(__file__)
    command = [sys.executable, "-c", ON_DEVICES, folder, name, tmp_path]
    subprocess.run(command, check=True, env={**os.environ, "DYN_EMU_DEVICES": "4"})


@pytest.mark.parametrize("name", MODELS)
def test_bits_of_one_rank(name, tmp_path):
    compare(name, tmp_path, "cpu", (2, 3, 4, 8), 4)


def compare(name, tmp_path, device, counts, samples):
    """The results of plans for some numbers of ranks and of one rank."""
    model = models.get(name)
    facts = model.dims or None
    target = ("--target=cpu,emu",) if device == "emu" else ()
    one = compile_to_file(str(model.path()), tmp_path / "one.so", facts, options=target)
    whole = dyn.load(one, threads=1, device=device)
    rng = numpy.random.default_rng(1)
    calls = [model.inputs(model.sizes(rng), rng) for _ in range(samples)]
    expected = [as_list(whole(**inputs)) for inputs in calls]
    divided = 0
    for ranks in counts:
        options = target + (ONE_ROW if ranks != 3 else ())
        many = compile_by_plan(model.path(), tmp_path, ranks, facts, options)
        used = len(bytes_of_parts(many))
        divided += used > 1
        for rank, results in enumerate(run_ranks(many, used, calls, device)[0]):
            for inputs, outputs, wanted in zip(calls, results, expected):
                assert same_bits(outputs, wanted), (ranks, rank, describe(inputs))
    assert divided


@pytest.mark.parametrize(
    "name", [name if name == "moe-small" else pytest.param(name, marks=FULL) for name in MODELS]
)
def test_bits_over_mpi(name, tmp_path, mpirun, full):
    """The same in processes of MPI, and in dyn-run."""
    model = models.get(name)
    facts = model.dims or None
    whole = compile_to_file(str(model.path()), tmp_path / "one.so", facts)
    rng = numpy.random.default_rng(1)
    calls = [model.inputs(model.sizes(rng), rng) for _ in range(4)]
    one = dyn.load(whole, threads=1)
    expected = [as_list(one(**inputs)) for inputs in calls]
    for ranks in (2, 3, 4, 8) if full else (2, 4):
        many = compile_by_plan(model.path(), tmp_path, ranks, facts, ONE_ROW)
        used = len(bytes_of_parts(many))
        assert used > 1
        for results in run_over_mpi(mpirun, many, used, calls, tmp_path):
            for outputs, wanted in zip(results, expected, strict=True):
                assert same_bits(outputs, wanted), ranks
    numpy.savez(tmp_path / "in.npz", **calls[0])
    inputs, outputs = f"--inputs={tmp_path}/in.npz", f"--output={tmp_path}/out.npz"
    subprocess.run(["dyn-run", whole, inputs, outputs], check=True)
    check = ("--entry=main", "--threads=1", inputs, f"--check={tmp_path}/out.npz", "--tolerance=0")
    text = mpirun(used, "dyn-run", many, "--communicator=mpi", *check)
    assert text.count("close") == used * len(expected[0])


#: A rank that prints how many pages of the weights a call reads. The first call reads those that
#: are read once; then none is in memory. A page that is an area by itself, as advice differs from
#: those beside it, comes alone when it is read, and not when code only prefetches it.
PAGES = """
import ctypes, pathlib, re, sys
import numpy, dyn

artifact, inputs, size, rank, port = sys.argv[1:]
PAGE, RANDOM, DONTNEED = 4096, 1, 4
libc = ctypes.CDLL(None)

def areas():
    text = pathlib.Path("/proc/self/smaps").read_text()
    for area in re.split("^(?=[0-9a-f]+-)", text, flags=re.MULTILINE):
        if area.partition("\\n")[0].endswith(".weights"):
            yield [int(x, 16) for x in area.split(" ")[0].split("-")], area

def advise(start, size, advice):
    assert libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), advice) == 0

with dyn.Communicator.sockets(
    size=int(size), rank=int(rank), address="127.0.0.1", port=int(port)
) as communicator:
    model = dyn.load(artifact, communicator=communicator, entry="main", threads=1)
    values = dict(numpy.load(inputs))
    model(**values)
    for (start, end), _ in list(areas()):
        for page in range(start, end, 2 * PAGE):
            advise(page, PAGE, RANDOM)
        advise(start, end - start, DONTNEED)
    model(**values)
    print(sum(int(re.search("Rss: +([0-9]+)", area)[1]) * 1024 // PAGE for _, area in areas()))
"""


def plan_weights(model, machine, output, options=ONE_ROW):
    """The bytes of a rank's weights by the plan of one stage."""
    command = ["dyn-compile", str(model.path()), f"--plan={machine}", "--plan-stages=1", *options]
    subprocess.run([*command, "--explain=json", "-o", output], check=True, capture_output=True)
    return json.loads(output.read_text())["stages"][0]["weight_bytes"]


@pytest.mark.parametrize("ranks", (2, 4))
def test_memory_of_a_rank(ranks, tmp_path):
    """A call reads exactly the pages that --describe says; a plan, which knows neither packing nor
    constants that are joined later, is near it."""
    model = models.get("bert-small")
    machine = write_machine(tmp_path / "machine.json", ranks)
    options = (f"--plan={machine}", "--sidecar-limit=1", *ONE_ROW)
    artifact = compile_to_file(str(model.path()), tmp_path / "m.so", model.dims, options=options)
    # All rows of all tables, on all ranks.
    ids = numpy.arange(512)[None].repeat(ranks, axis=0)
    inputs = {"input_ids": ids % 499, "token_type_ids": ids % 2, "attention_mask": ids * 0 + 1}
    numpy.savez(tmp_path / "in.npz", **inputs)
    script = tmp_path / "rank.py"
    script.write_text(PAGES)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, script, artifact, tmp_path / "in.npz", str(ranks)]
    processes = [
        subprocess.Popen([*command, str(rank), str(port)], stdout=subprocess.PIPE, text=True)
        for rank in range(ranks)
    ]
    found = [int(process.communicate(timeout=100)[0]) for process in processes]
    command = ["dyn-compile", "--describe", artifact]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    said = re.findall(r"reads (\d+) bytes of constants in (\d+) pages", text)
    assert found == [int(pages) for _, pages in said]
    planned = plan_weights(model, machine, tmp_path / "plan.json")
    # Biases of zeros are one constant, which all ranks read.
    for each, _ in said:
        assert planned <= int(each) <= planned + 4096


@pytest.mark.parametrize("ranks", (2, 4))
def test_memory_beside_a_plan(ranks, tmp_path):
    """A rank has the bytes of the plan and the columns that fill panels of 16. It has its columns
    of a table whose rows are a range that calls know."""
    model = models.get("gpt2-prefill-small")
    machine = write_machine(tmp_path / "machine.json", ranks)
    planned = plan_weights(model, machine, tmp_path / "plan.json")
    options = ("--plan-stages=1", *ONE_ROW)
    artifact = compile_by_plan(model.path(), tmp_path, ranks, model.dims, options)
    divided = ((192, 48), (192, 48), (48, 48), (48, 499))
    padding = sum(rows * (-math.ceil(columns / ranks) % 16) for rows, columns in divided)
    expected = round(planned) + 4 * padding
    assert set(bytes_of_parts(artifact).values()) == {expected}


def test_memory_of_a_mesh(tmp_path):
    """Rows of some matmuls are divided along one axis of a mesh of 2 x 2, and columns along the
    other: each rank has the columns that the plan says."""
    model = models.get("moe-small")
    machine = write_machine(tmp_path / "machine.json", 4)
    options = ("--explain-at=batch=2,tokens=1",)
    planned = plan_weights(model, machine, tmp_path / "plan.json", options)
    many = compile_by_plan(model.path(), tmp_path, 4, model.dims, options)
    # Of 48 columns of a matmul, ranks have 12, which fill panels of 16.
    for held in bytes_of_parts(many).values():
        assert planned < held < 1.15 * planned


#: The sum of the rows of two tables, of which one has its columns in front.
TABLES = """<ir_version: 9, opset_import: ["": 18]>
g (int64[N, 4] ids) => (float[N, 24] y) <int64[4] first = {0, 10, 20, 30}> {
    i = Add(ids, first)
    a = Gather <axis = 0> (rows, i)
    b = Gather <axis = 1> (columns, i)
    c = Transpose <perm = [1, 2, 0]> (b)
    d = Add(a, c)
    y = ReduceSum <keepdims = 0> (d, axis)
}"""


def test_tables(tmp_path):
    """Where a rank has no memory for tables, each has some of their columns."""
    model = onnx.parser.parse_model(TABLES)
    rng = numpy.random.default_rng(2)
    for name, value in (
        ("rows", rng.standard_normal((4001, 24), numpy.float32)),
        ("columns", rng.standard_normal((24, 4001), numpy.float32)),
        ("axis", numpy.array([1])),
    ):
        model.graph.initializer.append(onnx.numpy_helper.from_array(value, name))
    onnx.save(model, path := tmp_path / "tables.onnx")
    one = compile_to_file(str(path), tmp_path / "one.so")
    whole = dyn.load(one, threads=1)
    calls = [{"ids": rng.integers(0, 3970, (n, 4))} for n in (0, 1, 3, 17)]
    expected = [as_list(whole(**inputs)) for inputs in calls]
    options = ("--plan-stages=1",)
    for ranks in (2, 3):
        machine = write_small_machine(tmp_path / "machine.json", ranks, path, options)
        options += (f"--plan={machine}",)
        many = compile_to_file(str(path), tmp_path / f"{ranks}.so", options=options)
        held = bytes_of_parts(many)
        assert len(held) == ranks and max(held.values()) < 1.1 * 2 * 4001 * 24 * 4 / ranks
        for results in run_ranks(many, ranks, calls)[0]:
            for outputs, wanted in zip(results, expected):
                assert same_bits(outputs, wanted), ranks


#: Rows that the data choose, between matmuls of all rows.
CHOSEN = """<ir_version: 9, opset_import: ["": 18]>
g (float[N, 16] x) => (float[N, 16] y) <float zero = {0}, int64[1] axis = {1}> {
    a = MatMul(x, w0)
    b = Tanh(a)
    m = ReduceMax <keepdims = 0> (b, axis)
    c = Greater(m, zero)
    i = NonZero(c)
    j = Transpose(i)
    r = GatherND(b, j)
    s = MatMul(r, w1)
    t = Tanh(s)
    z = ScatterND(b, j, t)
    d = MatMul(z, w2)
    e = Tanh(d)
    y = MatMul(e, w3)
}"""


def test_stages_beside_sizes_of_data(tmp_path):
    """Stages are cut before and after values whose sizes the ranks of one of them know alone."""
    model = onnx.parser.parse_model(CHOSEN)
    rng = numpy.random.default_rng(2)
    for number in range(4):
        value = rng.standard_normal((16, 16), numpy.float32) / 9
        model.graph.initializer.append(onnx.numpy_helper.from_array(value, f"w{number}"))
    onnx.save(model, path := tmp_path / "chosen.onnx")
    whole = dyn.load(compile_to_file(str(path), tmp_path / "one.so"), threads=1)
    calls = [{"x": rng.standard_normal((n, 16), numpy.float32)} for n in (0, 1, 7, 30)]
    expected = [as_list(whole(**inputs)) for inputs in calls]
    options = ("--explain-at=N=4", "--plan-micro-batches=1")
    machine = write_small_machine(tmp_path / "machine.json", 3, path, options)
    options += (f"--plan={machine}", "--plan-stages=3")
    many = compile_to_file(str(path), tmp_path / "many.so", options=options)
    ranks = len(bytes_of_parts(many))
    assert ranks > 1
    for results in run_ranks(many, ranks, calls)[0]:
        for outputs, wanted in zip(results, expected):
            assert same_bits(outputs, wanted)


#: A perceptron, of which one matmul has no eight equal segments of its sums.
PERCEPTRON = """<ir_version: 9, opset_import: ["": 18]>
g (float[N, 16] x) => (float[N, 5] y) {
    a = MatMul(x, w0)
    b = Tanh(a)
    c = MatMul(b, w1)
    d = Tanh(c)
    y = MatMul(d, w2)
}"""


def test_divided_sums(tmp_path, full):
    """Plans that may divide sums have the bits of one another, and not those of others."""
    model = onnx.parser.parse_model(PERCEPTRON)
    rng = numpy.random.default_rng(2)
    for number, shape in enumerate(((16, 256), (256, 18), (18, 5))):
        value = rng.standard_normal(shape, numpy.float32) / 9
        model.graph.initializer.append(onnx.numpy_helper.from_array(value, f"w{number}"))
    onnx.save(model, path := tmp_path / "perceptron.onnx")
    whole = dyn.load(compile_to_file(str(path), tmp_path / "whole.so"), threads=1)
    calls = [{"x": rng.standard_normal((n, 16), numpy.float32)} for n in (0, 1, 7)]
    options = ("--plan-divide-sums", "--plan-stages=1", "--explain-at=N=1")
    expected = None
    for ranks in (1, 2, 3, 4, 8) if full else (1, 2, 8):
        many = compile_by_plan(path, tmp_path, ranks, options=options)
        machine = f"--plan={tmp_path}/machine.json"
        command = ["dyn-compile", path, machine, *options]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        assert ("sum" in text) == (ranks in (2, 4, 8)), text
        for results in run_ranks(many, len(bytes_of_parts(many)), calls)[0]:
            expected = expected or results
            assert all(map(same_bits, results, expected)), ranks
    assert not all(same_bits(as_list(whole(**x)), y) for x, y in zip(calls, expected))


#: Models whose rows go through stages in blocks. Of others this is not known, or not so.
IN_BLOCKS = (
    "bert-small",
    "gpt2-prefill-small",
    "gpt2-decode-small",
    "vit-any-small",
    "resnet-small",
    "crnn-small",
    "rec-small",
)
#: Ranks, stages, blocks, and the machine.
SHAPES = ((2, 2, 4, {}), (3, 3, 6, {}))
#: Stages of one rank and of two, and, of most models, two stages of two.
LARGER_SHAPES = ((4, 4, 8, {"share": 0.4}), (4, 2, 8, {"near": 2}))


@pytest.mark.parametrize("name", (*IN_BLOCKS, "moe-small"))
def test_bits_of_stages(name, tmp_path, full):
    model = models.get(name)
    facts = model.dims or None
    whole = dyn.load(compile_to_file(str(model.path()), tmp_path / "one.so", facts), threads=1)
    rng = numpy.random.default_rng(1)
    calls = [model.inputs(model.sizes(rng), rng) for _ in range(3)]
    # With fewer rows than blocks, too.
    calls += [model.inputs(model.sizes(rng) | {"batch": n}, rng) for n in (1, 9)]
    expected = [as_list(whole(**inputs)) for inputs in calls]
    planned = model.sizes(numpy.random.default_rng(1)) | {"batch": 8}
    sizes = ",".join(f"{k}={v}" for k, v in planned.items())
    larger = LARGER_SHAPES if full or name == "gpt2-decode-small" else ()
    for ranks, stages, blocks, how in (*SHAPES, *larger):
        blocks = blocks if name in IN_BLOCKS else 1
        options = (f"--explain-at={sizes}", f"--plan-micro-batches={blocks}")
        path = tmp_path / "machine.json"
        machine = write_small_machine(path, ranks, model.path(), options, **how)
        options += (f"--plan={machine}", f"--plan-stages={stages}")
        many = compile_to_file(str(model.path()), tmp_path / f"{ranks}.so", facts, options=options)
        # A rank holds the weights of its stage.
        held = bytes_of_parts(many)
        assert min(ranks, 3) <= len(held) <= ranks and len(set(held.values())) > 1
        for rank, results in enumerate(run_ranks(many, len(held), calls)[0]):
            for inputs, outputs, wanted in zip(calls, results, expected):
                assert same_bits(outputs, wanted), (ranks, rank, describe(inputs))
