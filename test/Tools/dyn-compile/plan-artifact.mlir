// A model is compiled by a plan, with a part for each rank, or the plan is
// printed, or both.

// RUN: rm -rf %t && mkdir %t && cd %t && truncate -s 49152 w.bin && cp %s model.mlir
// RUN: echo '{"ranks": 2, "rank": {"flops": 5e9, "bytesPerSecond": 1e9, "memoryBytes": 1e9, "kernelSeconds": 1e-9}, "links": [{"ranks": 1, "bytesPerSecond": 1e12, "seconds": 1e-9}]}' > fast.json
// RUN: dyn-compile model.mlir --plan=fast.json --explain-at=N=1 --explain -o model.so 2>/dev/null | FileCheck %s --check-prefix=PLAN
// RUN: dyn-compile model.mlir --plan=fast.json --explain-at=N=1 -o model.so 2>&1 | FileCheck %s --check-prefix=QUIET
// RUN: dyn-compile model.mlir --plan=fast.json --explain-at=N=1 -o model.so --remarks-filter=dist-propagate 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: dyn-compile --describe model.so | FileCheck %s --check-prefix=PARTS
// RUN: dyn-run model.so --ranks=2 --input x=random:5x64 | FileCheck %s --check-prefix=VALUES
// RUN: not dyn-compile model.mlir --plan=fast.json --plan-divide-sums --tensor-parallel-segments=6 -o model.so 2>&1 | FileCheck %s --check-prefix=SUMS
// RUN: not dyn-opt model.mlir '--dist-plan=machine=fast.json at=N' 2>&1 | FileCheck %s --check-prefix=AT

// PLAN: plan of main: stages 1, micro-batches 1,
// PLAN: 1 dot_general: all, columns;
// QUIET: remark: plan: 2 ranks
// QUIET-NOT: gathers
// ASKED: gathers axis 1 of operand 0: an element of the result needs all of it
// PARTS: entry main_0: rank 0 of 2 of main, reads 24576 bytes of constants in 6 pages
// PARTS: entry main_1: rank 1 of 2 of main, reads 24576 bytes of constants in 6 pages
// VALUES: rank 0: y: f32[5, 32] =
// VALUES: rank 1: y: f32[5, 32] =
// SUMS: error: --tensor-parallel-segments: expected a power of two, found 6
// AT: error: at: expected NAME=VALUE, found 'N'

dhlo.dim @N in [1, 64]
func.func @main(%x: tensor<?x64xf32, #dhlo.dims<N>> {dhlo.name = "x"})
    -> (tensor<?x32xf32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %w0 = dhlo.weight <"w.bin", offset = 0, length = 32768, key = "w0"> : tensor<64x128xf32>
  %w1 = dhlo.weight <"w.bin", offset = 32768, length = 16384, key = "w1"> : tensor<128x32xf32>
  %0 = dhlo.dot_general %x, %w0 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x64xf32, #dhlo.dims<N>>, tensor<64x128xf32>) -> tensor<?x128xf32, #dhlo.dims<N>>
  %1 = dhlo.tanh %0 : tensor<?x128xf32, #dhlo.dims<N>>
  %2 = dhlo.dot_general %1, %w1 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x128xf32, #dhlo.dims<N>>, tensor<128x32xf32>) -> tensor<?x32xf32, #dhlo.dims<N>>
  return %2 : tensor<?x32xf32, #dhlo.dims<N>>
}
