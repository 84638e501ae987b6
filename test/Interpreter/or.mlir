// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @or{{$}}
// CHECK-NEXT:    tensor<3xi1> [true, true, false]
func.func @or() -> tensor<3xi1> {
  %x = dhlo.constant dense<[true, true, false]> : tensor<3xi1>
  %y = dhlo.constant dense<[true, false, false]> : tensor<3xi1>
  %z = dhlo.or %x, %y : tensor<3xi1>
  return %z : tensor<3xi1>
}

// CHECK-LABEL: @or_int{{$}}
// CHECK-NEXT:    tensor<2xi8> [14, -1]
func.func @or_int() -> tensor<2xi8> {
  %x = dhlo.constant dense<[12, -1]> : tensor<2xi8>
  %y = dhlo.constant dense<[10, 5]> : tensor<2xi8>
  %z = dhlo.or %x, %y : tensor<2xi8>
  return %z : tensor<2xi8>
}
