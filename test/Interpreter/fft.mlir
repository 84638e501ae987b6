// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @complex{{$}}
// CHECK-NEXT:    tensor<4xf32> [11, 1, -1, -3]
// CHECK-NEXT:    tensor<4xf32> [2, 0, 2, -4]
func.func @complex() -> (tensor<4xf32>, tensor<4xf32>) {
  %x = dhlo.constant dense<[2.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %y = dhlo.constant dense<[0.0, 1.0, 2.0, -1.0]> : tensor<4xf32>
  %r, %i = dhlo.fft %x, %y axis = 0 : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r, %i : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @inverse{{$}}
// CHECK-NEXT:    tensor<4xf32> [8, 8, 12, 16]
// CHECK-NEXT:    tensor<4xf32> [0, 4, 8, -4]
func.func @inverse() -> (tensor<4xf32>, tensor<4xf32>) {
  %x = dhlo.constant dense<[11.0, 1.0, -1.0, -3.0]> : tensor<4xf32>
  %y = dhlo.constant dense<[2.0, 0.0, 2.0, -4.0]> : tensor<4xf32>
  %r, %i = dhlo.fft inverse %x, %y axis = 0 : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r, %i : tensor<4xf32>, tensor<4xf32>
}

// Of real numbers, along the first axis of two.
// CHECK-LABEL: @half{{$}}
// CHECK-NEXT:    tensor<3x2xf64> {{\[\[}}10, 26], [-2, -2], [-2, -2]]
// CHECK-NEXT:    tensor<3x2xf64> {{\[\[}}0, 0], [2, 2], [0, 0]]
func.func @half() -> (tensor<3x2xf64>, tensor<3x2xf64>) {
  %x = dhlo.constant dense<[[1.0, 5.0], [2.0, 6.0], [3.0, 7.0], [4.0, 8.0]]> : tensor<4x2xf64>
  %r, %i = dhlo.fft %x half axis = 0 : (tensor<4x2xf64>) -> (tensor<3x2xf64>, tensor<3x2xf64>)
  return %r, %i : tensor<3x2xf64>, tensor<3x2xf64>
}

// All of the same, without the second column.
// CHECK-LABEL: @all{{$}}
// CHECK-NEXT:    tensor<4xf32> [10, -2, -2, -2]
// CHECK-NEXT:    tensor<4xf32> [0, 2, 0, -2]
func.func @all() -> (tensor<4xf32>, tensor<4xf32>) {
  %x = dhlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %r, %i = dhlo.fft %x axis = 0 : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r, %i : tensor<4xf32>, tensor<4xf32>
}

// Back to real numbers. Imaginary parts that are zero for real
// numbers are not read.
// CHECK-LABEL: @back{{$}}
// CHECK-NEXT:    tensor<4xf32> [4, 8, 12, 16]
func.func @back() -> tensor<4xf32> {
  %r = dhlo.constant dense<[10.0, -2.0, -2.0]> : tensor<3xf32>
  %i = dhlo.constant dense<[7.0, 2.0, 0x7F800000]> : tensor<3xf32>
  %y = dhlo.fft inverse %r, %i half axis = 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @back_odd{{$}}
// CHECK-NEXT:    tensor<3xf32> [4, 1, 1]
func.func @back_odd() -> tensor<3xf32> {
  %r = dhlo.constant dense<[2.0, 1.0]> : tensor<2xf32>
  %i = dhlo.constant dense<[7.0, 0.0]> : tensor<2xf32>
  %y = dhlo.fft %r, %i half axis = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// Of no elements, half are one: an empty sum.
// CHECK-LABEL: @none{{$}}
// CHECK-NEXT:    tensor<1xf32> [0]
// CHECK-NEXT:    tensor<1xf32> [0]
func.func @none() -> (tensor<1xf32>, tensor<1xf32>) {
  %x = dhlo.constant dense<0.0> : tensor<0xf32>
  %r, %i = dhlo.fft %x half axis = 0 : (tensor<0xf32>) -> (tensor<1xf32>, tensor<1xf32>)
  return %r, %i : tensor<1xf32>, tensor<1xf32>
}
