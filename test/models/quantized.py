# ===- quantized.py - Models with integer GEMMs ----------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transformers quantised by ONNX Runtime: weights with eight bits, activations by the range
that each has at run time.

Where a value is halfway between two steps, the last bit of a float decides, and two correct
implementations may differ by a step: 1/255 of the range of the quantised values. The
tolerance is a number of such steps, not of rounding errors: where no value is halfway, dyn
is within 1e-6 of float64, and at each size some implementation is a few steps off. Twelve
layers of random weights multiply a step.
"""

import dataclasses
import functools
import logging

from models.model import get, register


def write_dynamic(source, path):
    """Quantises weights to i8, with one scale per matrix; the whole range is used, since
    all sums are exact."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    level = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        quantize_dynamic(get(source).path(), path, weight_type=QuantType.QInt8, per_channel=False)
    finally:
        logging.disable(level)


def dynamic(name, source, tolerance):
    register(
        dataclasses.replace(
            get(source),
            name=name,
            module=None,
            write=functools.partial(write_dynamic, source),
            # The range is that of all rows together.
            batch=None,
            tolerance=tolerance,
        )
    )


dynamic("bert-int8-small", "bert-small", tolerance=5e-3)
dynamic("bert-base-int8", "bert-base", tolerance=8e-2)
