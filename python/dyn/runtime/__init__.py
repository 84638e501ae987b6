# ===- __init__.py - Loading and running artifacts -------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads artifacts and runs them."""

from dyn.runtime.artifact import Artifact, Dim, Outputs, Port, load
from dyn.runtime.profile import Profile
from dyn.runtime.report import Report

__all__ = ["Artifact", "Dim", "Outputs", "Port", "Profile", "Report", "load"]
