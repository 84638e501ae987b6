// RUN: dyn-opt %s -dhlo-narrow-contractions -canonicalize -split-input-file -verify-diagnostics | FileCheck %s

// As exporters write it: one zero point of activations, none of weights.
dhlo.dim @N
// CHECK-LABEL: func.func @dynamic
// CHECK-DAG: %[[W:.*]] = dhlo.weight
// CHECK-DAG: %[[DOT:.*]] = dhlo.dot_general %arg0, %[[W]] batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xui8, #dhlo.dims<N>>, tensor<8x4xi8>) -> tensor<?x4xi32, #dhlo.dims<N>>
// CHECK-DAG: %[[WIDE:.*]] = dhlo.convert %[[W]]
// CHECK-DAG: %[[SUM:.*]] = dhlo.reduce sum %[[WIDE]] axes = [0] : (tensor<8x4xi32>) -> tensor<4xi32>
// CHECK-DAG: %[[ZERO:.*]] = dhlo.convert %arg1 : (tensor<ui8>) -> tensor<i32>
// CHECK-DAG: %[[P:.*]] = dhlo.broadcast %[[ZERO]] axes = [] : (tensor<i32>) -> tensor<?x4xi32, #dhlo.dims<N>>
// CHECK-DAG: %[[SUMS:.*]] = dhlo.broadcast %[[SUM]] axes = [1]
// CHECK: %[[TERM:.*]] = dhlo.mul {{.*}} : tensor<?x4xi32, #dhlo.dims<N>>
// CHECK: %[[Y:.*]] = dhlo.sub %[[DOT]], %[[TERM]]
// CHECK-NEXT: return %[[Y]]
func.func @dynamic(%x: tensor<?x8xui8, #dhlo.dims<N>>, %p: tensor<ui8>) -> tensor<?x4xi32, #dhlo.dims<N>> {
  %w = dhlo.weight <"m", offset = 0, length = 32, key = "w"> : tensor<8x4xi8>
  %q = dhlo.constant dense<0> : tensor<i8>
  %0 = dhlo.convert %x : (tensor<?x8xui8, #dhlo.dims<N>>) -> tensor<?x8xi32, #dhlo.dims<N>>
  %1 = dhlo.convert %p : (tensor<ui8>) -> tensor<i32>
  %2 = dhlo.broadcast %1 axes = [] : (tensor<i32>) -> tensor<?x8xi32, #dhlo.dims<N>>
  %3 = dhlo.sub %0, %2 : tensor<?x8xi32, #dhlo.dims<N>>
  %4 = dhlo.convert %w : (tensor<8x4xi8>) -> tensor<8x4xi32>
  %5 = dhlo.convert %q : (tensor<i8>) -> tensor<i32>
  %6 = dhlo.broadcast %5 axes = [] : (tensor<i32>) -> tensor<8x4xi32>
  %7 = dhlo.sub %4, %6 : tensor<8x4xi32>
  %y = dhlo.dot_general %3, %7 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x8xi32, #dhlo.dims<N>>, tensor<8x4xi32>) -> tensor<?x4xi32, #dhlo.dims<N>>
  return %y : tensor<?x4xi32, #dhlo.dims<N>>
}

// -----

// Bytes of the other signs: the LHS's 128 is combined with a constant, and weights with
// the zero point 128 have none any more.
dhlo.dim @N
// CHECK-LABEL: func.func @signs
// CHECK-DAG: dhlo.xor %arg0, %{{.*}} : tensor<?x8xi8, #dhlo.dims<N>>
// CHECK-DAG: dhlo.xor %{{.*}}, %{{.*}} : tensor<8x4xui8>
// CHECK: dhlo.dot_general {{.*}} (tensor<?x8xui8, #dhlo.dims<N>>, tensor<8x4xi8>) -> tensor<?x4xi32, #dhlo.dims<N>>
// CHECK: dhlo.reduce sum {{.*}} (tensor<8x4xi32>) -> tensor<4xi32>
// CHECK-NOT: dhlo.reduce
// CHECK: dhlo.sub {{.*}} : tensor<?x4xi32, #dhlo.dims<N>>
// CHECK-NEXT: return
func.func @signs(%x: tensor<?x8xi8, #dhlo.dims<N>>) -> tensor<?x4xi32, #dhlo.dims<N>> {
  %w = dhlo.weight <"m", offset = 0, length = 32, key = "w"> : tensor<8x4xui8>
  %q = dhlo.constant dense<128> : tensor<i32>
  %0 = dhlo.convert %x : (tensor<?x8xi8, #dhlo.dims<N>>) -> tensor<?x8xi32, #dhlo.dims<N>>
  %1 = dhlo.convert %w : (tensor<8x4xui8>) -> tensor<8x4xi32>
  %2 = dhlo.broadcast %q axes = [] : (tensor<i32>) -> tensor<8x4xi32>
  %3 = dhlo.sub %1, %2 : tensor<8x4xi32>
  %y = dhlo.dot_general %0, %3 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x8xi32, #dhlo.dims<N>>, tensor<8x4xi32>) -> tensor<?x4xi32, #dhlo.dims<N>>
  return %y : tensor<?x4xi32, #dhlo.dims<N>>
}

// -----

// Zero points of rows and of columns: sums of both operands.
dhlo.dim @N
// CHECK-LABEL: func.func @both
// CHECK: dhlo.dot_general %arg0, {{.*}} tensor<8x4xi8>) -> tensor<?x4xi32, #dhlo.dims<N>>
// CHECK: dhlo.reduce sum {{.*}} (tensor<8x4xi32>) -> tensor<4xi32>
// CHECK: dhlo.broadcast %arg1 axes = [0] : (tensor<?xi32, #dhlo.dims<N>>) -> tensor<?x4xi32, #dhlo.dims<N>>
// CHECK: dhlo.reduce sum {{.*}} axes = [1] : (tensor<?x8xi32, #dhlo.dims<N>>) -> tensor<?xi32, #dhlo.dims<N>>
// CHECK: dhlo.broadcast {{.*}} axes = [1] : (tensor<4xi32>) -> tensor<?x4xi32, #dhlo.dims<N>>
func.func @both(%x: tensor<?x8xui8, #dhlo.dims<N>>, %p: tensor<?xi32, #dhlo.dims<N>>) -> tensor<?x4xi32, #dhlo.dims<N>> {
  %w = dhlo.weight <"m", offset = 0, length = 32, key = "w"> : tensor<8x4xi8>
  %q = dhlo.weight <"m", offset = 32, length = 16, key = "q"> : tensor<4xi32>
  %0 = dhlo.convert %x : (tensor<?x8xui8, #dhlo.dims<N>>) -> tensor<?x8xi32, #dhlo.dims<N>>
  %1 = dhlo.broadcast %p axes = [0] : (tensor<?xi32, #dhlo.dims<N>>) -> tensor<?x8xi32, #dhlo.dims<N>>
  %2 = dhlo.sub %0, %1 : tensor<?x8xi32, #dhlo.dims<N>>
  %3 = dhlo.convert %w : (tensor<8x4xi8>) -> tensor<8x4xi32>
  %4 = dhlo.broadcast %q axes = [1] : (tensor<4xi32>) -> tensor<8x4xi32>
  %5 = dhlo.sub %3, %4 : tensor<8x4xi32>
  %y = dhlo.dot_general %2, %5 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x8xi32, #dhlo.dims<N>>, tensor<8x4xi32>) -> tensor<?x4xi32, #dhlo.dims<N>>
  return %y : tensor<?x4xi32, #dhlo.dims<N>>
}

// -----

// A constant in i32 that fits bytes, and one that does not.
dhlo.dim @N
// CHECK-LABEL: func.func @folded
// CHECK-DAG: %[[W:.*]] = dhlo.constant dense<{{\[\[}}-128], [127]]> : tensor<2x1xi8>
// CHECK-DAG: %[[V:.*]] = dhlo.constant dense<{{\[\[}}-128], [128]]> : tensor<2x1xi32>
// CHECK: dhlo.dot_general %arg0, %[[W]] {{.*}} -> tensor<?x1xi32, #dhlo.dims<N>>
// CHECK: dhlo.dot_general %{{.*}}, %[[V]]
func.func @folded(%x: tensor<?x2xui8, #dhlo.dims<N>>) -> (tensor<?x1xi32, #dhlo.dims<N>>, tensor<?x1xi32, #dhlo.dims<N>>) {
  %w = dhlo.constant dense<[[-128], [127]]> : tensor<2x1xi32>
  %v = dhlo.constant dense<[[-128], [128]]> : tensor<2x1xi32>
  %0 = dhlo.convert %x : (tensor<?x2xui8, #dhlo.dims<N>>) -> tensor<?x2xi32, #dhlo.dims<N>>
  %1 = dhlo.dot_general %0, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x2xi32, #dhlo.dims<N>>, tensor<2x1xi32>) -> tensor<?x1xi32, #dhlo.dims<N>>
  // expected-remark @below {{not a contraction of bytes: the RHS is refused, it is not made of bytes}}
  %2 = dhlo.dot_general %0, %v batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x2xi32, #dhlo.dims<N>>, tensor<2x1xi32>) -> tensor<?x1xi32, #dhlo.dims<N>>
  return %1, %2 : tensor<?x1xi32, #dhlo.dims<N>>, tensor<?x1xi32, #dhlo.dims<N>>
}

// -----

// As kernels want it: nothing to do.
dhlo.dim @N
// CHECK-LABEL: func.func @already
// CHECK: dhlo.weight
// CHECK-NEXT: dhlo.dot_general
// CHECK-NEXT: return
func.func @already(%x: tensor<?x8xui8, #dhlo.dims<N>>) -> tensor<?x4xi32, #dhlo.dims<N>> {
  %w = dhlo.weight <"m", offset = 0, length = 32, key = "w"> : tensor<8x4xi8>
  %y = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x8xui8, #dhlo.dims<N>>, tensor<8x4xi8>) -> tensor<?x4xi32, #dhlo.dims<N>>
  return %y : tensor<?x4xi32, #dhlo.dims<N>>
}

// -----

// An RHS that is no constant: its columns are summed in each call.
dhlo.dim @N
// CHECK-LABEL: func.func @not_constant
// CHECK: dhlo.convert %arg1
// CHECK: dhlo.dot_general %arg0, %arg1 {{.*}} (tensor<?x8xui8, #dhlo.dims<N>>, tensor<8x4xi8>) -> tensor<?x4xi32, #dhlo.dims<N>>
// CHECK: dhlo.reduce sum {{.*}} axes = [0] : (tensor<8x4xi32>) -> tensor<4xi32>
// CHECK: dhlo.sub {{.*}} : tensor<?x4xi32, #dhlo.dims<N>>
// CHECK-NEXT: return
func.func @not_constant(%x: tensor<?x8xui8, #dhlo.dims<N>>, %w: tensor<8x4xi8>) -> tensor<?x4xi32, #dhlo.dims<N>> {
  %p = dhlo.constant dense<7> : tensor<i32>
  %wide = dhlo.convert %x : (tensor<?x8xui8, #dhlo.dims<N>>) -> tensor<?x8xi32, #dhlo.dims<N>>
  %zero = dhlo.broadcast %p axes = [] : (tensor<i32>) -> tensor<?x8xi32, #dhlo.dims<N>>
  %0 = dhlo.sub %wide, %zero : tensor<?x8xi32, #dhlo.dims<N>>
  %1 = dhlo.convert %w : (tensor<8x4xi8>) -> tensor<8x4xi32>
  %y = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x8xi32, #dhlo.dims<N>>, tensor<8x4xi32>) -> tensor<?x4xi32, #dhlo.dims<N>>
  return %y : tensor<?x4xi32, #dhlo.dims<N>>
}

// -----

dhlo.dim @N
func.func @not_bytes(%x: tensor<?x8xi32, #dhlo.dims<N>>) -> tensor<?x4xi32, #dhlo.dims<N>> {
  %w = dhlo.weight <"m", offset = 0, length = 32, key = "w"> : tensor<8x4xi8>
  %1 = dhlo.convert %w : (tensor<8x4xi8>) -> tensor<8x4xi32>
  // expected-remark @below {{not a contraction of bytes: the LHS is refused, it is not made of bytes}}
  %y = dhlo.dot_general %x, %1 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x8xi32, #dhlo.dims<N>>, tensor<8x4xi32>) -> tensor<?x4xi32, #dhlo.dims<N>>
  return %y : tensor<?x4xi32, #dhlo.dims<N>>
}

// -----

dhlo.dim @N
func.func @varying(%x: tensor<?x8xui8, #dhlo.dims<N>>, %p: tensor<8xi32>) -> tensor<?x4xi32, #dhlo.dims<N>> {
  %w = dhlo.weight <"m", offset = 0, length = 32, key = "w"> : tensor<8x4xi8>
  %0 = dhlo.convert %x : (tensor<?x8xui8, #dhlo.dims<N>>) -> tensor<?x8xi32, #dhlo.dims<N>>
  %1 = dhlo.broadcast %p axes = [1] : (tensor<8xi32>) -> tensor<?x8xi32, #dhlo.dims<N>>
  %2 = dhlo.sub %0, %1 : tensor<?x8xi32, #dhlo.dims<N>>
  %3 = dhlo.convert %w : (tensor<8x4xi8>) -> tensor<8x4xi32>
  // expected-remark @below {{not a contraction of bytes: the LHS is refused, its zero point varies along what is summed}}
  %y = dhlo.dot_general %2, %3 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x8xi32, #dhlo.dims<N>>, tensor<8x4xi32>) -> tensor<?x4xi32, #dhlo.dims<N>>
  return %y : tensor<?x4xi32, #dhlo.dims<N>>
}
