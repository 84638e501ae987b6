# ===- wheel.sh - x wheel: pack compiler, runtime and package --------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# x wheel [--test]: makes build/wheel/dyn-*.whl; with --test it is also installed in bare
# systems and in each Python that is found, and runs there without a network.
source utils/x/common.sh
# Its tests leave nothing in the home.
export DYN_KERNEL_CACHE=off
if [ "$(uname -m)" != x86_64 ]; then
  die "wheels are made on x86-64"
fi
need_packages demo
need_configured demo
need_build dyn-compile-static dyn_native
say "packing the wheel"
python3 utils/x/make_wheel.py --build "$build"
if [ "${1:-}" = --test ]; then
  shift
  need_packages wheel
  python3 utils/x/test_wheel.py "$build"/wheel/dyn-*.whl "$@"
fi
