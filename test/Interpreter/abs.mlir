// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @abs{{$}}
// CHECK-NEXT:    tensor<6xf32> [nan, inf, inf, 0, 0, 1.5]
func.func @abs() -> tensor<6xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.0, -0.0, -1.5]> : tensor<6xf32>
  %y = dhlo.abs %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: @abs_wraps{{$}}
// CHECK-NEXT:    tensor<4xi8> [-128, 1, 0, 127]
func.func @abs_wraps() -> tensor<4xi8> {
  %x = dhlo.constant dense<[-128, -1, 0, 127]> : tensor<4xi8>
  %y = dhlo.abs %x : tensor<4xi8>
  return %y : tensor<4xi8>
}

// CHECK-LABEL: @abs_unsigned{{$}}
// CHECK-NEXT:    tensor<2xui8> [0, 255]
func.func @abs_unsigned() -> tensor<2xui8> {
  %x = dhlo.constant dense<[0, 255]> : tensor<2xui8>
  %y = dhlo.abs %x : tensor<2xui8>
  return %y : tensor<2xui8>
}

// CHECK-LABEL: @abs_empty{{$}}
// CHECK-NEXT:    tensor<0x3xf32> []
func.func @abs_empty() -> tensor<0x3xf32> {
  %x = dhlo.constant dense<> : tensor<0x3xf32>
  %y = dhlo.abs %x : tensor<0x3xf32>
  return %y : tensor<0x3xf32>
}
