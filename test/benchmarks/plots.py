# ===- plots.py - Plots of measurements ------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plots latencies of the calls of a trace, rates on the roofline, and bars of engines."""

import contextlib
import math


@contextlib.contextmanager
def figure(path):
    """Yields a panel to draw on, which is written to `path` at the end."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    drawing, panel = pyplot.subplots(figsize=(6, 4))
    yield panel
    panel.legend(fontsize=7)
    drawing.tight_layout()
    drawing.savefig(path, dpi=110)
    pyplot.close(drawing)


def latencies(results, folder):
    """Plots the latency of each call over the product of its sizes, a file for each trace."""
    for result in results:
        # Some calls also have the lengths of their rows.
        calls = [{k: v for k, v in call.items() if k != "lengths"} for call in result["calls"]]
        sizes = [math.prod(call.values()) for call in calls]
        with figure(folder / f"{result['trace']}-{result['threads']}.png") as panel:
            for name, times in result["steady"].items():
                panel.loglog(sizes, [1e3 * t for t in times], "o", markersize=4, label=name)
            if all(result["roofline"]):
                panel.loglog(sizes, [1e3 * t for t in result["roofline"]], "k_", label="roofline")
            title = f"{result['trace']}, {result['threads']} thread(s)"
            panel.set(title=title, xlabel=" x ".join(calls[0]), ylabel="milliseconds")


def roofline(path, title, machine, groups):
    """Plots rates over arithmetic intensity, below the attainable rates with data in memory
    and in cache. `machine` has its "flops" and its bytes a second; `groups` are {name:
    [(flops, bytes, seconds)]}."""
    points = [point for group in groups.values() for point in group]
    if not points:
        return
    intensities = sorted(flops / moved for flops, moved, _ in points)
    low, high = intensities[0] / 2, intensities[-1] * 2
    with figure(path) as panel:
        for level, line in (("memory", "k-"), ("cached", "k:")):
            bend = machine["flops"] / machine[level]
            xs = [low, bend, high] if low < bend < high else [low, high]
            ys = [1e-9 * min(machine["flops"], machine[level] * x) for x in xs]
            panel.loglog(xs, ys, line, linewidth=1, label=f"attainable, {level}")
        for name, group in groups.items():
            xs = [flops / moved for flops, moved, _ in group]
            ys = [1e-9 * flops / seconds for flops, _, seconds in group]
            panel.loglog(xs, ys, "o", markersize=3, label=name)
        panel.set(title=title, xlabel="flops a byte", ylabel="GF/s")


def bars(path, title, rows, engines):
    """Plots times of engines relative to dyn's, or to the first engine's, for each row's case."""
    names = [name for name in engines if any(name in row for row in rows)]
    base = "dyn" if "dyn" in names else names[0]
    with figure(path) as panel:
        for number, name in enumerate(names):
            known = [(at, row) for at, row in enumerate(rows) if name in row and base in row]
            xs = [at + 0.8 * number / len(names) for at, _ in known]
            ys = [row[name] / row[base] for _, row in known]
            panel.bar(xs, ys, 0.8 / len(names), label=name)
        panel.set_xticks(range(len(rows)), [row["case"] for row in rows], rotation=90, fontsize=6)
        panel.set(title=title, ylabel=f"time over that of {base}")


def balance(path, rows):
    """Plots the times of a layer over the share of features that is not sent."""
    *rows, at = rows
    with figure(path) as panel:
        xs = [row["share"] for row in rows]
        for name in ("communication", "computation", "time"):
            panel.plot(xs, [row[name] for row in rows], "o-", markersize=4, label=name)
        panel.plot(xs, [row["formula"] for row in rows], "k--", linewidth=1, label="formula")
        panel.axvline(at["by formula"], color="k", linewidth=1, label="balance by formula")
        panel.set(xlabel="share of features not sent", ylabel="milliseconds", ylim=(0, None))


def compiles(results, folder):
    """Plots the compilations after each request, a file for each model. A shorter line ends
    at a request that fails."""
    for result in results:
        with figure(folder / f"compiles-{result['model']}.png") as panel:
            for name, counts in result["compiles"].items():
                fails = len(counts) < result["requests"]
                label = f"{name}, fails" if fails else name
                panel.step(range(1, len(counts) + 1), counts, where="post", label=label)
            panel.set(title=result["model"], xlabel="requests", ylabel="compilations")
            panel.set_ylim(bottom=0)
