// RUN: dyn-opt %s -dhlo-narrow-contractions -canonicalize -split-input-file -verify-diagnostics | FileCheck %s

// Other forms of contractions of bytes than a matrix times a matrix, and those that are none.

// Batches: a zero point of each batch and row keeps both axes of the result.
dhlo.dim @N
// CHECK-LABEL: func.func @batches
// CHECK: dhlo.dot_general %arg0, %{{.*}} batch = 1 lhs_contract = [2] rhs_contract = [1] : (tensor<3x?x8xui8, #dhlo.dims<N>>, tensor<3x8x4xi8>) -> tensor<3x?x4xi32, #dhlo.dims<N>>
// CHECK: %[[S:.*]] = dhlo.reduce sum %{{.*}} axes = [1] : (tensor<3x8x4xi32>) -> tensor<3x4xi32>
// CHECK-DAG: dhlo.broadcast %arg1 axes = [0, 1] : (tensor<3x?xi32, #dhlo.dims<N>>) -> tensor<3x?x4xi32, #dhlo.dims<N>>
// CHECK-DAG: dhlo.broadcast %[[S]] axes = [0, 2] : (tensor<3x4xi32>) -> tensor<3x?x4xi32, #dhlo.dims<N>>
func.func @batches(%x: tensor<3x?x8xui8, #dhlo.dims<N>>, %p: tensor<3x?xi32, #dhlo.dims<N>>) -> tensor<3x?x4xi32, #dhlo.dims<N>> {
  %w = dhlo.weight <"m", offset = 0, length = 96, key = "w"> : tensor<3x8x4xi8>
  %0 = dhlo.convert %x : (tensor<3x?x8xui8, #dhlo.dims<N>>) -> tensor<3x?x8xi32, #dhlo.dims<N>>
  %1 = dhlo.broadcast %p axes = [0, 1] : (tensor<3x?xi32, #dhlo.dims<N>>) -> tensor<3x?x8xi32, #dhlo.dims<N>>
  %2 = dhlo.sub %0, %1 : tensor<3x?x8xi32, #dhlo.dims<N>>
  %3 = dhlo.convert %w : (tensor<3x8x4xi8>) -> tensor<3x8x4xi32>
  %y = dhlo.dot_general %2, %3 batch = 1 lhs_contract = [2] rhs_contract = [1]
      : (tensor<3x?x8xi32, #dhlo.dims<N>>, tensor<3x8x4xi32>) -> tensor<3x?x4xi32, #dhlo.dims<N>>
  return %y : tensor<3x?x4xi32, #dhlo.dims<N>>
}

// -----

// Two axes are summed, in the other order on the other side.
dhlo.dim @N
// CHECK-LABEL: func.func @two_axes
// CHECK: dhlo.dot_general %arg0, %{{.*}} batch = 0 lhs_contract = [2, 1] rhs_contract = [0, 1] : (tensor<?x2x8xui8, #dhlo.dims<N>>, tensor<8x2x4xi8>)
// CHECK: dhlo.reduce sum %{{.*}} axes = [0, 1] : (tensor<8x2x4xi32>) -> tensor<4xi32>
func.func @two_axes(%x: tensor<?x2x8xui8, #dhlo.dims<N>>) -> tensor<?x4xi32, #dhlo.dims<N>> {
  %w = dhlo.weight <"m", offset = 0, length = 64, key = "w"> : tensor<8x2x4xi8>
  %c = dhlo.constant dense<7> : tensor<i32>
  %0 = dhlo.convert %x : (tensor<?x2x8xui8, #dhlo.dims<N>>) -> tensor<?x2x8xi32, #dhlo.dims<N>>
  %1 = dhlo.broadcast %c axes = [] : (tensor<i32>) -> tensor<?x2x8xi32, #dhlo.dims<N>>
  %2 = dhlo.sub %0, %1 : tensor<?x2x8xi32, #dhlo.dims<N>>
  %3 = dhlo.convert %w : (tensor<8x2x4xi8>) -> tensor<8x2x4xi32>
  %y = dhlo.dot_general %2, %3 batch = 0 lhs_contract = [2, 1] rhs_contract = [0, 1]
      : (tensor<?x2x8xi32, #dhlo.dims<N>>, tensor<8x2x4xi32>) -> tensor<?x4xi32, #dhlo.dims<N>>
  return %y : tensor<?x4xi32, #dhlo.dims<N>>
}

// -----

// A zero point that keeps the summed axis with size 1 is one of rows.
dhlo.dim @N
// CHECK-LABEL: func.func @kept_axis
// CHECK: %[[P:.*]] = dhlo.reshape %arg1 : (tensor<?x1xi32, #dhlo.dims<N>>) -> tensor<?xi32, #dhlo.dims<N>>
// CHECK: dhlo.dot_general %arg0
// CHECK: dhlo.broadcast %[[P]] axes = [0] : (tensor<?xi32, #dhlo.dims<N>>) -> tensor<?x4xi32, #dhlo.dims<N>>
func.func @kept_axis(%x: tensor<?x8xui8, #dhlo.dims<N>>, %p: tensor<?x1xi32, #dhlo.dims<N>>) -> tensor<?x4xi32, #dhlo.dims<N>> {
  %w = dhlo.weight <"m", offset = 0, length = 32, key = "w"> : tensor<8x4xi8>
  %0 = dhlo.convert %x : (tensor<?x8xui8, #dhlo.dims<N>>) -> tensor<?x8xi32, #dhlo.dims<N>>
  %1 = dhlo.broadcast %p axes = [0, 1] : (tensor<?x1xi32, #dhlo.dims<N>>) -> tensor<?x8xi32, #dhlo.dims<N>>
  %2 = dhlo.sub %0, %1 : tensor<?x8xi32, #dhlo.dims<N>>
  %3 = dhlo.convert %w : (tensor<8x4xi8>) -> tensor<8x4xi32>
  %y = dhlo.dot_general %2, %3 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x8xi32, #dhlo.dims<N>>, tensor<8x4xi32>) -> tensor<?x4xi32, #dhlo.dims<N>>
  return %y : tensor<?x4xi32, #dhlo.dims<N>>
}

// -----

// A zero point of the weights that varies along what is summed.
dhlo.dim @N
// CHECK-LABEL: func.func @varying_weights
// CHECK: dhlo.dot_general {{.*}} (tensor<?x8xi32, #dhlo.dims<N>>, tensor<8x4xi32>)
func.func @varying_weights(%x: tensor<?x8xui8, #dhlo.dims<N>>) -> tensor<?x4xi32, #dhlo.dims<N>> {
  %w = dhlo.weight <"m", offset = 0, length = 32, key = "w"> : tensor<8x4xi8>
  %q = dhlo.weight <"m", offset = 32, length = 32, key = "q"> : tensor<8xi32>
  %0 = dhlo.convert %x : (tensor<?x8xui8, #dhlo.dims<N>>) -> tensor<?x8xi32, #dhlo.dims<N>>
  %1 = dhlo.convert %w : (tensor<8x4xi8>) -> tensor<8x4xi32>
  %2 = dhlo.broadcast %q axes = [0] : (tensor<8xi32>) -> tensor<8x4xi32>
  %3 = dhlo.sub %1, %2 : tensor<8x4xi32>
  // expected-remark @below {{not a contraction of bytes: the RHS is refused, its zero point varies along what is summed}}
  %y = dhlo.dot_general %0, %3 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x8xi32, #dhlo.dims<N>>, tensor<8x4xi32>) -> tensor<?x4xi32, #dhlo.dims<N>>
  return %y : tensor<?x4xi32, #dhlo.dims<N>>
}

// -----

// A zero point that has no broadcast has a number for each element.
dhlo.dim @N
// CHECK-LABEL: func.func @full_zero_point
// CHECK: dhlo.dot_general {{.*}} (tensor<?x8xi32, #dhlo.dims<N>>, tensor<8x4xi32>)
func.func @full_zero_point(%x: tensor<?x8xui8, #dhlo.dims<N>>, %p: tensor<?x8xi32, #dhlo.dims<N>>) -> tensor<?x4xi32, #dhlo.dims<N>> {
  %w = dhlo.weight <"m", offset = 0, length = 32, key = "w"> : tensor<8x4xi8>
  %0 = dhlo.convert %x : (tensor<?x8xui8, #dhlo.dims<N>>) -> tensor<?x8xi32, #dhlo.dims<N>>
  %1 = dhlo.sub %0, %p : tensor<?x8xi32, #dhlo.dims<N>>
  %2 = dhlo.convert %w : (tensor<8x4xi8>) -> tensor<8x4xi32>
  // expected-remark @below {{not a contraction of bytes: the LHS is refused, its zero point varies along what is summed}}
  %y = dhlo.dot_general %1, %2 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x8xi32, #dhlo.dims<N>>, tensor<8x4xi32>) -> tensor<?x4xi32, #dhlo.dims<N>>
  return %y : tensor<?x4xi32, #dhlo.dims<N>>
}

// -----

// Words of 16 bits are wider than bytes.
dhlo.dim @N
// CHECK-LABEL: func.func @words
// CHECK: dhlo.dot_general {{.*}} (tensor<?x8xi32, #dhlo.dims<N>>, tensor<8x4xi32>)
func.func @words(%x: tensor<?x8xi16, #dhlo.dims<N>>) -> tensor<?x4xi32, #dhlo.dims<N>> {
  %w = dhlo.weight <"m", offset = 0, length = 32, key = "w"> : tensor<8x4xi8>
  %0 = dhlo.convert %x : (tensor<?x8xi16, #dhlo.dims<N>>) -> tensor<?x8xi32, #dhlo.dims<N>>
  %1 = dhlo.convert %w : (tensor<8x4xi8>) -> tensor<8x4xi32>
  // expected-remark @below {{not a contraction of bytes: the LHS is refused, it is not made of bytes}}
  %y = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x8xi32, #dhlo.dims<N>>, tensor<8x4xi32>) -> tensor<?x4xi32, #dhlo.dims<N>>
  return %y : tensor<?x4xi32, #dhlo.dims<N>>
}

// -----

// Sums of 64 bits and of floats are not looked at: no remark.
dhlo.dim @N
// CHECK-LABEL: func.func @other_sums
// CHECK: dhlo.dot_general {{.*}} -> tensor<?x4xi64, #dhlo.dims<N>>
// CHECK: dhlo.dot_general {{.*}} -> tensor<?x4xf32, #dhlo.dims<N>>
func.func @other_sums(%x: tensor<?x8xui8, #dhlo.dims<N>>) -> (tensor<?x4xi64, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>) {
  %w = dhlo.weight <"m", offset = 0, length = 32, key = "w"> : tensor<8x4xi8>
  %0 = dhlo.convert %x : (tensor<?x8xui8, #dhlo.dims<N>>) -> tensor<?x8xi64, #dhlo.dims<N>>
  %1 = dhlo.convert %w : (tensor<8x4xi8>) -> tensor<8x4xi64>
  %2 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x8xi64, #dhlo.dims<N>>, tensor<8x4xi64>) -> tensor<?x4xi64, #dhlo.dims<N>>
  %3 = dhlo.convert %x : (tensor<?x8xui8, #dhlo.dims<N>>) -> tensor<?x8xf32, #dhlo.dims<N>>
  %4 = dhlo.convert %w : (tensor<8x4xi8>) -> tensor<8x4xf32>
  %5 = dhlo.dot_general %3, %4 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return %2, %5 : tensor<?x4xi64, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// Zero points of unsigned bytes at both ends of their range, read as bytes and as words.
dhlo.dim @N
// CHECK-LABEL: func.func @ends
// CHECK-DAG: dhlo.constant dense<255> : tensor<4xi32>
// CHECK-NOT: dhlo.constant dense<-1>
// CHECK: dhlo.dot_general %arg0
// CHECK: dhlo.sub
// A zero point of zero needs no sum.
// CHECK: %[[Z:.*]] = dhlo.dot_general %arg0
// CHECK-NOT: dhlo.sub
// CHECK: return %{{.*}}, %[[Z]]
func.func @ends(%x: tensor<?x8xui8, #dhlo.dims<N>>) -> (tensor<?x4xi32, #dhlo.dims<N>>, tensor<?x4xi32, #dhlo.dims<N>>) {
  %w = dhlo.weight <"m", offset = 0, length = 32, key = "w"> : tensor<8x4xi8>
  %p = dhlo.constant dense<255> : tensor<ui8>
  %z = dhlo.constant dense<0> : tensor<ui8>
  %0 = dhlo.convert %x : (tensor<?x8xui8, #dhlo.dims<N>>) -> tensor<?x8xi32, #dhlo.dims<N>>
  %1 = dhlo.convert %w : (tensor<8x4xi8>) -> tensor<8x4xi32>
  %2 = dhlo.broadcast %p axes = [] : (tensor<ui8>) -> tensor<?x8xui8, #dhlo.dims<N>>
  %3 = dhlo.convert %2 : (tensor<?x8xui8, #dhlo.dims<N>>) -> tensor<?x8xi32, #dhlo.dims<N>>
  %4 = dhlo.sub %0, %3 : tensor<?x8xi32, #dhlo.dims<N>>
  %5 = dhlo.dot_general %4, %1 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x8xi32, #dhlo.dims<N>>, tensor<8x4xi32>) -> tensor<?x4xi32, #dhlo.dims<N>>
  %6 = dhlo.broadcast %z axes = [] : (tensor<ui8>) -> tensor<?x8xui8, #dhlo.dims<N>>
  %7 = dhlo.convert %6 : (tensor<?x8xui8, #dhlo.dims<N>>) -> tensor<?x8xi32, #dhlo.dims<N>>
  %8 = dhlo.sub %0, %7 : tensor<?x8xi32, #dhlo.dims<N>>
  %9 = dhlo.dot_general %8, %1 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x8xi32, #dhlo.dims<N>>, tensor<8x4xi32>) -> tensor<?x4xi32, #dhlo.dims<N>>
  return %5, %9 : tensor<?x4xi32, #dhlo.dims<N>>, tensor<?x4xi32, #dhlo.dims<N>>
}
