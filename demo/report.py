# ===- report.py - The table, the annotated image and the plot -------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows the texts that were read, and the times."""

import collections
import math
import statistics

from PIL import Image, ImageDraw

from images import font

COLOURS = {"dyn": "tab:orange", "onnxruntime": "tab:blue"}


def table(rows):
    """Prints a row for each image."""
    print(f"{'image':<13}{'size':>10}  {'dyn':>7}  {'ORT':>7}  same  text")
    for row in rows:
        size = "x".join(map(str, row.sample.image.size))
        text = " | ".join(row.texts["dyn"]) or "(none)"
        text = text if len(text) <= 60 else text[:57] + "..."
        print(
            f"{row.sample.name:<13}{size:>10}  {1e3 * row.seconds['dyn']:5.0f} ms"
            f"  {1e3 * row.seconds['onnxruntime']:5.0f} ms  {'yes' if row.same else 'NO':<4}  {text}"
        )


def models(sessions):
    """Prints a row for each model: compiles, shapes, difference and times."""
    print(f"\n{'model':<36}{'compiles':>8}{'shapes':>8}{'difference':>12}{'dyn':>10}{'ORT':>10}")
    for model in sorted({call.model for call in sessions.calls}):
        calls = [call for call in sessions.calls if call.model == model]
        compiles = sessions.compiles.get(model, [])
        print(
            f"{model:<36}{len(compiles):>8}{len({call.shape for call in calls}):>8}"
            f"{sessions.differences.get(model, math.nan):>12.1e}"
            + "".join(
                f"{1e3 * sum(c.seconds for c in calls if c.engine == engine):>7.0f} ms"
                for engine in ("dyn", "onnxruntime")
            )
        )
    for model, seconds in sorted(sessions.compiles.items()):
        print(f"compiled {model} in {seconds[0]:.1f} s")


def annotate(rows, path):
    """Writes all images on one sheet, with the boxes and texts found."""
    width, gap = 1240, 22
    tiles = []
    for row in rows:
        tile = row.sample.image.convert("RGB")
        draw = ImageDraw.Draw(tile)
        for box, _, _ in row.found or []:
            points = [tuple(map(float, point)) for point in box]
            draw.line([*points, points[0]], fill="red", width=2)
        if tile.width > width - 2 * gap:
            tile = tile.resize(
                (width - 2 * gap, max(1, tile.height * (width - 2 * gap) // tile.width))
            )
        tiles.append((tile, f"{row.sample.name}: " + (" | ".join(row.texts["dyn"]) or "(none)")))
    height = sum(tile.height + 3 * gap for tile, _ in tiles)
    sheet = Image.new("RGB", (width, height), "#e8e8e8")
    draw, top = ImageDraw.Draw(sheet), 0
    for tile, text in tiles:
        draw.text((gap, top + 6), text[:110], fill="black", font=font("Sans", 16))
        sheet.paste(tile, (gap, top + gap + 8))
        top += tile.height + 3 * gap
    sheet.save(path)


def plot(sessions, path):
    """Writes a plot of latency over input size, a panel for each model."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    names = sorted({call.model for call in sessions.calls})
    figure, panels = pyplot.subplots(1, len(names), figsize=(5.5 * len(names), 4), squeeze=False)
    for panel, name in zip(panels[0], names):
        for engine, colour in COLOURS.items():
            times = collections.defaultdict(list)
            for call in sessions.calls:
                if call.model == name and call.engine == engine:
                    times[math.prod(call.shape)].append(1e3 * call.seconds)
            points = sorted((size, statistics.median(t)) for size, t in times.items())
            panel.plot(*zip(*points), "o-", color=colour, label=engine, markersize=4)
        panel.set(title=name, xlabel="elements of the input", ylabel="milliseconds")
        panel.set_ylim(bottom=0)
        panel.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110)
