// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @neg{{$}}
// CHECK-NEXT:    tensor<6xf32> [nan, -inf, inf, -0, 0, -1.5]
func.func @neg() -> tensor<6xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.0, -0.0, 1.5]> : tensor<6xf32>
  %y = dhlo.neg %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: @neg_wraps{{$}}
// CHECK-NEXT:    tensor<4xi8> [-128, 1, 0, -127]
func.func @neg_wraps() -> tensor<4xi8> {
  %x = dhlo.constant dense<[-128, -1, 0, 127]> : tensor<4xi8>
  %y = dhlo.neg %x : tensor<4xi8>
  return %y : tensor<4xi8>
}

// CHECK-LABEL: @neg_unsigned{{$}}
// CHECK-NEXT:    tensor<3xui16> [0, 65535, 1]
func.func @neg_unsigned() -> tensor<3xui16> {
  %x = dhlo.constant dense<[0, 1, 65535]> : tensor<3xui16>
  %y = dhlo.neg %x : tensor<3xui16>
  return %y : tensor<3xui16>
}
