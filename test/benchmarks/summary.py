# ===- summary.py - Targets beside what was measured ------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the JSON files that the measurements left in build/bench and writes
table.md: each target, the value measured, and whether it holds; and the rooflines."""

import json
import pathlib
import sys

import plots
from tables import geomean, markdown

# Least share of the roofline, and least speed beside ONNX Runtime with Winograd.
ROOFLINE = {"minilm": 0.85, "bert-base": 0.85, "gpt2-prefill": 0.85, "resnet50": 0.8, "crnn": 0.8}
AHEAD_OF_ONNX_RUNTIME = {"resnet50": 1.15, "crnn": 1.3}
AHEAD_OF_ALL = {"rec": 1.5}
GEOMEAN = {1: 1.3, 2: 1.4}
# Rates within this share of each other are the same.
NOISE = 0.95


def read(folder, name):
    """What a measurement wrote, or None."""
    path = folder / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else None


class Lines:
    """The rows of the table. Cases of one target are told by their worst."""

    def __init__(self):
        self.rows = []

    def add(self, target, cases, bound, most=False):
        """`cases` are {case: value}; each must be at least `bound`, or at most."""
        if not cases:
            return
        worst = (max if most else min)(cases, key=cases.get)
        held = sum(v <= bound if most else v >= bound for v in cases.values())
        of = f"{held} of {len(cases)} hold"
        self.rows.append(
            {
                "target": f"{target}: {'at most' if most else 'at least'} {bound:g}",
                "measured": f"{cases[worst]:.3g}",
                "worst case": worst if len(cases) > 1 else "",
                "": {0: "does not hold", len(cases): "holds"}.get(held, of),
            }
        )

    def least(self, target, value, bound):
        self.add(target, {"": value}, bound)

    def most(self, target, value, bound):
        self.add(target, {"": value}, bound, most=True)


def best_peer(result):
    """Name of the peer with the least sum."""
    peers = {name: sum(times) for name, times in result["steady"].items() if name != "dyn"}
    return min(peers, key=peers.get)


def trace_lines(lines, results):
    ratios = {}
    for result in results:
        name, threads, steady = result["trace"], result["threads"], result["steady"]
        if "dyn" not in steady or len(steady) < 2:
            continue
        what = f"{name}, {threads} thread(s)"
        dyn, bounds = steady["dyn"], result["roofline"]
        if name in ROOFLINE and all(bounds):
            lines.least(f"{what}: share of roofline", sum(bounds) / sum(dyn), ROOFLINE[name])
        if name == "gpt2-decode" and all(bounds):
            alone = [i for i, call in enumerate(result["calls"]) if call["batch"] == 1]
            share = sum(bounds[i] for i in alone) / sum(dyn[i] for i in alone)
            lines.least(f"{what}: share of the floor at batch 1", share, 0.9)
        peer = best_peer(result)
        ratio = sum(steady[peer]) / sum(dyn)
        ratios.setdefault(threads, []).append(ratio)
        lines.least(f"{what}: ahead of the best peer ({peer})", ratio, AHEAD_OF_ALL.get(name, 1))
        if name in AHEAD_OF_ONNX_RUNTIME and "onnxruntime" in steady:
            bound = AHEAD_OF_ONNX_RUNTIME[name]
            ratio = sum(steady["onnxruntime"]) / sum(dyn)
            lines.least(f"{what}: ahead of ONNX Runtime", ratio, bound)
        pairs = sorted(first / seen for first, seen in result["first"]["dyn"])
        if pairs:
            lines.most(f"{what}: first-seen penalty", pairs[len(pairs) // 2], 1.1)
        walls = result["compile_seconds"]
        if "torch.compile" in walls and "dyn" in walls:
            ratio = walls["torch.compile"] / walls["dyn"]
            lines.least(f"{what}: torch.compile's wall over dyn's", ratio, 6)
        memory = result["activation_bytes"]
        if {"dyn", "onnxruntime"} <= memory.keys():
            ratio = memory["dyn"] / memory["onnxruntime"]
            lines.most(f"{what}: activation memory over ONNX Runtime's", ratio, 1)
    for threads, values in ratios.items():
        text = f"all {len(values)} traces measured, {threads} thread(s): geomean ahead"
        lines.least(text, geomean(values), GEOMEAN.get(threads, 1.3))


def cases(rows, key, value):
    """{name of a row: its value}, where it has one."""
    return {key(row): row[value] for row in rows if value in row}


def gemm_lines(lines, result):
    def product(row):
        return f"({row['K']}, {row['N']})"

    for size in dict.fromkeys(row["M"] for row in result["rows"]):
        rows = [row for row in result["rows"] if row["M"] == size]
        what = f"products, M {size}, {result['threads']} thread(s)"
        lines.add(f"{what}: ahead of the best library", cases(rows, product, "ahead"), NOISE)
        lines.add(f"{what}: share of the static peak", cases(rows, product, "of peak"), NOISE)
    lines.most("products: first-seen penalty", result["penalty"]["dyn"], 1.1)


def row_lines(lines, result):
    def width(row):
        return f"width {row['width']}"

    for name in dict.fromkeys(row["operation"] for row in result["rows"]):
        rows = [row for row in result["rows"] if row["operation"] == name]
        inside = [row for row in rows if row["place"] == "in cache"]
        outside = [row for row in rows if row["place"] != "in cache"]
        what, ahead = f"{name}, {result['threads']} thread(s)", "ahead of the best peer"
        if name == "GELU chain":
            lines.add(
                f"{what}: {ahead}", cases(rows, lambda r: f"{width(r)}, {r['place']}", "ahead"), 2.5
            )
            continue
        for kind, bound, chosen in (
            ("narrow", 2.0, [row for row in inside if row["width"] < 384]),
            ("from width 384", 1.3, [row for row in inside if row["width"] >= 384]),
        ):
            lines.add(f"{what}, in cache, {kind}: {ahead}", cases(chosen, width, "ahead"), bound)
        copied = cases(outside, width, "of copy")
        lines.add(f"{what}, out of cache: share of the copy rate", copied, 0.85)


def static_lines(lines, result):
    what = f"dynamic tax, {len(result['rows'])} shapes, {result['threads']} thread(s)"
    lines.most(f"{what}: geomean", result["geomean"], 1.05)
    lines.most(f"{what}: worst", result["worst"], 1.15)


def cost_lines(lines, result):
    rows = [row for row in result["rows"] if not row["model"].endswith("-small")]

    def each(figure):
        return {row["model"]: figure(row) for row in rows}

    # 300 MB and a fifth of the weights.
    memory = each(lambda r: r["anonymous_bytes"] / (300e6 + 0.2 * r["model_bytes"]))
    lines.add("cold compile, seconds", each(lambda r: r["compile_seconds"]), 5, most=True)
    lines.add("compile memory, share of what is allowed", memory, 1, most=True)
    lines.add("load, milliseconds", each(lambda r: 1e3 * r["load_seconds"]), 10, most=True)


def draw(folder, traces, products):
    """The rooflines, of the traces and of the products."""
    for threads in {result["threads"] for result in traces}:
        groups, machines = {}, []
        for result in traces:
            if result["threads"] == threads and all(result["work"]):
                times = result["steady"].get("dyn", [])
                groups[result["trace"]] = [(*w, t) for w, t in zip(result["work"], times)]
                machines.append(result["machine"])
        if machines:
            best = {key: max(machine[key] for machine in machines) for key in machines[0]}
            title = f"dyn on the traces, {threads} thread(s)"
            plots.roofline(folder / f"roofline-{threads}.png", title, best, groups)
    for result in products:
        title = f"products, {result['threads']} thread(s)"
        path = folder / f"roofline-gemm-{result['threads']}.png"
        plots.roofline(path, title, result["machine"], result["points"])


def write(folder):
    """Writes table.md and the rooflines of what there is."""
    lines = Lines()
    traces = (read(folder, "traces") or {"results": []})["results"]
    trace_lines(lines, traces)
    kinds = {"gemm": gemm_lines, "rows": row_lines, "static": static_lines, "costs": cost_lines}
    found = {}
    for kind, add in kinds.items():
        for path in sorted(folder.glob(f"{kind}-*.json")):
            found.setdefault(kind, []).append(read(folder, path.stem))
            add(lines, found[kind][-1])
    draw(folder, traces, found.get("gemm", []))
    held = sum(row[""] == "holds" for row in lines.rows)
    text = f"# What must hold\n\n{held} of {len(lines.rows)} lines hold in all their cases.\n\n"
    (folder / "table.md").write_text(text + markdown(lines.rows))
    return lines.rows


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]))
