// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// Infinities and NaN in operations that combine several elements: where they come to stay, and
// where they stay in their own row or element.

// inf - inf is NaN wherever it happens in a sum, and 0 * inf in a product.
// CHECK-LABEL: @reductions{{$}}
// CHECK-NEXT:    tensor<3xf32> [inf, -inf, nan]
// CHECK-NEXT:    tensor<3xf32> [inf, -inf, nan]
// CHECK-NEXT:    tensor<3xf32> [inf, 1, inf]
// CHECK-NEXT:    tensor<3xf32> [0, -inf, -inf]
func.func @reductions() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %x = dhlo.constant dense<[[0x7F800000, 1.0], [0xFF800000, 1.0], [0x7F800000, 0xFF800000]]> : tensor<3x2xf32>
  %a = dhlo.reduce sum %x axes = [1] : (tensor<3x2xf32>) -> tensor<3xf32>
  %p = dhlo.constant dense<[[0x7F800000, 2.0], [0x7F800000, -2.0], [0x7F800000, 0.0]]> : tensor<3x2xf32>
  %b = dhlo.reduce prod %p axes = [1] : (tensor<3x2xf32>) -> tensor<3xf32>
  %c = dhlo.reduce max %x axes = [1] : (tensor<3x2xf32>) -> tensor<3xf32>
  %m = dhlo.constant dense<[[0x7F800000, 0.0], [0xFF800000, 1.0], [0x7F800000, 0xFF800000]]> : tensor<3x2xf32>
  %d = dhlo.reduce min %m axes = [1] : (tensor<3x2xf32>) -> tensor<3xf32>
  return %a, %b, %c, %d : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// From the element on where they come, against the direction from the other end.
// CHECK-LABEL: @cumulative{{$}}
// CHECK-NEXT:    tensor<4xf32> [1, inf, inf, nan]
// CHECK-NEXT:    tensor<4xf32> [nan, nan, -inf, -inf]
// CHECK-NEXT:    tensor<4xf32> [0, 1, inf, inf]
// CHECK-NEXT:    tensor<3xf32> [1, nan, nan]
func.func @cumulative() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3xf32>) {
  %x = dhlo.constant dense<[1.0, 0x7F800000, 2.0, 0xFF800000]> : tensor<4xf32>
  %a = dhlo.cumulative sum %x axis = 0 : tensor<4xf32>
  %b = dhlo.cumulative sum %x axis = 0 reverse : tensor<4xf32>
  %c = dhlo.cumulative sum %x axis = 0 exclusive : tensor<4xf32>
  %n = dhlo.constant dense<[1.0, 0x7FC00000, 5.0]> : tensor<3xf32>
  %d = dhlo.cumulative max %n axis = 0 : tensor<3xf32>
  return %a, %b, %c, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3xf32>
}

