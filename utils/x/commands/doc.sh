# ===- doc.sh - x doc: generate the reference pages and check links --------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
source utils/x/common.sh
need_packages
python3 utils/x/make_docs.py "$@"
