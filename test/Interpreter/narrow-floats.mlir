// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// Elements of f16 and bf16 are computed in f32: an operation that combines elements rounds its
// result once, and operations one after the other round between them.

// In f32 2048 + 1 + 1 is 2050; by two additions of f16 it stays 2048 twice.
// CHECK-LABEL: @once_or_twice{{$}}
// CHECK-NEXT:    tensor<f16> 2050
// CHECK-NEXT:    tensor<f16> 2048
// CHECK-NEXT:    tensor<bf16> 258
// CHECK-NEXT:    tensor<bf16> 256
func.func @once_or_twice() -> (tensor<f16>, tensor<f16>, tensor<bf16>, tensor<bf16>) {
  %x = dhlo.constant dense<[2048.0, 1.0, 1.0]> : tensor<3xf16>
  %a = dhlo.reduce sum %x axes = [0] : (tensor<3xf16>) -> tensor<f16>
  %big = dhlo.constant dense<2048.0> : tensor<f16>
  %one = dhlo.constant dense<1.0> : tensor<f16>
  %b = dhlo.add %big, %one : tensor<f16>
  %c = dhlo.add %b, %one : tensor<f16>
  %y = dhlo.constant dense<[256.0, 1.0, 1.0]> : tensor<3xbf16>
  %d = dhlo.reduce sum %y axes = [0] : (tensor<3xbf16>) -> tensor<bf16>
  %big2 = dhlo.constant dense<256.0> : tensor<bf16>
  %one2 = dhlo.constant dense<1.0> : tensor<bf16>
  %e = dhlo.add %big2, %one2 : tensor<bf16>
  %f = dhlo.add %e, %one2 : tensor<bf16>
  return %a, %c, %d, %f : tensor<f16>, tensor<f16>, tensor<bf16>, tensor<bf16>
}

// A sum may leave the range of f16 and come back; what it ends with may not.
// CHECK-LABEL: @range{{$}}
// CHECK-NEXT:    tensor<f16> 65504
// CHECK-NEXT:    tensor<f16> inf
// CHECK-NEXT:    tensor<f16> inf
// CHECK-NEXT:    tensor<1x1xf16> {{\[\[}}65504]]
func.func @range() -> (tensor<f16>, tensor<f16>, tensor<f16>, tensor<1x1xf16>) {
  %x = dhlo.constant dense<[65504.0, 65504.0, -65504.0]> : tensor<3xf16>
  %a = dhlo.reduce sum %x axes = [0] : (tensor<3xf16>) -> tensor<f16>
  %y = dhlo.constant dense<[65504.0, 16.0]> : tensor<2xf16>
  %b = dhlo.reduce sum %y axes = [0] : (tensor<2xf16>) -> tensor<f16>
  %p = dhlo.constant dense<[256.0, 256.0]> : tensor<2xf16>
  %c = dhlo.reduce prod %p axes = [0] : (tensor<2xf16>) -> tensor<f16>
  %l = dhlo.reshape %x : (tensor<3xf16>) -> tensor<1x3xf16>
  %ones = dhlo.constant dense<1.0> : tensor<3x1xf16>
  %d = dhlo.dot_general %l, %ones batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<1x3xf16>, tensor<3x1xf16>) -> tensor<1x1xf16>
  return %a, %b, %c, %d : tensor<f16>, tensor<f16>, tensor<f16>, tensor<1x1xf16>
}

// A running sum is kept in f32, too: each element is that of the exact sum so far.
// CHECK-LABEL: @cumulative{{$}}
// CHECK-NEXT:    tensor<4xf16> [2048, 2048, 2050, 2052]
// CHECK-NEXT:    tensor<3xbf16> [256, 256, 258]
func.func @cumulative() -> (tensor<4xf16>, tensor<3xbf16>) {
  %x = dhlo.constant dense<[2048.0, 1.0, 1.0, 1.0]> : tensor<4xf16>
  %a = dhlo.cumulative sum %x axis = 0 : tensor<4xf16>
  %y = dhlo.constant dense<[256.0, 1.0, 1.0]> : tensor<3xbf16>
  %b = dhlo.cumulative sum %y axis = 0 : tensor<3xbf16>
  return %a, %b : tensor<4xf16>, tensor<3xbf16>
}

