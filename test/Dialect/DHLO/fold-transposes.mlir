// RUN: dyn-opt %s --dhlo-fold-transposes | FileCheck %s
// Which transposes of operands a matmul does without.

dhlo.dim @B
dhlo.dim @S

// No batch axis moves.
// CHECK-LABEL: func.func @scores(
// CHECK-NOT: transpose
// CHECK: dhlo.dot_general %arg0, %arg1 batch = 1 lhs_contract = [2] rhs_contract = [2]
func.func @scores(%q: tensor<?x8x64xf32, #dhlo.dims<B>>, %k: tensor<?x?x64xf32, #dhlo.dims<B, S>>) -> tensor<?x8x?xf32, #dhlo.dims<B, S>> {
  %t = dhlo.transpose %k permutation = [0, 2, 1] : (tensor<?x?x64xf32, #dhlo.dims<B, S>>) -> tensor<?x64x?xf32, #dhlo.dims<B, S>>
  %0 = dhlo.dot_general %q, %t batch = 1 lhs_contract = [2] rhs_contract = [1] : (tensor<?x8x64xf32, #dhlo.dims<B>>, tensor<?x64x?xf32, #dhlo.dims<B, S>>) -> tensor<?x8x?xf32, #dhlo.dims<B, S>>
  return %0 : tensor<?x8x?xf32, #dhlo.dims<B, S>>
}

// Heads become a batch axis: rows move, elements do not.
// CHECK-LABEL: func.func @heads(
// CHECK: %[[ROWS:.*]] = dhlo.transpose %arg1 permutation = [0, 2, 1, 3]
// CHECK: dhlo.dot_general %arg0, %[[ROWS]] batch = 2 lhs_contract = [3] rhs_contract = [3]
func.func @heads(%q: tensor<?x4x8x64xf32, #dhlo.dims<B>>, %k: tensor<?x?x4x64xf32, #dhlo.dims<B, S>>) -> tensor<?x4x8x?xf32, #dhlo.dims<B, S>> {
  %t = dhlo.transpose %k permutation = [0, 2, 3, 1] : (tensor<?x?x4x64xf32, #dhlo.dims<B, S>>) -> tensor<?x4x64x?xf32, #dhlo.dims<B, S>>
  %0 = dhlo.dot_general %q, %t batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<?x4x8x64xf32, #dhlo.dims<B>>, tensor<?x4x64x?xf32, #dhlo.dims<B, S>>) -> tensor<?x4x8x?xf32, #dhlo.dims<B, S>>
  return %0 : tensor<?x4x8x?xf32, #dhlo.dims<B, S>>
}

// Both operands.
// CHECK-LABEL: func.func @both(
// CHECK-NOT: transpose
// CHECK: dhlo.dot_general %arg0, %arg1 batch = 0 lhs_contract = [0] rhs_contract = [1]
func.func @both(%x: tensor<6x5xf32>, %w: tensor<7x6xf32>) -> tensor<5x7xf32> {
  %0 = dhlo.transpose %x permutation = [1, 0] : (tensor<6x5xf32>) -> tensor<5x6xf32>
  %1 = dhlo.transpose %w permutation = [1, 0] : (tensor<7x6xf32>) -> tensor<6x7xf32>
  %2 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<5x6xf32>, tensor<6x7xf32>) -> tensor<5x7xf32>
  return %2 : tensor<5x7xf32>
}

// The compiler transposes constants.
// CHECK-LABEL: func.func @constant(
// CHECK: dhlo.transpose
// CHECK: lhs_contract = [1] rhs_contract = [0]
func.func @constant(%x: tensor<?x6xf32, #dhlo.dims<B>>) -> tensor<?x7xf32, #dhlo.dims<B>> {
  %w = dhlo.weight <"w.bin", offset = 0, length = 168, key = "w"> : tensor<7x6xf32>
  %0 = dhlo.transpose %w permutation = [1, 0] : (tensor<7x6xf32>) -> tensor<6x7xf32>
  %1 = dhlo.dot_general %x, %0 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x6xf32, #dhlo.dims<B>>, tensor<6x7xf32>) -> tensor<?x7xf32, #dhlo.dims<B>>
  return %1 : tensor<?x7xf32, #dhlo.dims<B>>
}

// The free axes are those of the result in this order.
// CHECK-LABEL: func.func @free_axes(
// CHECK: dhlo.transpose %arg1 permutation = [2, 1, 0]
// CHECK: lhs_contract = [1] rhs_contract = [0]
func.func @free_axes(%x: tensor<5x6xf32>, %w: tensor<3x4x6xf32>) -> tensor<5x4x3xf32> {
  %0 = dhlo.transpose %w permutation = [2, 1, 0] : (tensor<3x4x6xf32>) -> tensor<6x4x3xf32>
  %1 = dhlo.dot_general %x, %0 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<5x6xf32>, tensor<6x4x3xf32>) -> tensor<5x4x3xf32>
  return %1 : tensor<5x4x3xf32>
}

// What is contracted would lie between what is not.
// CHECK-LABEL: func.func @between(
// CHECK: dhlo.transpose %arg1 permutation = [1, 0, 2]
// CHECK: lhs_contract = [1] rhs_contract = [0]
func.func @between(%x: tensor<5x6xf32>, %w: tensor<3x6x4xf32>) -> tensor<5x3x4xf32> {
  %0 = dhlo.transpose %w permutation = [1, 0, 2] : (tensor<3x6x4xf32>) -> tensor<6x3x4xf32>
  %1 = dhlo.dot_general %x, %0 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<5x6xf32>, tensor<6x3x4xf32>) -> tensor<5x3x4xf32>
  return %1 : tensor<5x3x4xf32>
}
