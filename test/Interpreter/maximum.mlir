// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @maximum{{$}}
// CHECK-NEXT:    tensor<5xf32> [nan, nan, 0, 2, 0]
func.func @maximum() -> tensor<5xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 1.0, -0.0, 2.0, 0xFF800000]> : tensor<5xf32>
  %y = dhlo.constant dense<[1.0, 0x7FC00000, 0.0, -3.0, 0.0]> : tensor<5xf32>
  %z = dhlo.maximum %x, %y : tensor<5xf32>
  return %z : tensor<5xf32>
}

// CHECK-LABEL: @maximum_int{{$}}
// CHECK-NEXT:    tensor<2xi8> [127, 5]
func.func @maximum_int() -> tensor<2xi8> {
  %x = dhlo.constant dense<[-128, 5]> : tensor<2xi8>
  %y = dhlo.constant dense<[127, -5]> : tensor<2xi8>
  %z = dhlo.maximum %x, %y : tensor<2xi8>
  return %z : tensor<2xi8>
}

// CHECK-LABEL: @maximum_unsigned{{$}}
// CHECK-NEXT:    tensor<1xui8> [255]
func.func @maximum_unsigned() -> tensor<1xui8> {
  %x = dhlo.constant dense<[255]> : tensor<1xui8>
  %y = dhlo.constant dense<[1]> : tensor<1xui8>
  %z = dhlo.maximum %x, %y : tensor<1xui8>
  return %z : tensor<1xui8>
}
