// RUN: dyn-opt %s -dhlo-fold-batch-norm | FileCheck %s

// Where scales and shifts go into weights and where they stay, one condition each.

dhlo.dim @N

// Channels last: the scale is that of the last axis, in the filter, too.
// CHECK-LABEL: func.func @channels_last
// CHECK: %[[F:.*]] = dhlo.broadcast %{{.*}} axes = [3] : (tensor<4xf32>) -> tensor<1x1x3x4xf32>
// CHECK: %[[W:.*]] = dhlo.mul %{{.*}}, %[[F]] : tensor<1x1x3x4xf32>
// CHECK: %[[Y:.*]] = dhlo.convolution %arg0, %[[W]] channels_last
// CHECK-NEXT: return %[[Y]]
func.func @channels_last(%x: tensor<?x5x5x3xf32, #dhlo.dims<N>>) -> tensor<?x5x5x4xf32, #dhlo.dims<N>> {
  %w = dhlo.weight <"m", offset = 0, length = 48, key = "w"> : tensor<1x1x3x4xf32>
  %s = dhlo.weight <"m", offset = 48, length = 16, key = "s"> : tensor<4xf32>
  %0 = dhlo.convolution %x, %w channels_last strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x5x5x3xf32, #dhlo.dims<N>>, tensor<1x1x3x4xf32>) -> tensor<?x5x5x4xf32, #dhlo.dims<N>>
  %1 = dhlo.broadcast %s axes = [3] : (tensor<4xf32>) -> tensor<?x5x5x4xf32, #dhlo.dims<N>>
  %2 = dhlo.mul %1, %0 : tensor<?x5x5x4xf32, #dhlo.dims<N>>
  return %2 : tensor<?x5x5x4xf32, #dhlo.dims<N>>
}

