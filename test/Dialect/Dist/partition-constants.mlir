// RUN: dyn-opt %s --dist-propagate --dist-partition | FileCheck %s

// What the compiler evaluates for one rank, it evaluates for all: exponentials of constants are made of
// the whole and cut, and where the whole is read it is made again. Transposes are made of blocks.

dist.mesh @mesh ["m" = 2]

// CHECK-LABEL: func.func @main_0
// CHECK-DAG: %[[W:.*]] = dhlo.weight
// CHECK-DAG: %[[E:.*]] = dhlo.exp %[[W]] : tensor<8x4xf32>
// CHECK-DAG: %[[B:.*]] = dhlo.slice %[[E]] {{.*}} -> tensor<4x4xf32>
// CHECK-DAG: %[[S:.*]] = dhlo.slice %[[W]] {{.*}} -> tensor<4x4xf32>
// CHECK-DAG: dhlo.transpose %[[S]] {{.*}} -> tensor<4x4xf32>
// CHECK-DAG: %[[U:.*]] = dhlo.transpose %[[W]] {{.*}} -> tensor<4x8xf32>
// CHECK-DAG: %[[M:.*]] = dhlo.neg %[[U]] : tensor<4x8xf32>
// CHECK-DAG: dhlo.mul %{{.*}}, %[[B]] : tensor<4x4xf32>
// CHECK-DAG: dhlo.dot_general %{{.*}}, %[[M]] batch = 0
// CHECK: dist.exchange_start
// CHECK-NOT: dist.exchange_start
// CHECK-LABEL: func.func @main_1
func.func @main(%x: tensor<8x4xf32>, %y: tensor<4x8xf32>) -> (tensor<8x4xf32>, tensor<4x4xf32>) attributes {dhlo.entry} {
  %w = dhlo.weight <"w.bin", offset = 0, length = 128, key = "w"> : tensor<8x4xf32>
  %0 = dhlo.exp %w : tensor<8x4xf32>
  %1 = dist.reshard %0 : tensor<8x4xf32> to <@mesh, [["m"], []]>
  %2 = dhlo.mul %x, %1 : tensor<8x4xf32>
  %3 = dhlo.transpose %w permutation = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %4 = dist.reshard %3 : tensor<4x8xf32> to <@mesh, [[], ["m"]]>
  %5 = dhlo.neg %4 : tensor<4x8xf32>
  %6 = dhlo.dot_general %y, %5 batch = 0 lhs_contract = [1] rhs_contract = [1]
      : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  return %2, %6 : tensor<8x4xf32>, tensor<4x4xf32>
}
