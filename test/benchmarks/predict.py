#!/usr/bin/env python3
# ===- predict.py - Measure the use of predictions -------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures fusion of paths, speculation, preloading and drift in the cases of the figures of
Brainstorm (OSDI 2023), in small sizes, and writes predict-THREADS.json, .md and plots.

Times are milliseconds of the same calls by programs with the same bits: `plain` without a
profile, `right` with paths guessed as they are taken, `wrong` with those that are not. The last
column is what the paper reports of its own system on a GPU.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import single
from tables import markdown

#: A router that sorts numbers, before one of two paths that do the same: each a thread's work.
MICRO = """
dhlo.dim @N in [1, 64]
dhlo.dim @K0
dhlo.dim @K1
func.func @main(%x: tensor<?xSxf32, #dhlo.dims<N>> {dhlo.name = "x"})
    -> (tensor<?xSxf32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %r = cell.route(%x) key = "router" : (tensor<?xSxf32, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%a: tensor<?xSxf32, #dhlo.dims<N>>):
    %v, %i = dhlo.sort %a axis = 1 : tensor<?xSxf32, #dhlo.dims<N>>, tensor<?xSxi64, #dhlo.dims<N>>
    %m = dhlo.reduce max %v axes = [1] : (tensor<?xSxf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
    %z = dhlo.constant dense<0.0> : tensor<f32>
    %b = dhlo.broadcast %z axes = [] : (tensor<f32>) -> tensor<?xf32, #dhlo.dims<N>>
    %p = dhlo.compare gt %m, %b : tensor<?xf32, #dhlo.dims<N>> -> tensor<?xi1, #dhlo.dims<N>>
    %o = dhlo.convert %p : (tensor<?xi1, #dhlo.dims<N>>) -> tensor<?xi64, #dhlo.dims<N>>
    %c = dhlo.reshape %o : (tensor<?xi64, #dhlo.dims<N>>) -> tensor<?x1xi64, #dhlo.dims<N>>
    cell.choose %c : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %d = cell.dispatch %x, %r : (tensor<?xSxf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?xSxf32, #dhlo.dims<N>>
  %t = cell.switch %r counts [@K0, @K1] (%d) : (!cell.routes<@N, 2, @N>, tensor<?xSxf32, #dhlo.dims<N>>) -> tensor<?xSxf32, #dhlo.dims<N>> {
  ^bb0(%h: tensor<?xSxf32, #dhlo.dims<K0>>):
    %a = dhlo.neg %h : tensor<?xSxf32, #dhlo.dims<K0>>
    %v, %i = dhlo.sort %a axis = 1 : tensor<?xSxf32, #dhlo.dims<K0>>, tensor<?xSxi64, #dhlo.dims<K0>>
    dhlo.yield %v : tensor<?xSxf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%h: tensor<?xSxf32, #dhlo.dims<K1>>):
    %a = dhlo.tanh %h : tensor<?xSxf32, #dhlo.dims<K1>>
    %v, %i = dhlo.sort %a axis = 1 : tensor<?xSxf32, #dhlo.dims<K1>>, tensor<?xSxi64, #dhlo.dims<K1>>
    dhlo.yield %v : tensor<?xSxf32, #dhlo.dims<K1>>
  }
  %y = cell.combine %t, %r last : (tensor<?xSxf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?xSxf32, #dhlo.dims<N>>
  return %y : tensor<?xSxf32, #dhlo.dims<N>>
}
"""


def write_model(path, name, inputs, **changes):
    import dyn.models
    from dyn.frontend.torch import to_dhlo
    from torch.export import Dim

    model = dyn.models.make(name, **changes)
    to_dhlo(model, path, args=inputs, dynamic_shapes=tuple({0: Dim.AUTO} for _ in inputs))


def opened(program, name, threads, *options, **load):
    """An artifact of a program with options of dyn-compile."""
    import dyn

    output = program.with_name(f"{name}.so")
    command = ["dyn-compile", program, "-o", output, f"--call-threads={max(threads, 2)}", *options]
    subprocess.run(command, check=True, capture_output=True)
    return dyn.load(output, threads=threads, **load)


