// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @iota{{$}}
// CHECK-NEXT:    tensor<2x3xi64> {{\[\[}}0, 1, 2], [0, 1, 2]]
func.func @iota() -> tensor<2x3xi64> {
  %0 = dhlo.iota axis = 1 start = [0] step = [1] : tensor<2x3xi64>
  return %0 : tensor<2x3xi64>
}

// CHECK-LABEL: @iota_outer{{$}}
// CHECK-NEXT:    tensor<2x3xf32> {{\[\[}}5, 5, 5], [2, 2, 2]]
func.func @iota_outer() -> tensor<2x3xf32> {
  %0 = dhlo.iota axis = 0 start = [5] step = [-3] : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @iota_wraps{{$}}
// CHECK-NEXT:    tensor<3xi8> [126, 127, -128]
func.func @iota_wraps() -> tensor<3xi8> {
  %0 = dhlo.iota axis = 0 start = [126] step = [1] : tensor<3xi8>
  return %0 : tensor<3xi8>
}

// CHECK-LABEL: @iota_empty{{$}}
// CHECK-NEXT:    tensor<2x0xi64> {{\[\[}}], []]
func.func @iota_empty() -> tensor<2x0xi64> {
  %0 = dhlo.iota axis = 1 start = [0] step = [1] : tensor<2x0xi64>
  return %0 : tensor<2x0xi64>
}
