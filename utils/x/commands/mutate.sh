# ===- mutate.sh - x mutate: damaged files, and what tools say of them -----===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# x mutate [--sanitize] [OPTIONS of mutate.py]: with --sanitize the tools are built once
# more, with AddressSanitizer and UndefinedBehaviorSanitizer (an hour on two cores).
source utils/x/common.sh
# Mutants come once, and would fill the cache.
export DYN_KERNEL_CACHE=off
sanitize=()
if [ "${1:-}" = --sanitize ]; then
  shift
  sanitize=(--sanitized "$root/build-asan/bin")
fi
need_all
export PATH=$build/bin:$PATH DYN_BUILD=$build
if [ ${#sanitize[@]} -gt 0 ]; then
  say "building tools with sanitizers"
  cmake --preset asan "-DDYN_PYTHON=$python" >/dev/null || die "cmake failed"
  ninja -C build-asan -j "$(jobs)" dyn-compile dyn-opt dyn-run || die "the build failed"
fi
exec "$python" test/fuzz/mutate.py --out "$build/mutants" "${sanitize[@]}" "$@"
