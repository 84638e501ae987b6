// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @softmax{{$}}
// CHECK-NEXT:    tensor<2x3xf32> {{\[\[}}0.09003057, 0.24472848, 0.66524094], [0.5, 0, 0.5]]
// CHECK-NEXT:    tensor<2x3xf32> {{\[\[}}-999, -0.12692805, -997], [0, -2.126928, 0]]
func.func @softmax() -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %x = dhlo.constant dense<[[1.0, 2.0, 3.0], [1000.0, 0.0, 1000.0]]> : tensor<2x3xf32>
  %y = dhlo.softmax %x axis = 1 : tensor<2x3xf32>
  %z = dhlo.softmax %x axis = 0 log : tensor<2x3xf32>
  return %y, %z : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: @softmax_special{{$}}
// CHECK-NEXT:    tensor<2xf32> [0, 1]
// CHECK-NEXT:    tensor<2xf32> [nan, nan]
// CHECK-NEXT:    tensor<2xf32> [nan, nan]
func.func @softmax_special() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %a = dhlo.constant dense<[0xFF800000, 1.0]> : tensor<2xf32>
  %b = dhlo.constant dense<[0xFF800000, 0xFF800000]> : tensor<2xf32>
  %c = dhlo.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %x = dhlo.softmax %a axis = 0 : tensor<2xf32>
  %y = dhlo.softmax %b axis = 0 : tensor<2xf32>
  %z = dhlo.softmax %c axis = 0 : tensor<2xf32>
  return %x, %y, %z : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: @softmax_empty{{$}}
// CHECK-NEXT:    tensor<2x0xf32> {{\[\[}}], []]
func.func @softmax_empty() -> tensor<2x0xf32> {
  %x = dhlo.constant dense<> : tensor<2x0xf32>
  %y = dhlo.softmax %x axis = 1 : tensor<2x0xf32>
  return %y : tensor<2x0xf32>
}
