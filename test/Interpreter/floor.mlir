// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @floor{{$}}
// CHECK-NEXT:    tensor<11xf32> [nan, inf, -inf, 0, -0, 0, 1, 2, -1, -2, 10000000000]
func.func @floor() -> tensor<11xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 1.0e10]> : tensor<11xf32>
  %y = dhlo.floor %x : tensor<11xf32>
  return %y : tensor<11xf32>
}

// CHECK-LABEL: @floor_f16{{$}}
// CHECK-NEXT:    tensor<2xf16> [2, -1]
func.func @floor_f16() -> tensor<2xf16> {
  %x = dhlo.constant dense<[2.5, -0.25]> : tensor<2xf16>
  %y = dhlo.floor %x : tensor<2xf16>
  return %y : tensor<2xf16>
}