// Segments and windows sum likewise; updates of a scatter go to memory one by one.
// CHECK-LABEL: @others{{$}}
// CHECK-NEXT:    tensor<1xf16> [2050]
// CHECK-NEXT:    tensor<1xf16> [2050]
// CHECK-NEXT:    tensor<1xf16> [2048]
func.func @others() -> (tensor<1xf16>, tensor<1xf16>, tensor<1xf16>) {
  %x = dhlo.constant dense<[2048.0, 1.0, 1.0]> : tensor<3xf16>
  %o = dhlo.constant dense<[0, 3]> : tensor<2xi64>
  %a = dhlo.segment_reduce sum %x, %o : (tensor<3xf16>, tensor<2xi64>) -> tensor<1xf16>
  %b = dhlo.reduce_window sum %x window = [3] strides = [1] dilations = [1] low = [0] high = [0] : (tensor<3xf16>) -> tensor<1xf16>
  %y = dhlo.constant dense<[2048.0]> : tensor<1xf16>
  %i = dhlo.constant dense<[[0], [0]]> : tensor<2x1xi64>
  %u = dhlo.constant dense<[1.0, 1.0]> : tensor<2xf16>
  %c = dhlo.scatter_nd %y, %i, %u add : (tensor<1xf16>, tensor<2x1xi64>, tensor<2xf16>) -> tensor<1xf16>
  return %a, %b, %c : tensor<1xf16>, tensor<1xf16>, tensor<1xf16>
}

// A norm of f16 squares numbers that f16 could not hold.
// CHECK-LABEL: @norms{{$}}
// CHECK-NEXT:    tensor<1x2xf16> {{\[\[}}-1, 1]]
// CHECK-NEXT:    tensor<1x2xf16> {{\[\[}}1, 1]]
func.func @norms() -> (tensor<1x2xf16>, tensor<1x2xf16>) {
  %x = dhlo.constant dense<[[-30000.0, 30000.0]]> : tensor<1x2xf16>
  %g = dhlo.constant dense<1.0> : tensor<2xf16>
  %a = dhlo.layer_norm %x, %g axis = 1 eps = 0.0 : (tensor<1x2xf16>, tensor<2xf16>) -> tensor<1x2xf16>
  %y = dhlo.constant dense<[[30000.0, 30000.0]]> : tensor<1x2xf16>
  %b = dhlo.rms_norm %y, %g axis = 1 eps = 0.0 : (tensor<1x2xf16>, tensor<2xf16>) -> tensor<1x2xf16>
  return %a, %b : tensor<1x2xf16>, tensor<1x2xf16>
}

// 3000 equal elements of softmax: the sum of their exponentials is no number of f16 or bf16.
// CHECK-LABEL: @softmax{{$}}
// CHECK-NEXT:    tensor<1xf16> [0.0003333]
// CHECK-NEXT:    tensor<1xbf16> [0.000334]
func.func @softmax() -> (tensor<1xf16>, tensor<1xbf16>) {
  %x = dhlo.constant dense<1.0> : tensor<3000xf16>
  %a = dhlo.softmax %x axis = 0 : tensor<3000xf16>
  %b = dhlo.slice %a starts = [2999] strides = [1] : (tensor<3000xf16>) -> tensor<1xf16>
  %y = dhlo.constant dense<1.0> : tensor<3000xbf16>
  %c = dhlo.softmax %y axis = 0 : tensor<3000xbf16>
  %d = dhlo.slice %c starts = [2999] strides = [1] : (tensor<3000xbf16>) -> tensor<1xbf16>
  return %b, %d : tensor<1xf16>, tensor<1xbf16>
}

// The smallest numbers: half of one is a tie, which goes to the even zero, and three quarters
// of one is one. One and a half is two, the even one.
// CHECK-LABEL: @subnormal{{$}}
// CHECK-NEXT:    tensor<3xf16> [0, 6e-08, 1e-07]
// CHECK-NEXT:    tensor<2xbf16> [0, 9e-41]
func.func @subnormal() -> (tensor<3xf16>, tensor<2xbf16>) {
  %x = dhlo.constant dense<0x0001> : tensor<3xf16>
  %s = dhlo.constant dense<[0.5, 0.75, 1.5]> : tensor<3xf16>
  %a = dhlo.mul %x, %s : tensor<3xf16>
  %y = dhlo.constant dense<0x0001> : tensor<2xbf16>
  %t = dhlo.constant dense<[0.5, 0.75]> : tensor<2xbf16>
  %b = dhlo.mul %y, %t : tensor<2xbf16>
  return %a, %b : tensor<3xf16>, tensor<2xbf16>
}

// Counters are integers of any size: f16 has no odd ones above 2048, and none above 65504.
// CHECK-LABEL: @iota{{$}}
// CHECK-NEXT:    tensor<3xf16> [2048, 2048, 2050]
// CHECK-NEXT:    tensor<2xf16> [65504, inf]
func.func @iota() -> (tensor<3xf16>, tensor<2xf16>) {
  %a = dhlo.iota axis = 0 start = [2048] step = [1] : tensor<3xf16>
  %b = dhlo.iota axis = 0 start = [65504] step = [32] : tensor<2xf16>
  return %a, %b : tensor<3xf16>, tensor<2xf16>
}
