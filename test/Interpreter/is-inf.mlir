// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @is_inf{{$}}
// CHECK-NEXT:    tensor<5xi1> [false, true, true, false, false]
func.func @is_inf() -> tensor<5xi1> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.0, 1.0]> : tensor<5xf32>
  %y = dhlo.is_inf %x : (tensor<5xf32>) -> tensor<5xi1>
  return %y : tensor<5xi1>
}

// CHECK-LABEL: @is_inf_f16{{$}}
// CHECK-NEXT:    tensor<3xi1> [false, true, false]
func.func @is_inf_f16() -> tensor<3xi1> {
  %x = dhlo.constant dense<[0x7E00, 0xFC00, 65504.0]> : tensor<3xf16>
  %y = dhlo.is_inf %x : (tensor<3xf16>) -> tensor<3xi1>
  return %y : tensor<3xi1>
}
