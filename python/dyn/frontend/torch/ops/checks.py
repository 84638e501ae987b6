# ===- checks.py - Assertions on data --------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assertions on data, which are errors of the call. Assertions on sizes are conditions."""

import torch

from dyn.frontend.torch.registry import op


@op("aten._assert_async.default", "aten._assert_async.msg")
def assert_async(b, self, assert_msg="an assertion of the model"):
    b.check(b.convert(b.reshape(self, []), torch.bool), assert_msg)
