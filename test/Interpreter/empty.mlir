// RUN: dyn-opt %s --dhlo-interpret -o /dev/null | FileCheck %s

// Tensors without elements: no operation reads one that is not there, a sum of nothing is zero
// where there is a result, and an integer error needs an element that has it.

// CHECK-LABEL: @no_errors{{$}}
// CHECK-NEXT:    tensor<0xi32> []
// CHECK-NEXT:    tensor<0xi32> []
// CHECK-NEXT:    tensor<0xi32> []
// CHECK-NEXT:    tensor<0xi8> []
// CHECK-NOT:     division
// CHECK-NOT:     shift
func.func @no_errors() -> (tensor<0xi32>, tensor<0xi32>, tensor<0xi32>, tensor<0xi8>) {
  %x = dhlo.constant dense<> : tensor<0xi32>
  %f = dhlo.constant dense<> : tensor<0xf32>
  %a = dhlo.div %x, %x : tensor<0xi32>
  %b = dhlo.rem %x, %x : tensor<0xi32>
  %c = dhlo.shift_left %x, %x : tensor<0xi32>
  %d = dhlo.convert %f : (tensor<0xf32>) -> tensor<0xi8>
  return %a, %b, %c, %d : tensor<0xi32>, tensor<0xi32>, tensor<0xi32>, tensor<0xi8>
}

// A depth of zero: the sum of no products in each element, whatever its type.
// CHECK-LABEL: @no_depth{{$}}
// CHECK-NEXT:    tensor<2x3xf32> {{\[\[}}0, 0, 0], [0, 0, 0]]
// CHECK-NEXT:    tensor<2x3xi32> {{\[\[}}0, 0, 0], [0, 0, 0]]
// CHECK-NEXT:    tensor<1x2x1xf16> {{\[\[\[}}0], [0]]]
func.func @no_depth() -> (tensor<2x3xf32>, tensor<2x3xi32>, tensor<1x2x1xf16>) {
  %x = dhlo.constant dense<> : tensor<2x0xf32>
  %w = dhlo.constant dense<> : tensor<0x3xf32>
  %a = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<2x0xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
  %i = dhlo.constant dense<> : tensor<2x0xi8>
  %j = dhlo.constant dense<> : tensor<0x3xi8>
  %b = dhlo.dot_general %i, %j batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<2x0xi8>, tensor<0x3xi8>) -> tensor<2x3xi32>
  %h = dhlo.constant dense<> : tensor<1x2x0xf16>
  %k = dhlo.constant dense<> : tensor<1x0x1xf16>
  %c = dhlo.dot_general %h, %k batch = 1 lhs_contract = [2] rhs_contract = [1] : (tensor<1x2x0xf16>, tensor<1x0x1xf16>) -> tensor<1x2x1xf16>
  return %a, %b, %c : tensor<2x3xf32>, tensor<2x3xi32>, tensor<1x2x1xf16>
}

// CHECK-LABEL: @no_rows{{$}}
// CHECK-NEXT:    tensor<0x3xf32> []
// CHECK-NEXT:    tensor<2x0xf32> {{\[\[}}], []]
// CHECK-NEXT:    tensor<0x2x2xf32> []
func.func @no_rows() -> (tensor<0x3xf32>, tensor<2x0xf32>, tensor<0x2x2xf32>) {
  %x = dhlo.constant dense<> : tensor<0x2xf32>
  %y = dhlo.constant dense<1.0> : tensor<2x2xf32>
  %w = dhlo.constant dense<1.0> : tensor<2x3xf32>
  %n = dhlo.constant dense<> : tensor<2x0xf32>
  %b = dhlo.constant dense<> : tensor<0x2x2xf32>
  %a = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<0x2xf32>, tensor<2x3xf32>) -> tensor<0x3xf32>
  %c = dhlo.dot_general %y, %n batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<2x2xf32>, tensor<2x0xf32>) -> tensor<2x0xf32>
  %d = dhlo.dot_general %b, %b batch = 1 lhs_contract = [2] rhs_contract = [1] : (tensor<0x2x2xf32>, tensor<0x2x2xf32>) -> tensor<0x2x2xf32>
  return %a, %c, %d : tensor<0x3xf32>, tensor<2x0xf32>, tensor<0x2x2xf32>
}

