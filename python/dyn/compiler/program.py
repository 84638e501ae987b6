# ===- program.py - The command dyn-compile of a wheel ---------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Replaces the process by the compiler in the package."""

import os
import pathlib
import sys


def main():
    program = pathlib.Path(__file__).parents[1] / "bin" / "dyn-compile"
    os.execv(program, [str(program), *sys.argv[1:]])
