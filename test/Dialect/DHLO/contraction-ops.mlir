// RUN: dyn-opt %s | dyn-opt | FileCheck %s
// RUN: dyn-opt %s --mlir-print-op-generic | dyn-opt | FileCheck %s
// Contractions and convolutions.

dhlo.dim @B
dhlo.dim @S
dhlo.dim @T
dhlo.dim @H
dhlo.dim @W
dhlo.dim @H1
dhlo.dim @W1
dhlo.dim @P

// CHECK-LABEL: func.func @dot_general(
func.func @dot_general(%x: tensor<?x?x384xf32, #dhlo.dims<B, S>>, %w: tensor<384x1536xf32>, %k: tensor<?x?x384xf32, #dhlo.dims<B, T>>, %v: tensor<8xf64>, %a: tensor<4x8xi8>, %u: tensor<8x3xui8>, %h: tensor<4x8xbf16>, %s: tensor<i64>) {
  // CHECK: dhlo.dot_general %{{.*}}, %{{.*}} batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x384xf32, #dhlo.dims<B, S>>, tensor<384x1536xf32>) -> tensor<?x?x1536xf32, #dhlo.dims<B, S>>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x384xf32, #dhlo.dims<B, S>>, tensor<384x1536xf32>) -> tensor<?x?x1536xf32, #dhlo.dims<B, S>>
  // CHECK: dhlo.dot_general %{{.*}}, %{{.*}} batch = 1 lhs_contract = [2] rhs_contract = [2] : (tensor<?x?x384xf32, #dhlo.dims<B, S>>, tensor<?x?x384xf32, #dhlo.dims<B, T>>) -> tensor<?x?x?xf32, #dhlo.dims<B, S, T>>
  %1 = dhlo.dot_general %x, %k batch = 1 lhs_contract = [2] rhs_contract = [2] : (tensor<?x?x384xf32, #dhlo.dims<B, S>>, tensor<?x?x384xf32, #dhlo.dims<B, T>>) -> tensor<?x?x?xf32, #dhlo.dims<B, S, T>>
  // CHECK: dhlo.dot_general %{{.*}}, %{{.*}} batch = 0 lhs_contract = [0] rhs_contract = [0] : (tensor<8xf64>, tensor<8xf64>) -> tensor<f64>
  %2 = dhlo.dot_general %v, %v batch = 0 lhs_contract = [0] rhs_contract = [0] : (tensor<8xf64>, tensor<8xf64>) -> tensor<f64>
  // CHECK: dhlo.dot_general %{{.*}}, %{{.*}} batch = 0 lhs_contract = [] rhs_contract = [] : (tensor<8xf64>, tensor<8xf64>) -> tensor<8x8xf64>
  %3 = dhlo.dot_general %v, %v batch = 0 lhs_contract = [] rhs_contract = [] : (tensor<8xf64>, tensor<8xf64>) -> tensor<8x8xf64>
  // CHECK: dhlo.dot_general %{{.*}}, %{{.*}} batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xi8>, tensor<8x3xui8>) -> tensor<4x3xi32>
  %4 = dhlo.dot_general %a, %u batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xi8>, tensor<8x3xui8>) -> tensor<4x3xi32>
  // CHECK: dhlo.dot_general %{{.*}}, %{{.*}} batch = 0 lhs_contract = [0, 1] rhs_contract = [0, 1] : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<f32>
  %5 = dhlo.dot_general %h, %h batch = 0 lhs_contract = [0, 1] rhs_contract = [0, 1] : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<f32>
  // CHECK: dhlo.dot_general %{{.*}}, %{{.*}} batch = 1 lhs_contract = [1] rhs_contract = [1] : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4xbf16>
  %6 = dhlo.dot_general %h, %h batch = 1 lhs_contract = [1] rhs_contract = [1] : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4xbf16>
  // CHECK: dhlo.dot_general %{{.*}}, %{{.*}} batch = 0 lhs_contract = [] rhs_contract = [] : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %7 = dhlo.dot_general %s, %s batch = 0 lhs_contract = [] rhs_contract = [] : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return
}

