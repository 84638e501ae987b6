# ===- imports.py - Imports every model of a test --------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what the models of a test become: imports.py TEST FOLDER.

The syntax is that of models.py. The module of a model is printed, canonicalized,
behind a line `=== name`, so that one FileCheck sees them all.
"""

import pathlib
import re
import subprocess
import sys

import models


def main(test, folder):
    models.main(test, folder)
    text = pathlib.Path(test).read_text()
    for name in re.findall(r"^=== (.*)$", text, flags=re.MULTILINE):
        model = pathlib.Path(folder) / f"{name.strip()}.onnx"
        imported = subprocess.run(
            ["dyn-translate", "--import-onnx", str(model)],
            stdout=subprocess.PIPE,
            check=True,
        )
        print(f"=== {name.strip()}", flush=True)
        subprocess.run(["dyn-opt", "--canonicalize"], input=imported.stdout, check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
