# ===- tables.py - Means and tables of measurements ------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Means and Markdown tables."""

import math


def geomean(values):
    values = [value for value in values if value > 0]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def markdown(rows):
    """Returns the rows as a Markdown table."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    lines = [columns, ["---"] * len(columns)]
    for row in rows:
        cells = (row.get(column, "") for column in columns)
        lines.append([f"{c:.3g}" if isinstance(c, float) else str(c) for c in cells])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
