// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @tanh{{$}}
// CHECK-NEXT:    tensor<7xf32> [nan, 1, -1, 0, -0, 0.46211717, -1]
func.func @tanh() -> tensor<7xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.0, -0.0, 0.5, -20.0]> : tensor<7xf32>
  %y = dhlo.tanh %x : tensor<7xf32>
  return %y : tensor<7xf32>
}

// CHECK-LABEL: @tanh_f16{{$}}
// CHECK-NEXT:    tensor<1xf16> [0.4622]
func.func @tanh_f16() -> tensor<1xf16> {
  %x = dhlo.constant dense<[0.5]> : tensor<1xf16>
  %y = dhlo.tanh %x : tensor<1xf16>
  return %y : tensor<1xf16>
}
