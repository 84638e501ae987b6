// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @and{{$}}
// CHECK-NEXT:    tensor<3xi1> [true, false, false]
func.func @and() -> tensor<3xi1> {
  %x = dhlo.constant dense<[true, true, false]> : tensor<3xi1>
  %y = dhlo.constant dense<[true, false, false]> : tensor<3xi1>
  %z = dhlo.and %x, %y : tensor<3xi1>
  return %z : tensor<3xi1>
}

// CHECK-LABEL: @and_int{{$}}
// CHECK-NEXT:    tensor<2xi8> [8, 5]
func.func @and_int() -> tensor<2xi8> {
  %x = dhlo.constant dense<[12, -1]> : tensor<2xi8>
  %y = dhlo.constant dense<[10, 5]> : tensor<2xi8>
  %z = dhlo.and %x, %y : tensor<2xi8>
  return %z : tensor<2xi8>
}
