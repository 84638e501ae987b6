# ===- bench.sh - x bench: measure beside peers ----------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
source utils/x/common.sh
need_all
# Compilations are measured.
export DYN_KERNEL_CACHE=off
export PATH=$build/bin:$PATH PYTHONPATH=$build/python DYN_BUILD=$build
case "${1:-}" in
--costs | --gemm | --rows | --static)
  script=${1#--}.py
  shift
  ;;
adapt | compiles | predict | preload | preload-gates | ranks | routes | timelines)
  script=${1//-/_}.py
  shift
  ;;
gpu)
  shift
  exec "$python" test/benchmarks/gpu/pack.py "$@"
  ;;
zoo)
  shift
  need_zoo_venv
  exec "$build/zoo/venv/bin/python" test/benchmarks/zoo.py --output "$build/bench" "$@"
  ;;
--registers)
  shift
  exec "$python" test/benchmarks/gpu/registers.py "$@"
  ;;
--runtime)
  shift
  need_build runtime-benchmarks
  exec "$build/bin/runtime-benchmarks" "$@"
  ;;
*) script=bench.py ;;
esac
exec "$python" "test/benchmarks/$script" --output "$build/bench" "$@"
