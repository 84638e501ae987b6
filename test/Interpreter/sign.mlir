// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @sign{{$}}
// CHECK-NEXT:    tensor<7xf32> [nan, 1, -1, 0, -0, -1, 1]
func.func @sign() -> tensor<7xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.0, -0.0, -3.0, 0.25]> : tensor<7xf32>
  %y = dhlo.sign %x : tensor<7xf32>
  return %y : tensor<7xf32>
}

// CHECK-LABEL: @sign_int{{$}}
// CHECK-NEXT:    tensor<3xi32> [-1, 0, 1]
func.func @sign_int() -> tensor<3xi32> {
  %x = dhlo.constant dense<[-7, 0, 9]> : tensor<3xi32>
  %y = dhlo.sign %x : tensor<3xi32>
  return %y : tensor<3xi32>
}

// CHECK-LABEL: @sign_unsigned{{$}}
// CHECK-NEXT:    tensor<2xui8> [0, 1]
func.func @sign_unsigned() -> tensor<2xui8> {
  %x = dhlo.constant dense<[0, 200]> : tensor<2xui8>
  %y = dhlo.sign %x : tensor<2xui8>
  return %y : tensor<2xui8>
}
