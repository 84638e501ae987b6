// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @select{{$}}
// CHECK-NEXT:    tensor<3xf32> [1, nan, 3]
func.func @select() -> tensor<3xf32> {
  %p = dhlo.constant dense<[true, false, true]> : tensor<3xi1>
  %x = dhlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %y = dhlo.constant dense<[-1.0, 0x7FC00000, -3.0]> : tensor<3xf32>
  %z = dhlo.select %p, %x, %y : tensor<3xi1>, tensor<3xf32>
  return %z : tensor<3xf32>
}

// CHECK-LABEL: @select_bool{{$}}
// CHECK-NEXT:    tensor<2xi1> [true, false]
func.func @select_bool() -> tensor<2xi1> {
  %p = dhlo.constant dense<[true, false]> : tensor<2xi1>
  %z = dhlo.select %p, %p, %p : tensor<2xi1>, tensor<2xi1>
  return %z : tensor<2xi1>
}
