// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @shift_right{{$}}
// CHECK-NEXT:    tensor<3xi32> [4, -4, -1]
func.func @shift_right() -> tensor<3xi32> {
  %x = dhlo.constant dense<[16, -16, -1]> : tensor<3xi32>
  %y = dhlo.constant dense<[2, 2, 31]> : tensor<3xi32>
  %z = dhlo.shift_right %x, %y : tensor<3xi32>
  return %z : tensor<3xi32>
}

// CHECK-LABEL: @shift_right_unsigned{{$}}
// CHECK-NEXT:    tensor<1xui8> [1]
func.func @shift_right_unsigned() -> tensor<1xui8> {
  %x = dhlo.constant dense<[255]> : tensor<1xui8>
  %y = dhlo.constant dense<[7]> : tensor<1xui8>
  %z = dhlo.shift_right %x, %y : tensor<1xui8>
  return %z : tensor<1xui8>
}

// CHECK-LABEL: @shift_right_out_of_range{{$}}
// CHECK-NEXT:    tensor<1xi16> [0]
// CHECK-NEXT:    dhlo.shift_right: shift amount not less than the width of the type
func.func @shift_right_out_of_range() -> tensor<1xi16> {
  %x = dhlo.constant dense<[5]> : tensor<1xi16>
  %y = dhlo.constant dense<[16]> : tensor<1xi16>
  %z = dhlo.shift_right %x, %y : tensor<1xi16>
  return %z : tensor<1xi16>
}
