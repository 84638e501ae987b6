# ===- __init__.py - Other libraries' interfaces ---------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The function dyn.compile, and the interfaces of other libraries, implemented with dyn."""
