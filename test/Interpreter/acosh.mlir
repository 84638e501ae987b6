// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @acosh{{$}}
// CHECK-NEXT:    tensor<5xf32> [nan, inf, 0, 1.316958, nan]
func.func @acosh() -> tensor<5xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 1.0, 2.0, 0.5]> : tensor<5xf32>
  %y = dhlo.acosh %x : tensor<5xf32>
  return %y : tensor<5xf32>
}

// CHECK-LABEL: @acosh_f16{{$}}
// CHECK-NEXT:    tensor<1xf16> [1.317]
func.func @acosh_f16() -> tensor<1xf16> {
  %x = dhlo.constant dense<[2.0]> : tensor<1xf16>
  %y = dhlo.acosh %x : tensor<1xf16>
  return %y : tensor<1xf16>
}
