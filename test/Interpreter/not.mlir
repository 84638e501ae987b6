// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @not{{$}}
// CHECK-NEXT:    tensor<2xi1> [false, true]
func.func @not() -> tensor<2xi1> {
  %x = dhlo.constant dense<[true, false]> : tensor<2xi1>
  %y = dhlo.not %x : tensor<2xi1>
  return %y : tensor<2xi1>
}

// CHECK-LABEL: @not_int{{$}}
// CHECK-NEXT:    tensor<3xi8> [-1, 0, -6]
func.func @not_int() -> tensor<3xi8> {
  %x = dhlo.constant dense<[0, -1, 5]> : tensor<3xi8>
  %y = dhlo.not %x : tensor<3xi8>
  return %y : tensor<3xi8>
}

// CHECK-LABEL: @not_unsigned{{$}}
// CHECK-NEXT:    tensor<2xui16> [65535, 0]
func.func @not_unsigned() -> tensor<2xui16> {
  %x = dhlo.constant dense<[0, 65535]> : tensor<2xui16>
  %y = dhlo.not %x : tensor<2xui16>
  return %y : tensor<2xui16>
}
