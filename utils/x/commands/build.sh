# ===- build.sh - x build: build, installing what is missing ---------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
source utils/x/common.sh
need_all "$@"
