// RUN: dyn-opt %s -dhlo-reduce-columns | FileCheck %s

// Each condition under which a contraction with one column stays one.

dhlo.dim @B
dhlo.dim @K

// A vector times a column has no rows.
// CHECK-LABEL: func.func @vector
// CHECK: dhlo.dot_general
// CHECK-NOT: dhlo.reduce
func.func @vector(%x: tensor<8xf32>) -> tensor<1xf32> {
  %w = dhlo.weight <"w", offset = 0, length = 32, key = "w"> : tensor<8x1xf32>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [0] rhs_contract = [0] : (tensor<8xf32>, tensor<8x1xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// A matrix times a vector has no column in its result.
// CHECK-LABEL: func.func @no_column
// CHECK: dhlo.dot_general
// CHECK-NOT: dhlo.reduce
func.func @no_column(%x: tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<?xf32, #dhlo.dims<B>> {
  %w = dhlo.weight <"w", offset = 0, length = 32, key = "w"> : tensor<8xf32>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<B>>, tensor<8xf32>) -> tensor<?xf32, #dhlo.dims<B>>
  return %0 : tensor<?xf32, #dhlo.dims<B>>
}

// The sums are not along rows.
// CHECK-LABEL: func.func @across
// CHECK: dhlo.dot_general
// CHECK-NOT: dhlo.reduce
func.func @across(%x: tensor<8x?xf32, #dhlo.dims<B>>) -> tensor<?x1xf32, #dhlo.dims<B>> {
  %w = dhlo.weight <"w", offset = 0, length = 32, key = "w"> : tensor<8x1xf32>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [0] rhs_contract = [0] : (tensor<8x?xf32, #dhlo.dims<B>>, tensor<8x1xf32>) -> tensor<?x1xf32, #dhlo.dims<B>>
  return %0 : tensor<?x1xf32, #dhlo.dims<B>>
}

// Both axes of the matrix are summed; a column for each batch.
// CHECK-LABEL: func.func @axes
// CHECK-COUNT-2: dhlo.dot_general
// CHECK-NOT: dhlo.reduce
func.func @axes(%x: tensor<?x8x1xf32, #dhlo.dims<B>>, %y: tensor<3x?x8xf32, #dhlo.dims<B>>) -> (tensor<?xf32, #dhlo.dims<B>>, tensor<3x?x1xf32, #dhlo.dims<B>>) {
  %w = dhlo.weight <"w", offset = 0, length = 32, key = "w"> : tensor<8x1xf32>
  %v = dhlo.weight <"w", offset = 32, length = 96, key = "v"> : tensor<3x8x1xf32>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1, 2] rhs_contract = [0, 1] : (tensor<?x8x1xf32, #dhlo.dims<B>>, tensor<8x1xf32>) -> tensor<?xf32, #dhlo.dims<B>>
  %1 = dhlo.dot_general %y, %v batch = 1 lhs_contract = [2] rhs_contract = [1] : (tensor<3x?x8xf32, #dhlo.dims<B>>, tensor<3x8x1xf32>) -> tensor<3x?x1xf32, #dhlo.dims<B>>
  return %0, %1 : tensor<?xf32, #dhlo.dims<B>>, tensor<3x?x1xf32, #dhlo.dims<B>>
}

// Other types: doubles and integers are no GEMMs of panels, halves are summed in f32.
// CHECK-LABEL: func.func @types
// CHECK-COUNT-3: dhlo.dot_general
// CHECK-NOT: dhlo.reduce
func.func @types(%d: tensor<?x8xf64, #dhlo.dims<B>>, %i: tensor<?x8xi32, #dhlo.dims<B>>, %h: tensor<?x8xf16, #dhlo.dims<B>>)
    -> (tensor<?x1xf64, #dhlo.dims<B>>, tensor<?x1xi32, #dhlo.dims<B>>, tensor<?x1xf16, #dhlo.dims<B>>) {
  %wd = dhlo.weight <"w", offset = 0, length = 64, key = "d"> : tensor<8x1xf64>
  %wi = dhlo.weight <"w", offset = 0, length = 32, key = "i"> : tensor<8x1xi32>
  %wh = dhlo.weight <"w", offset = 0, length = 16, key = "h"> : tensor<8x1xf16>
  %0 = dhlo.dot_general %d, %wd batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf64, #dhlo.dims<B>>, tensor<8x1xf64>) -> tensor<?x1xf64, #dhlo.dims<B>>
  %1 = dhlo.dot_general %i, %wi batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xi32, #dhlo.dims<B>>, tensor<8x1xi32>) -> tensor<?x1xi32, #dhlo.dims<B>>
  %2 = dhlo.dot_general %h, %wh batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf16, #dhlo.dims<B>>, tensor<8x1xf16>) -> tensor<?x1xf16, #dhlo.dims<B>>
  return %0, %1, %2 : tensor<?x1xf64, #dhlo.dims<B>>, tensor<?x1xi32, #dhlo.dims<B>>, tensor<?x1xf16, #dhlo.dims<B>>
}

// Rows that are constant are part of a recipe, whatever computes them.
// CHECK-LABEL: func.func @constant_rows
// CHECK: dhlo.dot_general
// CHECK-NOT: dhlo.reduce
func.func @constant_rows() -> tensor<4x1xf32> {
  %x = dhlo.weight <"w", offset = 0, length = 128, key = "x"> : tensor<4x8xf32>
  %w = dhlo.weight <"w", offset = 128, length = 32, key = "w"> : tensor<8x1xf32>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x1xf32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// A column that is computed from weights is as constant as a weight, and a sum of one product or of
// none is a sum.
// CHECK-LABEL: func.func @sums
// CHECK-NOT: dhlo.dot_general
// CHECK: %[[A:.*]] = dhlo.reduce sum %{{.*}} axes = [1] : (tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<?xf32, #dhlo.dims<B>>
// CHECK: dhlo.reduce sum %{{.*}} axes = [1] : (tensor<?x1xf32, #dhlo.dims<B>>) -> tensor<?xf32, #dhlo.dims<B>>
// CHECK: dhlo.reduce sum %{{.*}} axes = [1] : (tensor<?x0xf32, #dhlo.dims<B>>) -> tensor<?xf32, #dhlo.dims<B>>
// CHECK-NOT: dhlo.dot_general
// CHECK: return
func.func @sums(%x: tensor<?x8xf32, #dhlo.dims<B>>, %y: tensor<?x1xf32, #dhlo.dims<B>>, %z: tensor<?x0xf32, #dhlo.dims<B>>)
    -> (tensor<?x1xf32, #dhlo.dims<B>>, tensor<?x1xf32, #dhlo.dims<B>>, tensor<?x1xf32, #dhlo.dims<B>>) {
  %w = dhlo.weight <"w", offset = 0, length = 32, key = "w"> : tensor<8x1xf32>
  %e = dhlo.exp %w : tensor<8x1xf32>
  %v = dhlo.weight <"w", offset = 32, length = 4, key = "v"> : tensor<1x1xf32>
  %n = dhlo.weight <"w", offset = 36, length = 0, key = "n"> : tensor<0x1xf32>
  %0 = dhlo.dot_general %x, %e batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<B>>, tensor<8x1xf32>) -> tensor<?x1xf32, #dhlo.dims<B>>
  %1 = dhlo.dot_general %y, %v batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x1xf32, #dhlo.dims<B>>, tensor<1x1xf32>) -> tensor<?x1xf32, #dhlo.dims<B>>
  %2 = dhlo.dot_general %z, %n batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x0xf32, #dhlo.dims<B>>, tensor<0x1xf32>) -> tensor<?x1xf32, #dhlo.dims<B>>
  return %0, %1, %2 : tensor<?x1xf32, #dhlo.dims<B>>, tensor<?x1xf32, #dhlo.dims<B>>, tensor<?x1xf32, #dhlo.dims<B>>
}
