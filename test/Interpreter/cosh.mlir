// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @cosh{{$}}
// CHECK-NEXT:    tensor<7xf32> [nan, inf, inf, 1, 1, 1.5430807, inf]
func.func @cosh() -> tensor<7xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.0, -0.0, 1.0, -100.0]> : tensor<7xf32>
  %y = dhlo.cosh %x : tensor<7xf32>
  return %y : tensor<7xf32>
}

// CHECK-LABEL: @cosh_f16{{$}}
// CHECK-NEXT:    tensor<1xf16> [1.543]
func.func @cosh_f16() -> tensor<1xf16> {
  %x = dhlo.constant dense<[1.0]> : tensor<1xf16>
  %y = dhlo.cosh %x : tensor<1xf16>
  return %y : tensor<1xf16>
}