// Rows without elements have a mean of 0 / 0, which no element of the result shows.
// CHECK-LABEL: @norms{{$}}
// CHECK-NEXT:    tensor<0x4xf32> []
// CHECK-NEXT:    tensor<0x4xf32> []
// CHECK-NEXT:    tensor<0x2xf32> []
// CHECK-NEXT:    tensor<2x0xf32> {{\[\[}}], []]
func.func @norms() -> (tensor<0x4xf32>, tensor<0x4xf32>, tensor<0x2xf32>, tensor<2x0xf32>) {
  %x = dhlo.constant dense<> : tensor<0x4xf32>
  %g = dhlo.constant dense<1.0> : tensor<4xf32>
  %a = dhlo.layer_norm %x, %g, %g axis = 1 eps = 1.0e-5 : (tensor<0x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<0x4xf32>
  %b = dhlo.rms_norm %x, %g axis = 1 eps = 1.0e-5 : (tensor<0x4xf32>, tensor<4xf32>) -> tensor<0x4xf32>
  %s = dhlo.constant dense<> : tensor<0x2xf32>
  %c = dhlo.softmax %s axis = 0 log : tensor<0x2xf32>
  %t = dhlo.constant dense<> : tensor<2x0xf32>
  %d = dhlo.softmax %t axis = 0 : tensor<2x0xf32>
  return %a, %b, %c, %d : tensor<0x4xf32>, tensor<0x4xf32>, tensor<0x2xf32>, tensor<2x0xf32>
}

// Of an axis that other axes leave without elements there is nothing to find.
// CHECK-LABEL: @order{{$}}
// CHECK-NEXT:    tensor<0x3xf32> []
// CHECK-NEXT:    tensor<0x3xi64> []
// CHECK-NEXT:    tensor<0x2xf32> []
// CHECK-NEXT:    tensor<0x2xi64> []
// CHECK-NEXT:    tensor<0xi64> []
// CHECK-NOT:     dhlo.arg_reduce
func.func @order() -> (tensor<0x3xf32>, tensor<0x3xi64>, tensor<0x2xf32>, tensor<0x2xi64>, tensor<0xi64>) {
  %x = dhlo.constant dense<> : tensor<0x3xf32>
  %v, %i = dhlo.sort %x axis = 1 descending : tensor<0x3xf32>, tensor<0x3xi64>
  %w, %j = dhlo.top_k %x axis = 1 largest : (tensor<0x3xf32>) -> (tensor<0x2xf32>, tensor<0x2xi64>)
  %a = dhlo.arg_reduce max %x axis = 1 : (tensor<0x3xf32>) -> tensor<0xi64>
  return %v, %i, %w, %j, %a : tensor<0x3xf32>, tensor<0x3xi64>, tensor<0x2xf32>, tensor<0x2xi64>, tensor<0xi64>
}

// CHECK-LABEL: @movement{{$}}
// CHECK-NEXT:    tensor<2x0xf32> {{\[\[}}], []]
// CHECK-NEXT:    tensor<0x5xf32> []
// CHECK-NEXT:    tensor<0x2xf32> []
// CHECK-NEXT:    tensor<3xf32> [7, 7, 7]
// CHECK-NEXT:    tensor<0x4xf32> []
// CHECK-NEXT:    tensor<2xf32> [1, 2]
// CHECK-NEXT:    tensor<0xf32> []
// CHECK-NEXT:    tensor<0xf32> []
func.func @movement() -> (tensor<2x0xf32>, tensor<0x5xf32>, tensor<0x2xf32>, tensor<3xf32>, tensor<0x4xf32>, tensor<2xf32>, tensor<0xf32>, tensor<0xf32>) {
  %x = dhlo.constant dense<> : tensor<0x2xf32>
  %a = dhlo.transpose %x permutation = [1, 0] : (tensor<0x2xf32>) -> tensor<2x0xf32>
  %b = dhlo.reshape %x : (tensor<0x2xf32>) -> tensor<0x5xf32>
  %c = dhlo.reverse %x axes = [0, 1] : tensor<0x2xf32>
  %e = dhlo.constant dense<> : tensor<0xf32>
  %seven = dhlo.constant dense<7.0> : tensor<f32>
  %d = dhlo.pad %e, %seven constant low = [1] high = [2] : (tensor<0xf32>, tensor<f32>) -> tensor<3xf32>
  %f = dhlo.broadcast %e axes = [0] : (tensor<0xf32>) -> tensor<0x4xf32>
  %y = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %g = dhlo.concat %e, %y, %e axis = 0 : (tensor<0xf32>, tensor<2xf32>, tensor<0xf32>) -> tensor<2xf32>
  %h = dhlo.slice %y starts = [2] strides = [1] : (tensor<2xf32>) -> tensor<0xf32>
  %one = dhlo.constant dense<[3.0]> : tensor<1xf32>
  %k = dhlo.broadcast %one axes = [0] : (tensor<1xf32>) -> tensor<0xf32>
  return %a, %b, %c, %d, %f, %g, %h, %k : tensor<2x0xf32>, tensor<0x5xf32>, tensor<0x2xf32>, tensor<3xf32>, tensor<0x4xf32>, tensor<2xf32>, tensor<0xf32>, tensor<0xf32>
}

// No index is no error, even in a table without rows; an index into it is one, and gives zeros.
// CHECK-LABEL: @gathers{{$}}
// CHECK-NEXT:    tensor<0x2xf32> []
// CHECK-NEXT:    tensor<0xf32> []
// CHECK-NEXT:    tensor<1x2xf32> {{\[\[}}0, 0]]
// CHECK-NEXT:    dhlo.gather: index out of range
// CHECK-NOT:     dhlo.gather
func.func @gathers() -> (tensor<0x2xf32>, tensor<0xf32>, tensor<1x2xf32>) {
  %t = dhlo.constant dense<> : tensor<0x2xf32>
  %none = dhlo.constant dense<> : tensor<0xi64>
  %a = dhlo.gather %t, %none axis = 0 batch = 0 : (tensor<0x2xf32>, tensor<0xi64>) -> tensor<0x2xf32>
  %e = dhlo.constant dense<> : tensor<0xf32>
  %b = dhlo.gather_elements %e, %none axis = 0 : (tensor<0xf32>, tensor<0xi64>) -> tensor<0xf32>
  %zero = dhlo.constant dense<0> : tensor<1xi64>
  %c = dhlo.gather %t, %zero axis = 0 batch = 0 : (tensor<0x2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
  return %a, %b, %c : tensor<0x2xf32>, tensor<0xf32>, tensor<1x2xf32>
}

// Without updates the operand stays; an update of a tensor without elements is an error.
// CHECK-LABEL: @scatters{{$}}
// CHECK-NEXT:    tensor<2xf32> [1, 2]
// CHECK-NEXT:    tensor<2xf32> [1, 2]
// CHECK-NEXT:    tensor<0xf32> []
// CHECK-NEXT:    dhlo.scatter_nd: index out of range
// CHECK-NOT:     dhlo.scatter
func.func @scatters() -> (tensor<2xf32>, tensor<2xf32>, tensor<0xf32>) {
  %x = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %i = dhlo.constant dense<> : tensor<0x1xi64>
  %j = dhlo.constant dense<> : tensor<0xi64>
  %u = dhlo.constant dense<> : tensor<0xf32>
  %a = dhlo.scatter_nd %x, %i, %u add : (tensor<2xf32>, tensor<0x1xi64>, tensor<0xf32>) -> tensor<2xf32>
  %b = dhlo.scatter_elements %x, %j, %u replace axis = 0 : (tensor<2xf32>, tensor<0xi64>, tensor<0xf32>) -> tensor<2xf32>
  %zero = dhlo.constant dense<0> : tensor<1x1xi64>
  %v = dhlo.constant dense<5.0> : tensor<1xf32>
  %c = dhlo.scatter_nd %u, %zero, %v replace : (tensor<0xf32>, tensor<1x1xi64>, tensor<1xf32>) -> tensor<0xf32>
  return %a, %b, %c : tensor<2xf32>, tensor<2xf32>, tensor<0xf32>
}

// Segments without rows have the neutral element of their kind, and no segments no result.
// CHECK-LABEL: @segments{{$}}
// CHECK-NEXT:    tensor<2xf32> [0, 0]
// CHECK-NEXT:    tensor<2xi16> [-32768, -32768]
// CHECK-NEXT:    tensor<0xf32> []
func.func @segments() -> (tensor<2xf32>, tensor<2xi16>, tensor<0xf32>) {
  %x = dhlo.constant dense<> : tensor<0xf32>
  %i = dhlo.constant dense<> : tensor<0xi16>
  %o = dhlo.constant dense<0> : tensor<3xi64>
  %one = dhlo.constant dense<0> : tensor<1xi64>
  %a = dhlo.segment_reduce sum %x, %o : (tensor<0xf32>, tensor<3xi64>) -> tensor<2xf32>
  %b = dhlo.segment_reduce max %i, %o : (tensor<0xi16>, tensor<3xi64>) -> tensor<2xi16>
  %y = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %c = dhlo.segment_reduce sum %y, %one : (tensor<2xf32>, tensor<1xi64>) -> tensor<0xf32>
  return %a, %b, %c : tensor<2xf32>, tensor<2xi16>, tensor<0xf32>
}

// Queries without keys have the sum of no values; no queries have no result.
// CHECK-LABEL: @attention{{$}}
// CHECK-NEXT:    tensor<1x1x0x2xf32> {{\[\[\[}}]]]
func.func @attention() -> tensor<1x1x0x2xf32> {
  %q = dhlo.constant dense<> : tensor<1x1x0x2xf32>
  %k = dhlo.constant dense<1.0> : tensor<1x1x3x2xf32>
  %y = dhlo.attention %q, %k, %k scale = 1.0 : (tensor<1x1x0x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>) -> tensor<1x1x0x2xf32>
  return %y : tensor<1x1x0x2xf32>
}

// No image has no result; an image without channels has sums of nothing.
// CHECK-LABEL: @convolution{{$}}
// CHECK-NEXT:    tensor<0x3x1xf32> []
// CHECK-NEXT:    tensor<1x3x2xf32> {{\[\[\[}}0, 0], [0, 0], [0, 0]]]
func.func @convolution() -> (tensor<0x3x1xf32>, tensor<1x3x2xf32>) {
  %x = dhlo.constant dense<> : tensor<0x3x2xf32>
  %w = dhlo.constant dense<1.0> : tensor<1x2x1xf32>
  %a = dhlo.convolution %x, %w channels_last strides = [1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<0x3x2xf32>, tensor<1x2x1xf32>) -> tensor<0x3x1xf32>
  %e = dhlo.constant dense<> : tensor<1x3x0xf32>
  %f = dhlo.constant dense<> : tensor<1x0x2xf32>
  %b = dhlo.convolution %e, %f channels_last strides = [1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<1x3x0xf32>, tensor<1x0x2xf32>) -> tensor<1x3x2xf32>
  return %a, %b : tensor<0x3x1xf32>, tensor<1x3x2xf32>
}
