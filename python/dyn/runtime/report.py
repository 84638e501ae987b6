# ===- report.py - The report of an artifact that changes ------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report of an artifact that changes while it runs, and its timeline."""

import html
import pathlib

_LEFT, _WIDTH, _LANE, _TOP = 190, 760, 26, 34
#: Colours of the bars: Okabe and Ito's.
_COLOURS = {"runs": "#0072b2", "measured": "#56b4e9", "compiles": "#e69f00", "failed": "#d55e00"}


class Report(dict):
    """The dictionary that :meth:`dyn.Artifact.report` returns, and its plot."""

    def plot(self, path):
        """Writes a timeline as an SVG image: a bar for each compilation, a bar for each variant from
        when it was added to when it was dropped, and a list of the events with their reasons."""
        pathlib.Path(path).write_text(_draw(self), encoding="utf-8")


def _bars(report):
    """The lanes by name, each a list of (begin, end, kind, title) in milliseconds."""
    end = report["ms"]
    lanes = {"compiler": [], "variant 0": [(0, end, "runs", "the first artifact")]}
    compiling, open_bars = None, {}

    def close(number, at):
        if number in open_bars:
            begin, kind, title = open_bars.pop(number)
            lanes[f"variant {number}"].append((begin, at, kind, title))

    for event in report["last_events"]:
        at, what, number, title = (event[k] for k in ("ms", "what", "variant", "detail"))
        if what == "compiles":
            compiling = (at, title)
        if what in ("added", "failed") and compiling:
            kind = "failed" if what == "failed" else "compiles"
            lanes["compiler"].append((compiling[0], at, kind, compiling[1]))
            compiling = None
        if what == "added":
            lanes.setdefault(f"variant {number}", [])
            measured = "auto" in report and _fixes_sizes(report, number, title)
            open_bars[number] = (at, "measured" if measured else "runs", title)
        if what in ("kept", "dropped", "replaced"):
            lanes.setdefault(f"variant {number}", [])
            close(number, at)
        if what == "kept":
            open_bars[number] = (at, "runs", title)
    if compiling:
        lanes["compiler"].append((compiling[0], end, "compiles", compiling[1]))
    for number in list(open_bars):
        close(number, end)
    return lanes


def _fixes_sizes(report, number, reason):
    """Whether the automatic mode has made a variant."""
    sizes = report["auto"]["sizes"]
    return any(s["variant"] == number or reason.startswith(", ".join(s["dims"])) for s in sizes)


def _draw(report):
    lanes, events = _bars(report), report["last_events"][-20:]
    end = max(report["ms"], 1)
    calls = {f"variant {v['number']}": f" ({v['calls']} calls)" for v in report["variants"]}
    height = _TOP + _LANE * len(lanes) + 56 + 16 * len(events)
    width = _LEFT + _WIDTH + 20
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]

    def text(x, y, words, extra=""):
        out.append(f'<text x="{x:.1f}" y="{y:.1f}"{extra}>{html.escape(words)}</text>')

    def along(ms):
        return _LEFT + _WIDTH * ms / end

    for i, (kind, colour) in enumerate(_COLOURS.items()):
        out.append(f'<rect x="{_LEFT + 90 * i}" y="8" width="12" height="12" fill="{colour}"/>')
        text(_LEFT + 90 * i + 17, 18, kind)
    for i, (name, bars) in enumerate(lanes.items()):
        y = _TOP + _LANE * i
        text(8, y + 15, name + calls.get(name, ""))
        for begin, stop, kind, title in bars:
            out.append(
                f'<rect x="{along(begin):.1f}" y="{y + 3}" '
                f'width="{max(along(stop) - along(begin), 1.5):.1f}" height="{_LANE - 8}" '
                f'fill="{_COLOURS[kind]}"><title>{html.escape(title)}</title></rect>'
            )
    axis = _TOP + _LANE * len(lanes) + 6
    out.append(f'<path d="M{_LEFT} {axis}H{_LEFT + _WIDTH}" stroke="black"/>')
    for i in range(6):
        at = end * i / 5
        out.append(f'<path d="M{along(at):.1f} {axis}v4" stroke="black"/>')
        text(along(at), axis + 16, f"{at / 1000:.3g} s", ' text-anchor="middle"')
    for i, event in enumerate(events):
        words = f"{event['ms'] / 1000:.2f} s  {event['what']}"
        if event["variant"]:
            words += f" variant {event['variant']}"
        text(8, axis + 40 + 16 * i, f"{words}: {event['detail']}")
    why = report.get("auto", {}).get("why")
    if why:
        text(_LEFT + _WIDTH, 18, why, ' text-anchor="end"')
    return "\n".join([*out, "</svg>", ""])
