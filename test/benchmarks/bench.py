#!/usr/bin/env python3
# ===- bench.py - Measure dyn beside ONNX Runtime and PyTorch --------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the public traces and writes results.json, table.md and plots.

Ratios are peer over dyn: above 1, dyn is the faster. `sum` compares the times
of whole traces, `geomean` the calls one by one. `roofline` is the share of what
the machine could do at most, by the peak and copy limit measured in the run.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys

from tables import geomean, markdown

HERE = pathlib.Path(__file__).resolve().parent
QUICK = ("minilm", "crnn", "ocr-rec")


def summarise(result):
    """A row of the table: a dictionary of figures."""
    steady = result["steady"]
    row = {"trace": result["trace"], "threads": result["threads"]}
    row |= {name: sum(times) for name, times in steady.items()}
    base = "dyn" if "dyn" in steady else "onnxruntime"
    for peer in steady:
        if peer != base:
            row[f"{peer} sum"] = sum(steady[peer]) / sum(steady[base])
            row[f"{peer} geomean"] = geomean(p / o for p, o in zip(steady[peer], steady[base]))
    for name, times in steady.items():
        if all(result["roofline"]):
            row[f"{name} roofline"] = sum(result["roofline"]) / sum(times)
        # The first call of a process pays for more than its shape.
        firsts = [f / s for f, s in zip(result["first"][name], times)][1:]
        if firsts:
            row[f"{name} first-seen"] = sorted(firsts)[len(firsts) // 2]
    return row


def plot(results, folder):
    """Latency of each call over the product of its sizes, a file for each trace."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    for result in results:
        figure, panel = pyplot.subplots(figsize=(6, 4))
        sizes = [math.prod(call.values()) for call in result["calls"]]
        for name, times in result["steady"].items():
            panel.loglog(sizes, [1e3 * t for t in times], "o", markersize=4, label=name)
        if all(result["roofline"]):
            panel.loglog(sizes, [1e3 * t for t in result["roofline"]], "k_", label="roofline")
        title = f"{result['trace']}, {result['threads']} thread(s)"
        panel.set(title=title, xlabel=" x ".join(result["calls"][0]), ylabel="milliseconds")
        panel.legend()
        figure.tight_layout()
        figure.savefig(folder / f"{result['trace']}-{result['threads']}.png", dpi=110)
        pyplot.close(figure)


def main():
    sys.path.insert(0, str(HERE.parent))
    from models import traces

    parser = argparse.ArgumentParser(prog="x bench", description=__doc__)
    parser.add_argument("traces", nargs="*", help=f"of {', '.join(traces.MAKERS)}; default: all")
    parser.add_argument("--quick", action="store_true", help="three traces, every tenth call")
    parser.add_argument("--threads", default="1,2", help="thread counts, by commas")
    parser.add_argument("--engines", default="dyn,onnxruntime,torch")
    parser.add_argument("--compile", action="store_true", help="torch.compile, too")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repeat", type=int, help="passes after the first; default 5")
    parser.add_argument("--output", type=pathlib.Path, default=HERE.parents[1] / "build" / "bench")
    args = parser.parse_args()
    for name in set(args.traces) - set(traces.MAKERS):
        parser.error(f"no trace '{name}'")
    engines = args.engines + (",torch.compile" if args.compile else "")
    repeat = args.repeat or (3 if args.quick else 5)

    args.output.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ)
    path = [str(HERE), str(HERE.parent), environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(path)
    results, status = [], 0
    for name in args.traces or (QUICK if args.quick else traces.MAKERS):
        for threads in map(int, args.threads.split(",")):
            if threads > len(os.sched_getaffinity(0)):
                continue
            print(f"{name}, {threads} thread(s) ...", flush=True)
            command = [sys.executable, str(HERE / "measure.py"), name]
            command += [f"--threads={threads}", f"--engines={engines}"]
            command += [f"--seed={args.seed}", f"--repeat={repeat}"]
            command += ["--stride=10"] if args.quick else []
            done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
            if done.returncode:
                print(f"{name}: failed")
                status = 1
                continue
            results.append(json.loads(done.stdout.splitlines()[-1]))
            for engine, why in results[-1]["refused"].items():
                print(f"  {engine} is left out: {why}")
    rows = [summarise(result) for result in results]
    (args.output / "results.json").write_text(json.dumps({"rows": rows, "results": results}))
    (args.output / "table.md").write_text(markdown(rows))
    plot(results, args.output)
    print("\n" + markdown(rows))
    print(f"see {args.output}")
    return status


if __name__ == "__main__":
    sys.exit(main())
