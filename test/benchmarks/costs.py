#!/usr/bin/env python3
# ===- costs.py - What compiling, loading and calling cost -----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Costs beside the kernels': cold compile with its anonymous memory, load, and the
host's part of a call. Counts and bytes among them are tests (test_costs.py); times
are printed by `./x bench --costs [MODEL...]`."""

import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent


def compile_cold(model, artifact, *options):
    """Compiles in a new process. Returns seconds and the greatest RssAnon that
    /proc showed, in bytes."""
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
    """Median seconds from dlopen to a context that can run, page cache warm."""
    import dyn

    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        loaded = dyn.load(str(artifact), threads=1)
        times.append(time.perf_counter() - start)
        del loaded
    return statistics.median(times)


def bytecode_bytes(model, folder):
    """Sizes of the imported program as bytecode and of a crash reproducer."""
    text, code = folder / "import.mlir", folder / "import.mlirbc"
    subprocess.run(["dyn-translate", "--import-onnx", str(model), "-o", str(text)], check=True)
    subprocess.run(["dyn-opt", str(text), "--emit-bytecode", "-o", str(code)], check=True)
    # A reproducer is the program as it was before a pass, in text.
    largest = 0
    for level in ("import", "dhlo", "fusions", "kernels", "buffers"):
        stage = folder / "stage.mlir"
        subprocess.run(["dyn-compile", str(model), f"--emit={level}", "-o", str(stage)], check=True)
        largest = max(largest, stage.stat().st_size)
    return code.stat().st_size, largest


def call_cost(artifact, inputs, repeat=2000):
    """Least and median microseconds of a call through Python, kernels included, and
    its launches."""
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


def main(names):
    sys.path.insert(0, str(HERE.parent))
    import numpy

    import models

    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for name in names or ["tiny-100-small", "bert-small", "bert-base"]:
            model = models.get(name)
            artifact = folder / f"{name}.so"
            dims = [f"--dim={k}={a}..{b}" for k, (a, b) in model.dims.items()]
            seconds, anonymous = compile_cold(model.path(), artifact, *dims)
            code, text = bytecode_bytes(model.path(), folder)
            print(f"{name}: model {model.path().stat().st_size / 1e6:.1f} MB")
            print(f"  cold compile {seconds:.2f} s, {anonymous / 1e6:.0f} MB anonymous")
            print(f"  load {1e3 * load_seconds(artifact):.2f} ms")
            print(f"  bytecode {code / 1e3:.0f} kB, largest reproducer {text / 1e3:.0f} kB")
            if "tiny" in name:
                inputs = model.inputs({"batch": 1}, numpy.random.default_rng(0))
                least, median, launches = call_cost(artifact, inputs)
                print(
                    f"  call {median:.1f} us through Python (least {least:.1f}), kernels"
                    f" included; {launches} launches: the host may cost"
                    f" {20 + 0.5 * launches:.0f} us"
                )
            artifact.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
