#!/usr/bin/env python3
# ===- timelines.py - Plot simulated runs of ranks -------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plots what ranks do over time, and the time of several runs over their number of ranks.

    timelines.py SIMULATED.json... [-o FOLDER]

A file has the ranks of a simulated run, its events and its length, in seconds:

    {"ranks": 2, "total": 2.5,
     "events": [{"rank": 0, "name": "compute layer0", "start": 0.0, "end": 1.5}, ...]}

Events have a color for the first word of their name. Each file with at most 64 ranks becomes
NAME.png, and all of them scaling.png.
"""

import argparse
import json
import pathlib

import plots

#: Ranks that fit in a plot.
MOST_RANKS = 64


def read(path):
    """A simulated run; raises ValueError if it is something else."""
    run = json.loads(pathlib.Path(path).read_text())
    for event in run["events"]:
        if not (0 <= event["rank"] < run["ranks"]):
            raise ValueError(f"{path}: expected ranks below {run['ranks']}, got {event['rank']}")
        if not 0 <= event["start"] <= event["end"] <= run["total"] * (1 + 1e-9):
            raise ValueError(f"{path}: expected times within {run['total']}, got {event}")
    return run


def timeline(path, run, title):
    """Plots a row for each rank, from the top."""
    with plots.figure(path) as panel:
        bars = {}
        for event in run["events"]:
            bars.setdefault(event["name"].split()[0], []).append(event)
        for number, (name, events) in enumerate(bars.items()):
            panel.barh(
                [event["rank"] for event in events],
                [event["end"] - event["start"] for event in events],
                left=[event["start"] for event in events],
                height=0.8, color=f"C{number % 10}", edgecolor="white", linewidth=0.3, label=name,
            )  # fmt: skip
        panel.set(title=title, xlabel="seconds", ylabel="rank", xlim=(0, run["total"] or 1))
        panel.invert_yaxis()


def scaling(path, runs):
    """Plots the speed of {name: run} over that of the one with the fewest ranks."""
    ordered = sorted(runs.values(), key=lambda run: run["ranks"])
    first = ordered[0]
    xs = [run["ranks"] for run in ordered]
    with plots.figure(path) as panel:
        panel.loglog(
            xs, [first["total"] / run["total"] for run in ordered], "o-", label="simulated"
        )
        panel.loglog(
            xs, [x / first["ranks"] for x in xs], "k--", linewidth=1, label="as many ranks"
        )
        panel.set(xlabel="ranks", ylabel=f"speed over {first['ranks']} rank(s)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("build/bench"))
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    runs = {path.stem: read(path) for path in args.files}
    for name, run in runs.items():
        if run["ranks"] <= MOST_RANKS:
            timeline(args.output / f"{name}.png", run, name)
    if len(runs) > 1:
        scaling(args.output / "scaling.png", runs)


if __name__ == "__main__":
    main()
