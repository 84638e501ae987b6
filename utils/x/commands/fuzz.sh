# ===- fuzz.sh - x fuzz: random programs, compiled and interpreted ---------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
source utils/x/common.sh
need_all
# Programs come once, and would fill the cache.
export DYN_KERNEL_CACHE=off
export PATH=$build/bin:$PATH DYN_BUILD=$build
exec "$python" test/fuzz/fuzz.py --out "$build/fuzz" "$@"
