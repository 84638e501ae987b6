// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @sort{{$}}
// CHECK-NEXT:    tensor<5xf32> [-inf, -1, 3, 3, nan]
// CHECK-NEXT:    tensor<5xi64> [4, 2, 0, 3, 1]
func.func @sort() -> (tensor<5xf32>, tensor<5xi64>) {
  %x = dhlo.constant dense<[3.0, 0x7FC00000, -1.0, 3.0, 0xFF800000]> : tensor<5xf32>
  %v, %i = dhlo.sort %x axis = 0 : tensor<5xf32>, tensor<5xi64>
  return %v, %i : tensor<5xf32>, tensor<5xi64>
}

// Equal elements keep their order.
// CHECK-LABEL: @sort_descending{{$}}
// CHECK-NEXT:    tensor<5xf32> [nan, 3, 3, -1, -inf]
// CHECK-NEXT:    tensor<5xi64> [1, 0, 3, 2, 4]
func.func @sort_descending() -> (tensor<5xf32>, tensor<5xi64>) {
  %x = dhlo.constant dense<[3.0, 0x7FC00000, -1.0, 3.0, 0xFF800000]> : tensor<5xf32>
  %v, %i = dhlo.sort %x axis = 0 descending : tensor<5xf32>, tensor<5xi64>
  return %v, %i : tensor<5xf32>, tensor<5xi64>
}

// CHECK-LABEL: @sort_outer{{$}}
// CHECK-NEXT:    tensor<2x3xui8> {{\[\[}}100, 1, 5], [200, 2, 5]]
// CHECK-NEXT:    tensor<2x3xi64> {{\[\[}}1, 0, 0], [0, 1, 1]]
func.func @sort_outer() -> (tensor<2x3xui8>, tensor<2x3xi64>) {
  %x = dhlo.constant dense<[[200, 1, 5], [100, 2, 5]]> : tensor<2x3xui8>
  %v, %i = dhlo.sort %x axis = 0 : tensor<2x3xui8>, tensor<2x3xi64>
  return %v, %i : tensor<2x3xui8>, tensor<2x3xi64>
}

// CHECK-LABEL: @sort_empty{{$}}
// CHECK-NEXT:    tensor<0xf32> []
// CHECK-NEXT:    tensor<0xi64> []
func.func @sort_empty() -> (tensor<0xf32>, tensor<0xi64>) {
  %x = dhlo.constant dense<> : tensor<0xf32>
  %v, %i = dhlo.sort %x axis = 0 : tensor<0xf32>, tensor<0xi64>
  return %v, %i : tensor<0xf32>, tensor<0xi64>
}
