# ===- __main__.py - Writes models from the command line -------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m models [--ops] [NAME...]"""

import argparse
import collections

import models

parser = argparse.ArgumentParser(prog="models", description=models.__doc__)
parser.add_argument("names", nargs="*", help="models to write; none: list them")
parser.add_argument("--ops", action="store_true", help="print the ops of each")
args = parser.parse_args()
for name in args.names or models.names():
    if not args.names:
        print(name)
        continue
    path = models.get(name).path()
    print(path)
    if args.ops:
        import onnx

        graph = onnx.load(path, load_external_data=False).graph
        count = collections.Counter(node.op_type for node in graph.node)
        print("  " + ", ".join(f"{op} {n}" for op, n in sorted(count.items())))
