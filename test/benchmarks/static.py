# ===- static.py - Cost of dynamic sizes -----------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the dynamic tax: the model of each trace is compiled once for all shapes, and
again for some shapes of the trace with all sizes static. `tax` is the time of the former
over that of the latter: above 1, static sizes are faster."""

import argparse
import functools
import pathlib
import sys
import tempfile

import single
from tables import geomean, markdown

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
QUICK = ("minilm", "crnn")


def pick(calls, count):
    """Returns `count` different calls of a trace, from the smallest to the largest."""
    import math

    different = {tuple(call.items()): call for call in calls}.values()
    ordered = sorted(different, key=lambda call: math.prod(max(v, 1) for v in call.values()))
    if len(ordered) <= count:
        return ordered
    last = len(ordered) - 1
    return [ordered[round(i * last / max(count - 1, 1))] for i in range(count)]


def sizes_of(artifact, inputs):
    """Returns the symbolic sizes of an artifact at these inputs, by name."""
    names = {dim.name for dim in artifact.dims}
    return {
        symbol: extent
        for port in artifact.inputs
        for symbol, extent in zip(port.shape, inputs[port.name].shape)
        if symbol in names
    }


def measure(name, args, folder):
    """Yields a row for each shape of a trace."""
    import blocks
    import dyn
    import numpy

    import models
    from models import traces

    trace = traces.make(name, args.seed)
    model = models.get(trace.model)
    path, rng = str(model.path()), numpy.random.default_rng(args.seed)
    options = {"threads": args.threads}
    dynamic = dyn.compile(path, folder / "dynamic.so", model.dims or None, **options)
    for number, call in enumerate(pick(trace.calls, args.shapes)):
        inputs = model.inputs(call, rng)
        target = folder / f"static-{number}.so"
        static = dyn.compile(path, target, sizes_of(dynamic, inputs), **options)
        both = {"dynamic": dynamic, "static": static}
        actions = {kind: functools.partial(one.run, inputs) for kind, one in both.items()}
        times = blocks.medians(actions, args.rounds, args.threads)
        shape = ", ".join(f"{key} {value}" for key, value in call.items())
        milliseconds = {kind: 1e3 * seconds for kind, seconds in times.items()}
        tax = times["dynamic"] / times["static"]
        yield {"trace": name, "shape": shape, **milliseconds, "tax": tax}
        for file in folder.glob(f"{target.stem}*"):
            file.unlink()


def main():
    from models import traces

    parser = argparse.ArgumentParser(prog="x bench --static", description=__doc__)
    parser.add_argument("traces", nargs="*", help=f"of {', '.join(traces.MAKERS)}; default: all")
    parser.add_argument("--shapes", type=int, help="of each trace; default 4, quick 2")
    single.add_arguments(parser)
    args = parser.parse_args()
    for name in set(args.traces) - set(traces.MAKERS):
        parser.error(f"no trace '{name}'")
    args.shapes = args.shapes or (2 if args.quick else 4)
    single.settle(args.threads)

    rows = []
    for name in args.traces or (QUICK if args.quick else traces.MAKERS):
        with tempfile.TemporaryDirectory() as folder:
            for row in measure(name, args, pathlib.Path(folder)):
                rows.append(row)
                print(markdown([row]).splitlines()[-1], flush=True)
    taxes = [row["tax"] for row in rows]
    result = {"rows": rows, "geomean": geomean(taxes), "worst": max(taxes)}
    text = markdown(rows)
    text += f"\nTax: geomean {result['geomean']:.3f}, worst {result['worst']:.3f}.\n"
    single.write(args, "static", result, text)


if __name__ == "__main__":
    sys.exit(main())
