// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @top_k{{$}}
// CHECK-NEXT:    tensor<2x2xf32> {{\[\[}}3, 3], [nan, 9]]
// CHECK-NEXT:    tensor<2x2xi64> {{\[\[}}1, 2], [0, 3]]
func.func @top_k() -> (tensor<2x2xf32>, tensor<2x2xi64>) {
  %x = dhlo.constant dense<[[1.0, 3.0, 3.0, 2.0], [0x7FC00000, 5.0, -1.0, 9.0]]> : tensor<2x4xf32>
  %v, %i = dhlo.top_k %x axis = 1 largest : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xi64>)
  return %v, %i : tensor<2x2xf32>, tensor<2x2xi64>
}

// CHECK-LABEL: @top_k_smallest{{$}}
// CHECK-NEXT:    tensor<3xi32> [-7, -7, 0]
// CHECK-NEXT:    tensor<3xi64> [1, 3, 4]
func.func @top_k_smallest() -> (tensor<3xi32>, tensor<3xi64>) {
  %x = dhlo.constant dense<[4, -7, 4, -7, 0]> : tensor<5xi32>
  %v, %i = dhlo.top_k %x axis = 0 : (tensor<5xi32>) -> (tensor<3xi32>, tensor<3xi64>)
  return %v, %i : tensor<3xi32>, tensor<3xi64>
}

// CHECK-LABEL: @top_k_none{{$}}
// CHECK-NEXT:    tensor<0xi32> []
// CHECK-NEXT:    tensor<0xi64> []
func.func @top_k_none() -> (tensor<0xi32>, tensor<0xi64>) {
  %x = dhlo.constant dense<[4, -7]> : tensor<2xi32>
  %v, %i = dhlo.top_k %x axis = 0 largest : (tensor<2xi32>) -> (tensor<0xi32>, tensor<0xi64>)
  return %v, %i : tensor<0xi32>, tensor<0xi64>
}
