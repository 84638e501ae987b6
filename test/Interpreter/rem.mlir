// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @rem{{$}}
// CHECK-NEXT:    tensor<5xf32> [1.5, -1.5, 1.5, nan, nan]
func.func @rem() -> tensor<5xf32> {
  %x = dhlo.constant dense<[5.5, -5.5, 5.5, 1.0, 0x7F800000]> : tensor<5xf32>
  %y = dhlo.constant dense<[2.0, 2.0, -2.0, 0.0, 2.0]> : tensor<5xf32>
  %z = dhlo.rem %x, %y : tensor<5xf32>
  return %z : tensor<5xf32>
}

// CHECK-LABEL: @rem_int{{$}}
// CHECK-NEXT:    tensor<4xi32> [1, -1, 1, 0]
func.func @rem_int() -> tensor<4xi32> {
  %x = dhlo.constant dense<[7, -7, 7, -2147483648]> : tensor<4xi32>
  %y = dhlo.constant dense<[3, 3, -3, -1]> : tensor<4xi32>
  %z = dhlo.rem %x, %y : tensor<4xi32>
  return %z : tensor<4xi32>
}

// CHECK-LABEL: @rem_by_zero{{$}}
// CHECK-NEXT:    tensor<1xi64> [0]
// CHECK-NEXT:    dhlo.rem: integer division by zero
func.func @rem_by_zero() -> tensor<1xi64> {
  %x = dhlo.constant dense<[7]> : tensor<1xi64>
  %y = dhlo.constant dense<[0]> : tensor<1xi64>
  %z = dhlo.rem %x, %y : tensor<1xi64>
  return %z : tensor<1xi64>
}

// CHECK-LABEL: @rem_unsigned{{$}}
// CHECK-NEXT:    tensor<1xui8> [3]
func.func @rem_unsigned() -> tensor<1xui8> {
  %x = dhlo.constant dense<[255]> : tensor<1xui8>
  %y = dhlo.constant dense<[7]> : tensor<1xui8>
  %z = dhlo.rem %x, %y : tensor<1xui8>
  return %z : tensor<1xui8>
}
