// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// The sign of a zero is a bit of a result: operations that compute keep the rules of IEEE 754,
// operations that move do not touch it, and those that compare do not see it.

// x + 0 is not x for -0, x - 0 is; a product has the sign of its factors.
// CHECK-LABEL: @arithmetic{{$}}
// CHECK-NEXT:    tensor<4xf32> [0, 0, 0, -0]
// CHECK-NEXT:    tensor<4xf32> [0, 0, -0, 0]
// CHECK-NEXT:    tensor<4xf32> [0, -0, -0, 0]
// CHECK-NEXT:    tensor<4xf32> [nan, nan, nan, nan]
func.func @arithmetic() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %x = dhlo.constant dense<[0.0, 0.0, -0.0, -0.0]> : tensor<4xf32>
  %y = dhlo.constant dense<[0.0, -0.0, 0.0, -0.0]> : tensor<4xf32>
  %a = dhlo.add %x, %y : tensor<4xf32>
  %b = dhlo.sub %x, %y : tensor<4xf32>
  %c = dhlo.mul %x, %y : tensor<4xf32>
  %d = dhlo.div %x, %y : tensor<4xf32>
  return %a, %b, %c, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @divided{{$}}
// CHECK-NEXT:    tensor<4xf32> [-0, 0, -0, 0]
// CHECK-NEXT:    tensor<4xf32> [-inf, inf, -inf, inf]
// CHECK-NEXT:    tensor<2xf32> [inf, -inf]
// CHECK-NEXT:    tensor<2xf32> [inf, -inf]
// CHECK-NEXT:    tensor<2xf32> [0, -0]
func.func @divided() -> (tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %zeros = dhlo.constant dense<[0.0, -0.0, -0.0, 0.0]> : tensor<4xf32>
  %y = dhlo.constant dense<[-1.0, -1.0, 0x7F800000, 0x7F800000]> : tensor<4xf32>
  %a = dhlo.div %zeros, %y : tensor<4xf32>
  %ones = dhlo.constant dense<[-1.0, -1.0, 1.0, 1.0]> : tensor<4xf32>
  %b = dhlo.div %ones, %zeros : tensor<4xf32>
  %z = dhlo.constant dense<[0.0, -0.0]> : tensor<2xf32>
  %c = dhlo.reciprocal %z : tensor<2xf32>
  %d = dhlo.rsqrt %z : tensor<2xf32>
  %e = dhlo.sqrt %z : tensor<2xf32>
  return %a, %b, %c, %d, %e : tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// A remainder has the sign of the dividend, zero or not.
// CHECK-LABEL: @remainder{{$}}
// CHECK-NEXT:    tensor<4xf32> [0, -0, -0, -0]
func.func @remainder() -> tensor<4xf32> {
  %x = dhlo.constant dense<[4.0, -4.0, -0.0, -0.0]> : tensor<4xf32>
  %y = dhlo.constant dense<[2.0, 2.0, 2.0, 0x7F800000]> : tensor<4xf32>
  %z = dhlo.rem %x, %y : tensor<4xf32>
  return %z : tensor<4xf32>
}

// Odd functions keep the sign; even ones and those that are not zero at zero lose it.
// CHECK-LABEL: @functions{{$}}
// CHECK-NEXT:    tensor<2xf32> [0, -0]
// CHECK-NEXT:    tensor<2xf32> [0, -0]
// CHECK-NEXT:    tensor<2xf32> [0, -0]
// CHECK-NEXT:    tensor<2xf32> [0, -0]
// CHECK-NEXT:    tensor<2xf32> [0, -0]
// CHECK-NEXT:    tensor<2xf32> [0, -0]
// CHECK-NEXT:    tensor<2xf32> [0, 0]
// CHECK-NEXT:    tensor<2xf32> [1, 1]
func.func @functions() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %x = dhlo.constant dense<[0.0, -0.0]> : tensor<2xf32>
  %a = dhlo.tanh %x : tensor<2xf32>
  %b = dhlo.expm1 %x : tensor<2xf32>
  %c = dhlo.log1p %x : tensor<2xf32>
  %d = dhlo.erf %x : tensor<2xf32>
  %e = dhlo.gelu erf %x : tensor<2xf32>
  %f = dhlo.gelu tanh %x : tensor<2xf32>
  %g = dhlo.abs %x : tensor<2xf32>
  %h = dhlo.cosh %x : tensor<2xf32>
  return %a, %b, %c, %d, %e, %f, %g, %h : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// The angle of a point on the axis is on the side that the sign of the zero says.
// CHECK-LABEL: @angle{{$}}
// CHECK-NEXT:    tensor<4xf32> [0, -0, 3.1415927, -3.1415927]
func.func @angle() -> tensor<4xf32> {
  %y = dhlo.constant dense<[0.0, -0.0, 0.0, -0.0]> : tensor<4xf32>
  %x = dhlo.constant dense<[1.0, 0.0, -1.0, -0.0]> : tensor<4xf32>
  %z = dhlo.atan2 %y, %x : tensor<4xf32>
  return %z : tensor<4xf32>
}

// A product of no factors and a sum of no terms are positive; a sum begins with +0, so even
// one of -0 alone is +0.
// CHECK-LABEL: @reductions{{$}}
// CHECK-NEXT:    tensor<f32> 0
// CHECK-NEXT:    tensor<f32> -0
// CHECK-NEXT:    tensor<f32> 0
// CHECK-NEXT:    tensor<f32> -0
func.func @reductions() -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %x = dhlo.constant dense<[-0.0, -0.0]> : tensor<2xf32>
  %m = dhlo.constant dense<[-0.0, 0.0, -0.0]> : tensor<3xf32>
  %n = dhlo.constant dense<[1.0, -0.0, 1.0]> : tensor<3xf32>
  %a = dhlo.reduce sum %x axes = [0] : (tensor<2xf32>) -> tensor<f32>
  %b = dhlo.reduce prod %n axes = [0] : (tensor<3xf32>) -> tensor<f32>
  %c = dhlo.reduce max %m axes = [0] : (tensor<3xf32>) -> tensor<f32>
  %d = dhlo.reduce min %m axes = [0] : (tensor<3xf32>) -> tensor<f32>
  return %a, %b, %c, %d : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// The order of sorts is that of numbers, of which -0 and +0 are one: they keep their places.
// CHECK-LABEL: @order{{$}}
// CHECK-NEXT:    tensor<4xf32> [-1, 0, -0, 0]
// CHECK-NEXT:    tensor<4xi64> [2, 0, 1, 3]
// CHECK-NEXT:    tensor<4xf32> [0, -0, 0, -1]
// CHECK-NEXT:    tensor<4xi64> [0, 1, 3, 2]
// CHECK-NEXT:    tensor<2xf32> [0, -0]
// CHECK-NEXT:    tensor<i64> 0
// CHECK-NEXT:    tensor<i64> 3
func.func @order() -> (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>, tensor<4xi64>, tensor<2xf32>, tensor<i64>, tensor<i64>) {
  %x = dhlo.constant dense<[0.0, -0.0, -1.0, 0.0]> : tensor<4xf32>
  %v, %i = dhlo.sort %x axis = 0 : tensor<4xf32>, tensor<4xi64>
  %w, %j = dhlo.sort %x axis = 0 descending : tensor<4xf32>, tensor<4xi64>
  %t, %k = dhlo.top_k %x axis = 0 largest : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  %first = dhlo.arg_reduce max %x axis = 0 : (tensor<4xf32>) -> tensor<i64>
  %last = dhlo.arg_reduce max %x axis = 0 last : (tensor<4xf32>) -> tensor<i64>
  return %v, %i, %w, %j, %t, %first, %last : tensor<4xf32>, tensor<4xi64>, tensor<4xf32>, tensor<4xi64>, tensor<2xf32>, tensor<i64>, tensor<i64>
}

// CHECK-LABEL: @found{{$}}
// CHECK-NEXT:    tensor<1x1xi64> {{\[\[}}2]]
func.func @found() -> tensor<?x1xi64, #dhlo.dims<K>> {
  %x = dhlo.constant dense<[0.0, -0.0, 1.4e-45]> : tensor<3xf32>
  %i = dhlo.nonzero %x binds @K : (tensor<3xf32>) -> tensor<?x1xi64, #dhlo.dims<K>>
  return %i : tensor<?x1xi64, #dhlo.dims<K>>
}
dhlo.dim @K

