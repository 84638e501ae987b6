// RUN: dyn-opt %s -dhlo-fold-batch-norm -split-input-file | FileCheck %s
// Filters stay a recipe of constants.
// RUN: dyn-opt %s -dhlo-fold-batch-norm -dlhlo-hoist-constants -split-input-file | FileCheck %s --check-prefix=HOIST

// As importers write it: a convolution with a bias, a scale, a shift; the scale
// is computed from weights.
dhlo.dim @N
// CHECK-LABEL: func.func @convolution
// CHECK-DAG: %[[W:.*]] = dhlo.weight {{.*}} key = "w"
// CHECK-DAG: %[[B:.*]] = dhlo.weight {{.*}} key = "b"
// CHECK-DAG: %[[F:.*]] = dhlo.mul %{{.*}}, %{{.*}} : tensor<16xf32>
// CHECK: %[[FW:.*]] = dhlo.broadcast %[[F]] axes = [0] : (tensor<16xf32>) -> tensor<16x8x3x3xf32>
// CHECK: %[[W1:.*]] = dhlo.mul %[[W]], %[[FW]]
// CHECK: %[[Y:.*]] = dhlo.convolution %arg0, %[[W1]]
// CHECK: %[[B1:.*]] = dhlo.mul %[[B]], %[[F]] : tensor<16xf32>
// CHECK: %[[B2:.*]] = dhlo.add %[[B1]], %{{.*}} : tensor<16xf32>
// CHECK: %[[SHIFT:.*]] = dhlo.broadcast %[[B2]] axes = [1]
// CHECK: %[[R:.*]] = dhlo.add %[[Y]], %[[SHIFT]]
// CHECK: return %[[R]]

// HOIST: dlhlo.constant
// HOIST: func.func @convolution
// HOIST: %[[W:.*]] = dlhlo.get_constant {{.*}} tensor<16x8x3x3xf32>
// HOIST-NEXT: %[[Y:.*]] = dhlo.convolution %arg0, %[[W]]
// HOIST-NOT: dhlo.mul
// HOIST: dhlo.add %[[Y]]
// HOIST-NEXT: return
func.func @convolution(%x: tensor<?x8x4x4xf32, #dhlo.dims<N>>) -> tensor<?x16x4x4xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %w = dhlo.weight <"m", offset = 0, length = 4608, key = "w"> : tensor<16x8x3x3xf32>
  %b = dhlo.weight <"m", offset = 4608, length = 64, key = "b"> : tensor<16xf32>
  %s = dhlo.weight <"m", offset = 4672, length = 64, key = "s"> : tensor<16xf32>
  %v = dhlo.weight <"m", offset = 4736, length = 64, key = "v"> : tensor<16xf32>
  %t = dhlo.weight <"m", offset = 4800, length = 64, key = "t"> : tensor<16xf32>
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x8x4x4xf32, #dhlo.dims<N>>, tensor<16x8x3x3xf32>) -> tensor<?x16x4x4xf32, #dhlo.dims<N>>
  %1 = dhlo.broadcast %b axes = [1] : (tensor<16xf32>) -> tensor<?x16x4x4xf32, #dhlo.dims<N>>
  %2 = dhlo.add %1, %0 : tensor<?x16x4x4xf32, #dhlo.dims<N>>
  %3 = dhlo.rsqrt %v : tensor<16xf32>
  %4 = dhlo.mul %s, %3 : tensor<16xf32>
  %5 = dhlo.reshape %4 : (tensor<16xf32>) -> tensor<16x1x1xf32>
  %6 = dhlo.broadcast %5 axes = [1, 2, 3] : (tensor<16x1x1xf32>) -> tensor<?x16x4x4xf32, #dhlo.dims<N>>
  %7 = dhlo.mul %2, %6 : tensor<?x16x4x4xf32, #dhlo.dims<N>>
  %8 = dhlo.broadcast %t axes = [1] : (tensor<16xf32>) -> tensor<?x16x4x4xf32, #dhlo.dims<N>>
  %9 = dhlo.add %7, %8 : tensor<?x16x4x4xf32, #dhlo.dims<N>>
  return %9 : tensor<?x16x4x4xf32, #dhlo.dims<N>>
}

// -----