def measured(artifacts, inputs, args):
    """{name: milliseconds} of calls with these inputs; all must have the same bits."""
    import blocks
    import numpy as np

    actions = {n: (lambda a=a: a.run(list(inputs))) for n, a in artifacts.items()}
    bits = {n: [np.asarray(y).tobytes() for y in action()] for n, action in actions.items()}
    for name, found in bits.items():
        if found != bits["plain"]:
            raise ValueError(f"{name}: other bits")
    times = blocks.medians(actions, args.rounds, args.threads)
    return {name: 1e3 * seconds for name, seconds in times.items()}


def recorded(artifact, inputs, path):
    import dyn

    with dyn.Profile(path):
        artifact.run(list(inputs))
    return path


def turned(profile, path):
    """The profile with the loads of two paths exchanged."""
    known = json.loads(profile.read_text())
    for router in known["routers"]:
        for window in router["windows"]:
            window["load"] = window["load"][::-1]
            window["hottest"] = max(window["load"])
            window.pop("transitions", None)
    path.write_text(json.dumps(known))
    return path


# ----------------------------------------------------------------------------
# Figures
# ----------------------------------------------------------------------------


def of_cases(names, engines, args):
    """Rows of cases of `x bench routes`."""
    import routes
    import routes_cases
    import routes_peers

    for name in names:
        case = routes_cases.CASES[name]
        model = routes_cases.make_model(case.model)
        found, refused = routes_peers.open_engines(engines, case, model, args.threads, None)
        row, _ = routes.measure(case, model, found, refused, args)
        yield {key: row[key] for key in ("case", *engines) if key in row}


def figure_13(folder, args):
    """Small branches, four cells each: one launch, or one after the other."""
    counts = (2, 16) if args.quick else (2, 16, 64)
    yield from of_cases([f"branches {n}" for n in counts], ["dyn", "torch", "loop"], args)


def figure_15(folder, args):
    """A router before a path of its time."""
    import numpy as np

    program, numbers = folder / "micro.mlir", 24000
    program.write_text(MICRO.replace("xSx", f"x{numbers}x"))
    artifacts = {"plain": opened(program, "plain", args.threads)}
    for name, path in (("right", 1), ("wrong", 0)):
        rule = f"--route-rules=router=speculate:majority:{path}"
        artifacts[name] = opened(program, name, args.threads, rule)
    x = abs(np.random.default_rng(0).standard_normal((2, numbers), np.float32))
    for cells in (1,) if args.quick else (1, 2):
        yield {"case": f"{cells} rows", **measured(artifacts, (x[:cells],), args)}


def figure_21(folder, args):
    """MSDNet: all images leave at the first exit, or at the last."""
    import numpy as np
    import torch
    from dyn.models.images import random_images

    images = random_images(torch.Generator().manual_seed(0), 3, 32, 32).contiguous()
    sizes = dict(side=32, classes=100, channels=16, growth=6, blocks=3, steps=2, factors=(1, 2, 4))
    for exit, confidence in (("first", 0.0), ("last", 1.1)):
        program = folder / f"msdnet-{exit}.mlir"
        write_model(program, "msdnet", (images,), confidence=confidence, **sizes)
        plain = opened(program, f"{exit}-plain", args.threads)
        call = (np.asarray(images[:1]),)
        right = recorded(plain, call, folder / f"{exit}.json")
        wrong = turned(right, folder / f"{exit}-wrong.json")
        artifacts = {"plain": plain}
        for name, profile in (("right", right), ("wrong", wrong)):
            options = (f"--profile={profile}", "--route-rules=*=speculate")
            artifacts[name] = opened(program, f"{exit}-{name}", args.threads, *options)
        yield {"case": f"{exit} exit", **measured(artifacts, call, args)}


def gate_shares():
    """How often each published gate of DynamicRouting does as it mostly does."""
    from dyn.models import routes

    return [max(n, 500 - n) / 500 for n in routes.DYNAMIC_ROUTING_OPEN]


def dynamic_routing(folder, args):
    """The plain program of DynamicRouting, its artifact and a call."""
    import numpy as np
    import torch
    from dyn.models.images import random_images

    program = folder / "dynamic-routing.mlir"
    sizes = {"height": 128, "width": 256, "channels": 64, "layers": 4}
    if args.quick:
        sizes |= {"height": 64, "width": 128, "channels": 8}
    sides = sizes["height"], sizes["width"]
    images = random_images(torch.Generator().manual_seed(0), 3, *sides).contiguous()
    if not program.exists():
        write_model(program, "dynamic-routing", (images,), **sizes)
    return program, opened(program, "gates-plain", args.threads), (np.asarray(images[:1]),)


