#!/usr/bin/env python3
# ===- routes.py - Measure routed models -----------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures routed models, with their routes as inputs, by dyn, PyTorch and ONNX Runtime in
turns, and writes routes-THREADS.json, .md and .png.

`torch` runs the models with dyn's switch for eager PyTorch; `loop` with the loop over
branches that one writes without dyn, which torch.compile and ONNX Runtime also run;
`grouped` with the grouped GEMMs of transformers. Times are milliseconds, summed over the
sizes of a case; `ahead` is the time of the best peer over dyn's.
"""

import argparse
import pathlib
import sys

import single
from tables import markdown

QUICK = ("live-sr 4 x 8", "msdnet mix 3")
PEERS = ("torch", "loop", "grouped", "onnxruntime")
# Maximum error of results relative to those of torch.
TOLERANCE = 1e-4


def distance(actual, expected):
    """Returns the maximum error relative to an element plus the maximum element."""
    from torch.utils import _pytree as pytree

    worst = 0.0
    for a, b in zip(pytree.tree_leaves(actual), pytree.tree_leaves(expected)):
        if b.numel() and b.dtype.is_floating_point:
            a, b = a.double(), b.double()
            worst = max(worst, float(((a - b).abs() / (b.abs() + b.abs().max())).max()))
    return worst


def verified(engines, inputs, choices, refused):
    """Returns {name: function} of the engines whose results match those of eager PyTorch."""
    actions = {name: engine.prepare(inputs, choices) for name, engine in engines.items()}
    want = actions["torch"]()
    for name in list(actions):
        try:
            error = distance(actions[name](), want)
        except Exception as failure:
            refused[name] = f"{type(failure).__name__}: {failure}".strip()[:400]
            del actions[name]
            continue
        if error > TOLERANCE:
            raise ValueError(f"{name} is wrong by {error:.3g}")
    return actions


def measure(case, model, engines, refused, args):
    """Returns a row of the table: milliseconds of each engine over all calls of the case."""
    import blocks

    calls = []
    for sizes, inputs, choices in case.calls(model, args.seed):
        actions = verified(engines, inputs, choices, refused)
        times = blocks.medians(actions, args.rounds, args.threads)
        calls.append({"sizes": sizes, **{name: 1e3 * t for name, t in times.items()}})
    names = [name for name in engines if all(name in call for call in calls)]
    row = {"case": case.name, **{name: sum(call[name] for call in calls) for name in names}}
    peers = {name: row[name] for name in names if not name.startswith("dyn")}
    if "dyn" in row and peers:
        row["ahead"] = min(peers.values()) / row["dyn"]
        row["best peer"] = min(peers, key=peers.get)
    return row, calls


def main():
    import routes_cases
    import routes_peers

    cases = {**routes_cases.CASES, **routes_cases.SMALL}
    parser = argparse.ArgumentParser(prog="x bench routes", description=__doc__)
    parser.add_argument("cases", nargs="*", help=f"of {', '.join(cases)}, or how some begin")
    parser.add_argument("--engines", help=f"by commas; default: dyn,{','.join(PEERS)}")
    parser.add_argument("--compile", action="store_true", help="torch.compile, too")
    text = "where compiled models are kept, and taken from if they are there"
    parser.add_argument("--artifacts", type=pathlib.Path, help=text)
    single.add_arguments(parser)
    args = parser.parse_args()
    names = args.cases or (QUICK if args.quick else list(routes_cases.CASES))
    chosen = [c for c in cases.values() if any(c.name.startswith(name) for name in names)]
    if not chosen:
        parser.error(f"no case begins with '{names[0]}'")
    engines = args.engines.split(",") if args.engines else ["dyn", *PEERS]
    engines += ["torch.compile"] if args.compile else []
    # torch is the reference for all engines.
    engines = list(dict.fromkeys([*engines, "torch"]))
    single.settle(args.threads)

    import plots

    if args.artifacts:
        args.artifacts.mkdir(parents=True, exist_ok=True)
    rows, details, opened, key = [], {}, {}, None
    for case in chosen:
        if case.model != key:
            # The previous model is freed first.
            opened, model = {}, None
            model, key = routes_cases.make_model(case.model), case.model
            opened, refused = routes_peers.open_engines(
                engines, case, model, args.threads, args.artifacts
            )
        late = dict(refused)
        row, calls = measure(case, model, opened, late, args)
        rows.append(row)
        details[case.name] = {"calls": calls, "refused": late}
        if "dyn" in opened:
            details[case.name]["compile_seconds"] = opened["dyn"].compile_seconds
        print(markdown([row]).splitlines()[-1], flush=True)
        for name, why in late.items():
            print(f"  {name} is left out: {why}", flush=True)
    single.write(args, "routes", {"rows": rows, "cases": details}, markdown(rows))
    title = f"routed models, {args.threads} thread(s)"
    plots.bars(args.output / f"routes-{args.threads}.png", title, rows, engines)


if __name__ == "__main__":
    sys.exit(main())
