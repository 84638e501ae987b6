// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @matmul{{$}}
// CHECK-NEXT:    tensor<2x2xf32> {{\[\[}}-2, 8.5], [-2, 19]]
func.func @matmul() -> tensor<2x2xf32> {
  %x = dhlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %y = dhlo.constant dense<[[1.0, 0.5], [0.0, 1.0], [-1.0, 2.0]]> : tensor<3x2xf32>
  %z = dhlo.dot_general %x, %y batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %z : tensor<2x2xf32>
}

// CHECK-LABEL: @batch_transposed{{$}}
// CHECK-NEXT:    tensor<2x1x2xf32> {{\[\[}}[1, 2]], {{\[\[}}7, 14]]]
func.func @batch_transposed() -> tensor<2x1x2xf32> {
  %x = dhlo.constant dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : tensor<2x1x2xf32>
  %y = dhlo.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[1.0, 1.0], [2.0, 2.0]]]> : tensor<2x2x2xf32>
  %z = dhlo.dot_general %x, %y batch = 1 lhs_contract = [2] rhs_contract = [2] : (tensor<2x1x2xf32>, tensor<2x2x2xf32>) -> tensor<2x1x2xf32>
  return %z : tensor<2x1x2xf32>
}

// CHECK-LABEL: @two_contracted{{$}}
// CHECK-NEXT:    tensor<f32> 29
func.func @two_contracted() -> tensor<f32> {
  %x = dhlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %z = dhlo.dot_general %x, %x batch = 0 lhs_contract = [0, 1] rhs_contract = [1, 0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<f32>
  return %z : tensor<f32>
}

// CHECK-LABEL: @outer{{$}}
// CHECK-NEXT:    tensor<2x3xi64> {{\[\[}}3, 4, 5], [6, 8, 10]]
func.func @outer() -> tensor<2x3xi64> {
  %x = dhlo.constant dense<[1, 2]> : tensor<2xi64>
  %y = dhlo.constant dense<[3, 4, 5]> : tensor<3xi64>
  %z = dhlo.dot_general %x, %y batch = 0 lhs_contract = [] rhs_contract = [] : (tensor<2xi64>, tensor<3xi64>) -> tensor<2x3xi64>
  return %z : tensor<2x3xi64>
}

// CHECK-LABEL: @no_elements{{$}}
// CHECK-NEXT:    tensor<2x2xf32> {{\[\[}}0, 0], [0, 0]]
// CHECK-NEXT:    tensor<0x2xf32> []
func.func @no_elements() -> (tensor<2x2xf32>, tensor<0x2xf32>) {
  %x = dhlo.constant dense<> : tensor<2x0xf32>
  %y = dhlo.constant dense<> : tensor<0x2xf32>
  %z = dhlo.dot_general %x, %y batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<2x0xf32>, tensor<0x2xf32>) -> tensor<2x2xf32>
  %w = dhlo.dot_general %y, %z batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<0x2xf32>, tensor<2x2xf32>) -> tensor<0x2xf32>
  return %z, %w : tensor<2x2xf32>, tensor<0x2xf32>
}

// Unsigned and signed bytes, summed in 32 bits.
// CHECK-LABEL: @bytes{{$}}
// CHECK-NEXT:    tensor<1x1xi32> {{\[\[}}-65280]]
func.func @bytes() -> tensor<1x1xi32> {
  %x = dhlo.constant dense<[[255, 255]]> : tensor<1x2xui8>
  %y = dhlo.constant dense<[[-128], [-128]]> : tensor<2x1xi8>
  %z = dhlo.dot_general %x, %y batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<1x2xui8>, tensor<2x1xi8>) -> tensor<1x1xi32>
  return %z : tensor<1x1xi32>
}

// Fused: the product alone would round to 1.
// CHECK-LABEL: @fused{{$}}
// CHECK-NEXT:    tensor<f32> -1.4210855e-14
func.func @fused() -> tensor<f32> {
  %x = dhlo.constant dense<[-1.0, 1.00000012]> : tensor<2xf32>
  %y = dhlo.constant dense<[1.0, 0.99999988]> : tensor<2xf32>
  %z = dhlo.dot_general %x, %y batch = 0 lhs_contract = [0] rhs_contract = [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  return %z : tensor<f32>
}

// Summed in f32, rounded once.
// CHECK-LABEL: @half{{$}}
// CHECK-NEXT:    tensor<f16> 2052
func.func @half() -> tensor<f16> {
  %x = dhlo.constant dense<[2048.0, 1.0, 1.0, 1.0, 1.0]> : tensor<5xf16>
  %y = dhlo.constant dense<1.0> : tensor<5xf16>
  %z = dhlo.dot_general %x, %y batch = 0 lhs_contract = [0] rhs_contract = [0] : (tensor<5xf16>, tensor<5xf16>) -> tensor<f16>
  return %z : tensor<f16>
}
