# ===- gemm.py - GEMMs with a constant matrix beside MKL and oneDNN --------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures x[M, K] times a constant [K, N] in float32: one artifact of dyn for all M,
beside PyTorch's matmul and linear layer (MKL), MKL and oneDNN with packed weights, and ONNX
Runtime. Rates are GF/s. `ahead` is dyn's rate over that of the best peer in the class,
`worst` the same ratio at the worst M of the class: above 1, dyn is faster. `peak` is the
faster static 1024^3 GEMM of MKL and oneDNN, run in turns with the others."""

import argparse
import pathlib
import random
import sys
import tempfile

import roofline
import single
from tables import geomean, markdown

# (K, N) of models, and some that are not multiples of the vector length.
GEMMS = ((384, 1536), (768, 768), (768, 3072), (3072, 768), (1024, 1024))
ODD_GEMMS = ((100, 300), (770, 1000), (383, 1537))
QUICK = ((768, 768), (100, 300))
# From this M on, a GEMM should reach the rate of the static one.
PEAK_FROM = 65
# Number of sizes at which a first call is compared with the next.
NEW_SIZES = 24
CLASSES = ((1, 1), (2, 4), (5, 16), (17, 64), (65, 256), (257, 1024))


def class_name(low, high):
    return str(low) if low == high else f"{low}-{high}"


def write_gemm(path, weight):
    """Writes a MatMul by a constant, with a dynamic number of rows."""
    from onnx import helper

    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"], "matmul")]
    k, n = weight.shape
    single.write_onnx(path, nodes, {"x": ["rows", k]}, {"y": ["rows", n]}, {"w": weight})


class Torch:
    """torch.mm into an existing tensor, by MKL."""

    name = "torch.mm"

    def __init__(self, weight):
        import torch

        self.weight = torch.from_numpy(weight)

    def prepare(self, x):
        import torch

        x, weight = torch.from_numpy(x), self.weight
        out = torch.empty(x.shape[0], weight.shape[1])
        return lambda: torch.mm(x, weight, out=out)


class Linear:
    """The linear layer, with a transposed weight."""

    name = "linear"

    def __init__(self, weight):
        import torch

        self.weight = torch.from_numpy(weight.T.copy())

    def prepare(self, x):
        import torch

        x, weight, linear = torch.from_numpy(x), self.weight, torch.nn.functional.linear
        return lambda: linear(x, weight)


class PackedMkl(Linear):
    """MKL's packed GEMM, which supports only the M that it was packed for."""

    name = "MKL packed"
    one_size = True

    def prepare(self, x):
        import torch

        x, weight, rows = torch.from_numpy(x), self.weight, len(x)
        packed = torch.ops.mkl._mkl_reorder_linear_weight(weight, rows)
        linear = torch.ops.mkl._mkl_linear
        return lambda: linear(x, packed, weight, None, rows)


class PackedOneDnn(Linear):
    """oneDNN's matmul, in its preferred packing for the given M."""

    name = "oneDNN packed"
    one_size = True

    def prepare(self, x):
        import torch

        x, linear = torch.from_numpy(x), torch.ops.mkldnn._linear_pointwise
        packed = torch.ops.mkldnn._reorder_linear_weight(self.weight, len(x))
        return lambda: linear(x, packed, None, "none", [], "")


LIBRARIES = (Torch, Linear, PackedMkl, PackedOneDnn)


class Graph:
    """dyn or ONNX Runtime, running the file."""

    def __init__(self, engine, path, weight, threads):
        self.engine, self.columns = engine(path, threads), weight.shape[1]
        self.name = engine.name

    def prepare(self, x):
        return self.engine.prepare({"x": x}, (len(x), self.columns))


def open_libraries(weight):
    """Returns the libraries that this machine and its packages support."""
    libraries = []
    for kind in LIBRARIES:
        try:
            library = kind(weight)
            library.prepare(weight.T[:1].copy())()
            libraries.append(library)
        except (RuntimeError, AttributeError) as error:
            print(f"  {kind.name} is left out: {str(error).splitlines()[0]}", file=sys.stderr)
    return libraries


