# ===- test_slow_kernels.py - The slow kernels of the test models ----------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of all kernels of the test models, and of the entries of the zoo that are exported
in a second, that the compiler itself calls slow. A kernel that a change slows down is missing
in it, and one that a change mends is one too many."""

import json
import subprocess

import pytest

import models
from models import zoo

#: By model, the slow kernels, with the reason why their elements are computed one by one, or
#: SHARE of those that compute vectors but are below a third of the roofline.
SHARE = "share"
SLOW = {
    "bert-deep-small": {
        "gather_add_slice_layer_norm": SHARE,
    },
    "bert-dynamo-small": {
        "gather_add_slice_layer_norm": SHARE,
    },
    "bert-int8-small": {
        "gather_convert_sub_reduce": SHARE,
    },
    "bert-pooled-dynamo-small": {
        "find_nonzero": "the position of an index depends on all elements before it",
        "gather_select_reduce": SHARE,
    },
    "bert-pooled-small": {
        "find_nonzero": "the position of an index depends on all elements before it",
        "gather_select_reduce": SHARE,
    },
    "bert-small": {
        "gather_add_slice_layer_norm": SHARE,
    },
    "rapidocr-det": {
        "transpose_add_logistic": SHARE,
    },
    "rec-small": {
        "scatter_nd": SHARE,
    },
    "vit-any-small": {
        "resize": SHARE,
    },
}


#: The same for the zoo. These transposes are of images of few channels.
APART = "consecutive elements of its result are apart in its operand"
SLOW_ZOO = {
    "unet": {"transpose_22": APART},
    "attention-unet": {"convolution_add_logistic_35": SHARE, "transpose_39": APART},
    "unet++": {"transpose_22": APART},
    "segnet": {"transpose_14": APART},
    "spnet": {"transpose_17": APART},
    "deeplabv3+": {"transpose_18": APART},
    "bisenet": {"transpose_17": APART},
    "panoptic-fpn": {"transpose_18": APART},
    "yolov8-like": {"concat_transpose": APART},
    "centernet": {"compare_convert_mul_transpose": APART},
    "edsr": {"transpose_2": APART},
    "srresnet": {"transpose_2": APART},
    "rcan": {"transpose_4": APART},
    "srcnn": {"resize": SHARE},
    "diffusion-unet": {"mul_cos": SHARE, "sin": SHARE},
    "involution": {"iota_add_gather_reduce": SHARE},
    "neighbourhood-attention": {
        "iota_add_gather_reduce": SHARE,
        "iota_add_gather_reduce_2": SHARE,
    },
    "keywords": {"concat_transpose_mul_log": SHARE},
}


def find_slow(model):
    dims = [f"--dim={n}={low}..{high}" for n, (low, high) in model.dims.items()]
    command = ["dyn-compile", str(model.path()), "--explain=json", *dims]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found = {k["name"]: k["slow"] for k in json.loads(done.stdout)["kernels"] if "slow" in k}
    assert all(0 < slow["share"] <= 1 for slow in found.values())
    return {n: slow["reason"] if slow["by_element"] else SHARE for n, slow in found.items()}


@pytest.mark.parametrize(
    "name", [n for n in models.names() if not models.get(n).full or n.startswith("rapidocr")]
)
def test_slow_kernels(name):
    assert find_slow(models.get(name)) == SLOW.get(name, {})


#: The exporter by tracing takes a second for these, the other one up to a minute.
TRACED = [e.name for e in zoo.entries() if e.exporter == "script" and not e.needs]


@pytest.mark.parametrize("name", TRACED)
def test_zoo(name):
    assert find_slow(zoo.get(name)) == SLOW_ZOO.get(name, {})
