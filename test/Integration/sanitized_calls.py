# ===- sanitized_calls.py - Runs a sanitized artifact ----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sanitized_calls.py ARTIFACT FOLDER: calls an artifact with the inputs of each file
FOLDER/*.in.npz and compares the bits of its outputs with those in FOLDER/*.out.npz. Runs in
a separate process with AddressSanitizer."""

import pathlib
import sys

import numpy

import dyn


def main():
    artifacts = [dyn.load(sys.argv[1], threads=threads) for threads in (1, 2)]
    count = 0
    for path in sorted(pathlib.Path(sys.argv[2]).glob("*.in.npz")):
        with numpy.load(path) as file:
            inputs = dict(file)
        with numpy.load(str(path).replace(".in.", ".out.")) as file:
            expected = list(file.values())
        for artifact in artifacts:
            result = artifact(**inputs)
            values = result if isinstance(result, (list, tuple)) else [result]
            got = [numpy.array(value) for value in values]
            if [v.tobytes() for v in got] != [v.tobytes() for v in expected]:
                sys.exit(f"{path.name}: other bits than without the sanitizer")
        count += 1
    print(f"{count} inputs")


if __name__ == "__main__":
    main()
