# ===- summary.py - Targets and the measured values ------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the JSON files of the measurements in build/bench and writes table.md: each target,
the measured value, and whether the target is met; and the rooflines."""

import itertools
import json
import pathlib
import sys

import plots
from tables import geomean, markdown

# Minimum share of the roofline, and minimum speed relative to peers.
ROOFLINE = {
    0.85: ("minilm", "bert-base", "gpt2-prefill"),
    0.8: ("resnet50", "crnn"),
}
AHEAD_OF_ONNX_RUNTIME = {"resnet50": 1.15, "crnn": 1.3}
AHEAD_OF_ALL = {"rec": 1.5}
GEOMEAN = {1: 1.3, 2: 1.4}
# Minimum speed relative to the best peer, by the beginning of a routed case's name.
ROUTES = {
    "moe8": 1.25,
    "moe64 uniform": 1.6,
    "moe64 skewed": 2,
    "live-sr": 2.5,
    "msdnet": 1.5,
    "task-moe": 1.2,
    "swin-moe": 1.2,
}
# Rates within this share of each other count as equal.
NOISE = 0.95


def read(folder, name):
    """Returns the result of a measurement, or None."""
    path = folder / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else None


class Lines:
    """The rows of the table. Cases of one target are represented by their worst."""

    def __init__(self):
        self.rows = []

    def add(self, target, cases, bound, most=False):
        """`cases` are {case: value}; `bound` is their minimum, or maximum with `most`."""
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
    """Returns the name of the peer with the minimum sum."""
    peers = {name: sum(times) for name, times in result["steady"].items() if name != "dyn"}
    return min(peers, key=peers.get)


def share_of_roofline(result, chosen=None):
    """Returns the share over the calls of a trace, or the chosen ones; None where unknown."""
    pairs = list(zip(result["roofline"], result["steady"]["dyn"]))
    pairs = list(itertools.compress(pairs, chosen or [True] * len(pairs)))
    if not pairs or not all(bound for bound, _ in pairs):
        return None
    return sum(bound for bound, _ in pairs) / sum(seconds for _, seconds in pairs)


def ahead(result, peer):
    return sum(result["steady"][peer]) / sum(result["steady"]["dyn"])


def median(values):
    return sorted(values)[len(values) // 2]


def known(values):
    return {name: value for name, value in values.items() if value is not None}


def trace_lines(lines, results, threads):
    """Adds the traces measured with this number of threads, by dyn and a peer."""
    traces = {
        result["trace"]: result
        for result in results
        if result["threads"] == threads and "dyn" in result["steady"] and len(result["steady"]) > 1
    }
    what = f"{threads} thread(s)"
    for bound, names in ROOFLINE.items():
        shares = {name: share_of_roofline(traces[name]) for name in names if name in traces}
        lines.add(f"share of roofline, {what}", known(shares), bound)
    if "gpt2-decode" in traces:
        decode = traces["gpt2-decode"]
        alone = [call["batch"] == 1 for call in decode["calls"]]
        share = share_of_roofline(decode, alone)
        lines.add(f"gpt2-decode, batch 1: share of the floor, {what}", known({"": share}), 0.9)

    best = {name: best_peer(result) for name, result in traces.items()}
    ratios = {f"{name} ({best[name]})": ahead(traces[name], best[name]) for name in traces}
    lines.add(f"ahead of the best peer, {what}", ratios, 1)
    if ratios:
        text = f"ahead of the best peer, geomean of {len(ratios)} traces, {what}"
        lines.least(text, geomean(ratios.values()), GEOMEAN.get(threads, 1.3))
    for name in AHEAD_OF_ALL.keys() & traces.keys():
        ratio = ahead(traces[name], best[name])
        lines.least(f"{name}: ahead of the best peer, {what}", ratio, AHEAD_OF_ALL[name])
    for name, bound in AHEAD_OF_ONNX_RUNTIME.items():
        if name in traces and "onnxruntime" in traces[name]["steady"]:
            ratio = ahead(traces[name], "onnxruntime")
            lines.least(f"{name}: ahead of ONNX Runtime, {what}", ratio, bound)

    penalties = {
        name: median([first / seen for first, seen in result["first"]["dyn"]])
        for name, result in traces.items()
        if result["first"]["dyn"]
    }
    lines.add(f"first-seen penalty, {what}", penalties, 1.1, most=True)
    walls, memory = {}, {}
    for name, result in traces.items():
        seconds, amounts = result["compile_seconds"], result["activation_bytes"]
        if {"dyn", "torch.compile"} <= seconds.keys():
            walls[name] = seconds["torch.compile"] / seconds["dyn"]
        if {"dyn", "onnxruntime"} <= amounts.keys():
            memory[name] = amounts["dyn"] / amounts["onnxruntime"]
    lines.add(f"torch.compile's wall over dyn's, {what}", walls, 6)
    lines.add(f"activation memory over ONNX Runtime's, {what}", memory, 1, most=True)


def cases(rows, key, value):
    """Returns {name of a row: its value}, for the rows that have one."""
    return {key(row): row[value] for row in rows if value in row}


def gemm_lines(lines, result):
    def gemm(row):
        return f"({row['K']}, {row['N']})"

    for size in dict.fromkeys(row["M"] for row in result["rows"]):
        rows = [row for row in result["rows"] if row["M"] == size]
        what = f"GEMMs, M {size}, {result['threads']} thread(s)"
        lines.add(f"{what}: ahead of the best library", cases(rows, gemm, "ahead"), NOISE)
        lines.add(f"{what}: share of the static peak", cases(rows, gemm, "of peak"), NOISE)
    lines.most("GEMMs: first-seen penalty", result["penalty"]["dyn"], 1.1)


def row_lines(lines, result):
    def width(row):
        return f"width {row['width']}"

    for name in dict.fromkeys(row["operation"] for row in result["rows"]):
        rows = [row for row in result["rows"] if row["operation"] == name]
        inside = [row for row in rows if row["level"] == "in cache"]
        outside = [row for row in rows if row["level"] != "in cache"]
        what, ahead = f"{name}, {result['threads']} thread(s)", "ahead of the best peer"
        if name == "GELU chain":
            lines.add(
                f"{what}: {ahead}", cases(rows, lambda r: f"{width(r)}, {r['level']}", "ahead"), 2.5
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

    # The memory allowed is 300 MB and a fifth of the weights.
    memory = each(lambda r: r["anonymous_bytes"] / (300e6 + 0.2 * r["model_bytes"]))
    lines.add("cold compile, seconds", each(lambda r: r["compile_seconds"]), 5, most=True)
    lines.add("compile memory, share of what is allowed", memory, 1, most=True)
    lines.add("load, milliseconds", each(lambda r: 1e3 * r["load_seconds"]), 10, most=True)


def route_lines(lines, result):
    for begin, bound in ROUTES.items():
        rows = [row for row in result["rows"] if row["case"].startswith(begin)]
        cases = {row["case"]: row["ahead"] for row in rows if "ahead" in row}
        what = f"routes, {begin}, {result['threads']} thread(s)"
        lines.add(f"{what}: ahead of the best peer", cases, bound)


def draw(folder, traces, gemms):
    """Draws the rooflines of the traces and of the GEMMs."""
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
    for result in gemms:
        title = f"GEMMs, {result['threads']} thread(s)"
        path = folder / f"roofline-gemm-{result['threads']}.png"
        plots.roofline(path, title, result["machine"], result["points"])


def write(folder):
    """Writes table.md and the rooflines of the existing results."""
    lines = Lines()
    traces = (read(folder, "traces") or {"results": []})["results"]
    for threads in sorted({result["threads"] for result in traces}):
        trace_lines(lines, traces, threads)
    kinds = {"gemm": gemm_lines, "rows": row_lines, "static": static_lines, "costs": cost_lines}
    kinds["routes"] = route_lines
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
