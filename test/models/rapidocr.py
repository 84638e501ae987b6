# ===- rapidocr.py - The three models of rapidocr-onnxruntime --------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Detection, orientation and recognition from the program's wheel."""

import functools
import importlib.util
import pathlib
import shutil

from models import draw
from models.model import Model, register


def wheel_file(part):
    """The file in the installed package whose name contains `part`."""
    package = importlib.util.find_spec("rapidocr_onnxruntime")
    if package is None:
        raise FileNotFoundError("rapidocr-onnxruntime is not installed")
    folder = pathlib.Path(package.origin).parent / "models"
    (file,) = folder.glob(f"*{part}*.onnx")
    return file


def pixels(sizes, rng):
    shape = sizes["batch"], 3, sizes["height"], sizes["width"]
    return {"x": rng.uniform(-1, 1, shape).astype("float32")}


def page_sizes(rng, most):
    """The program rounds the height and width of a page to multiples of 32."""
    sides = [32 * draw.size(rng, 1, most) for _ in range(2)]
    return {"batch": 1, "height": sides[0], "width": sides[1]}


def line_sizes(rng, batch, low, high):
    """Lines are 48 pixels high; up to six are read together."""
    return {
        "batch": draw.size(rng, 1, batch),
        "height": 48,
        "width": draw.size(rng, low, high),
    }


def rapid(name, part, sizes):
    register(
        Model(
            name=name,
            axes={"x": {0: "batch", 2: "height", 3: "width"}},
            outputs=(),
            inputs=pixels,
            sizes=sizes,
            write=lambda path: shutil.copyfile(wheel_file(part), path),
        )
    )


rapid("rapidocr-det", "_det_", functools.partial(page_sizes, most=20))
rapid("rapidocr-cls", "_cls_", functools.partial(line_sizes, batch=6, low=192, high=192))
rapid("rapidocr-rec", "_rec_", functools.partial(line_sizes, batch=6, low=16, high=640))