// Groups of channels: filters are still one for each channel of the result.
// CHECK-LABEL: func.func @depthwise
// CHECK: dhlo.broadcast %{{.*}} axes = [0] : (tensor<4xf32>) -> tensor<4x1x1x1xf32>
// CHECK: %[[W:.*]] = dhlo.div %{{.*}} : tensor<4x1x1x1xf32>
// CHECK: %[[Y:.*]] = dhlo.convolution %arg0, %[[W]] {{.*}} groups = 4
// CHECK-NEXT: return %[[Y]]
func.func @depthwise(%x: tensor<?x4x5x5xf32, #dhlo.dims<N>>) -> tensor<?x4x5x5xf32, #dhlo.dims<N>> {
  %w = dhlo.weight <"m", offset = 0, length = 16, key = "w"> : tensor<4x1x1x1xf32>
  %s = dhlo.weight <"m", offset = 16, length = 16, key = "s"> : tensor<4xf32>
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 4
      : (tensor<?x4x5x5xf32, #dhlo.dims<N>>, tensor<4x1x1x1xf32>) -> tensor<?x4x5x5xf32, #dhlo.dims<N>>
  %1 = dhlo.broadcast %s axes = [1] : (tensor<4xf32>) -> tensor<?x4x5x5xf32, #dhlo.dims<N>>
  %2 = dhlo.div %0, %1 : tensor<?x4x5x5xf32, #dhlo.dims<N>>
  return %2 : tensor<?x4x5x5xf32, #dhlo.dims<N>>
}

// The result divides: it is no factor of the weights.
// CHECK-LABEL: func.func @divides
// CHECK: %[[Y:.*]] = dhlo.dot_general %arg0, %{{.*}}
// CHECK: dhlo.div %{{.*}}, %[[Y]]
func.func @divides(%x: tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %w = dhlo.weight <"m", offset = 0, length = 128, key = "w"> : tensor<8x4xf32>
  %s = dhlo.weight <"m", offset = 128, length = 16, key = "s"> : tensor<4xf32>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %1 = dhlo.broadcast %s axes = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.div %1, %0 : tensor<?x4xf32, #dhlo.dims<N>>
  return %2 : tensor<?x4xf32, #dhlo.dims<N>>
}

// A shift alone is fused with the kernel as it is, one that is subtracted also behind another one.
// CHECK-LABEL: func.func @shifts
// CHECK: %[[Y:.*]] = dhlo.dot_general %arg0, %{{.*}}
// CHECK: %[[A:.*]] = dhlo.add %[[Y]]
// CHECK-NEXT: dhlo.sub %[[A]]
func.func @shifts(%x: tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %w = dhlo.weight <"m", offset = 0, length = 128, key = "w"> : tensor<8x4xf32>
  %s = dhlo.weight <"m", offset = 128, length = 16, key = "s"> : tensor<4xf32>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %1 = dhlo.broadcast %s axes = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.add %0, %1 : tensor<?x4xf32, #dhlo.dims<N>>
  %3 = dhlo.sub %2, %1 : tensor<?x4xf32, #dhlo.dims<N>>
  return %3 : tensor<?x4xf32, #dhlo.dims<N>>
}

// Two shifts are one, of vectors, if nobody reads the first sum.
// CHECK-LABEL: func.func @two_shifts
// CHECK: %[[Y:.*]] = dhlo.dot_general %arg0, %{{.*}}
// CHECK: %[[S:.*]] = dhlo.add %{{.*}}, %{{.*}} : tensor<4xf32>
// CHECK: %[[B:.*]] = dhlo.broadcast %[[S]] axes = [1]
// CHECK: %[[R:.*]] = dhlo.add %[[Y]], %[[B]]
// CHECK-NEXT: return %[[R]]
func.func @two_shifts(%x: tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %w = dhlo.weight <"m", offset = 0, length = 128, key = "w"> : tensor<8x4xf32>
  %s = dhlo.weight <"m", offset = 128, length = 16, key = "s"> : tensor<4xf32>
  %t = dhlo.weight <"m", offset = 144, length = 16, key = "t"> : tensor<4xf32>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %1 = dhlo.broadcast %s axes = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.add %1, %0 : tensor<?x4xf32, #dhlo.dims<N>>
  %3 = dhlo.broadcast %t axes = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %4 = dhlo.add %3, %2 : tensor<?x4xf32, #dhlo.dims<N>>
  return %4 : tensor<?x4xf32, #dhlo.dims<N>>
}

// CHECK-LABEL: func.func @first_sum_is_read
// CHECK: %[[Y:.*]] = dhlo.dot_general %arg0, %{{.*}}
// CHECK: %[[A:.*]] = dhlo.add %[[Y]]
// CHECK: %[[C:.*]] = dhlo.add %[[A]]
// CHECK: return %[[A]], %[[C]]
func.func @first_sum_is_read(%x: tensor<?x8xf32, #dhlo.dims<N>>) -> (tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>) {
  %w = dhlo.weight <"m", offset = 0, length = 128, key = "w"> : tensor<8x4xf32>
  %s = dhlo.weight <"m", offset = 128, length = 16, key = "s"> : tensor<4xf32>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %1 = dhlo.broadcast %s axes = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.add %0, %1 : tensor<?x4xf32, #dhlo.dims<N>>
  %3 = dhlo.add %2, %1 : tensor<?x4xf32, #dhlo.dims<N>>
  return %2, %3 : tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>
}

// A scale of each pixel, though constant, is not one of a channel.
// CHECK-LABEL: func.func @pixels
// CHECK: %[[Y:.*]] = dhlo.convolution
// CHECK: dhlo.mul %[[Y]]
func.func @pixels(%x: tensor<?x3x5x5xf32, #dhlo.dims<N>>) -> tensor<?x4x5x5xf32, #dhlo.dims<N>> {
  %w = dhlo.weight <"m", offset = 0, length = 48, key = "w"> : tensor<4x3x1x1xf32>
  %s = dhlo.weight <"m", offset = 48, length = 400, key = "s"> : tensor<4x5x5xf32>
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x3x5x5xf32, #dhlo.dims<N>>, tensor<4x3x1x1xf32>) -> tensor<?x4x5x5xf32, #dhlo.dims<N>>
  %1 = dhlo.broadcast %s axes = [1, 2, 3] : (tensor<4x5x5xf32>) -> tensor<?x4x5x5xf32, #dhlo.dims<N>>
  %2 = dhlo.mul %0, %1 : tensor<?x4x5x5xf32, #dhlo.dims<N>>
  return %2 : tensor<?x4x5x5xf32, #dhlo.dims<N>>
}

// A batch of matrices; sums in another type than the weights, which a scale would round twice;
// integers, whose quotients are rounded.
// CHECK-LABEL: func.func @contractions
// CHECK: %[[A:.*]] = dhlo.dot_general %arg0
// CHECK: dhlo.mul %[[A]]
// CHECK: %[[B:.*]] = dhlo.dot_general %arg1
// CHECK: dhlo.mul %[[B]]
// CHECK: %[[C:.*]] = dhlo.dot_general %arg2
// CHECK: dhlo.mul %[[C]]
func.func @contractions(%x: tensor<2x?x8xf32, #dhlo.dims<N>>, %h: tensor<?x8xbf16, #dhlo.dims<N>>, %i: tensor<?x8xi32, #dhlo.dims<N>>)
    -> (tensor<2x?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xi32, #dhlo.dims<N>>) {
  %w = dhlo.weight <"m", offset = 0, length = 256, key = "w"> : tensor<2x8x4xf32>
  %v = dhlo.weight <"m", offset = 0, length = 64, key = "v"> : tensor<8x4xbf16>
  %u = dhlo.weight <"m", offset = 0, length = 128, key = "u"> : tensor<8x4xi32>
  %s = dhlo.weight <"m", offset = 256, length = 16, key = "s"> : tensor<4xf32>
  %t = dhlo.weight <"m", offset = 256, length = 16, key = "t"> : tensor<4xi32>
  %0 = dhlo.dot_general %x, %w batch = 1 lhs_contract = [2] rhs_contract = [1] : (tensor<2x?x8xf32, #dhlo.dims<N>>, tensor<2x8x4xf32>) -> tensor<2x?x4xf32, #dhlo.dims<N>>
  %1 = dhlo.broadcast %s axes = [2] : (tensor<4xf32>) -> tensor<2x?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.mul %0, %1 : tensor<2x?x4xf32, #dhlo.dims<N>>
  %3 = dhlo.dot_general %h, %v batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xbf16, #dhlo.dims<N>>, tensor<8x4xbf16>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %4 = dhlo.broadcast %s axes = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %5 = dhlo.mul %3, %4 : tensor<?x4xf32, #dhlo.dims<N>>
  %6 = dhlo.dot_general %i, %u batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xi32, #dhlo.dims<N>>, tensor<8x4xi32>) -> tensor<?x4xi32, #dhlo.dims<N>>
  %7 = dhlo.broadcast %t axes = [1] : (tensor<4xi32>) -> tensor<?x4xi32, #dhlo.dims<N>>
  %8 = dhlo.mul %6, %7 : tensor<?x4xi32, #dhlo.dims<N>>
  return %2, %5, %8 : tensor<2x?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xi32, #dhlo.dims<N>>
}

// Of three axes the last is that of columns, and the matrix may lie across; f16 and f64 fold, too.
// CHECK-LABEL: func.func @types
// CHECK: dhlo.mul %{{.*}} : tensor<4x8xf16>
// CHECK: %[[H:.*]] = dhlo.dot_general %arg0, {{.*}} -> tensor<?x3x4xf16, #dhlo.dims<N>>
// CHECK: dhlo.mul %{{.*}} : tensor<8x4xf64>
// CHECK: %[[D:.*]] = dhlo.dot_general %arg1, {{.*}} -> tensor<?x4xf64, #dhlo.dims<N>>
// CHECK: return %[[H]], %[[D]]
func.func @types(%x: tensor<?x3x8xf16, #dhlo.dims<N>>, %y: tensor<?x8xf64, #dhlo.dims<N>>) -> (tensor<?x3x4xf16, #dhlo.dims<N>>, tensor<?x4xf64, #dhlo.dims<N>>) {
  %w = dhlo.weight <"m", offset = 0, length = 64, key = "w"> : tensor<4x8xf16>
  %s = dhlo.weight <"m", offset = 64, length = 8, key = "s"> : tensor<4xf16>
  %v = dhlo.weight <"m", offset = 0, length = 256, key = "v"> : tensor<8x4xf64>
  %t = dhlo.weight <"m", offset = 256, length = 32, key = "t"> : tensor<4xf64>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [2] rhs_contract = [1] : (tensor<?x3x8xf16, #dhlo.dims<N>>, tensor<4x8xf16>) -> tensor<?x3x4xf16, #dhlo.dims<N>>
  %1 = dhlo.broadcast %s axes = [2] : (tensor<4xf16>) -> tensor<?x3x4xf16, #dhlo.dims<N>>
  %2 = dhlo.mul %0, %1 : tensor<?x3x4xf16, #dhlo.dims<N>>
  %3 = dhlo.dot_general %y, %v batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf64, #dhlo.dims<N>>, tensor<8x4xf64>) -> tensor<?x4xf64, #dhlo.dims<N>>
  %4 = dhlo.broadcast %t axes = [1] : (tensor<4xf64>) -> tensor<?x4xf64, #dhlo.dims<N>>
  %5 = dhlo.mul %3, %4 : tensor<?x4xf64, #dhlo.dims<N>>
  return %2, %5 : tensor<?x3x4xf16, #dhlo.dims<N>>, tensor<?x4xf64, #dhlo.dims<N>>
}

// All axes of the RHS are summed: the last axis of the result is one of rows.
// CHECK-LABEL: func.func @no_columns
// CHECK: %[[Y:.*]] = dhlo.dot_general %arg0
// CHECK: dhlo.mul %[[Y]]
func.func @no_columns(%x: tensor<?x4x8xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %w = dhlo.weight <"m", offset = 0, length = 32, key = "w"> : tensor<8xf32>
  %s = dhlo.weight <"m", offset = 32, length = 16, key = "s"> : tensor<4xf32>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x4x8xf32, #dhlo.dims<N>>, tensor<8xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %1 = dhlo.broadcast %s axes = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.mul %0, %1 : tensor<?x4xf32, #dhlo.dims<N>>
  return %2 : tensor<?x4xf32, #dhlo.dims<N>>
}

// A scale behind a scale: both are in the weights.
// CHECK-LABEL: func.func @twice
// CHECK: %[[A:.*]] = dhlo.mul %{{.*}} : tensor<8x4xf32>
// CHECK: %[[B:.*]] = dhlo.div %[[A]], %{{.*}} : tensor<8x4xf32>
// CHECK: %[[Y:.*]] = dhlo.dot_general %arg0, %[[B]]
// CHECK-NEXT: return %[[Y]]
func.func @twice(%x: tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> {
  %w = dhlo.weight <"m", offset = 0, length = 128, key = "w"> : tensor<8x4xf32>
  %s = dhlo.weight <"m", offset = 128, length = 16, key = "s"> : tensor<4xf32>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %1 = dhlo.broadcast %s axes = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.mul %0, %1 : tensor<?x4xf32, #dhlo.dims<N>>
  %3 = dhlo.div %2, %1 : tensor<?x4xf32, #dhlo.dims<N>>
  return %3 : tensor<?x4xf32, #dhlo.dims<N>>
}