def figure_22(folder, args):
    """DynamicRouting: how well gates are predicted, and the time by these predictions."""
    shares = gate_shares()
    sure = [share for share in shares if share >= 0.9]
    program, plain, call = dynamic_routing(folder, args)
    right = recorded(plain, call, folder / "gates.json")
    # The doors of a node are known with its gate.
    routers = json.loads(right.read_text())["routers"]
    nodes = [
        r["key"] for r in routers if r["key"].endswith(".runs") and any(r["windows"][0]["load"])
    ]
    rules = ",".join([*(f"{key}=speculate" for key in nodes), "*=leave"])
    options = (f"--profile={right}", f"--route-rules={rules}")
    artifacts = {"plain": plain, "right": opened(program, "gates-right", args.threads, *options)}
    yield {
        "case": "one image",
        **measured(artifacts, call, args),
        "accuracy": sum(shares) / len(shares),
        "sure gates": f"{len(sure)} of {len(shares)}",
        "accuracy of sure gates": sum(sure) / len(sure),
    }


def figure_23(folder, args):
    """DynamicRouting with memory for 57 % of its weights, which are fetched when they are
    read."""
    import dyn

    _, plain, call = dynamic_routing(folder, args)
    described = subprocess.run(
        ["dyn-compile", "--describe", plain.path], check=True, capture_output=True, text=True
    )
    size = int(re.search(r"constants: \d+, (\d+) bytes", described.stdout)[1])
    short = dyn.load(plain.path, threads=args.threads, memory_limit=int(0.57 * size))
    times = measured({"plain": plain, "57 %": short}, call, args)
    yield {"case": f"{size / 1e6:.1f} MB of weights", **times}


def figure_24(folder, args):
    """Sixteen branches for which a profile was recorded before their loads drifted."""
    shares = (0, 100) if args.quick else (0, 50, 100)
    engines = ["dyn", "dyn-profiled", "dyn-misled"]
    yield from of_cases([f"drift 4 {share}" for share in shares], [*engines, "torch"], args)


#: By number: a function that yields rows, and what the paper reports.
FIGURES = {
    13: (figure_13, "fused 41.8 times as fast as PyTorch's sequence"),
    15: (figure_15, "right: the router is hidden; wrong: as without"),
    21: (figure_21, "8.44 times as fast by speculation"),
    22: (figure_22, "accuracy 90 to 95 %, 1.7 times as fast"),
    23: (figure_23, "1.97 times as fast as loading on demand, in 56.5 % of the memory"),
    24: (figure_24, "4.65 times as fast as unfused, 2.11 after drift"),
}


def plot(number, rows, args):
    import plots

    text = ("case", "accuracy", "accuracy of sure gates", "sure gates", "paper")
    engines = [key for key in rows[0] if key not in text]
    title = f"as in figure {number}, {args.threads} thread(s)"
    plots.bars(args.output / f"predict-{number}-{args.threads}.png", title, rows, engines)


def main():
    parser = argparse.ArgumentParser(prog="x bench predict", description=__doc__)
    parser.add_argument("figures", nargs="*", type=int, help="of 13, 15, 21, 22, 23, 24")
    single.add_arguments(parser)
    parser.set_defaults(threads=2)
    args = parser.parse_args()
    for number in args.figures:
        if number not in FIGURES:
            parser.error(f"no figure {number}; there are {', '.join(map(str, FIGURES))}")
    single.settle(args.threads)
    args.output.mkdir(parents=True, exist_ok=True)
    rows, tables = [], []
    with tempfile.TemporaryDirectory() as folder:
        for number in args.figures or FIGURES:
            make, paper = FIGURES[number]
            own = list(make(pathlib.Path(folder), args))
            plot(number, own, args)
            own = [{"figure": number, **row, "paper": paper} for row in own]
            rows += own
            tables.append(markdown(own))
    single.write(args, "predict", {"rows": rows}, "\n".join(tables))


if __name__ == "__main__":
    sys.exit(main())
