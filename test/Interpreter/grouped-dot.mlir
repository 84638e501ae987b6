// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// The last row is in no group, group 1 is empty.
// CHECK-LABEL: @grouped_dot{{$}}
// CHECK-NEXT:    tensor<4x1xf32> {{\[\[}}3], [7], [1100], [0]]
func.func @grouped_dot() -> tensor<4x1xf32> {
  %x = dhlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %w = dhlo.constant dense<[[[1.0], [1.0]], [[10.0], [10.0]], [[100.0], [100.0]]]> : tensor<3x2x1xf32>
  %o = dhlo.constant dense<[0, 2, 2, 3]> : tensor<4xi64>
  %y = dhlo.grouped_dot %x, %w, %o : (tensor<4x2xf32>, tensor<3x2x1xf32>, tensor<4xi64>) -> tensor<4x1xf32>
  return %y : tensor<4x1xf32>
}

// A row of two vectors.
// CHECK-LABEL: @grouped_dot_vectors{{$}}
// CHECK-NEXT:    tensor<2x2x1xf32> {{\[\[}}[1], [2]], {{\[}}[30], [40]]]
func.func @grouped_dot_vectors() -> tensor<2x2x1xf32> {
  %x = dhlo.constant dense<[[[1.0], [2.0]], [[3.0], [4.0]]]> : tensor<2x2x1xbf16>
  %w = dhlo.constant dense<[[[1.0]], [[10.0]]]> : tensor<2x1x1xbf16>
  %o = dhlo.constant dense<[0, 1, 2]> : tensor<3xi64>
  %y = dhlo.grouped_dot %x, %w, %o : (tensor<2x2x1xbf16>, tensor<2x1x1xbf16>, tensor<3xi64>) -> tensor<2x2x1xf32>
  return %y : tensor<2x2x1xf32>
}

// Clamped to 0, 1, 1.
// CHECK-LABEL: @grouped_dot_bad_offsets{{$}}
// CHECK-NEXT:    tensor<2x1xf32> {{\[\[}}3], [0]]
// CHECK-NEXT:    dhlo.grouped_dot: index out of range
func.func @grouped_dot_bad_offsets() -> tensor<2x1xf32> {
  %x = dhlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %w = dhlo.constant dense<1.0> : tensor<2x2x1xf32>
  %o = dhlo.constant dense<[-3, 1, 0]> : tensor<3xi64>
  %y = dhlo.grouped_dot %x, %w, %o : (tensor<2x2xf32>, tensor<2x2x1xf32>, tensor<3xi64>) -> tensor<2x1xf32>
  return %y : tensor<2x1xf32>
}
