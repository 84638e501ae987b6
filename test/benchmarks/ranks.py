#!/usr/bin/env python3
# ===- ranks.py - Measure models on many ranks -----------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures ranks, which are processes that sockets connect, in cases of papers, and writes
ranks-1.json, .md and plots.

Links between ranks are limited to a rate (--link-rate), at which they bound the times of
exchanges. With --calibrate, only the file of this machine is written, for `dyn-compile --plan`.
Cases:

- `exchange`: rows of a mixture to the ranks of their experts, exactly, with their counts first, or
  padded to the largest number that an expert gets from a rank (Brainstorm, figure 12);
- `placement`: rows that go from the experts of a layer to those of the next, which lie by their
  numbers, or as a profile says (figure 14);
- `mlp`: a perceptron of 784-512-512-10 on two ranks, by stages and by columns, by hand and as one
  artifact, in processes and in threads (table 1 of the report on distributed inference);
- `predicted`: models on two ranks beside the times that their plans predict;
- `overlap`: an exchange beside work that takes as long; `compiled`: the same in artifacts;
- `features`: a layer of which a part of the features is sent (DISCO, formula 12);
- `task-moe`, `swin-moe`: whole mixtures on GPUs by the cost model of plans (Brainstorm, figures 18
  to 20); nothing runs.
"""

import argparse
import json
import pathlib
import sys

import ranks_cases
import ranks_planned
import ranks_simulated
import single
from tables import markdown

CASES = {
    "exchange": (ranks_cases.exchanges, "1.88 to 2.78 times as fast"),
    "placement": (ranks_cases.placements, "2.45 to 6.65 times as fast"),
    "mlp": (ranks_cases.perceptron, "stages 1.39, columns 1.52 times as fast (training)"),
    "predicted": (ranks_planned.predictions, ""),
    "overlap": (ranks_cases.overlap, ""),
    "compiled": (ranks_planned.overlaps, ""),
    "features": (ranks_cases.features, ""),
    "task-moe": (ranks_simulated.task_moe, "exchanges 1.17, placement 1.34 times as fast"),
    "swin-moe": (
        ranks_simulated.swin_moe,
        "5.04 and 1.52 times as fast as DeepSpeed-MoE and Tutel, placement 1.26 for a layer",
    ),
}
#: Of each case, the columns that a plot shows, the first one as 1.
PLOTTED = {
    "exchange": ["padded", "exact"],
    "placement": ["by number", "by profile"],
    "mlp": ["one thread", *ranks_cases.WAYS],
    "predicted": ["one rank", "two ranks", "predicted"],
    "compiled": ["in turn", "together", "work", "exchange"],
    "overlap": ["in turn", "together", "work", "exchange"],
    "task-moe": ["padded", "exact", "straight", "placed"],
    "swin-moe": ["one-hot", "padded", "exact", "placed"],
}


def main():
    parser = argparse.ArgumentParser(prog="x bench ranks", description=__doc__)
    parser.add_argument("cases", nargs="*", help=f"of {', '.join(CASES)}")
    parser.add_argument("--link-rate", type=float, default=50e6, help="bytes a second")
    parser.add_argument("--calibrate", type=pathlib.Path, metavar="FILE.json")
    single.add_arguments(parser)
    args = parser.parse_args()
    if args.calibrate:
        args.calibrate.write_text(json.dumps(ranks_planned.calibrate(args.quick), indent=1))
        return
    for case in args.cases:
        if case not in CASES:
            parser.error(f"no case {case}; there are {', '.join(CASES)}")
    args.output.mkdir(parents=True, exist_ok=True)
    results, tables = {}, []
    for name in args.cases or CASES:
        make, paper = CASES[name]
        rows = list(make(args))
        results[name] = rows
        plot(args.output / f"ranks-{name}.png", name, rows)
        tables.append(f"{name}{paper and ': the paper has '}{paper}\n\n{markdown(rows)}")
    single.write(args, "ranks", {"link_rate": args.link_rate, **results}, "\n".join(tables))


def plot(path, name, rows):
    import plots

    if name == "features":
        return plots.balance(path, rows)
    return plots.bars(path, f"ranks: {name}", rows, PLOTTED[name])


if __name__ == "__main__":
    sys.exit(main())
