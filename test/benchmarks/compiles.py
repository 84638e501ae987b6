# ===- compiles.py - Compilations over requests ----------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the compilations while a service handles requests of different sizes: by dyn,
which compiles before the first request, and by torch.compile, whose limit on the graphs of
a function is lifted. PyTorch's graphs are counted by its own counters and run without code
generation, because their speed is not measured here."""

import argparse
import pathlib
import sys
import tempfile
import time

import single
from tables import markdown

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
#: Arguments of torch.compile.
MODES = {"torch.compile": {}, "torch.compile, dynamic": {"dynamic": True}}


def by_torch(module, requests, settings):
    """Returns the number of graphs compiled by the end of each request. Stops at the
    request that PyTorch cannot compile for."""
    import torch
    from torch._dynamo import config
    from torch._dynamo.utils import counters

    from models.business import tensors

    torch._dynamo.reset()
    counters.clear()
    counts = []
    with config.patch(recompile_limit=10**6, accumulated_recompile_limit=10**6):
        compiled = torch.compile(module, backend="eager", **settings)
        for request in requests:
            try:
                compiled(**tensors(request))
            except torch._dynamo.exc.TorchDynamoException as error:
                print(f"request {len(counts) + 1} fails: {str(error).strip()[:500]}")
                break
            counts.append(counters["stats"]["unique_graphs"])
    torch._dynamo.reset()
    return counts


def by_dyn(business, requests):
    """Returns the number of artifacts by the end of each request: one serves all of them."""
    with tempfile.TemporaryDirectory() as folder:
        run = business.compile(pathlib.Path(folder))
        for request in requests:
            run(request)
        artifacts = len(list(pathlib.Path(folder).glob("*.so")))
    return [artifacts] * len(requests)


def measure(business, count):
    """Measures compilations of each engine after each request, and the time of its run."""
    requests, module = business.requests(count), business.make()
    engines = {"dyn": lambda: by_dyn(business, requests)}
    for name, settings in MODES.items():
        engines[name] = lambda settings=settings: by_torch(module, requests, settings)
    compiles, seconds = {}, {}
    for name, engine in engines.items():
        start = time.perf_counter()
        compiles[name] = engine()
        seconds[name] = time.perf_counter() - start
    return {"model": business.name, "requests": count, "compiles": compiles, "seconds": seconds}


def row_of(result):
    row = {"model": result["model"]}
    for name, counts in result["compiles"].items():
        row[name] = counts[-1] if counts else 0
        if len(counts) < result["requests"]:
            row[name] = f"{row[name]}, fails at request {len(counts) + 1}"
    return row


def main():
    from models.business import ALL

    parser = argparse.ArgumentParser(prog="x bench compiles", description=__doc__)
    parser.add_argument("models", nargs="*", help=f"of {', '.join(ALL)}; default: all")
    parser.add_argument("--requests", type=int, help="default 200, quick 20")
    single.add_arguments(parser)
    args = parser.parse_args()
    for name in set(args.models) - set(ALL):
        parser.error(f"no model '{name}'")
    single.settle(args.threads)

    import plots

    count, results = args.requests or (20 if args.quick else 200), []
    for name in args.models or ALL:
        results.append(measure(ALL[name], count))
        print(markdown([row_of(results[-1])]).splitlines()[-1], flush=True)
    single.write(
        args, "compiles", {"results": results}, markdown([row_of(result) for result in results])
    )
    plots.compiles(results, args.output)


if __name__ == "__main__":
    sys.exit(main())
