# ===- charts.py - Charts of a kit's results -------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plots the times of engines over dyn's, and the rates of engines over the operations per
byte.

python charts.py results/results.json
"""

import json
import pathlib
import sys

TIMES = {"warm_us": "calls, L2 warm", "cold_us": "calls, L2 cold", "kernels_us": "kernels alone"}


def figure(width):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(width, 4.5))


def points(report, family):
    """Yields (label, {engine: facts}) for all sizes of a family where dyn was timed."""
    for result in report["results"]:
        if result.get("family") != family:
            continue
        for row in result["rows"]:
            timed = {n: f for n, f in row["engines"].items() if "warm_us" in f and f["close"]}
            if "dyn" in timed:
                yield f"{result['case']} {'x'.join(map(str, row['sizes']))}", timed


def ratios(found, key, path, title):
    """Draws the times of engines over dyn's as bars."""
    engines = [n for n in dict.fromkeys(n for _, timed in found for n in timed) if n != "dyn"]
    drawing, panel = figure(max(5, 0.35 * len(found)))
    for number, name in enumerate(engines):
        known = [(at, timed) for at, (_, timed) in enumerate(found) if name in timed]
        panel.bar(
            [at + 0.8 * number / len(engines) for at, _ in known],
            [timed[name][key] / timed["dyn"][key] for _, timed in known],
            0.8 / len(engines),
            label=name,
        )
    panel.axhline(1, color="black", linewidth=0.8)
    panel.set_yscale("log")
    panel.set_xticks(range(len(found)), [label for label, _ in found], rotation=90, fontsize=6)
    panel.set(title=title, ylabel="time over that of dyn")
    panel.legend(fontsize=7)
    save(drawing, path)


def rates(found, path, title):
    """Draws the operations per second over the operations per byte, for each engine."""
    drawing, panel = figure(6)
    for name in dict.fromkeys(n for _, timed in found for n in timed):
        marks = [
            (
                timed["dyn"]["flops"] / timed["dyn"]["bytes"],
                timed["dyn"]["flops"] / fact["kernels_us"] / 1e6,
            )
            for _, timed in found
            if (fact := timed.get(name)) and timed["dyn"]["bytes"] and fact["kernels_us"]
        ]
        panel.loglog(*zip(*marks), "o", markersize=3, label=name)
    panel.set(title=title, xlabel="operations a byte", ylabel="TFLOP/s of the kernels")
    panel.legend(fontsize=7)
    save(drawing, path)


def save(drawing, path):
    from matplotlib import pyplot

    drawing.tight_layout()
    drawing.savefig(path, dpi=110)
    pyplot.close(drawing)


def draw(report, folder):
    """Draws all plots of a report into a folder. Returns their paths."""
    families = dict.fromkeys(r["family"] for r in report["results"] if "family" in r)
    gpu = report.get("machine", {}).get("gpu", report["device"])
    paths = []
    for family in families:
        found = list(points(report, family))
        if not found:
            continue
        for key, words in TIMES.items():
            path = folder / f"{family}-{key.removesuffix('_us')}.png"
            ratios(found, key, path, f"{family}, {words}, {gpu}")
            paths.append(path)
        paths.append(folder / f"{family}-rates.png")
        rates(found, paths[-1], f"{family}, {gpu}")
    return paths


if __name__ == "__main__":
    source = pathlib.Path(sys.argv[1])
    for chart in draw(json.loads(source.read_text()), source.parent):
        print(chart)