// A matmul's NaN stays in its row and column: 0 * inf is NaN, so a zero hides nothing.
// CHECK-LABEL: @matmul{{$}}
// CHECK-NEXT:    tensor<2x2xf32> {{\[\[}}nan, 0], [inf, 1]]
func.func @matmul() -> tensor<2x2xf32> {
  %x = dhlo.constant dense<[[0.0, 0.0], [1.0, 0.0]]> : tensor<2x2xf32>
  %w = dhlo.constant dense<[[0x7F800000, 1.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// A row of softmax with an infinity has inf - inf; the other rows do not see it. Of the logarithm
// an element of -inf is -inf and no NaN.
// CHECK-LABEL: @softmax{{$}}
// CHECK-NEXT:    tensor<3x2xf32> {{\[\[}}nan, nan], [0.5, 0.5], [0, 1]]
// CHECK-NEXT:    tensor<2xf32> [-inf, 0]
// CHECK-NEXT:    tensor<2xf32> [nan, nan]
// CHECK-NEXT:    tensor<1xf32> [1]
// CHECK-NEXT:    tensor<1xf32> [0]
func.func @softmax() -> (tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) {
  %x = dhlo.constant dense<[[0x7F800000, 1.0], [3.0e38, 3.0e38], [-3.0e38, 3.0e38]]> : tensor<3x2xf32>
  %a = dhlo.softmax %x axis = 1 : tensor<3x2xf32>
  %m = dhlo.constant dense<[0xFF800000, -5.0]> : tensor<2xf32>
  %b = dhlo.softmax %m axis = 0 log : tensor<2xf32>
  %n = dhlo.constant dense<0xFF800000> : tensor<2xf32>
  %c = dhlo.softmax %n axis = 0 log : tensor<2xf32>
  %one = dhlo.constant dense<[88.0]> : tensor<1xf32>
  %d = dhlo.softmax %one axis = 0 : tensor<1xf32>
  %e = dhlo.softmax %one axis = 0 log : tensor<1xf32>
  return %a, %b, %c, %d, %e : tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>
}

// The mean of a row with an infinity is infinite, and inf - inf is NaN; a root mean square takes
// no mean, and divides finite elements to zero.
// CHECK-LABEL: @norms{{$}}
// CHECK-NEXT:    tensor<2x2xf32> {{\[\[}}nan, nan], [0, 0]]
// CHECK-NEXT:    tensor<2x2xf32> {{\[\[}}nan, 0], [1, 1]]
func.func @norms() -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %x = dhlo.constant dense<[[0x7F800000, 2.0], [3.0, 3.0]]> : tensor<2x2xf32>
  %g = dhlo.constant dense<1.0> : tensor<2xf32>
  %a = dhlo.layer_norm %x, %g axis = 1 eps = 1.0 : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %b = dhlo.rms_norm %x, %g axis = 1 eps = 0.0 : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %a, %b : tensor<2x2xf32>, tensor<2x2xf32>
}

// Without an epsilon the norm of equal elements is 0 * inf.
// CHECK-LABEL: @no_epsilon{{$}}
// CHECK-NEXT:    tensor<1x2xf32> {{\[\[}}nan, nan]]
// CHECK-NEXT:    tensor<1x2xf32> {{\[\[}}nan, nan]]
func.func @no_epsilon() -> (tensor<1x2xf32>, tensor<1x2xf32>) {
  %x = dhlo.constant dense<3.0> : tensor<1x2xf32>
  %z = dhlo.constant dense<0.0> : tensor<1x2xf32>
  %g = dhlo.constant dense<1.0> : tensor<2xf32>
  %a = dhlo.layer_norm %x, %g axis = 1 eps = 0.0 : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  %b = dhlo.rms_norm %z, %g axis = 1 eps = 0.0 : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  return %a, %b : tensor<1x2xf32>, tensor<1x2xf32>
}

// NaN is larger than inf in a sort, smaller than nothing; of both it is the first of arg_reduce.
// CHECK-LABEL: @order{{$}}
// CHECK-NEXT:    tensor<4xf32> [-inf, 1, inf, nan]
// CHECK-NEXT:    tensor<1xf32> [nan]
// CHECK-NEXT:    tensor<1xf32> [-inf]
// CHECK-NEXT:    tensor<i64> 1
// CHECK-NEXT:    tensor<i64> 1
func.func @order() -> (tensor<4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<i64>, tensor<i64>) {
  %x = dhlo.constant dense<[0x7F800000, 0xFFC00000, 0xFF800000, 1.0]> : tensor<4xf32>
  %v, %i = dhlo.sort %x axis = 0 : tensor<4xf32>, tensor<4xi64>
  %t, %j = dhlo.top_k %x axis = 0 largest : (tensor<4xf32>) -> (tensor<1xf32>, tensor<1xi64>)
  %s, %k = dhlo.top_k %x axis = 0 : (tensor<4xf32>) -> (tensor<1xf32>, tensor<1xi64>)
  %a = dhlo.arg_reduce max %x axis = 0 : (tensor<4xf32>) -> tensor<i64>
  %b = dhlo.arg_reduce min %x axis = 0 : (tensor<4xf32>) -> tensor<i64>
  return %v, %t, %s, %a, %b : tensor<4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<i64>, tensor<i64>
}

// A segment's or a window's infinity is its own; a padded element is no zero in a product.
// CHECK-LABEL: @apart{{$}}
// CHECK-NEXT:    tensor<2xf32> [inf, 3]
// CHECK-NEXT:    tensor<3xf32> [inf, inf, 3]
// CHECK-NEXT:    tensor<2xf32> [nan, 7]
// CHECK-NEXT:    tensor<2xf32> [nan, 5]
func.func @apart() -> (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2xf32>) {
  %x = dhlo.constant dense<[0x7F800000, 1.0, 2.0]> : tensor<3xf32>
  %o = dhlo.constant dense<[0, 1, 3]> : tensor<3xi64>
  %a = dhlo.segment_reduce sum %x, %o : (tensor<3xf32>, tensor<3xi64>) -> tensor<2xf32>
  %b = dhlo.reduce_window sum %x window = [2] strides = [1] dilations = [1] low = [1] high = [0] : (tensor<3xf32>) -> tensor<3xf32>
  %y = dhlo.constant dense<[0x7F800000, 7.0]> : tensor<2xf32>
  %i = dhlo.constant dense<[[0], [0]]> : tensor<2x1xi64>
  %u = dhlo.constant dense<[1.0, 0xFF800000]> : tensor<2xf32>
  %c = dhlo.scatter_nd %y, %i, %u add : (tensor<2xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<2xf32>
  %n = dhlo.constant dense<[0x7FC00000, 5.0]> : tensor<2xf32>
  %d = dhlo.scatter_nd %n, %i, %u max : (tensor<2xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<2xf32>
  return %a, %b, %c, %d : tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2xf32>
}

// A choice takes one element and does not look at the other one.
// CHECK-LABEL: @select{{$}}
// CHECK-NEXT:    tensor<2xf32> [1, 2]
func.func @select() -> tensor<2xf32> {
  %p = dhlo.constant dense<[true, false]> : tensor<2xi1>
  %x = dhlo.constant dense<[1.0, 0x7FC00000]> : tensor<2xf32>
  %y = dhlo.constant dense<[0x7F800000, 2.0]> : tensor<2xf32>
  %z = dhlo.select %p, %x, %y : tensor<2xi1>, tensor<2xf32>
  return %z : tensor<2xf32>
}

// Functions at their poles and at the ends of their domains.
// CHECK-LABEL: @poles{{$}}
// CHECK-NEXT:    tensor<3xf32> [-inf, nan, inf]
// CHECK-NEXT:    tensor<3xf32> [-inf, nan, inf]
// CHECK-NEXT:    tensor<4xf32> [inf, -inf, nan, nan]
// CHECK-NEXT:    tensor<3xf32> [nan, 0, inf]
// CHECK-NEXT:    tensor<3xf32> [nan, 0, nan]
// CHECK-NEXT:    tensor<2xf32> [1, 0]
// CHECK-NEXT:    tensor<2xf32> [inf, -inf]
func.func @poles() -> (tensor<3xf32>, tensor<3xf32>, tensor<4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2xf32>) {
  %x = dhlo.constant dense<[0.0, -1.0, 0x7F800000]> : tensor<3xf32>
  %a = dhlo.log %x : tensor<3xf32>
  %m = dhlo.constant dense<[-1.0, -1.5, 0x7F800000]> : tensor<3xf32>
  %b = dhlo.log1p %m : tensor<3xf32>
  %h = dhlo.constant dense<[1.0, -1.0, 1.5, 0x7FC00000]> : tensor<4xf32>
  %c = dhlo.atanh %h : tensor<4xf32>
  %o = dhlo.constant dense<[0.5, 1.0, 0x7F800000]> : tensor<3xf32>
  %d = dhlo.acosh %o : tensor<3xf32>
  %q = dhlo.constant dense<[1.5, 1.0, 0x7F800000]> : tensor<3xf32>
  %e = dhlo.acos %q : tensor<3xf32>
  %s = dhlo.constant dense<[0x7F800000, 0xFF800000]> : tensor<2xf32>
  %f = dhlo.logistic %s : tensor<2xf32>
  %g = dhlo.sinh %s : tensor<2xf32>
  return %a, %b, %c, %d, %e, %f, %g : tensor<3xf32>, tensor<3xf32>, tensor<4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2xf32>
}
