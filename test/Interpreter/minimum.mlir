// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @minimum{{$}}
// CHECK-NEXT:    tensor<5xf32> [nan, nan, -0, -3, -inf]
func.func @minimum() -> tensor<5xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 1.0, -0.0, 2.0, 0xFF800000]> : tensor<5xf32>
  %y = dhlo.constant dense<[1.0, 0x7FC00000, 0.0, -3.0, 0.0]> : tensor<5xf32>
  %z = dhlo.minimum %x, %y : tensor<5xf32>
  return %z : tensor<5xf32>
}

// CHECK-LABEL: @minimum_int{{$}}
// CHECK-NEXT:    tensor<2xi8> [-128, -5]
func.func @minimum_int() -> tensor<2xi8> {
  %x = dhlo.constant dense<[-128, 5]> : tensor<2xi8>
  %y = dhlo.constant dense<[127, -5]> : tensor<2xi8>
  %z = dhlo.minimum %x, %y : tensor<2xi8>
  return %z : tensor<2xi8>
}

// CHECK-LABEL: @minimum_unsigned{{$}}
// CHECK-NEXT:    tensor<1xui8> [1]
func.func @minimum_unsigned() -> tensor<1xui8> {
  %x = dhlo.constant dense<[255]> : tensor<1xui8>
  %y = dhlo.constant dense<[1]> : tensor<1xui8>
  %z = dhlo.minimum %x, %y : tensor<1xui8>
  return %z : tensor<1xui8>
}
