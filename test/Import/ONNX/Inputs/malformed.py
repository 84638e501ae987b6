# ===- malformed.py - Files that are no good models ------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes malformed ONNX files to a folder: malformed.py FOLDER."""

import os
import pathlib
import sys

import numpy as np
from onnx import TensorProto, helper


# More than so many numbers, strings and messages are no model but an attack.
MOST_PARTS = 8 * 1000 * 1000


def field(number, content):
    """A length-delimited field."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def model(weight):
    """y = x + weight."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N"])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N"])
    node = helper.make_node("Add", ["x", "w"], ["y"], name="add")
    graph = helper.make_graph([node], "g", [x], [y], [weight])
    opsets = [helper.make_opsetid("", 21)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def external(**entries):
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[100])
    weight.data_location = TensorProto.EXTERNAL
    for key, value in entries.items():
        weight.external_data.add(key=key, value=str(value))
    return model(weight).SerializeToString()


def main(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    raw = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[100])
    raw.raw_data = np.arange(100, dtype=np.float32).tobytes()
    good = model(raw).SerializeToString()
    short = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[100])
    short.raw_data = bytes(396)
    negative = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[-1])
    vast = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[1 << 50])
    typed = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[3])
    typed.float_data.extend([1.0, 2.0])
    packed = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[100])
    packed.float_data.extend(range(100))
    string = TensorProto(name="w", data_type=TensorProto.STRING, dims=[1])
    string.string_data.append(b"a")
    # An If within an If within an If ...
    nested = b""
    for _ in range(100):
        attribute = field(1, b"then_branch") + field(6, nested)
        nested = field(1, field(4, b"If") + field(5, attribute))

    (folder / "data.bin").write_bytes(np.arange(100, dtype=np.float32).tobytes())
    outside = folder.parent / "outside.bin"
    outside.write_bytes(bytes(400))
    link = folder / "link.bin"
    if not link.is_symlink():
        os.symlink(outside.resolve(), link)
    files = {
        "good": good,
        "cut": good[:-40],
        "text": b"this is no model at all",
        "empty": b"",
        "deep": field(7, nested),
        "group": b"\x0b\x0c",
        "length": field(7, b"") + varint(7 << 3 | 2) + varint(1 << 62),
        "overlong": b"\xff" * 11,
        # The last byte of a size says that another follows.
        "integers": field(7, field(5, field(1, b"\xff"))),
        "floats": field(7, field(1, field(5, field(7, b"abc")))),
        # An operator's name that is a number.
        "wire": field(7, field(1, varint(4 << 3) + varint(1))),
        "parts": field(7, field(5, field(1, bytes(MOST_PARTS + 1)))),
        "short": model(short).SerializeToString(),
        "negative": model(negative).SerializeToString(),
        "vast": model(vast).SerializeToString(),
        "typed": model(typed).SerializeToString(),
        "packed": model(packed).SerializeToString(),
        "string": model(string).SerializeToString(),
        "external": external(location="data.bin", offset=0, length=400),
        "truncated": external(location="data.bin", offset=4, length=400),
        "missing": external(location="none.bin"),
        "climbs": external(location="../outside.bin"),
        "absolute": external(location=str(outside.resolve())),
        "linked": external(location="link.bin"),
        "number": external(location="data.bin", offset="four"),
    }
    for name, content in files.items():
        (folder / f"{name}.onnx").write_bytes(content)


if __name__ == "__main__":
    main(*sys.argv[1:])