// CHECK-LABEL: func.func @convolution(
func.func @convolution(%x: tensor<?x3x?x?xf32, #dhlo.dims<B, H, W>>, %w: tensor<64x3x7x7xf32>, %l: tensor<?x?x?x32xf32, #dhlo.dims<B, H, W>>, %d: tensor<3x3x1x32xf32>, %v: tensor<?x4x?xf16, #dhlo.dims<B, T>>, %f: tensor<6x2x5xf16>, %c: tensor<1x2x4x4x4xf64>, %g: tensor<2x2x1x1x1xf64>) {
  // CHECK: dhlo.convolution %{{.*}}, %{{.*}} channels_first strides = [2, 2] low = [3, 3] high = [3, 3] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1 : (tensor<?x3x?x?xf32, #dhlo.dims<B, H, W>>, tensor<64x3x7x7xf32>) -> tensor<?x64x?x?xf32, #dhlo.dims<B, H1, W1>>
  %0 = dhlo.convolution %x, %w channels_first strides = [2, 2] low = [3, 3] high = [3, 3] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1 : (tensor<?x3x?x?xf32, #dhlo.dims<B, H, W>>, tensor<64x3x7x7xf32>) -> tensor<?x64x?x?xf32, #dhlo.dims<B, H1, W1>>
  // CHECK: dhlo.convolution %{{.*}}, %{{.*}} channels_last strides = [1, 1] low = [1, @P] high = [1, @P + 1] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 32 : (tensor<?x?x?x32xf32, #dhlo.dims<B, H, W>>, tensor<3x3x1x32xf32>) -> tensor<?x?x?x32xf32, #dhlo.dims<B, H, W1>>
  %1 = dhlo.convolution %l, %d channels_last strides = [1, 1] low = [1, @P] high = [1, @P + 1] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 32 : (tensor<?x?x?x32xf32, #dhlo.dims<B, H, W>>, tensor<3x3x1x32xf32>) -> tensor<?x?x?x32xf32, #dhlo.dims<B, H, W1>>
  // CHECK: dhlo.convolution %{{.*}}, %{{.*}} channels_first strides = [1] low = [4] high = [-1] input_dilation = [3] filter_dilation = [2] groups = 2 : (tensor<?x4x?xf16, #dhlo.dims<B, T>>, tensor<6x2x5xf16>) -> tensor<?x6x?xf16, #dhlo.dims<B, S>>
  %2 = dhlo.convolution %v, %f channels_first strides = [1] low = [4] high = [-1] input_dilation = [3] filter_dilation = [2] groups = 2 : (tensor<?x4x?xf16, #dhlo.dims<B, T>>, tensor<6x2x5xf16>) -> tensor<?x6x?xf16, #dhlo.dims<B, S>>
  // CHECK: dhlo.convolution %{{.*}}, %{{.*}} channels_first strides = [1, 2, 4] low = [0, 0, 0] high = [0, 0, 0] input_dilation = [1, 1, 1] filter_dilation = [1, 1, 1] groups = 1 : (tensor<1x2x4x4x4xf64>, tensor<2x2x1x1x1xf64>) -> tensor<1x2x4x2x1xf64>
  %3 = dhlo.convolution %c, %g channels_first strides = [1, 2, 4] low = [0, 0, 0] high = [0, 0, 0] input_dilation = [1, 1, 1] filter_dilation = [1, 1, 1] groups = 1 : (tensor<1x2x4x4x4xf64>, tensor<2x2x1x1x1xf64>) -> tensor<1x2x4x2x1xf64>
  return
}

// CHECK-LABEL: func.func @grouped_dot(
func.func @grouped_dot(%x: tensor<?x64xf32, #dhlo.dims<B>>, %w: tensor<8x64x96xf32>, %o: tensor<9xi64>,
                       %y: tensor<?x5x2xbf16, #dhlo.dims<B>>, %v: tensor<0x2x3xbf16>, %p: tensor<1xi64>) {
  // CHECK: dhlo.grouped_dot %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x64xf32, #dhlo.dims<B>>, tensor<8x64x96xf32>, tensor<9xi64>) -> tensor<?x96xf32, #dhlo.dims<B>>
  %0 = dhlo.grouped_dot %x, %w, %o : (tensor<?x64xf32, #dhlo.dims<B>>, tensor<8x64x96xf32>, tensor<9xi64>) -> tensor<?x96xf32, #dhlo.dims<B>>
  // CHECK: dhlo.grouped_dot %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x5x2xbf16, #dhlo.dims<B>>, tensor<0x2x3xbf16>, tensor<1xi64>) -> tensor<?x5x3xf32, #dhlo.dims<B>>
  %1 = dhlo.grouped_dot %y, %v, %p : (tensor<?x5x2xbf16, #dhlo.dims<B>>, tensor<0x2x3xbf16>, tensor<1xi64>) -> tensor<?x5x3xf32, #dhlo.dims<B>>
  return
}

// CHECK-LABEL: func.func @grouped_convolution(
func.func @grouped_convolution(%x: tensor<?x8x8x4xf32, #dhlo.dims<B>>, %w: tensor<3x3x3x4x6xf32>, %o: tensor<4xi64>) {
  // CHECK: dhlo.grouped_convolution %{{.*}}, %{{.*}}, %{{.*}} channels_last strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1 : (tensor<?x8x8x4xf32, #dhlo.dims<B>>, tensor<3x3x3x4x6xf32>, tensor<4xi64>) -> tensor<?x8x8x6xf32, #dhlo.dims<B>>
  %0 = dhlo.grouped_convolution %x, %w, %o channels_last strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1 : (tensor<?x8x8x4xf32, #dhlo.dims<B>>, tensor<3x3x3x4x6xf32>, tensor<4xi64>) -> tensor<?x8x8x6xf32, #dhlo.dims<B>>
  return
}
