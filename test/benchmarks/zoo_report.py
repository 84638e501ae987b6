# ===- zoo_report.py - Tables of the zoo -----------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables and histograms of the lines of zoo.jsonl."""

from tables import geomean, markdown

#: Peers that dyn is compared with, and the names of all engines.
BEST = ("onnxruntime", "openvino")
ENGINES = {"dyn": "dyn", "onnxruntime": "ONNX Runtime", "openvino": "OpenVINO", "torch": "eager"}
#: Upper bounds of the classes of the histograms.
RATIOS = (0.5, 0.67, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 3.0)
SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
WIDTH = 50


def ratio(record, peers=BEST):
    """The time of the fastest of the peers over dyn's, geomean over the shapes; None if
    nothing has been timed."""
    ratios = [
        min(times[peer] for peer in peers if peer in times) / times["dyn"]
        for times in record.get("seconds", [])
        if "dyn" in times and any(peer in times for peer in peers)
    ]
    return geomean(ratios) if ratios else None


def line(record):
    """A result in one line."""
    text = f"{record['name']}, {record['threads']}: {record['status']}"
    if record["status"] != "ok":
        return f"{text}: {record['message'][:300]}"
    figure = ratio(record)
    return text if figure is None else f"{text}, best peer / dyn {figure:.2f}"


def row(record):
    """A row of the table of entries."""
    cells = {
        "model": record["name"], "family": record["family"], "threads": record["threads"],
        "exporter": record.get("exporter", ""),
        "compile s": round(record.get("compile_seconds", 0), 1),
        "compile MB": round(record.get("compile_bytes", 0) / 1e6),
    }  # fmt: skip
    for engine, name in ENGINES.items():
        times = [shape.get(engine) for shape in record["seconds"]]
        cells[f"{name} ms"] = ", ".join("-" if t is None else f"{1000 * t:.3g}" for t in times)
    cells["best peer / dyn"] = ratio(record) or ""
    return cells


def histogram(values, bounds):
    """Lines of a histogram of (value, weight): the share of the weight in each class."""
    classes = [0.0] * (len(bounds) + 1)
    for value, weight in values:
        classes[sum(value >= bound for bound in bounds)] += weight
    total = sum(classes) or 1
    names = [f"< {bounds[0]}"]
    names += [f"{low} - {high}" for low, high in zip(bounds, bounds[1:])]
    names += [f">= {bounds[-1]}"]
    return "".join(
        f"{name:>12} {100 * amount / total:5.1f} % {'#' * round(WIDTH * amount / total)}\n"
        for name, amount in zip(names, classes)
    )


def shares(records):
    """(share of roofline, nanoseconds) of all kernels."""
    return [(share, ns) for r in records for _, _, ns, share in r.get("kernels", [])]


def summary(records):
    """The counts of each status, and the geomean of the ratios."""
    lines = []
    for threads in sorted({record["threads"] for record in records}):
        own = [record for record in records if record["threads"] == threads]
        counts = {}
        for record in own:
            counts[record["status"]] = counts.get(record["status"], 0) + 1
        ratios = [value for value in map(ratio, own) if value]
        text = ", ".join(f"{status} {count}" for status, count in sorted(counts.items()))
        text = f"{threads} thread(s): {len(own)} entries: {text}"
        if ratios:
            behind = sum(value < 1 for value in ratios)
            text += f"; best peer / dyn {geomean(ratios):.2f} (geomean of {len(ratios)}), "
            text += f"{behind} below 1"
        lines.append(text)
    return "\n".join(lines)


def report(records):
    """The Markdown file of all results."""
    text = f"# Zoo\n\n{summary(records)}\n"
    timed = [record for record in records if record.get("seconds")]
    for threads in sorted({record["threads"] for record in timed}):
        own = sorted(
            (record for record in timed if record["threads"] == threads),
            key=lambda record: ratio(record) or 0,
        )
        ratios = [(value, 1) for value in map(ratio, own) if value]
        text += f"\n## {threads} thread(s)\n\n{markdown(list(map(row, own)))}"
        text += f"\nBest peer / dyn, share of entries:\n\n```\n{histogram(ratios, RATIOS)}```\n"
        text += "\nShare of roofline of dyn's kernels, share of time:\n\n"
        text += f"```\n{histogram(shares(own), SHARES)}```\n"
    others = [record for record in records if record["status"] != "ok"]
    rows = [
        {"model": r["name"], "threads": r["threads"], "status": r["status"],
         "message": " ".join(r["message"].replace("|", "/").split())}
        for r in sorted(others, key=lambda record: (record["status"], record["name"]))
    ]  # fmt: skip
    if rows:
        text += f"\n## What does not run\n\n{markdown(rows)}"
    fallen = [r for r in records if r.get("tried")]
    rows = [
        {"model": r["name"], "exporter": r["exporter"],
         "dynamo": " ".join(r["tried"].get("dynamo", "").replace("|", "/").split())[:300]}
        for r in fallen
    ]  # fmt: skip
    if rows:
        text += f"\n## What torch.export does not export\n\n{markdown(rows)}"
    return text
