// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @sub{{$}}
// CHECK-NEXT:    tensor<6xf32> [nan, inf, inf, -2, -0.1, -0]
func.func @sub() -> tensor<6xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0x7F800000, 1.0, 0.1, -0.0]> : tensor<6xf32>
  %y = dhlo.constant dense<[1.0, 0xFF800000, 0.0, 3.0, 0.2, 0.0]> : tensor<6xf32>
  %z = dhlo.sub %x, %y : tensor<6xf32>
  return %z : tensor<6xf32>
}

// CHECK-LABEL: @sub_wraps{{$}}
// CHECK-NEXT:    tensor<2xi8> [127, -128]
func.func @sub_wraps() -> tensor<2xi8> {
  %x = dhlo.constant dense<[-128, 127]> : tensor<2xi8>
  %y = dhlo.constant dense<[1, -1]> : tensor<2xi8>
  %z = dhlo.sub %x, %y : tensor<2xi8>
  return %z : tensor<2xi8>
}

// CHECK-LABEL: @sub_unsigned{{$}}
// CHECK-NEXT:    tensor<1xui8> [255]
func.func @sub_unsigned() -> tensor<1xui8> {
  %x = dhlo.constant dense<[0]> : tensor<1xui8>
  %y = dhlo.constant dense<[1]> : tensor<1xui8>
  %z = dhlo.sub %x, %y : tensor<1xui8>
  return %z : tensor<1xui8>
}
