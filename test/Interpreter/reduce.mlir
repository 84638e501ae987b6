// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: @reduce_sum{{$}}
// CHECK-NEXT:    tensor<2xf32> [0, nan]
// CHECK-NEXT:    tensor<3xf32> [nan, 7, 3]
// CHECK-NEXT:    tensor<f32> nan
func.func @reduce_sum() -> (tensor<2xf32>, tensor<3xf32>, tensor<f32>) {
  %x = dhlo.constant dense<[[1.0, 2.0, -3.0], [0x7FC00000, 5.0, 6.0]]> : tensor<2x3xf32>
  %a = dhlo.reduce sum %x axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  %b = dhlo.reduce sum %x axes = [0] : (tensor<2x3xf32>) -> tensor<3xf32>
  %c = dhlo.reduce sum %x axes = [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  return %a, %b, %c : tensor<2xf32>, tensor<3xf32>, tensor<f32>
}

// Of no elements: the neutral element.
// CHECK-LABEL: @reduce_sum_empty{{$}}
// CHECK-NEXT:    tensor<2xf32> [0, 0]
// CHECK-NEXT:    tensor<i8> 0
// CHECK-NEXT:    tensor<ui16> 0
func.func @reduce_sum_empty() -> (tensor<2xf32>, tensor<i8>, tensor<ui16>) {
  %x = dhlo.constant dense<> : tensor<2x0xf32>
  %a = dhlo.reduce sum %x axes = [1] : (tensor<2x0xf32>) -> tensor<2xf32>
  %y = dhlo.constant dense<> : tensor<0xi8>
  %b = dhlo.reduce sum %y axes = [0] : (tensor<0xi8>) -> tensor<i8>
  %z = dhlo.constant dense<> : tensor<0xui16>
  %c = dhlo.reduce sum %z axes = [0] : (tensor<0xui16>) -> tensor<ui16>
  return %a, %b, %c : tensor<2xf32>, tensor<i8>, tensor<ui16>
}

// CHECK-LABEL: @reduce_prod{{$}}
// CHECK-NEXT:    tensor<2xf32> [-6, nan]
// CHECK-NEXT:    tensor<3xf32> [nan, 10, -18]
// CHECK-NEXT:    tensor<f32> nan
func.func @reduce_prod() -> (tensor<2xf32>, tensor<3xf32>, tensor<f32>) {
  %x = dhlo.constant dense<[[1.0, 2.0, -3.0], [0x7FC00000, 5.0, 6.0]]> : tensor<2x3xf32>
  %a = dhlo.reduce prod %x axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  %b = dhlo.reduce prod %x axes = [0] : (tensor<2x3xf32>) -> tensor<3xf32>
  %c = dhlo.reduce prod %x axes = [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  return %a, %b, %c : tensor<2xf32>, tensor<3xf32>, tensor<f32>
}

// Of no elements: the neutral element.
// CHECK-LABEL: @reduce_prod_empty{{$}}
// CHECK-NEXT:    tensor<2xf32> [1, 1]
// CHECK-NEXT:    tensor<i8> 1
// CHECK-NEXT:    tensor<ui16> 1
func.func @reduce_prod_empty() -> (tensor<2xf32>, tensor<i8>, tensor<ui16>) {
  %x = dhlo.constant dense<> : tensor<2x0xf32>
  %a = dhlo.reduce prod %x axes = [1] : (tensor<2x0xf32>) -> tensor<2xf32>
  %y = dhlo.constant dense<> : tensor<0xi8>
  %b = dhlo.reduce prod %y axes = [0] : (tensor<0xi8>) -> tensor<i8>
  %z = dhlo.constant dense<> : tensor<0xui16>
  %c = dhlo.reduce prod %z axes = [0] : (tensor<0xui16>) -> tensor<ui16>
  return %a, %b, %c : tensor<2xf32>, tensor<i8>, tensor<ui16>
}

// CHECK-LABEL: @reduce_max{{$}}
// CHECK-NEXT:    tensor<2xf32> [2, nan]
// CHECK-NEXT:    tensor<3xf32> [nan, 5, 6]
// CHECK-NEXT:    tensor<f32> nan
func.func @reduce_max() -> (tensor<2xf32>, tensor<3xf32>, tensor<f32>) {
  %x = dhlo.constant dense<[[1.0, 2.0, -3.0], [0x7FC00000, 5.0, 6.0]]> : tensor<2x3xf32>
  %a = dhlo.reduce max %x axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  %b = dhlo.reduce max %x axes = [0] : (tensor<2x3xf32>) -> tensor<3xf32>
  %c = dhlo.reduce max %x axes = [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  return %a, %b, %c : tensor<2xf32>, tensor<3xf32>, tensor<f32>
}

// Of no elements: the neutral element.
// CHECK-LABEL: @reduce_max_empty{{$}}
// CHECK-NEXT:    tensor<2xf32> [-inf, -inf]
// CHECK-NEXT:    tensor<i8> -128
// CHECK-NEXT:    tensor<ui16> 0
func.func @reduce_max_empty() -> (tensor<2xf32>, tensor<i8>, tensor<ui16>) {
  %x = dhlo.constant dense<> : tensor<2x0xf32>
  %a = dhlo.reduce max %x axes = [1] : (tensor<2x0xf32>) -> tensor<2xf32>
  %y = dhlo.constant dense<> : tensor<0xi8>
  %b = dhlo.reduce max %y axes = [0] : (tensor<0xi8>) -> tensor<i8>
  %z = dhlo.constant dense<> : tensor<0xui16>
  %c = dhlo.reduce max %z axes = [0] : (tensor<0xui16>) -> tensor<ui16>
  return %a, %b, %c : tensor<2xf32>, tensor<i8>, tensor<ui16>
}

// CHECK-LABEL: @reduce_min{{$}}
// CHECK-NEXT:    tensor<2xf32> [-3, nan]
// CHECK-NEXT:    tensor<3xf32> [nan, 2, -3]
// CHECK-NEXT:    tensor<f32> nan
func.func @reduce_min() -> (tensor<2xf32>, tensor<3xf32>, tensor<f32>) {
  %x = dhlo.constant dense<[[1.0, 2.0, -3.0], [0x7FC00000, 5.0, 6.0]]> : tensor<2x3xf32>
  %a = dhlo.reduce min %x axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  %b = dhlo.reduce min %x axes = [0] : (tensor<2x3xf32>) -> tensor<3xf32>
  %c = dhlo.reduce min %x axes = [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  return %a, %b, %c : tensor<2xf32>, tensor<3xf32>, tensor<f32>
}

// Of no elements: the neutral element.
// CHECK-LABEL: @reduce_min_empty{{$}}
// CHECK-NEXT:    tensor<2xf32> [inf, inf]
// CHECK-NEXT:    tensor<i8> 127
// CHECK-NEXT:    tensor<ui16> 65535
func.func @reduce_min_empty() -> (tensor<2xf32>, tensor<i8>, tensor<ui16>) {
  %x = dhlo.constant dense<> : tensor<2x0xf32>
  %a = dhlo.reduce min %x axes = [1] : (tensor<2x0xf32>) -> tensor<2xf32>
  %y = dhlo.constant dense<> : tensor<0xi8>
  %b = dhlo.reduce min %y axes = [0] : (tensor<0xi8>) -> tensor<i8>
  %z = dhlo.constant dense<> : tensor<0xui16>
  %c = dhlo.reduce min %z axes = [0] : (tensor<0xui16>) -> tensor<ui16>
  return %a, %b, %c : tensor<2xf32>, tensor<i8>, tensor<ui16>
}

// CHECK-LABEL: @reduce_bool{{$}}
// CHECK-NEXT:    tensor<2xi1> [false, true]
// CHECK-NEXT:    tensor<2xi1> [true, true]
// CHECK-NEXT:    tensor<i1> true
// CHECK-NEXT:    tensor<i1> false
func.func @reduce_bool() -> (tensor<2xi1>, tensor<2xi1>, tensor<i1>, tensor<i1>) {
  %x = dhlo.constant dense<[[true, false], [true, true]]> : tensor<2x2xi1>
  %a = dhlo.reduce and %x axes = [1] : (tensor<2x2xi1>) -> tensor<2xi1>
  %b = dhlo.reduce or %x axes = [0] : (tensor<2x2xi1>) -> tensor<2xi1>
  %y = dhlo.constant dense<> : tensor<0xi1>
  %c = dhlo.reduce and %y axes = [0] : (tensor<0xi1>) -> tensor<i1>
  %d = dhlo.reduce or %y axes = [0] : (tensor<0xi1>) -> tensor<i1>
  return %a, %b, %c, %d : tensor<2xi1>, tensor<2xi1>, tensor<i1>, tensor<i1>
}

// Summed in f32: in f16 the sum would stay at 2048.
// CHECK-LABEL: @reduce_f16{{$}}
// CHECK-NEXT:    tensor<f16> 2052
func.func @reduce_f16() -> tensor<f16> {
  %x = dhlo.constant dense<[2048.0, 1.0, 1.0, 1.0, 1.0]> : tensor<5xf16>
  %a = dhlo.reduce sum %x axes = [0] : (tensor<5xf16>) -> tensor<f16>
  return %a : tensor<f16>
}

// CHECK-LABEL: @reduce_int_wraps{{$}}
// CHECK-NEXT:    tensor<i8> -56
func.func @reduce_int_wraps() -> tensor<i8> {
  %x = dhlo.constant dense<[100, 100]> : tensor<2xi8>
  %a = dhlo.reduce sum %x axes = [0] : (tensor<2xi8>) -> tensor<i8>
  return %a : tensor<i8>
}

// CHECK-LABEL: @reduce_nothing{{$}}
// CHECK-NEXT:    tensor<2xf32> [1, 2]
func.func @reduce_nothing() -> tensor<2xf32> {
  %x = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %a = dhlo.reduce sum %x axes = [] : (tensor<2xf32>) -> tensor<2xf32>
  return %a : tensor<2xf32>
}
