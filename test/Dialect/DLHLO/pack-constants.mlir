// RUN: dyn-opt %s --dlhlo-hoist-constants --dlhlo-pack-constants | FileCheck %s
// RUN: dyn-opt %s --dlhlo-hoist-constants --dlhlo-pack-constants=winograd=false | FileCheck %s --check-prefix=DIRECT

dhlo.dim @N in [1, 64]
dhlo.dim @H in [4, 64]

// CHECK-NOT: dlhlo.constant @w :
// CHECK: dlhlo.constant @w_0 : tensor<4x32xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>> {
// CHECK:   %[[W:.*]] = dhlo.weight
// CHECK:   %[[T:.*]] = dhlo.transpose %[[W]] permutation = [1, 0]
// CHECK:   dlhlo.pack %[[T]]
// CHECK: dlhlo.constant @f_{{.*}} : tensor<3x3x8x16xf32, #dlhlo.packed<panels16, batch = 0, rows = 3>> {

// CHECK-LABEL: func.func @matmul
func.func @matmul(%x: tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x32xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %0 = dhlo.weight <"m.onnx", offset = 64, length = 512, key = "w"> : tensor<32x4xf32>
  // CHECK: %[[C:.*]] = dlhlo.get_constant @w_0
  // CHECK: dhlo.dot_general %{{.*}}, %[[C]] batch = 0 lhs_contract = [1] rhs_contract = [0]
  %1 = dhlo.dot_general %x, %0 batch = 0 lhs_contract = [1] rhs_contract = [1]
      : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<32x4xf32>) -> tensor<?x32xf32, #dhlo.dims<N>>
  return %1 : tensor<?x32xf32, #dhlo.dims<N>>
}

// Each group's matrix has panels of its own.
// CHECK-LABEL: func.func @groups
func.func @groups(%x: tensor<?x4xf32, #dhlo.dims<N>>, %o: tensor<3xi64>) -> tensor<?x16xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %0 = dhlo.weight <"m.onnx", offset = 64, length = 512, key = "e"> : tensor<2x4x16xf32>
  // CHECK: dlhlo.get_constant @e_{{.*}} : tensor<2x4x16xf32, #dlhlo.packed<panels16, batch = 1, rows = 1>>
  %1 = dhlo.grouped_dot %x, %0, %o : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<2x4x16xf32>, tensor<3xi64>) -> tensor<?x16xf32, #dhlo.dims<N>>
  return %1 : tensor<?x16xf32, #dhlo.dims<N>>
}

