// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @pow{{$}}
// CHECK-NEXT:    tensor<6xf32> [1024, nan, 1, inf, 1.4142135, 1]
func.func @pow() -> tensor<6xf32> {
  %x = dhlo.constant dense<[2.0, -8.0, 0.0, 0.0, 2.0, 0x7FC00000]> : tensor<6xf32>
  %y = dhlo.constant dense<[10.0, 0.333, 0.0, -1.0, 0.5, 0.0]> : tensor<6xf32>
  %z = dhlo.pow %x, %y : tensor<6xf32>
  return %z : tensor<6xf32>
}

// CHECK-LABEL: @pow_int{{$}}
// CHECK-NEXT:    tensor<7xi32> [81, -2147483648, 1, -1, 1, 0, 1]
func.func @pow_int() -> tensor<7xi32> {
  %x = dhlo.constant dense<[3, 2, 0, -1, -1, 5, 1]> : tensor<7xi32>
  %y = dhlo.constant dense<[4, 31, 0, -3, -2, -1, -9]> : tensor<7xi32>
  %z = dhlo.pow %x, %y : tensor<7xi32>
  return %z : tensor<7xi32>
}

// CHECK-LABEL: @pow_unsigned{{$}}
// CHECK-NEXT:    tensor<1xui8> [243]
func.func @pow_unsigned() -> tensor<1xui8> {
  %x = dhlo.constant dense<[3]> : tensor<1xui8>
  %y = dhlo.constant dense<[5]> : tensor<1xui8>
  %z = dhlo.pow %x, %y : tensor<1xui8>
  return %z : tensor<1xui8>
}
