// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @asin{{$}}
// CHECK-NEXT:    tensor<5xf32> [nan, 0, 1.5707964, -1.5707964, nan]
func.func @asin() -> tensor<5xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0.0, 1.0, -1.0, 1.5]> : tensor<5xf32>
  %y = dhlo.asin %x : tensor<5xf32>
  return %y : tensor<5xf32>
}

// CHECK-LABEL: @asin_f16{{$}}
// CHECK-NEXT:    tensor<1xf16> [0.5234]
func.func @asin_f16() -> tensor<1xf16> {
  %x = dhlo.constant dense<[0.5]> : tensor<1xf16>
  %y = dhlo.asin %x : tensor<1xf16>
  return %y : tensor<1xf16>
}
