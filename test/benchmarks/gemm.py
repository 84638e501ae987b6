#!/usr/bin/env python3
# ===- gemm.py - Products with a constant matrix beside MKL and oneDNN ------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures x[M, K] times a constant [K, N] in float32: one artifact of dyn for all
M, beside PyTorch's product and linear layer (MKL), MKL and oneDNN with packed
weights, and ONNX Runtime. Rates are GF/s; `ahead` is dyn's rate over that of the best
peer: above 1, dyn is the faster. `peak` is the best static 1024^3 product."""

import argparse
import json
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

# Products of models, and some whose sizes are no multiples of a vector.
PRODUCTS = ((384, 1536), (768, 768), (768, 3072), (3072, 768), (1024, 1024))
ODD_PRODUCTS = ((100, 300), (770, 1000), (383, 1537))
QUICK = ((768, 768), (100, 300))
# From here on a product should reach the rate of the static one.
PEAK_FROM = 65
CLASSES = ((1, 1), (2, 4), (5, 16), (17, 64), (65, 256), (257, 1024))


def class_name(low, high):
    return str(low) if low == high else f"{low}-{high}"


def write_product(path, weight):
    """An ONNX file with one MatMul by a constant and any number of rows."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    k, n = weight.shape
    node = helper.make_node("MatMul", ["x", "w"], ["y"], "product")
    ports = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", width])
        for name, width in (("x", k), ("y", n))
    ]
    constants = [numpy_helper.from_array(weight, "w")]
    graph = helper.make_graph([node], "product", ports[:1], ports[1:], constants)
    opset = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), str(path))


class Dyn:
    name = "dyn"

    def __init__(self, path, weight, threads):
        import bare
        from dyn.compiler.compile import compile_to_file

        self.execution = bare.Execution(compile_to_file(path), threads)

    def prepare(self, x):
        return self.execution.prepare(x, run=False)


class OnnxRuntime:
    name = "onnxruntime"

    def __init__(self, path, weight, threads):
        from engines import OnnxRuntime

        self.session = OnnxRuntime._open(path, threads)
        self.width = weight.shape[1]

    def prepare(self, x):
        return bound(self.session, {"x": x}, {"y": (len(x), self.width)})


def bound(session, inputs, shapes):
    """A call of ONNX Runtime with its inputs and outputs in place."""
    import numpy

    binding = session.io_binding()
    keep = []
    for name, value in inputs.items():
        binding.bind_cpu_input(name, value)
    for name, shape in shapes.items():
        out = numpy.empty(shape, "float32")
        keep.append(out)
        binding.bind_output(name, "cpu", 0, "float32", shape, out.ctypes.data)

    def call():
        session.run_with_iobinding(binding)

    call.keep = keep, inputs
    return call


class Torch:
    """torch.mm into a tensor that is there, by MKL."""

    name = "torch.mm"

    def __init__(self, path, weight, threads):
        import torch

        self.weight = torch.from_numpy(weight)

    def prepare(self, x):
        import torch

        x, weight = torch.from_numpy(x), self.weight
        out = torch.empty(x.shape[0], weight.shape[1])
        return lambda: torch.mm(x, weight, out=out)


class Linear:
    """The linear layer, whose weight is transposed."""

    name = "linear"

    def __init__(self, path, weight, threads):
        import torch

        self.weight = torch.from_numpy(weight.T.copy())

    def prepare(self, x):
        import torch

        x, weight, linear = torch.from_numpy(x), self.weight, torch.nn.functional.linear
        return lambda: linear(x, weight)


class PackedMkl(Linear):
    """MKL's packed product, which takes the M alone that it was packed for."""

    name = "MKL packed"
    one_size = True

    def prepare(self, x):
        import torch

        x, weight, rows = torch.from_numpy(x), self.weight, len(x)
        packed = torch.ops.mkl._mkl_reorder_linear_weight(weight, rows)
        linear = torch.ops.mkl._mkl_linear
        return lambda: linear(x, packed, weight, None, rows)


class PackedOneDnn(Linear):
    """oneDNN's product, packed as it likes best for the M at hand."""

    name = "oneDNN packed"
    one_size = True

    def prepare(self, x):
        import torch

        x, linear = torch.from_numpy(x), torch.ops.mkldnn._linear_pointwise
        packed = torch.ops.mkldnn._reorder_linear_weight(self.weight, len(x))
        return lambda: linear(x, packed, None, "none", [], "")


ENGINES = (Dyn, OnnxRuntime, Torch, Linear, PackedMkl, PackedOneDnn)


def open_engines(path, weight, threads):
    """Those that this machine and these packages have."""
    engines = []
    for engine in ENGINES:
        try:
            opened = engine(path, weight, threads)
            opened.prepare(weight[:1, :1].repeat(weight.shape[0], 1))()
            engines.append(opened)
        except (RuntimeError, AttributeError) as error:
            print(f"  {engine.name} is left out: {str(error).splitlines()[0]}", file=sys.stderr)
    return engines


def static_product(threads):
    """The best static 1024^3 product of MKL and oneDNN, as a function."""
    import blocks
    import numpy

    x, weight = numpy.random.default_rng(1).standard_normal((2, 1024, 1024), "float32")
    engines = (Torch, Linear, PackedMkl, PackedOneDnn)
    actions = {e.name: e(None, weight, threads).prepare(x) for e in engines}
    times = blocks.medians(actions, 3, threads)
    return actions[min(times, key=times.get)]


