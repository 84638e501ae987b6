# ===- machine.py - Instruction sets of this machine -----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instruction sets for which programs can be compiled and run here."""

import pathlib

FLAGS = set(pathlib.Path("/proc/cpuinfo").read_text().split())
EXTENSIONS = {"v4-vnni": "avx512_vnni", "v4-bf16": "avx512_bf16", "v4-amx": "amx_int8"}
LEVELS = ["v2", "v3"]
if "avx512vl" in FLAGS:
    LEVELS += ["v4"] + [f"v4,{name}" for name, flag in EXTENSIONS.items() if flag in FLAGS]
