// RUN: dyn-opt %s -dhlo-interpret -o /dev/null | FileCheck %s
// There always is a guess, and nobody counts.

dhlo.dim @G in [0, 1]
// CHECK: @main
// CHECK-NEXT: tensor<i64> 1
func.func @main() -> tensor<i64> {
  dhlo.guess @G = "r" pays_from 1024
  %o = dhlo.constant dense<[0, 1, 1]> : tensor<3xi64>
  dhlo.guessed "r" (%o, %o, %o) : tensor<3xi64>
  %g = dhlo.from_dims [@G] : tensor<i64>
  return %g : tensor<i64>
}
