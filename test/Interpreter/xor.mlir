// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @xor{{$}}
// CHECK-NEXT:    tensor<3xi1> [false, true, false]
func.func @xor() -> tensor<3xi1> {
  %x = dhlo.constant dense<[true, true, false]> : tensor<3xi1>
  %y = dhlo.constant dense<[true, false, false]> : tensor<3xi1>
  %z = dhlo.xor %x, %y : tensor<3xi1>
  return %z : tensor<3xi1>
}

// CHECK-LABEL: @xor_int{{$}}
// CHECK-NEXT:    tensor<2xi8> [6, -6]
func.func @xor_int() -> tensor<2xi8> {
  %x = dhlo.constant dense<[12, -1]> : tensor<2xi8>
  %y = dhlo.constant dense<[10, 5]> : tensor<2xi8>
  %z = dhlo.xor %x, %y : tensor<2xi8>
  return %z : tensor<2xi8>
}
