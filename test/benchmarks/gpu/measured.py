# ===- measured.py - A table of results of a GPU ---------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints results.json of a kit as a Markdown table: for each case, the times of dyn's
kernels at its sizes, and the time of the best other engine over dyn's.

    python measured.py results/h100.json
    python measured.py results.json compile.json --write results/h100.json

With several files, engines and cases of the later files are added to the first. --write
stores only the fields that the table needs.
"""

import argparse
import json
import pathlib
import statistics

FIGURES = ("error", "close", "warm_us", "cold_us", "kernels_us", "launches", "flops", "bytes",
           "library_launches", "library_misses", "refused", "failed")  # fmt: skip


def merge(reports):
    """Returns the first report, with the engines and cases that only the others have."""
    first = reports[0]
    known = {result["case"]: result for result in first["results"]}
    for report in reports[1:]:
        for result in report["results"]:
            if result["case"] not in known:
                first["results"].append(result)
                continue
            for ours, theirs in zip(known[result["case"]]["rows"], result["rows"], strict=True):
                ours["engines"] = theirs["engines"] | ours["engines"]
    return first


def trim(report):
    """Returns the report without names of kernels, with microseconds to one decimal."""
    for result in report["results"]:
        for row in result["rows"]:
            for name, fact in row["engines"].items():
                row["engines"][name] = {
                    key: round(value, 1) if key.endswith("_us") else value
                    for key, value in fact.items()
                    if key in FIGURES
                }
    return report


def best_other(engines):
    """Returns (microseconds, name) of the fastest correct kernels that are not dyn's."""
    return min(
        (fact["kernels_us"], name)
        for name, fact in engines.items()
        if name != "dyn" and fact.get("close") and "kernels_us" in fact
    )


def lines(report):
    """Yields the lines of the table, case by case."""
    yield "| case | sizes | kernels of dyn, us | best other over dyn | their mean |"
    yield "|---|---|---|---|---|"
    for result in report["results"]:
        sizes, times, ratios = [], [], []
        for row in result["rows"]:
            ours = row["engines"]["dyn"]["kernels_us"]
            theirs, _ = best_other(row["engines"])
            sizes.append("x".join(map(str, row["sizes"])))
            times.append(f"{ours:.0f}" if ours >= 100 else f"{ours:.1f}")
            ratios.append(theirs / ours)
        yield (
            f"| {result['case']} | {', '.join(sizes)} | {', '.join(times)} | "
            f"{', '.join(f'{r:.2f}' for r in ratios)} | {statistics.geometric_mean(ratios):.2f} |"
        )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("reports", type=pathlib.Path, nargs="+")
    parser.add_argument("--write", type=pathlib.Path, help="the reports in one, trimmed")
    options = parser.parse_args()
    report = merge([json.loads(path.read_text()) for path in options.reports])
    if options.write:
        options.write.write_text(json.dumps(trim(report)) + "\n")
    print(f"{report['machine']['gpu']}, PyTorch {report['torch']}, CUDA {report['cuda']}\n")
    print("\n".join(lines(report)))


if __name__ == "__main__":
    main()
