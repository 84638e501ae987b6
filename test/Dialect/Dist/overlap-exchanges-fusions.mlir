// RUN: dyn-compile %s --emit=fusions | FileCheck %s

// A shared expert runs beside the exchange of a mixture's rows. The sum of both, which could be fused with
// its last matmul, waits alone.

// CHECK-LABEL: func.func @main_0
// CHECK:      dist.exchange_start
// CHECK:      dlhlo.fusion contraction
// CHECK:      dhlo.tanh
// CHECK:      dlhlo.fusion contraction
// CHECK-NOT:  dhlo.add
// CHECK:      dist.exchange_wait
// CHECK-NEXT: dlhlo.fusion loop
// CHECK:      dhlo.add
// CHECK:      return
func.func @main_0(%x: tensor<512x64xf32>, %s: tensor<2xi64>, %r: tensor<2xi64>) -> tensor<512x64xf32>
    attributes {dhlo.entry, dist.part = #dist.part<"main", rank = 0, ranks = 1>} {
  %w = dhlo.weight <"w.bin", offset = 0, length = 16384, key = "w"> : tensor<64x64xf32>
  %t = dist.exchange_start %x among [0] sends %s receives %r
      : (tensor<512x64xf32>, tensor<2xi64>, tensor<2xi64>) -> !dist.request
  %0 = dist.exchange_wait %t : !dist.request -> tensor<512x64xf32>
  %1 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
  %2 = dhlo.tanh %1 : tensor<512x64xf32>
  %3 = dhlo.dot_general %2, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
  %4 = dhlo.add %3, %0 : tensor<512x64xf32>
  return %4 : tensor<512x64xf32>
}
