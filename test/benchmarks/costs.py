#!/usr/bin/env python3
# ===- costs.py - Costs of compiling, loading and calling ------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Costs besides the kernels: a cold compilation with its anonymous memory, loading, and the
host's part of a call. test_costs.py tests counts and bytes; `./x bench --costs [MODEL...]`
prints times."""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

NAMES = ("tiny-100-small", "bert-base", "gpt2-prefill", "resnet50")
HERE = pathlib.Path(__file__).resolve().parent


def compile_cold(model, artifact, *options):
    """Compiles in a new process. Returns the seconds and the maximum RssAnon shown by
    /proc, in bytes."""
    start = time.monotonic()
    process = subprocess.Popen(["dyn-compile", str(model), "-o", str(artifact), *options])
    status = pathlib.Path(f"/proc/{process.pid}/status")
    anonymous = 0
    while process.poll() is None:
        for line in status.read_text().splitlines():
            if line.startswith("RssAnon"):
                anonymous = max(anonymous, 1024 * int(line.split()[1]))
        time.sleep(0.002)
    if process.returncode:
        raise RuntimeError(f"dyn-compile {model} failed")
    return time.monotonic() - start, anonymous


def load_seconds(artifact, repeat=7):
    """Returns the median seconds from dlopen to a usable context, with a warm page cache."""
    import dyn

    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        loaded = dyn.load(str(artifact), threads=1)
        times.append(time.perf_counter() - start)
        del loaded
    return statistics.median(times)


def bytecode_bytes(model, folder):
    """Returns the sizes of the imported program as bytecode and of a crash reproducer."""
    text, code = folder / "import.mlir", folder / "import.mlirbc"
    subprocess.run(["dyn-translate", "--import-onnx", str(model), "-o", str(text)], check=True)
    subprocess.run(["dyn-opt", str(text), "--emit-bytecode", "-o", str(code)], check=True)
    # A reproducer contains the program before a pass, as text.
    largest = 0
    for level in ("import", "dhlo", "fusions", "kernels", "buffers"):
        stage = folder / "stage.mlir"
        subprocess.run(["dyn-compile", str(model), f"--emit={level}", "-o", str(stage)], check=True)
        largest = max(largest, stage.stat().st_size)
    return code.stat().st_size, largest


def call_cost(artifact, inputs, repeat=2000):
    """Returns the minimum and median microseconds of a call through Python, kernels
    included, and its number of launches."""
    import dyn

    loaded = dyn.load(str(artifact), threads=1)
    for _ in range(20):
        loaded.run(inputs)
    loaded.reset_stats()
    loaded.run(inputs)
    launches = loaded.stats["launches"]
    times = []
    for _ in range(repeat):
        start = time.perf_counter_ns()
        loaded.run(inputs)
        times.append((time.perf_counter_ns() - start) / 1e3)
    return min(times), statistics.median(times), launches


def measure(name, folder):
    """Returns the costs of a model as a dictionary."""
    import numpy

    import models

    model, artifact = models.get(name), folder / f"{name}.so"
    dims = [f"--dim={k}={a}..{b}" for k, (a, b) in model.dims.items()]
    seconds, anonymous = compile_cold(model.path(), artifact, *dims)
    code, text = bytecode_bytes(model.path(), folder)
    row = {
        "model": name,
        "model_bytes": model.path().stat().st_size,
        "compile_seconds": seconds,
        "anonymous_bytes": anonymous,
        "load_seconds": load_seconds(artifact),
        "bytecode_bytes": code,
        "reproducer_bytes": text,
    }
    if "tiny" in name:
        inputs = model.inputs({"batch": 1}, numpy.random.default_rng(0))
        least, median, launches = call_cost(artifact, inputs)
        row |= {"call_us": median, "least_call_us": least, "launches": launches}
    for file in folder.glob(f"{name}*"):
        file.unlink()
    return row


def tell(row):
    """Prints the figures as text."""
    print(f"{row['model']}: model {row['model_bytes'] / 1e6:.1f} MB")
    anonymous = row["anonymous_bytes"] / 1e6
    print(f"  cold compile {row['compile_seconds']:.2f} s, {anonymous:.0f} MB anonymous")
    print(f"  load {1e3 * row['load_seconds']:.2f} ms")
    code, text = row["bytecode_bytes"] / 1e3, row["reproducer_bytes"] / 1e3
    print(f"  bytecode {code:.0f} kB, largest reproducer {text:.0f} kB")
    if "launches" in row:
        allowed = 20 + 0.5 * row["launches"]
        print(f"  call {row['call_us']:.1f} us through Python (least {row['least_call_us']:.1f}),")
        print(f"  {row['launches']} launches: the host may cost {allowed:.0f} us")


def main():
    sys.path.insert(0, str(HERE.parent))
    import summary

    parser = argparse.ArgumentParser(prog="x bench --costs", description=__doc__)
    parser.add_argument("models", nargs="*", default=NAMES)
    parser.add_argument("--output", type=pathlib.Path, default=HERE.parents[1] / "build" / "bench")
    args = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        for name in args.models:
            rows.append(measure(name, pathlib.Path(temporary)))
            tell(rows[-1])
    args.output.mkdir(parents=True, exist_ok=True)
    (args.output / "costs-all.json").write_text(json.dumps({"rows": rows}))
    summary.write(args.output)


if __name__ == "__main__":
    main()