// Matrices of bf16 are packed in pairs of rows.
// CHECK-LABEL: func.func @grouped_bf16
func.func @grouped_bf16(%x: tensor<?x4xbf16, #dhlo.dims<N>>, %o: tensor<3xi64>) -> tensor<?x16xbf16, #dhlo.dims<N>> attributes {dhlo.entry} {
  %0 = dhlo.weight <"m.onnx", offset = 64, length = 256, key = "h"> : tensor<2x4x16xbf16>
  // CHECK: dlhlo.get_constant @h{{.*}} : tensor<2x4x16xbf16, #dlhlo.packed<panels16x2, batch = 1, rows = 1>>
  %1 = dhlo.grouped_dot %x, %0, %o : (tensor<?x4xbf16, #dhlo.dims<N>>, tensor<2x4x16xbf16>, tensor<3xi64>) -> tensor<?x16xbf16, #dhlo.dims<N>>
  return %1 : tensor<?x16xbf16, #dhlo.dims<N>>
}

// CHECK-LABEL: func.func @convolution
func.func @convolution(%x: tensor<?x?x?x8xf32, #dhlo.dims<N, H, H>>) -> tensor<?x?x?x16xf32, #dhlo.dims<N, H, H>> attributes {dhlo.entry} {
  %0 = dhlo.weight <"m.onnx", offset = 576, length = 4608, key = "f"> : tensor<3x3x8x16xf32>
  // CHECK: dhlo.convolution %{{.*}}, %{{.*}} channels_last {{.*}}#dlhlo.packed<panels16, batch = 0, rows = 3>
  %1 = dhlo.convolution %x, %0 channels_last strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x?x?x8xf32, #dhlo.dims<N, H, H>>, tensor<3x3x8x16xf32>) -> tensor<?x?x?x16xf32, #dhlo.dims<N, H, H>>
  return %1 : tensor<?x?x?x16xf32, #dhlo.dims<N, H, H>>
}

// An operand in another type stays.
// CHECK-LABEL: func.func @other_type
func.func @other_type(%x: tensor<?x4xf64, #dhlo.dims<N>>) -> tensor<?x32xf64, #dhlo.dims<N>> attributes {dhlo.entry} {
  %0 = dhlo.weight <"m.onnx", offset = 8192, length = 1024, key = "d"> : tensor<4x32xf64>
  // CHECK: dlhlo.get_constant @d : tensor<4x32xf64>
  %1 = dhlo.dot_general %x, %0 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x4xf64, #dhlo.dims<N>>, tensor<4x32xf64>) -> tensor<?x32xf64, #dhlo.dims<N>>
  return %1 : tensor<?x32xf64, #dhlo.dims<N>>
}

// From 16 channels on, under a window of 3 x 3 at every pixel: Winograd's algorithm.
// CHECK-LABEL: func.func @winograd
// DIRECT-LABEL: func.func @winograd
func.func @winograd(%x: tensor<?x?x?x16xf32, #dhlo.dims<N, H, H>>) -> tensor<?x?x?x16xf32, #dhlo.dims<N, H, H>> attributes {dhlo.entry} {
  %0 = dhlo.weight <"m.onnx", offset = 16384, length = 9216, key = "g"> : tensor<3x3x16x16xf32>
  // CHECK: dlhlo.get_constant @{{.*}} : tensor<3x3x16x16xf32, #dlhlo.packed<winograd4, batch = 0, rows = 3>>
  // DIRECT: dlhlo.get_constant @{{.*}} : tensor<3x3x16x16xf32, #dlhlo.packed<panels16, batch = 0, rows = 3>>
  %1 = dhlo.convolution %x, %0 channels_last strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x?x?x16xf32, #dhlo.dims<N, H, H>>, tensor<3x3x16x16xf32>) -> tensor<?x?x?x16xf32, #dhlo.dims<N, H, H>>
  return %1 : tensor<?x?x?x16xf32, #dhlo.dims<N, H, H>>
}

// With channels first, from 8 on, along the lines' axis; each group has its filter.
// CHECK-LABEL: func.func @lines
// DIRECT-LABEL: func.func @lines
func.func @lines(%x: tensor<?x8x?x?xf32, #dhlo.dims<N, H, H>>, %i: tensor<3xi64>)
    -> tensor<?x8x?x?xf32, #dhlo.dims<N, H, H>> attributes {dhlo.entry} {
  %0 = dhlo.weight <"m.onnx", offset = 16384, length = 4608, key = "l"> : tensor<2x8x8x3x3xf32>
  // CHECK: dlhlo.get_constant @{{.*}} : tensor<2x8x8x3x3xf32, #dlhlo.packed<winograd4_lines, batch = 1, rows = 2>>
  // DIRECT: dlhlo.get_constant @{{.*}} : tensor<2x8x8x3x3xf32>
  %1 = dhlo.grouped_convolution %x, %0, %i channels_first strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x8x?x?xf32, #dhlo.dims<N, H, H>>, tensor<2x8x8x3x3xf32>, tensor<3xi64>) -> tensor<?x8x?x?xf32, #dhlo.dims<N, H, H>>
  return %1 : tensor<?x8x?x?xf32, #dhlo.dims<N, H, H>>
}

// With fewer, there is none.
// CHECK-LABEL: func.func @few_channels
func.func @few_channels(%x: tensor<?x?x?x16xf32, #dhlo.dims<N, H, H>>) -> tensor<?x?x?x15xf32, #dhlo.dims<N, H, H>> attributes {dhlo.entry} {
  %0 = dhlo.weight <"m.onnx", offset = 16384, length = 8640, key = "i"> : tensor<3x3x16x15xf32>
  // CHECK: dlhlo.get_constant @{{.*}} : tensor<3x3x16x15xf32, #dlhlo.packed<panels16, batch = 0, rows = 3>>
  %1 = dhlo.convolution %x, %0 channels_last strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x?x?x16xf32, #dhlo.dims<N, H, H>>, tensor<3x3x16x15xf32>) -> tensor<?x?x?x15xf32, #dhlo.dims<N, H, H>>
  return %1 : tensor<?x?x?x15xf32, #dhlo.dims<N, H, H>>
}

// At strides, there is none.
// CHECK-LABEL: func.func @strided
func.func @strided(%x: tensor<?x9x9x32xf32, #dhlo.dims<N>>) -> tensor<?x4x4x48xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %0 = dhlo.weight <"m.onnx", offset = 16384, length = 55296, key = "h"> : tensor<3x3x32x48xf32>
  // CHECK: dlhlo.get_constant @{{.*}} : tensor<3x3x32x48xf32, #dlhlo.packed<panels16, batch = 0, rows = 3>>
  %1 = dhlo.convolution %x, %0 channels_last strides = [2, 2] low = [0, 0] high = [0, 0]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x9x9x32xf32, #dhlo.dims<N>>, tensor<3x3x32x48xf32>) -> tensor<?x4x4x48xf32, #dhlo.dims<N>>
  return %1 : tensor<?x4x4x48xf32, #dhlo.dims<N>>
}

// Bytes that are multiplied as bytes lie in groups of four rows.
// CHECK-LABEL: func.func @bytes
func.func @bytes(%x: tensor<?x4xui8, #dhlo.dims<N>>) -> tensor<?x32xi32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %0 = dhlo.weight <"m.onnx", offset = 512, length = 128, key = "q"> : tensor<32x4xi8>
  // CHECK: dlhlo.get_constant @{{.*}} : tensor<4x32xi8, #dlhlo.packed<panels16x4, batch = 0, rows = 1>>
  %1 = dhlo.dot_general %x, %0 batch = 0 lhs_contract = [1] rhs_contract = [1]
      : (tensor<?x4xui8, #dhlo.dims<N>>, tensor<32x4xi8>) -> tensor<?x32xi32, #dhlo.dims<N>>
  return %1 : tensor<?x32xi32, #dhlo.dims<N>>
}

// Floats of 16 bits stay so; bf16 lies in pairs of rows.
// CHECK-LABEL: func.func @narrow
func.func @narrow(%x: tensor<?x4xbf16, #dhlo.dims<N>>, %y: tensor<?x4xf16, #dhlo.dims<N>>)
    -> (tensor<?x32xbf16, #dhlo.dims<N>>, tensor<?x32xf32, #dhlo.dims<N>>) attributes {dhlo.entry} {
  %0 = dhlo.weight <"m.onnx", offset = 640, length = 256, key = "b"> : tensor<4x32xbf16>
  // CHECK: dlhlo.get_constant @{{.*}} : tensor<4x32xbf16, #dlhlo.packed<panels16x2, batch = 0, rows = 1>>
  %1 = dhlo.dot_general %x, %0 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x4xbf16, #dhlo.dims<N>>, tensor<4x32xbf16>) -> tensor<?x32xbf16, #dhlo.dims<N>>
  %2 = dhlo.weight <"m.onnx", offset = 896, length = 256, key = "h"> : tensor<4x32xf16>
  // CHECK: dlhlo.get_constant @{{.*}} : tensor<4x32xf16, #dlhlo.packed<panels16, batch = 0, rows = 1>>
  %3 = dhlo.dot_general %y, %2 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x4xf16, #dhlo.dims<N>>, tensor<4x32xf16>) -> tensor<?x32xf32, #dhlo.dims<N>>
  return %1, %3 : tensor<?x32xbf16, #dhlo.dims<N>>, tensor<?x32xf32, #dhlo.dims<N>>
}

// Bytes of other signs have no kernel that reads panels.
// CHECK-LABEL: func.func @signed_bytes
func.func @signed_bytes(%x: tensor<?x4xi8, #dhlo.dims<N>>) -> tensor<?x32xi32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %0 = dhlo.weight <"m.onnx", offset = 640, length = 128, key = "r"> : tensor<4x32xi8>
  // CHECK: dlhlo.get_constant @{{.*}} : tensor<4x32xi8>
  %1 = dhlo.dot_general %x, %0 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x4xi8, #dhlo.dims<N>>, tensor<4x32xi8>) -> tensor<?x32xi32, #dhlo.dims<N>>
  return %1 : tensor<?x32xi32, #dhlo.dims<N>>
}

// The filter of each group has panels of its own, and none is for Winograd's algorithm.
// CHECK-LABEL: func.func @grouped_convolution
func.func @grouped_convolution(%x: tensor<?x8x8x32xf32, #dhlo.dims<N>>, %o: tensor<3xi64>) -> tensor<?x8x8x32xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %0 = dhlo.weight <"m.onnx", offset = 64, length = 73728, key = "g"> : tensor<2x3x3x32x32xf32>
  // CHECK: dlhlo.get_constant @g_{{.*}} : tensor<2x3x3x32x32xf32, #dlhlo.packed<panels16, batch = 1, rows = 3>>
  %1 = dhlo.grouped_convolution %x, %0, %o channels_last strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x8x8x32xf32, #dhlo.dims<N>>, tensor<2x3x3x32x32xf32>, tensor<3xi64>) -> tensor<?x8x8x32xf32, #dhlo.dims<N>>
  return %1 : tensor<?x8x8x32xf32, #dhlo.dims<N>>
}

// Vectors along K for a few output channels do not read panels.
// CHECK-LABEL: func.func @skinny
func.func @skinny(%x: tensor<?x8x8x32xf32, #dhlo.dims<N>>) -> tensor<?x8x8x3xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %0 = dhlo.weight <"m.onnx", offset = 64, length = 3456, key = "s"> : tensor<3x3x32x3xf32>
  // CHECK: dlhlo.get_constant @{{.*}} : tensor<3x3x32x3xf32>
  %1 = dhlo.convolution %x, %0 channels_last strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x8x8x32xf32, #dhlo.dims<N>>, tensor<3x3x32x3xf32>) -> tensor<?x8x8x3xf32, #dhlo.dims<N>>
  return %1 : tensor<?x8x8x3xf32, #dhlo.dims<N>>
}
