// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @shift_left{{$}}
// CHECK-NEXT:    tensor<4xi32> [16, -2147483648, -2, 3]
func.func @shift_left() -> tensor<4xi32> {
  %x = dhlo.constant dense<[1, 1, -1, 3]> : tensor<4xi32>
  %y = dhlo.constant dense<[4, 31, 1, 0]> : tensor<4xi32>
  %z = dhlo.shift_left %x, %y : tensor<4xi32>
  return %z : tensor<4xi32>
}

// CHECK-LABEL: @shift_left_out_of_range{{$}}
// CHECK-NEXT:    tensor<3xi8> [-128, 0, 0]
// CHECK-NEXT:    dhlo.shift_left: shift amount not less than the width of the type
func.func @shift_left_out_of_range() -> tensor<3xi8> {
  %x = dhlo.constant dense<[1, 1, 1]> : tensor<3xi8>
  %y = dhlo.constant dense<[7, 8, -1]> : tensor<3xi8>
  %z = dhlo.shift_left %x, %y : tensor<3xi8>
  return %z : tensor<3xi8>
}

// CHECK-LABEL: @shift_left_unsigned{{$}}
// CHECK-NEXT:    tensor<1xui64> [9223372036854775808]
func.func @shift_left_unsigned() -> tensor<1xui64> {
  %x = dhlo.constant dense<[1]> : tensor<1xui64>
  %y = dhlo.constant dense<[63]> : tensor<1xui64>
  %z = dhlo.shift_left %x, %y : tensor<1xui64>
  return %z : tensor<1xui64>
}