// A matmul, divided by one number, and a transposed RHS.
dhlo.dim @N
// CHECK-LABEL: func.func @matmul
// CHECK: %[[S:.*]] = dhlo.broadcast %{{.*}} axes = [] : (tensor<f32>) -> tensor<4xf32>
// CHECK: %[[SW:.*]] = dhlo.broadcast %[[S]] axes = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
// CHECK: %[[W:.*]] = dhlo.div %{{.*}}, %[[SW]] : tensor<4x8xf32>
// CHECK: %[[Y:.*]] = dhlo.dot_general %arg0, %[[W]]
// CHECK: return %[[Y]]
func.func @matmul(%x: tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?x4xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %w = dhlo.weight <"m", offset = 0, length = 128, key = "w"> : tensor<4x8xf32>
  %c = dhlo.constant dense<3.0> : tensor<f32>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [1] : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<4x8xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %1 = dhlo.broadcast %c axes = [] : (tensor<f32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.div %0, %1 : tensor<?x4xf32, #dhlo.dims<N>>
  return %2 : tensor<?x4xf32, #dhlo.dims<N>>
}

// -----

// The result before the scale is read elsewhere.
// CHECK-LABEL: func.func @second_use
// CHECK: %[[Y:.*]] = dhlo.dot_general
// CHECK: dhlo.mul %[[Y]]
func.func @second_use(%x: tensor<2x8xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %w = dhlo.weight <"m", offset = 0, length = 128, key = "w"> : tensor<8x4xf32>
  %s = dhlo.weight <"m", offset = 128, length = 16, key = "s"> : tensor<4xf32>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  %1 = dhlo.broadcast %s axes = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
  %2 = dhlo.mul %0, %1 : tensor<2x4xf32>
  return %0, %2 : tensor<2x4xf32>, tensor<2x4xf32>
}

// The scale is one for each row.
// CHECK-LABEL: func.func @wrong_axis
// CHECK: %[[Y:.*]] = dhlo.dot_general
// CHECK: dhlo.mul %[[Y]]
func.func @wrong_axis(%x: tensor<4x8xf32>) -> tensor<4x4xf32> {
  %w = dhlo.weight <"m", offset = 0, length = 128, key = "w"> : tensor<8x4xf32>
  %s = dhlo.weight <"m", offset = 128, length = 16, key = "s"> : tensor<4xf32>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = dhlo.broadcast %s axes = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
  %2 = dhlo.mul %0, %1 : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// Weights and scales that are inputs.
// CHECK-LABEL: func.func @not_constant
// CHECK: dhlo.dot_general
// CHECK: dhlo.mul %{{.*}} : tensor<2x4xf32>
// CHECK: dhlo.dot_general
// CHECK: dhlo.mul %{{.*}} : tensor<2x4xf32>
func.func @not_constant(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>, %s: tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %v = dhlo.weight <"m", offset = 0, length = 128, key = "w"> : tensor<8x4xf32>
  %c = dhlo.weight <"m", offset = 128, length = 16, key = "s"> : tensor<4xf32>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  %1 = dhlo.broadcast %c axes = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
  %2 = dhlo.mul %0, %1 : tensor<2x4xf32>
  %3 = dhlo.dot_general %x, %v batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  %4 = dhlo.broadcast %s axes = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
  %5 = dhlo.mul %3, %4 : tensor<2x4xf32>
  return %2, %5 : tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// What chooses among filters keeps them.
dhlo.dim @N
// CHECK-LABEL: func.func @offsets
// CHECK: %[[Y:.*]] = dhlo.grouped_convolution %arg0, %{{.*}}, %arg1 channels_first
// CHECK: dhlo.mul %[[Y]]
func.func @offsets(%x: tensor<?x8x4x4xf32, #dhlo.dims<N>>, %o: tensor<3xi64>) -> tensor<?x16x4x4xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %w = dhlo.weight <"m", offset = 0, length = 9216, key = "w"> : tensor<2x16x8x3x3xf32>
  %s = dhlo.weight <"m", offset = 9216, length = 64, key = "s"> : tensor<16xf32>
  %0 = dhlo.grouped_convolution %x, %w, %o channels_first strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x8x4x4xf32, #dhlo.dims<N>>, tensor<2x16x8x3x3xf32>, tensor<3xi64>) -> tensor<?x16x4x4xf32, #dhlo.dims<N>>
  %1 = dhlo.broadcast %s axes = [1] : (tensor<16xf32>) -> tensor<?x16x4x4xf32, #dhlo.dims<N>>
  %2 = dhlo.mul %0, %1 : tensor<?x16x4x4xf32, #dhlo.dims<N>>
  return %2 : tensor<?x16x4x4xf32, #dhlo.dims<N>>
}
