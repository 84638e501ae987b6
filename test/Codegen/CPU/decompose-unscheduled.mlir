// RUN: dyn-opt %s -decompose-unscheduled | FileCheck %s

// Attention has a kernel for f32 alone: of f16 it goes there by conversions.
// CHECK-LABEL: func.func @f16
// CHECK: %[[Y:.*]] = dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} scale = 1.000000e+00 causal : {{.*}} -> tensor<1x2x4x8xf32>
// CHECK: dhlo.convert %[[Y]] : (tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf16>
func.func @f16(%q: tensor<1x2x4x8xf16>) -> tensor<1x2x4x8xf16> {
  %0 = dhlo.attention %q, %q, %q scale = 1.0 causal : (tensor<1x2x4x8xf16>, tensor<1x2x4x8xf16>, tensor<1x2x4x8xf16>) -> tensor<1x2x4x8xf16>
  return %0 : tensor<1x2x4x8xf16>
}

// A convolution, too: its sums are in f32 in either form.
// CHECK-LABEL: func.func @convolution
// CHECK-SAME: %[[X:.*]]: tensor<1x5x5x2xbf16>, %[[W:.*]]: tensor<3x3x2x4xbf16>
// CHECK-DAG: %[[WIDE_X:.*]] = dhlo.convert %[[X]] : (tensor<1x5x5x2xbf16>) -> tensor<1x5x5x2xf32>
// CHECK-DAG: %[[WIDE_W:.*]] = dhlo.convert %[[W]] : (tensor<3x3x2x4xbf16>) -> tensor<3x3x2x4xf32>
// CHECK: %[[Y:.*]] = dhlo.convolution %[[WIDE_X]], %[[WIDE_W]] channels_last strides = [2, 1] {{.*}} -> tensor<1x2x3x4xf32>
// CHECK: %[[NARROW:.*]] = dhlo.convert %[[Y]] : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xbf16>
// CHECK: return %[[NARROW]]
func.func @convolution(%x: tensor<1x5x5x2xbf16>, %w: tensor<3x3x2x4xbf16>) -> tensor<1x2x3x4xbf16> {
  %0 = dhlo.convolution %x, %w channels_last strides = [2, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<1x5x5x2xbf16>, tensor<3x3x2x4xbf16>) -> tensor<1x2x3x4xbf16>
  return %0 : tensor<1x2x3x4xbf16>
}

// Offsets of images stay integers.
// CHECK-LABEL: func.func @grouped_convolution
// CHECK: dhlo.grouped_convolution {{.*}} : (tensor<4x3x3x1xf32>, tensor<2x2x2x1x1xf32>, tensor<3xi64>) -> tensor<4x2x2x1xf32>
func.func @grouped_convolution(%x: tensor<4x3x3x1xf16>, %w: tensor<2x2x2x1x1xf16>, %offsets: tensor<3xi64>) -> tensor<4x2x2x1xf16> {
  %0 = dhlo.grouped_convolution %x, %w, %offsets channels_last strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<4x3x3x1xf16>, tensor<2x2x2x1x1xf16>, tensor<3xi64>) -> tensor<4x2x2x1xf16>
  return %0 : tensor<4x2x2x1xf16>
}

// CHECK-LABEL: func.func @f64_convolution
// CHECK-NOT: dhlo.convert
// CHECK: return
func.func @f64_convolution(%x: tensor<1x5x5x2xf64>, %w: tensor<3x3x2x4xf64>) -> tensor<1x3x3x4xf64> {
  %0 = dhlo.convolution %x, %w channels_last strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<1x5x5x2xf64>, tensor<3x3x2x4xf64>) -> tensor<1x3x3x4xf64>
  return %0 : tensor<1x3x3x4xf64>
}

// CHECK-LABEL: func.func @f64
// CHECK-COUNT-2: dhlo.dot_general
// CHECK-NOT: dhlo.attention
func.func @f64(%q: tensor<1x2x4x8xf64>) -> tensor<1x2x4x8xf64> {
  %0 = dhlo.attention %q, %q, %q scale = 1.0 : (tensor<1x2x4x8xf64>, tensor<1x2x4x8xf64>, tensor<1x2x4x8xf64>) -> tensor<1x2x4x8xf64>
  return %0 : tensor<1x2x4x8xf64>
}

// What has a kernel stays whole.
// CHECK-LABEL: func.func @f32
// CHECK: dhlo.attention
// CHECK: dhlo.softmax
func.func @f32(%q: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %0 = dhlo.attention %q, %q, %q scale = 1.0 : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  %1 = dhlo.softmax %0 axis = 3 : tensor<1x2x4x8xf32>
  return %1 : tensor<1x2x4x8xf32>
}
