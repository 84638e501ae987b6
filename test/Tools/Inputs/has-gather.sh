#!/bin/sh
# ===- has-gather.sh - Tell whether a program still gathers ----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Interesting (exit status 1) are programs with a gather.
! grep -q dhlo.gather "$1"
