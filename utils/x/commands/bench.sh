#===- bench.sh - x bench: measure against ONNX Runtime and PyTorch ---------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
source utils/x/common.sh
need_all
export PATH=$build/bin:$PATH PYTHONPATH=$build/python
if [ "${1:-}" = --costs ]; then
  shift
  exec env DYN_BUILD="$build" "$python" test/benchmarks/costs.py "$@"
fi
exec "$python" test/benchmarks/bench.py --output "$build/bench" "$@"
