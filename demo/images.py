# ===- images.py - Images of text, rendered on the fly ---------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images of different sizes, drawn with PIL."""

import dataclasses
import pathlib

from PIL import Image, ImageDraw, ImageFont

FONTS = pathlib.Path("/usr/share/fonts/truetype/dejavu")


@dataclasses.dataclass(frozen=True)
class Sample:
    """An image and the lines that were drawn on it."""

    name: str
    image: Image.Image
    lines: tuple


def font(style, size):
    """DejaVu in a style ("Sans-Bold"), or PIL's own font where it is absent."""
    try:
        return ImageFont.truetype(str(FONTS / f"DejaVu{style}.ttf"), size)
    except OSError:
        return ImageFont.load_default(size)


def page(name, size, lines, style="Sans", points=28, ink="black", paper="white", at=(24, 18)):
    """Lines below each other on plain paper."""
    image = Image.new("RGB", size, paper)
    draw = ImageDraw.Draw(image)
    for number, line in enumerate(lines):
        position = at[0], at[1] + number * int(points * 1.6)
        draw.text(position, line, fill=ink, font=font(style, points))
    return Sample(name, image, tuple(lines))


def rotated(sample, name, degrees):
    """The rotated image, on paper large enough to hold it."""
    image = sample.image.rotate(
        degrees, expand=True, fillcolor="white", resample=Image.Resampling.BICUBIC
    )
    return Sample(name, image, sample.lines)


def gradient(name, size, lines):
    """Text over colour gradients from corner to corner."""
    across = Image.linear_gradient("L").rotate(90).resize(size)
    down = Image.linear_gradient("L").resize(size)
    flat = Image.new("L", size, 210)
    sample = page(name, size, lines, "Serif-Bold", 34, "navy")
    paper = Image.merge("RGB", [c.point(lambda v: 160 + v // 3) for c in (across, down, flat)])
    mask = sample.image.convert("L").point(lambda v: 255 - v)
    paper.paste(sample.image, mask=mask)
    return Sample(name, paper, sample.lines)


def empty(name, size):
    """Shapes and no text."""
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    draw.ellipse((60, 40, 240, 200), fill="lightblue")
    draw.rectangle((260, 90, 400, 230), fill="wheat")
    return Sample(name, image, ())


def render():
    """All images of the demo."""
    receipt = ["CORNER SHOP", "Milk 1.29", "Bread 2.49", "Apples 3.10", "Coffee 7.95"]
    receipt += ["Total 14.83", "Thank you"]
    notice = page("upright", (520, 180), ["Platform 9", "Mind the gap"], "Sans-Bold", 44)
    return [
        page("letter", (640, 300), ["Dear reader,", "this text was drawn", "a moment ago."]),
        page("serif", (509, 251), ["The quick brown fox", "jumps over the dog"], "Serif", 32),
        page("code", (720, 240), ["for (int i = 0; i < n; ++i)", "sum += a[i];"], "SansMono", 30),
        page("headline", (900, 200), ["COMPILE ONCE"], "Sans-Bold", 88, at=(30, 40)),
        page("small print", (430, 160), ["Terms and conditions apply", "See page 37"], points=18),
        page("37 px high", (311, 37), ["Invoice 20483"], points=22, at=(12, 4)),
        page(
            "very wide", (2400, 64), ["one line that goes on and on " * 4], points=30, at=(20, 12)
        ),
        rotated(notice, "rotated", 8),
        rotated(notice, "upside down", 180),
        empty("no text", (480, 300)),
        page("night", (600, 150), ["White on black", "works too"], ink="white", paper="black"),
        gradient("gradient", (701, 233), ["Sunset Boulevard", "Los Angeles"]),
        page("receipt", (290, 480), receipt, "SansMono", 24),
        page("numbers", (557, 307), ["3.14159 2.71828", "1.41421 1.61803", "0.57721 6.62607"]),
        page("one word", (97, 53), ["Exit"], points=26, at=(14, 8)),
    ]
