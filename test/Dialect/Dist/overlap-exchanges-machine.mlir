// RUN: split-file %s %t
// RUN: dyn-opt %t/program.mlir --dist-overlap-exchanges=machine=%t/slow.json | FileCheck %s --check-prefixes=CHECK,SLOW
// RUN: dyn-opt %t/program.mlir --dist-overlap-exchanges=machine=%t/fast.json | FileCheck %s --check-prefixes=CHECK,FAST
// RUN: not dyn-opt %t/program.mlir --dist-overlap-exchanges=machine=%t/none.json 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not dyn-opt %t/program.mlir --dist-overlap-exchanges=max-open=0 2>&1 | FileCheck %s --check-prefix=OPEN

// As much work goes beside an exchange as the machine does meanwhile.

// NONE: error: {{.*}}none.json
// OPEN: error: max-open: expected at least 1, found 0

// CHECK-LABEL: func.func @main
// CHECK-NEXT: dist.exchange_start
// CHECK-NEXT: dhlo.dot_general
// SLOW-NEXT:  dhlo.dot_general
// CHECK-NEXT: dist.exchange_wait
// CHECK-NEXT: dhlo.neg
// CHECK-NEXT: dist.exchange_start
// FAST-NEXT:  dhlo.dot_general
// CHECK-NEXT: dist.exchange_wait
// CHECK-NEXT: return

//--- slow.json
{"ranks": 2,
 "rank": {"flops": 1e11, "bytesPerSecond": 1e10, "memoryBytes": 1e9, "kernelSeconds": 2e-6},
 "links": [{"ranks": 1, "bytesPerSecond": 1e8, "seconds": 2e-5}]}

//--- fast.json
{"ranks": 2,
 "rank": {"flops": 1e11, "bytesPerSecond": 1e10, "memoryBytes": 1e9, "kernelSeconds": 2e-6},
 "links": [{"ranks": 1, "bytesPerSecond": 1e10, "seconds": 2e-5}]}

//--- program.mlir
func.func @main(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>, %s: tensor<4xi64>, %r: tensor<4xi64>)
    -> (tensor<256x256xf32>, tensor<256x256xf32>, tensor<256x256xf32>) {
  %t = dist.exchange_start %x among [0, 1] sends %s receives %r
      : (tensor<256x256xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %0 = dist.exchange_wait %t : !dist.request -> tensor<256x256xf32>
  %n = dhlo.neg %0 : tensor<256x256xf32>
  %u = dist.exchange_start %n among [0, 1] sends %s receives %r
      : (tensor<256x256xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %3 = dist.exchange_wait %u : !dist.request -> tensor<256x256xf32>
  %1 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %2 = dhlo.dot_general %1, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  return %3, %1, %2 : tensor<256x256xf32>, tensor<256x256xf32>, tensor<256x256xf32>
}
