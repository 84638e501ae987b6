# ===- demo.sh - x demo: read images with three models ---------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
source utils/x/common.sh
need_demo
export PATH=$build/bin:$PATH PYTHONPATH=$build/python
say "three models read images"
"$python" demo/demo.py --output "$build/demo" "$@"
