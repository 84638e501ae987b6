// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @concat{{$}}
// CHECK-NEXT:    tensor<2x3xf32> {{\[\[}}1, 3, 4], [2, 5, 6]]
func.func @concat() -> tensor<2x3xf32> {
  %a = dhlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %b = dhlo.constant dense<> : tensor<2x0xf32>
  %c = dhlo.constant dense<[[3.0, 4.0], [5.0, 6.0]]> : tensor<2x2xf32>
  %y = dhlo.concat %a, %b, %c axis = 1 : (tensor<2x1xf32>, tensor<2x0xf32>, tensor<2x2xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: @concat_outer{{$}}
// CHECK-NEXT:    tensor<3xi1> [true, false, true]
func.func @concat_outer() -> tensor<3xi1> {
  %a = dhlo.constant dense<[true]> : tensor<1xi1>
  %b = dhlo.constant dense<[false, true]> : tensor<2xi1>
  %y = dhlo.concat %a, %b axis = 0 : (tensor<1xi1>, tensor<2xi1>) -> tensor<3xi1>
  return %y : tensor<3xi1>
}