def static_gemm(threads):
    """Returns the faster static 1024^3 GEMM of MKL and oneDNN, as a function."""
    import blocks
    import numpy

    x, weight = numpy.random.default_rng(1).standard_normal((2, 1024, 1024), "float32")
    actions = {library.name: library.prepare(x) for library in open_libraries(weight)}
    times = blocks.medians(actions, 3, threads)
    return actions[min(times, key=times.get)]


def draw_rows(rng, low, high, count):
    """Draws `count` different M of a class; returns all if there are fewer."""
    values = range(low, high + 1)
    return sorted(rng.sample(values, min(count, len(values))))


def measure(k, n, rows, static, threads, rounds, folder):
    """Measures one (K, N). Returns steady seconds as {M: {engine: seconds}}, including the
    static GEMM where it is compared with, and {engine: [(M, first, seen)]} for the engines
    that accept any M."""
    import blocks
    import numpy

    rng = numpy.random.default_rng(k * n)
    weight = rng.standard_normal((k, n), "float32")
    path = folder / f"{k}x{n}.onnx"
    write_gemm(path, weight)
    dyn, peer = (Graph(kind, path, weight, threads) for kind in (single.Dyn, single.OnnxRuntime))
    engines = [dyn, peer, *open_libraries(weight)]

    # New sizes come first: after the steady runs below they would not be new.
    order = [int(numpy.exp(rng.uniform(0, numpy.log(1024)))) for _ in range(NEW_SIZES)]
    order = [m for m in dict.fromkeys(order) if m not in rows]
    data = {m: single.aligned(rng.standard_normal((m, k), "float32")) for m in (*order, *rows)}
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
        actions["dyn"]()
        dyn.engine.verify(data[m].astype("float64") @ weight, f"{m}x{k}x{n}")
        if m >= PEAK_FROM:
            actions["static"] = static
        steady[m] = blocks.medians(actions, rounds, threads)
    return steady, first


def summarise(k, n, steady, low, high):
    """Returns the rates of a class of M in GF/s, and the ratio of dyn's rate to that of the
    best peer: by the geomean of the class, and at the worst M."""
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


def main():
    parser = argparse.ArgumentParser(prog="x bench --gemm", description=__doc__)
    parser.add_argument("gemms", nargs="*", help="KxN, such as 768x3072; default: all")
    parser.add_argument("--rows", help="these M alone, by commas")
    single.add_arguments(parser)
    args = parser.parse_args()
    single.settle(args.threads)

    import torch

    gemms = [tuple(map(int, p.split("x"))) for p in args.gemms]
    gemms = gemms or (QUICK if args.quick else GEMMS + ODD_GEMMS)
    rng = random.Random(args.seed)
    classes = [(c, draw_rows(rng, *c, 1 if args.quick else 3)) for c in CLASSES]
    if args.rows:
        classes = [((m, m), [m]) for m in map(int, args.rows.split(","))]
    rows = [m for _, drawn in classes for m in drawn]

    table, firsts, points = [], {}, {}
    with tempfile.TemporaryDirectory() as temporary, torch.inference_mode():
        folder = pathlib.Path(temporary)
        static = static_gemm(args.threads)
        for k, n in gemms:
            steady, first = measure(k, n, rows, static, args.threads, args.rounds, folder)
            for (low, high), _ in classes:
                row = summarise(k, n, steady, low, high)
                table.append(row)
                print(markdown([row]).splitlines()[-1], flush=True)
            for m, times in steady.items():
                moved = 4 * (m * k + k * n + m * n)
                for name in times.keys() - {"static"}:
                    point = (2 * m * k * n, moved, times[name])
                    points.setdefault(name, []).append(point)
            for name, calls in first.items():
                firsts.setdefault(name, []).extend((k, n, *call) for call in calls)
    penalty = {
        name: sorted(first / seen for *_, first, seen in calls)[len(calls) // 2]
        for name, calls in firsts.items()
    }
    text = markdown(table)
    text += "\nFirst call at an M over the median of the next five: "
    text += ", ".join(f"{name} {value:.2f}" for name, value in penalty.items()) + ".\n"
    machine = vars(roofline.measure(args.threads, 0.3))
    result = {"rows": table, "first": firsts, "penalty": penalty}
    single.write(args, "gemm", result | {"points": points, "machine": machine}, text)


if __name__ == "__main__":
    main()
