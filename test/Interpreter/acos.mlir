// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @acos{{$}}
// CHECK-NEXT:    tensor<5xf32> [nan, 1.5707964, 0, 3.1415927, nan]
func.func @acos() -> tensor<5xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0.0, 1.0, -1.0, 1.5]> : tensor<5xf32>
  %y = dhlo.acos %x : tensor<5xf32>
  return %y : tensor<5xf32>
}

// CHECK-LABEL: @acos_f16{{$}}
// CHECK-NEXT:    tensor<1xf16> [1.047]
func.func @acos_f16() -> tensor<1xf16> {
  %x = dhlo.constant dense<[0.5]> : tensor<1xf16>
  %y = dhlo.acos %x : tensor<1xf16>
  return %y : tensor<1xf16>
}