// CHECK-LABEL: @moved{{$}}
// CHECK-NEXT:    tensor<2xf16> [0, -0]
// CHECK-NEXT:    tensor<3xbf16> [-0, -0, 0]
// CHECK-NEXT:    tensor<2xf64> [-0, 0]
// CHECK-NEXT:    tensor<2xf32> [0, -0]
func.func @moved() -> (tensor<2xf16>, tensor<3xbf16>, tensor<2xf64>, tensor<2xf32>) {
  %h = dhlo.constant dense<[-0.0, 0.0]> : tensor<2xf16>
  %a = dhlo.reverse %h axes = [0] : tensor<2xf16>
  %b = dhlo.constant dense<[-0.0, 0.0]> : tensor<2xbf16>
  %zero = dhlo.constant dense<-0.0> : tensor<bf16>
  %c = dhlo.pad %b, %zero constant low = [1] high = [0] : (tensor<2xbf16>, tensor<bf16>) -> tensor<3xbf16>
  %d = dhlo.convert %h : (tensor<2xf16>) -> tensor<2xf64>
  %x = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %i = dhlo.constant dense<[0, 1]> : tensor<2xi64>
  %u = dhlo.constant dense<[0.0, -0.0]> : tensor<2xf32>
  %e = dhlo.scatter_elements %x, %i, %u replace axis = 0 : (tensor<2xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<2xf32>
  return %a, %c, %d, %e : tensor<2xf16>, tensor<3xbf16>, tensor<2xf64>, tensor<2xf32>
}

// What rounds to nothing keeps its sign.
// CHECK-LABEL: @underflow{{$}}
// CHECK-NEXT:    tensor<2xf16> [0, -0]
// CHECK-NEXT:    tensor<2xbf16> [0, -0]
// CHECK-NEXT:    tensor<2xf32> [0, -0]
// CHECK-NEXT:    tensor<2xf32> [-0, 0]
func.func @underflow() -> (tensor<2xf16>, tensor<2xbf16>, tensor<2xf32>, tensor<2xf32>) {
  %x = dhlo.constant dense<[1.0e-300, -1.0e-300]> : tensor<2xf64>
  %a = dhlo.convert %x : (tensor<2xf64>) -> tensor<2xf16>
  %b = dhlo.convert %x : (tensor<2xf64>) -> tensor<2xbf16>
  %c = dhlo.convert %x : (tensor<2xf64>) -> tensor<2xf32>
  %y = dhlo.constant dense<[-1.0e-30, 1.0e-30]> : tensor<2xf32>
  %s = dhlo.constant dense<1.0e-30> : tensor<2xf32>
  %d = dhlo.mul %y, %s : tensor<2xf32>
  return %a, %b, %c, %d : tensor<2xf16>, tensor<2xbf16>, tensor<2xf32>, tensor<2xf32>
}
