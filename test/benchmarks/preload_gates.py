#!/usr/bin/env python3
# ===- preload_gates.py - Measure gates with a part of the weights ---------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures DynamicRouting with memory for a part of its weights, and writes preload-gates.json and
.md: unlike paths, of which some are hardly ever taken. Its gates are open as often as published.

Columns as in preload.py; `ratio` is `announced` over `compute`, and reads are bytes of a call.
"""

import argparse
import pathlib

import numpy as np
import preload

HEIGHT, WIDTH = 256, 512


def compile_model(folder, announces):
    """Returns the artifact."""
    import dyn
    import torch
    from dyn.models import routes
    from dyn.models.dynamic_routing import Config, DynamicRouting
    from dyn.models.replaying import Replayed

    path = folder / f"gates-{int(announces)}.so"
    if not path.exists():
        torch.manual_seed(0)
        model = DynamicRouting(Config(height=HEIGHT, width=WIDTH)).eval()
        inputs = model.inputs(torch.Generator().manual_seed(0))
        choices = routes.doors(len(model.routers(*inputs)), 1)
        options = [f"--preload={str(announces).lower()}"]
        dyn.compile(Replayed(model), path, args=(inputs, choices), options=options)
    return path


def worker(args):
    import dyn
    from dyn.models import routes

    ports = dyn.load(args.artifact, threads=1).inputs
    gates = [port.name for port in ports if port.name.startswith("choices_")]
    gates.sort(key=lambda name: int(name.split("_")[1]))
    image = np.random.default_rng(0).standard_normal((1, 3, HEIGHT, WIDTH), np.float32)
    feeds = (
        {
            "inputs_0": image,
            **{n: c.numpy() for n, c in zip(gates, routes.doors(len(gates), 1, seed=call))},
        }
        for call in range(args.calls)
    )
    preload.run_calls(args.artifact, feeds, args)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("build/bench"))
    parser.add_argument("--share", type=float, default=0.57, help="of the weights in memory")
    parser.add_argument("--rate", type=int, default=10**9, help="bytes a second of the store")
    parser.add_argument("--calls", type=int, default=30)
    parser.add_argument("--warm", type=int, default=10, help="calls before the measured ones")
    parser.add_argument("--rounds", type=int, default=3, help="of processes")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--artifact", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.artifact:
        return worker(args)
    folder = (args.output / "preload").absolute()
    folder.mkdir(parents=True, exist_ok=True)
    announced, plain = compile_model(folder, True), compile_model(folder, False)
    weights = sum(file.stat().st_size for file in folder.glob("gates-1.so.*.weights"))

    def run(artifact, limit=0):
        options = ["--artifact", artifact]
        for name in ("calls", "warm", "threads"):
            options += [f"--{name}", getattr(args, name)]
        return preload.start(__file__, options, limit, args.rate)

    limit = int(args.share * weights)
    cases = {
        "compute": lambda: run(announced),
        "announced": lambda: run(announced, limit),
        "plain": lambda: run(plain, limit),
    }
    found, row = preload.repeat(cases, args.rounds)
    row["ratio"] = row["announced"] / row["compute"]
    for name in ("announced", "plain"):
        row[name + " read"] = found[name]["read"] // (args.calls - args.warm)
    row.update(weights=weights, limit=limit)
    print(row)
    preload.write_rows(args.output, "preload-gates", [row])


if __name__ == "__main__":
    main()
