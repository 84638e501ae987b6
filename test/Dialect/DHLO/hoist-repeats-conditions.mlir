// RUN: dyn-opt %s -dhlo-hoist-repeats -split-input-file | FileCheck %s

// What must hold before a part of the columns is multiplied ahead of its repetition, each condition
// by itself: a function `..._not` differs from one that is rewritten in that condition alone.

dhlo.dim @B
dhlo.dim @S

// Eight columns are the fewest.
// CHECK-LABEL: func.func @eight
// CHECK: dhlo.dot_general %arg0, {{.*}} -> tensor<?x4xf32, #dhlo.dims<B>>
// CHECK: dhlo.broadcast {{.*}} axes = [0, 2] : (tensor<?x4xf32, #dhlo.dims<B>>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>>
func.func @eight(%q: tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>> {
  %w = dhlo.weight <"w", offset = 0, length = 128, key = "w"> : tensor<8x4xf32>
  %0 = dhlo.broadcast %q axes = [0, 2] : (tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %1 = dhlo.dot_general %0, %w batch = 0 lhs_contract = [2] rhs_contract = [0]
      : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x4xf32>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>>
  return %1 : tensor<?x?x4xf32, #dhlo.dims<B, S>>
}

// CHECK-LABEL: func.func @eight_not
// CHECK: %[[R:.*]] = dhlo.broadcast %arg0
// CHECK: dhlo.dot_general %[[R]]
func.func @eight_not(%q: tensor<?x7xf32, #dhlo.dims<B>>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>> {
  %w = dhlo.weight <"w", offset = 0, length = 112, key = "w"> : tensor<7x4xf32>
  %0 = dhlo.broadcast %q axes = [0, 2] : (tensor<?x7xf32, #dhlo.dims<B>>) -> tensor<?x?x7xf32, #dhlo.dims<B, S>>
  %1 = dhlo.dot_general %0, %w batch = 0 lhs_contract = [2] rhs_contract = [0]
      : (tensor<?x?x7xf32, #dhlo.dims<B, S>>, tensor<7x4xf32>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>>
  return %1 : tensor<?x?x4xf32, #dhlo.dims<B, S>>
}

// Batches and matrices of more axes have rows of their own.
// CHECK-LABEL: func.func @batch_not
// CHECK: %[[R:.*]] = dhlo.broadcast %arg0
// CHECK: dhlo.dot_general %[[R]]
func.func @batch_not(%q: tensor<3x8xf32>) -> tensor<3x?x4xf32, #dhlo.dims<S>> {
  %w = dhlo.weight <"w", offset = 0, length = 384, key = "w"> : tensor<3x8x4xf32>
  %0 = dhlo.broadcast %q axes = [0, 2] : (tensor<3x8xf32>) -> tensor<3x?x8xf32, #dhlo.dims<S>>
  %1 = dhlo.dot_general %0, %w batch = 1 lhs_contract = [2] rhs_contract = [1]
      : (tensor<3x?x8xf32, #dhlo.dims<S>>, tensor<3x8x4xf32>) -> tensor<3x?x4xf32, #dhlo.dims<S>>
  return %1 : tensor<3x?x4xf32, #dhlo.dims<S>>
}

// CHECK-LABEL: func.func @matrix_not
// CHECK: %[[R:.*]] = dhlo.broadcast %arg0
// CHECK: dhlo.dot_general %[[R]]
func.func @matrix_not(%q: tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>> {
  %w = dhlo.weight <"w", offset = 0, length = 256, key = "w"> : tensor<8x2x4xf32>
  %0 = dhlo.broadcast %q axes = [0, 2] : (tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<?x?x8xf32, #dhlo.dims<B, S>>
  %1 = dhlo.dot_general %0, %w batch = 0 lhs_contract = [2] rhs_contract = [0]
      : (tensor<?x?x8xf32, #dhlo.dims<B, S>>, tensor<8x2x4xf32>) -> tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
  return %1 : tensor<?x?x2x4xf32, #dhlo.dims<B, S>>
}

// The columns are the last axis; here it is the middle one that is summed.
// CHECK-LABEL: func.func @last_not
// CHECK: %[[R:.*]] = dhlo.broadcast %arg0
// CHECK: dhlo.dot_general %[[R]]
func.func @last_not(%q: tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>> {
  %w = dhlo.weight <"w", offset = 0, length = 128, key = "w"> : tensor<8x4xf32>
  %0 = dhlo.broadcast %q axes = [0, 1] : (tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<?x8x?xf32, #dhlo.dims<B, S>>
  %1 = dhlo.dot_general %0, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x8x?xf32, #dhlo.dims<B, S>>, tensor<8x4xf32>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>>
  return %1 : tensor<?x?x4xf32, #dhlo.dims<B, S>>
}

// Rows that are constant, too, are computed once when the artifact is written.
// CHECK-LABEL: func.func @constant_not
// CHECK: %[[R:.*]] = dhlo.broadcast
// CHECK: dhlo.dot_general %[[R]]
func.func @constant_not() -> tensor<3x4xf32> {
  %q = dhlo.weight <"w", offset = 0, length = 32, key = "q"> : tensor<8xf32>
  %w = dhlo.weight <"w", offset = 32, length = 128, key = "w"> : tensor<8x4xf32>
  %0 = dhlo.broadcast %q axes = [1] : (tensor<8xf32>) -> tensor<3x8xf32>
  %1 = dhlo.dot_general %0, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}

// A reshape that changes the columns gives other rows: the repeated ones are no operand any more.
// CHECK-LABEL: func.func @reshape_not
// CHECK: dhlo.broadcast %arg0
// CHECK: %[[R:.*]] = dhlo.reshape
// CHECK: dhlo.dot_general %[[R]]
func.func @reshape_not(%q: tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<?x4xf32, #dhlo.dims<B>> {
  %w = dhlo.weight <"w", offset = 0, length = 256, key = "w"> : tensor<16x4xf32>
  %0 = dhlo.broadcast %q axes = [0, 2] : (tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<?x2x8xf32, #dhlo.dims<B>>
  %1 = dhlo.reshape %0 : (tensor<?x2x8xf32, #dhlo.dims<B>>) -> tensor<?x16xf32, #dhlo.dims<B>>
  %2 = dhlo.dot_general %1, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x16xf32, #dhlo.dims<B>>, tensor<16x4xf32>) -> tensor<?x4xf32, #dhlo.dims<B>>
  return %2 : tensor<?x4xf32, #dhlo.dims<B>>
}

// Concatenated rows are no parts of the columns.
// CHECK-LABEL: func.func @concat_not
// CHECK: %[[R:.*]] = dhlo.concat
// CHECK: dhlo.dot_general %[[R]]
func.func @concat_not(%q: tensor<8xf32>, %k: tensor<3x8xf32>) -> tensor<8x4xf32> {
  %w = dhlo.weight <"w", offset = 0, length = 128, key = "w"> : tensor<8x4xf32>
  %0 = dhlo.broadcast %q axes = [1] : (tensor<8xf32>) -> tensor<5x8xf32>
  %1 = dhlo.concat %0, %k axis = 0 : (tensor<5x8xf32>, tensor<3x8xf32>) -> tensor<8x8xf32>
  %2 = dhlo.dot_general %1, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// -----

// An axis that has at most one element repeats nothing; with two it may.
dhlo.dim @B
dhlo.dim @One in [0, 1]
dhlo.dim @Two in [0, 2]

// CHECK-LABEL: func.func @repeats
// CHECK: dhlo.dot_general %arg0, {{.*}} -> tensor<?x4xf32, #dhlo.dims<B>>
func.func @repeats(%q: tensor<?x8xf32, #dhlo.dims<B>>, %s: tensor<?xf32, #dhlo.dims<Two>>) -> tensor<?x?x4xf32, #dhlo.dims<B, Two>> {
  %w = dhlo.weight <"w", offset = 0, length = 128, key = "w"> : tensor<8x4xf32>
  %0 = dhlo.broadcast %q axes = [0, 2] : (tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<?x?x8xf32, #dhlo.dims<B, Two>>
  %1 = dhlo.dot_general %0, %w batch = 0 lhs_contract = [2] rhs_contract = [0]
      : (tensor<?x?x8xf32, #dhlo.dims<B, Two>>, tensor<8x4xf32>) -> tensor<?x?x4xf32, #dhlo.dims<B, Two>>
  return %1 : tensor<?x?x4xf32, #dhlo.dims<B, Two>>
}

// CHECK-LABEL: func.func @repeats_not
// CHECK: %[[R:.*]] = dhlo.broadcast %arg0
// CHECK: dhlo.dot_general %[[R]]
func.func @repeats_not(%q: tensor<?x8xf32, #dhlo.dims<B>>, %s: tensor<?xf32, #dhlo.dims<One>>) -> tensor<?x?x4xf32, #dhlo.dims<B, One>> {
  %w = dhlo.weight <"w", offset = 0, length = 128, key = "w"> : tensor<8x4xf32>
  %0 = dhlo.broadcast %q axes = [0, 2] : (tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<?x?x8xf32, #dhlo.dims<B, One>>
  %1 = dhlo.dot_general %0, %w batch = 0 lhs_contract = [2] rhs_contract = [0]
      : (tensor<?x?x8xf32, #dhlo.dims<B, One>>, tensor<8x4xf32>) -> tensor<?x?x4xf32, #dhlo.dims<B, One>>
  return %1 : tensor<?x?x4xf32, #dhlo.dims<B, One>>
}

// -----

// One row for all: nothing but the columns is kept, and the product is a vector.
dhlo.dim @B
// CHECK-LABEL: func.func @vector
// CHECK: %[[P:.*]] = dhlo.dot_general %arg0, {{.*}} lhs_contract = [0] rhs_contract = [0] {{.*}} -> tensor<4xf16>
// CHECK: dhlo.broadcast %[[P]] axes = [1] : (tensor<4xf16>) -> tensor<?x4xf16, #dhlo.dims<B>>
func.func @vector(%q: tensor<8xf16>, %b: tensor<?xf16, #dhlo.dims<B>>) -> tensor<?x4xf16, #dhlo.dims<B>> {
  %w = dhlo.weight <"w", offset = 0, length = 64, key = "w"> : tensor<8x4xf16>
  %0 = dhlo.broadcast %q axes = [1] : (tensor<8xf16>) -> tensor<?x8xf16, #dhlo.dims<B>>
  %1 = dhlo.dot_general %0, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x8xf16, #dhlo.dims<B>>, tensor<8x4xf16>) -> tensor<?x4xf16, #dhlo.dims<B>>
  return %1 : tensor<?x4xf16, #dhlo.dims<B>>
}

// -----

// A part whose number of columns is known at run time alone has no rows of the matrix that could be
// cut out.
dhlo.dim @B
dhlo.dim @C in [1, 64]
dhlo.dim @D = @C + 8
// CHECK-LABEL: func.func @unknown_columns
// CHECK: %[[C:.*]] = dhlo.concat
// CHECK: dhlo.dot_general %[[C]], %arg2
func.func @unknown_columns(%q: tensor<8xf32>, %k: tensor<?x?xf32, #dhlo.dims<B, C>>, %w: tensor<?x4xf32, #dhlo.dims<D>>) -> tensor<?x4xf32, #dhlo.dims<B>> {
  %0 = dhlo.broadcast %q axes = [1] : (tensor<8xf32>) -> tensor<?x8xf32, #dhlo.dims<B>>
  %1 = dhlo.concat %k, %0 axis = 1 : (tensor<?x?xf32, #dhlo.dims<B, C>>, tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<?x?xf32, #dhlo.dims<B, D>>
  %2 = dhlo.dot_general %1, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x?xf32, #dhlo.dims<B, D>>, tensor<?x4xf32, #dhlo.dims<D>>) -> tensor<?x4xf32, #dhlo.dims<B>>
  return %2 : tensor<?x4xf32, #dhlo.dims<B>>
}
