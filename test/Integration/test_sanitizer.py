# ===- test_sanitizer.py - Code instrumented by AddressSanitizer -----------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`dyn-compile --sanitize=address` finds out-of-bounds accesses of kernels, and finds none
in whole models."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy
import pytest

import test_data
import test_winograd

HERE = pathlib.Path(__file__).parent
INPUTS = HERE / "Inputs"


def environment():
    """An environment with AddressSanitizer in every process."""
    clang = shutil.which("clang-22") or "/usr/lib/llvm-22/bin/clang"
    library = subprocess.run(
        [clang, "-print-file-name=libclang_rt.asan-x86_64.so"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    if not os.path.isabs(library):
        library = subprocess.run(
            [clang, "-print-file-name=libclang_rt.asan.so"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
    assert os.path.exists(library), "libclang-rt-22-dev is not installed"
    symbolizer = shutil.which("llvm-symbolizer-22") or "/usr/lib/llvm-22/bin/llvm-symbolizer"
    return dict(
        os.environ,
        LD_PRELOAD=library,
        # Python keeps its allocations until the process ends.
        ASAN_OPTIONS="detect_leaks=0",
        ASAN_SYMBOLIZER_PATH=symbolizer,
    )


def compile(source, target, *options):
    subprocess.run(
        ["dyn-compile", str(source), "-o", str(target), "--sanitize=address", *options],
        check=True,
    )


def run(artifact, *inputs):
    command = ["dyn-run", str(artifact)]
    for value in inputs:
        command += ["--input", value]
    return subprocess.run(command, capture_output=True, text=True, env=environment())


OVERRUNS = {
    "output": ("%arena", "%output", "WRITE of size 4"),
    "input": ("%input", "%arena", "READ of size 4"),
    "constant": ("%constant", "%arena", "READ of size 4"),
}


@pytest.mark.parametrize("case", OVERRUNS)
def test_overrun_names_the_op(tmp_path, case):
    source, target, access = OVERRUNS[case]
    text = (INPUTS / "overrun.mlir").read_text()
    (tmp_path / "bad.mlir").write_text(text.replace("FROM", source).replace("TO", target))
    compile(tmp_path / "bad.mlir", tmp_path / "bad.so")
    done = run(tmp_path / "bad.so", "x=random:5")
    assert done.returncode != 0
    assert "AddressSanitizer" in done.stderr and access in done.stderr
    assert re.search(r"#0 .* in negate.body\S* /layer/Neg", done.stderr), done.stderr


def test_correct_program_is_left_alone(tmp_path):
    text = (INPUTS / "overrun.mlir").read_text().replace("dims(%more)", "dims(%n)")
    (tmp_path / "good.mlir").write_text(text.replace("FROM", "%input").replace("TO", "%output"))
    compile(tmp_path / "good.mlir", tmp_path / "good.so")
    done = run(tmp_path / "good.so", "x=random:5")
    assert done.returncode == 0, done.stderr


def test_overrun_within_the_arena(tmp_path):
    """Red zones between values of an arena: one row too many is reported."""
    source = INPUTS / "three_gemms.mlir"
    text = subprocess.run(
        ["dyn-compile", str(source), "--emit=buffers", "--sanitize=address"]
        + ["--mlir-print-debuginfo"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    # Formulas are for reports, and contain sizes that are values by now.
    text = re.sub(r" \{dlhlo.(formula|sizes) = [^}]*\}", "", text)
    good, bad = tmp_path / "good.mlir", tmp_path / "bad.mlir"
    good.write_text(text)
    text, count = re.subn(r"(dispatch @iota) dims\(%\w+\)", r"\1 dims(%more)", text)
    assert count == 1
    reserve = re.search(r"\n *%\w+ = dlhlo.reserve", text).start()
    bad.write_text(f"{text[:reserve]}\n%more = arith.constant 6 : index{text[reserve:]}")
    for path, expected in ((good, 0), (bad, 1)):
        compile(path, path.with_suffix(".so"))
        done = run(path.with_suffix(".so"), "x=random:5", "w=random:6x6")
        assert (done.returncode != 0) == expected, done.stderr
    assert "use-after-poison" in done.stderr and "WRITE" in done.stderr
    assert "/positions/Range" in done.stderr, done.stderr


def call(artifact, folder, count):
    """Runs sanitized_calls.py on an artifact with the inputs in a folder."""
    done = subprocess.run(
        [sys.executable, str(HERE / "sanitized_calls.py"), str(artifact), str(folder)],
        capture_output=True,
        text=True,
        env=environment(),
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-8000:]
    assert done.stdout == f"{count} inputs\n"


SMALL = ["bert-small", "gpt2-prefill-small", "gpt2-decode-script-small", "resnet-small"]
SMALL += ["ocr-rec-small"]


@pytest.mark.parametrize("name", SMALL)
def test_models_stay_in_their_buffers(compiled, full, tmp_path, name):
    """Whole models, with the bits of the plain artifact."""
    model = compiled(name)
    rng = numpy.random.default_rng(15)
    left = 1000 if full else 4
    artifact = tmp_path / "sanitized.so"
    dims = [f"--dim={k}={a}..{b}" for k, (a, b) in model.model.dims.items()]
    compile(model.model.path(), artifact, *dims)
    while left:
        # A few at a time, since their files are large.
        count = min(left, 50)
        left -= count
        folder = tmp_path / f"inputs-{left}"
        folder.mkdir()
        for number, (inputs, _) in enumerate(model.legal(rng, count)):
            numpy.savez(folder / f"{number:04}.in.npz", **inputs)
            numpy.savez(folder / f"{number:04}.out.npz", *model.run(inputs))
        call(artifact, folder, count)
        shutil.rmtree(folder)


@pytest.mark.parametrize("name", test_data.MODELS)
def test_sizes_from_data_stay_in_their_buffers(tmp_path, name):
    text, cases = test_data.MODELS[name]
    both = test_data.compile_onnx(tmp_path, text)
    compile(both.source, tmp_path / "sanitized.so")
    for number, inputs in enumerate(cases):
        inputs = {k: numpy.asarray(v) for k, v in inputs.items()}
        numpy.savez(tmp_path / f"{number:04}.in.npz", **inputs)
        numpy.savez(tmp_path / f"{number:04}.out.npz", *both.run(inputs))
    call(tmp_path / "sanitized.so", tmp_path, len(cases))


@pytest.mark.parametrize("channels", [test_winograd.MANY, test_winograd.FEW], ids=["many", "few"])
def test_winograd_stays_in_its_buffers(tmp_path, channels):
    """Tiles that extend over each edge of an image, and images smaller than a tile."""
    import dyn

    test_winograd.write_convolutions(tmp_path / "m.onnx", channels)
    dyn.compile(str(tmp_path / "m.onnx"), output=str(tmp_path / "plain.so"))
    compile(tmp_path / "m.onnx", tmp_path / "sanitized.so")
    plain = dyn.load(str(tmp_path / "plain.so"))
    rng = numpy.random.default_rng(4)
    sizes = [(1, 16, 16), (2, 13, 19), (0, 16, 16), (3, 4, 4), (1, 40, 33)]
    for number, (batch, height, width) in enumerate(sizes):
        shape = batch, channels[0], height, width
        inputs = {"x": rng.standard_normal(shape).astype("float32")}
        numpy.savez(tmp_path / f"{number:04}.in.npz", **inputs)
        numpy.savez(tmp_path / f"{number:04}.out.npz", *plain.run(inputs))
    call(tmp_path / "sanitized.so", tmp_path, len(sizes))
