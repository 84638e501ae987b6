// What makes a program fail stays, the rest goes.
// RUN: dyn-reduce --help | FileCheck %s --check-prefix=HELP
// RUN: dyn-reduce %s --reduction-tree='traversal-mode=0 test=%S/Inputs/has-gather.sh' | FileCheck %s
// HELP: --reduction-tree

// CHECK-NOT: @unrelated
// CHECK-LABEL: func.func @fails
// CHECK: dhlo.gather
// CHECK-NOT: @unrelated
func.func @unrelated(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dhlo.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @fails(%x: tensor<4xf32>, %i: tensor<2xi64>) -> tensor<2xf32> {
  %0 = dhlo.gather %x, %i axis = 0 batch = 0 : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
