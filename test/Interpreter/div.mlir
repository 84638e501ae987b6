// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @div{{$}}
// CHECK-NEXT:    tensor<6xf32> [nan, nan, inf, 0.33333334, inf, nan]
func.func @div() -> tensor<6xf32> {
  %x = dhlo.constant dense<[0x7FC00000, 0x7F800000, 0x7F800000, 1.0, 0.1, -0.0]> : tensor<6xf32>
  %y = dhlo.constant dense<[1.0, 0x7F800000, 0.0, 3.0, 0.0, 0.0]> : tensor<6xf32>
  %z = dhlo.div %x, %y : tensor<6xf32>
  return %z : tensor<6xf32>
}

// CHECK-LABEL: @div_truncates{{$}}
// CHECK-NEXT:    tensor<3xi32> [-3, -3, -2147483648]
func.func @div_truncates() -> tensor<3xi32> {
  %x = dhlo.constant dense<[7, -7, -2147483648]> : tensor<3xi32>
  %y = dhlo.constant dense<[-2, 2, -1]> : tensor<3xi32>
  %z = dhlo.div %x, %y : tensor<3xi32>
  return %z : tensor<3xi32>
}

// CHECK-LABEL: @div_by_zero{{$}}
// CHECK-NEXT:    tensor<2xi32> [0, 0]
// CHECK-NEXT:    dhlo.div: integer division by zero
func.func @div_by_zero() -> tensor<2xi32> {
  %x = dhlo.constant dense<[7, 0]> : tensor<2xi32>
  %y = dhlo.constant dense<[0, 0]> : tensor<2xi32>
  %z = dhlo.div %x, %y : tensor<2xi32>
  return %z : tensor<2xi32>
}

// CHECK-LABEL: @div_unsigned{{$}}
// CHECK-NEXT:    tensor<1xui8> [127]
func.func @div_unsigned() -> tensor<1xui8> {
  %x = dhlo.constant dense<[255]> : tensor<1xui8>
  %y = dhlo.constant dense<[2]> : tensor<1xui8>
  %z = dhlo.div %x, %y : tensor<1xui8>
  return %z : tensor<1xui8>
}
