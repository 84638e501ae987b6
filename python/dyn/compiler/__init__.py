# ===- __init__.py - Compiling models --------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles models with the program dyn-compile, in a process of its own: LLVM is not loaded into
the process that imports this."""

from dyn.compiler.compile import compile_to_file, find_compiler

__all__ = ["compile_to_file", "find_compiler"]