def draw_rows(rng, low, high, count):
    """`count` different M of a class, its ends among them where they fit."""
    values = range(low, high + 1)
    return sorted(rng.sample(values, min(count, len(values))))


def verify(engine, x, weight):
    """Refuses a fast product that is wrong."""
    import numpy

    want = x.astype("float64") @ weight
    error = abs(engine.execution.output() - want)
    if (error > 1e-4 * (abs(want) + abs(want).max())).any():
        sys.exit(f"dyn is wrong by {error.max():.3g} at {x.shape} x {weight.shape}")


def measure(k, n, rows, static, threads, rounds, folder):
    """One (K, N): steady seconds as {M: {engine: seconds}}, the static product's
    among them where it is compared with, and {engine: [(M, first, seen)]} for the
    engines that take any M."""
    import random

    import blocks
    import numpy

    rng = numpy.random.default_rng(k * n)
    weight = rng.standard_normal((k, n), "float32")
    path = folder / f"{k}x{n}.onnx"
    write_product(path, weight)
    engines = open_engines(path, weight, threads)

    # New sizes first: the steady runs below would take the news away.
    order = [m + 1 for m in rows]
    random.Random(k + n).shuffle(order)
    data = {m: rng.standard_normal((m, k), "float32") for m in (*order, *rows)}
    first = {
        engine.name: blocks.first_and_seen(
            lambda m, e=engine: (e.prepare(data[m]), data[m].sum())[0], order
        )
        for engine in engines
        if not hasattr(engine, "one_size")
    }
    steady = {}
    for m in rows:
        actions = {engine.name: engine.prepare(data[m]) for engine in engines}
        for engine in engines:
            if engine.name == "dyn":
                actions["dyn"]()
                verify(engine, data[m], weight)
        if m >= PEAK_FROM:
            actions["static"] = static
        steady[m] = blocks.medians(actions, rounds, threads)
    return steady, first


def geomean(values):
    import math

    return math.exp(sum(map(math.log, values)) / len(values))


def summarise(k, n, steady, low, high):
    """Rates of a class of M in GF/s, and how far ahead of the best peer dyn is: by
    the class's geomean, and at the worst M."""
    inside = {m: times for m, times in steady.items() if low <= m <= high}
    times = next(iter(inside.values()))
    names = [name for name in times if name != "static"]
    rates = {
        name: geomean([2e-9 * m * k * n / times[name] for m, times in inside.items()])
        for name in names
    }
    peers = [name for name in names if name != "dyn"]
    row = {"K": k, "N": n, "M": class_name(low, high), **rates}
    row["ahead"] = rates["dyn"] / max(rates[p] for p in peers)
    row["worst"] = min(min(t[p] for p in peers) / t["dyn"] for t in inside.values())
    if "static" in times:
        peak = geomean([2e-9 * 1024**3 / times["static"] for times in inside.values()])
        row |= {"peak": peak, "of peak": rates["dyn"] / peak}
    return row


def markdown(rows):
    from bench import table

    return table(rows)


def main():
    parser = argparse.ArgumentParser(prog="x bench --gemm", description=__doc__)
    parser.add_argument("products", nargs="*", help="KxN, such as 768x3072; default: all")
    parser.add_argument("--rows", help="these M alone, by commas")
    parser.add_argument("--quick", action="store_true", help="two products, fewer M")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=pathlib.Path, default=HERE.parents[1] / "build" / "bench")
    args = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-args.threads :])
    os.environ["OMP_NUM_THREADS"] = str(args.threads)

    import random

    import torch

    torch.set_num_threads(args.threads)
    products = [tuple(map(int, p.split("x"))) for p in args.products]
    products = products or (QUICK if args.quick else PRODUCTS + ODD_PRODUCTS)
    rng = random.Random(args.seed)
    classes = [(c, draw_rows(rng, *c, 1 if args.quick else 3)) for c in CLASSES]
    if args.rows:
        classes = [((m, m), [m]) for m in map(int, args.rows.split(","))]
    rows = [m for _, drawn in classes for m in drawn]

    table, firsts = [], {}
    with tempfile.TemporaryDirectory() as temporary, torch.inference_mode():
        folder = pathlib.Path(temporary)
        static = static_product(args.threads)
        for k, n in products:
            steady, first = measure(k, n, rows, static, args.threads, args.rounds, folder)
            for (low, high), _ in classes:
                row = summarise(k, n, steady, low, high)
                table.append(row)
                print(markdown([row]).splitlines()[-1], flush=True)
            for name, calls in first.items():
                firsts.setdefault(name, []).extend((k, n, *call) for call in calls)
    penalty = {
        name: sorted(first / seen for *_, first, seen in calls)[len(calls) // 2]
        for name, calls in firsts.items()
    }
    args.output.mkdir(parents=True, exist_ok=True)
    result = {"threads": args.threads, "rows": table}
    result |= {"first": firsts, "penalty": penalty}
    (args.output / f"gemm-{args.threads}.json").write_text(json.dumps(result))
    text = markdown(table)
    text += "\nFirst call at an M over the median of the next five: "
    text += ", ".join(f"{name} {value:.2f}" for name, value in penalty.items()) + ".\n"
    (args.output / f"gemm-{args.threads}.md").write_text(text)
    print("\n" + text)


if __name__ == "__main__":
    sys.path[:0] = [str(HERE), str(HERE.parent)]
    main()
