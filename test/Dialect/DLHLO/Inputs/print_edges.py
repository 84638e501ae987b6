# ===- print_edges.py - The edges of an explanation as lines ---------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the JSON of --dlhlo-explain and prints each entry's name and edges."""

import json
import sys


def name(end):
    ((kind, which),) = end.items()
    return f"{kind} {which}"


for entry in json.load(sys.stdin)["entries"]:
    print(entry["name"])
    for edge in entry["edges"]:
        readers = ", ".join(map(name, edge["to"]))
        print(f"{name(edge['from'])}, {edge['bytes']['text']} bytes -> {readers}")
