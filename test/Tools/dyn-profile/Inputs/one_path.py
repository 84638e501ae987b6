# ===- one_path.py - A profile with everything on path 0 -------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a profile with all rows of each router on its path 0."""

import json
import sys

with open(sys.argv[1]) as file:
    profile = json.load(file)
for router in profile["routers"]:
    for window in router["windows"]:
        rows = sum(window["load"])
        window["load"] = [rows] + [0] * (router["paths"] - 1)
        window["pairs"] = window["transitions"] = []
print(json.dumps(profile))
