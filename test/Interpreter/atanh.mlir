// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @atanh{{$}}
// CHECK-NEXT:    tensor<6xf32> [nan, 0, 0.54930615, inf, -inf, nan]
func.func @atanh() -> tensor<6xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0.0, 0.5, 1.0, -1.0, 2.0]> : tensor<6xf32>
  %y = dhlo.atanh %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: @atanh_f16{{$}}
// CHECK-NEXT:    tensor<1xf16> [0.5493]
func.func @atanh_f16() -> tensor<1xf16> {
  %x = dhlo.constant dense<[0.5]> : tensor<1xf16>
  %y = dhlo.atanh %x : tensor<1xf16>
  return %y : tensor<1xf16>
}
