#!/usr/bin/env python3
# ===- bench.py - Measure dyn beside its peers -----------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the public traces and writes traces.json, traces.md, peers.md and plots, and
table.md, which compares all measurements so far with the targets.

Ratios are times of the peer over those of dyn: above 1, dyn is faster. `sum` compares the
times of whole traces, `geomean` single calls. `roofline` is the share of the attainable
rate, given the peak and the copy bandwidth measured in the same run.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import plots
import summary
from tables import geomean, markdown

HERE = pathlib.Path(__file__).resolve().parent
QUICK = ("minilm", "crnn", "ocr-rec")


def summarise(result):
    """Returns a row of the table: a dictionary of figures."""
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
        ratios = sorted(first / seen for first, seen in result["first"][name])
        if ratios:
            row[f"{name} first-seen"] = ratios[len(ratios) // 2]
    for name, seconds in result["compile_seconds"].items():
        row[f"{name} compile s"] = seconds
    for name, amount in result["activation_bytes"].items():
        row[f"{name} MB"] = amount / 1e6
    return row


#: Names of peers in docs/Benchmarks.md, in the order of its columns.
PEERS = {
    "onnxruntime": "ONNX Runtime",
    "openvino": "OpenVINO",
    "torch": "eager",
    "torch.compile": "torch.compile",
}


def beside_peers(rows):
    """Returns the rows as in docs/Benchmarks.md: times of peers over dyn's, for whole
    traces and for single calls, dyn's share of the roofline and its first-seen penalty."""
    lines = []
    for row in rows:
        line = {"trace, threads": f"{row['trace']}, {row['threads']}"}
        for peer, name in PEERS.items():
            figures = [row.get(f"{peer} {kind}") for kind in ("sum", "geomean")]
            line[name] = ", ".join(f"{figure:.2f}" for figure in figures if figure is not None)
        for figure, name in (("roofline", "share"), ("first-seen", "first-seen")):
            value = row.get(f"dyn {figure}")
            line[name] = "" if value is None else f"{value:.2f}"
        lines.append(line)
    unmeasured = [name for name in PEERS.values() if not any(line[name] for line in lines)]
    return [{k: v for k, v in line.items() if k not in unmeasured} for line in lines]


def child(script, arguments, environment):
    """Returns the last line that a script of this folder prints, or None if it fails."""
    command = [sys.executable, str(HERE / script), *arguments]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
    return None if done.returncode else done.stdout.splitlines()[-1]


def measure(name, threads, args, environment):
    """Returns the result of measure.py for a trace, with the memory used, or None."""
    common = [name, f"--threads={threads}", f"--seed={args.seed}", f"--stride={args.stride}"]
    options = [f"--engines={args.engines}", f"--repeat={args.repeat}", f"--shapes={args.shapes}"]
    # A compiler in the process does not find its earlier results.
    with tempfile.TemporaryDirectory() as cache:
        environment = {**environment, "TORCHINDUCTOR_CACHE_DIR": cache}
        line = child("measure.py", common + options, environment)
    if line is None:
        return None
    result = json.loads(line)
    result["activation_bytes"] = {}
    for engine in [name for name in ("dyn", "onnxruntime") if name in result["steady"]]:
        grown = child("memory.py", [*common, f"--engine={engine}"], environment)
        if grown:
            result["activation_bytes"][engine] = int(grown)
    # dyn's outputs belong to the caller, those of ONNX Runtime lie in its arena.
    if "dyn" in result["activation_bytes"]:
        result["activation_bytes"]["dyn"] += result["output_bytes"]
    return result


def merge(path, results):
    """Returns the results, with those of other traces and thread counts in the file."""
    earlier = json.loads(path.read_text())["results"] if path.exists() else []
    new = {(result["trace"], result["threads"]) for result in results}
    return [r for r in earlier if (r["trace"], r["threads"]) not in new] + results


def save(results, output):
    """Writes tables of these results and of the earlier results that they do not replace."""
    results = merge(output / "traces.json", results)
    rows = [summarise(result) for result in results]
    (output / "traces.json").write_text(json.dumps({"rows": rows, "results": results}))
    (output / "traces.md").write_text(markdown(rows))
    (output / "peers.md").write_text(markdown(beside_peers(rows)))


def main():
    sys.path.insert(0, str(HERE.parent))
    from models import traces

    parser = argparse.ArgumentParser(prog="x bench", description=__doc__)
    parser.add_argument("traces", nargs="*", help=f"of {', '.join(traces.MAKERS)}; default: all")
    parser.add_argument("--quick", action="store_true", help="three traces, every tenth call")
    parser.add_argument("--threads", default="1,2", help="thread counts, by commas")
    parser.add_argument("--engines", default="dyn,onnxruntime,openvino,torch")
    parser.add_argument("--compile", action="store_true", help="torch.compile, too")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repeat", type=int, help="passes after the first; default 5, quick 3")
    parser.add_argument("--stride", type=int, help="run each n-th call alone; default 1, quick 10")
    parser.add_argument("--shapes", type=int, default=12, help="for the first-seen penalty")
    parser.add_argument("--output", type=pathlib.Path, default=HERE.parents[1] / "build" / "bench")
    args = parser.parse_args()
    for name in set(args.traces) - set(traces.MAKERS):
        parser.error(f"no trace '{name}'")
    args.engines += ",torch.compile" if args.compile else ""
    args.repeat = args.repeat or (3 if args.quick else 5)
    args.stride = args.stride or (10 if args.quick else 1)

    args.output.mkdir(parents=True, exist_ok=True)
    path = [str(HERE), str(HERE.parent), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
    results, status = [], 0
    for name in args.traces or (QUICK if args.quick else traces.MAKERS):
        for threads in map(int, args.threads.split(",")):
            if threads > len(os.sched_getaffinity(0)):
                continue
            print(f"{name}, {threads} thread(s) ...", flush=True)
            result = measure(name, threads, args, environment)
            if result is None:
                print(f"{name}: failed")
                status = 1
                continue
            results.append(result)
            for engine, why in result["refused"].items():
                print(f"  {engine} is left out: {why}")
            # All traces take an hour: an interrupted run keeps its rows so far.
            save(results, args.output)
    plots.latencies(results, args.output)
    print("\n" + markdown([summarise(result) for result in results]))
    summary.write(args.output)
    print(f"see {args.output}")
    return status


if __name__ == "__main__":
    sys.exit(main())
