# ===- models.py - Models of a test from their text ------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the ONNX models that a test holds as text: models.py TEST FOLDER.

A test is split at lines `=== name`; the lines below, without those that begin with
`#`, is a model in the syntax of onnx.parser and becomes FOLDER/name.onnx. The header
`<ir_version: 10, opset_import: ["" : 21]>` may be left out.
"""

import pathlib
import re
import sys

import onnx
import onnx.parser

HEADER = '<ir_version: 10, opset_import: ["" : 21]>\n'


def main(test, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    text = pathlib.Path(test).read_text()
    for part in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]:
        name, _, body = part.partition("\n")
        lines = (line for line in body.splitlines() if not line.startswith("#"))
        body = "\n".join(lines).strip()
        if not body.startswith("<"):
            body = HEADER + body
        model = onnx.parser.parse_model(body)
        onnx.save(model, str(folder / f"{name.strip()}.onnx"))


if __name__ == "__main__":
    main(*sys.argv[1:])
