// RUN: dyn-opt %s --dist-propagate --dist-partition | FileCheck %s

// What is computed of constants alone has the bits that the compiler gives it, so stages
// do not send it.

dist.mesh @early ["m" = 1]
dist.mesh @late ["m" = 1] first = 1

// CHECK-LABEL: func.func @constants_1(
// CHECK-SAME:      %[[X:.*]]: tensor<4xf32>)
// CHECK-NOT:     dist.exchange_start
// CHECK:         %[[C:.*]] = dhlo.constant dense<[1.000000e-01,
// CHECK-NOT:     dist.exchange_start
// CHECK:         %[[T:.*]] = dhlo.tanh %[[C]]
// CHECK:         %[[SUM:.*]] = dhlo.add %[[T]], %[[X]]
// CHECK:         dist.exchange_start %[[SUM]]
func.func @constants(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dhlo.entry} {
  %c = dhlo.constant dense<[0.1, 0.2, 0.3, 0.4]> : tensor<4xf32>
  %0 = dist.reshard %c : tensor<4xf32> to <@early, [["m"]]>
  %1 = dhlo.tanh %0 : tensor<4xf32>
  %2 = dist.reshard %x : tensor<4xf32> to <@late, [[]]>
  %3 = dhlo.add %1, %2 : tensor<4xf32>
  return %3 : tensor<4xf32>
}
