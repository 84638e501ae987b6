// RUN: dyn-opt %s -split-input-file -convert-kernel-to-vector | FileCheck %s

// Which schedule a convolution gets: the functions that it calls have the names of tiles
// and transforms. Depthwise convolutions are in gemm.mlir.

// A window of one element is a matmul, with the pixels of all images as rows: as many as
// the tallest tile has, and less.

// CHECK-LABEL: func.func @pointwise.body(
// CHECK:       call @mk_1x1(
// CHECK:       call @mk_14x1(
// CHECK:       func.func private
dlhlo.kernel @pointwise convolution {
^bb0(%x: tensor<?x9x9x16xf32, #dhlo.dims<N>>, %w: tensor<1x1x16x16xf32, #dlhlo.packed<panels16, batch = 0, rows = 3>>):
  dhlo.dim @N in [0, ?]
  %0 = dhlo.convolution %x, %w channels_last strides = [1, 1] low = [0, 0] high = [0, 0]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x9x9x16xf32, #dhlo.dims<N>>, tensor<1x1x16x16xf32, #dlhlo.packed<panels16, batch = 0, rows = 3>>) -> tensor<?x9x9x16xf32, #dhlo.dims<N>>
  dlhlo.yield %0 : tensor<?x9x9x16xf32, #dhlo.dims<N>>
}

// -----

// With strides it is none: the five pixels of an image row are a tile.

// CHECK-LABEL: func.func @strided.body(
// CHECK-NOT:   call
// CHECK:       call @mk_5x1(
// CHECK-NOT:   call
// CHECK:       func.func private
dlhlo.kernel @strided convolution {
^bb0(%x: tensor<?x9x9x16xf32, #dhlo.dims<N>>, %w: tensor<1x1x16x16xf32, #dlhlo.packed<panels16, batch = 0, rows = 3>>):
  dhlo.dim @N in [0, ?]
  %0 = dhlo.convolution %x, %w channels_last strides = [2, 2] low = [0, 0] high = [0, 0]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x9x9x16xf32, #dhlo.dims<N>>, tensor<1x1x16x16xf32, #dlhlo.packed<panels16, batch = 0, rows = 3>>) -> tensor<?x5x5x16xf32, #dhlo.dims<N>>
  dlhlo.yield %0 : tensor<?x5x5x16xf32, #dhlo.dims<N>>
}

// -----

// Filters that are packed for it choose Winograd's algorithm, at each call where images
// are large enough.

// CHECK-LABEL: func.func @winograd.body(
// CHECK:       scf.if
// CHECK:         call @winograd_input(
// CHECK:         call @mk_14x1(
// CHECK:         call @winograd_output(
// CHECK:       } else {
// CHECK-NOT:     call @winograd
// CHECK:         call @mk_6x1(
// CHECK:       func.func private
dlhlo.kernel @winograd convolution {
^bb0(%x: tensor<?x8x8x16xf32, #dhlo.dims<N>>, %w: tensor<3x3x16x16xf32, #dlhlo.packed<winograd4, batch = 0, rows = 3>>):
  dhlo.dim @N in [0, ?]
  %0 = dhlo.convolution %x, %w channels_last strides = [1, 1] low = [0, 0] high = [0, 0]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x8x8x16xf32, #dhlo.dims<N>>, tensor<3x3x16x16xf32, #dlhlo.packed<winograd4, batch = 0, rows = 3>>) -> tensor<?x6x6x16xf32, #dhlo.dims<N>>
  dlhlo.yield %0 : tensor<?x6x6x16xf32, #dhlo.dims<N>>
}

// -----

// Its tiles do not serve strides: the direct filters, stored beside the others, do.

// CHECK-LABEL: func.func @apart.body(
// CHECK-NOT:   call @winograd
// CHECK:       call @mk_8x1(
// CHECK-NOT:   call @winograd
// CHECK:       func.func private
dlhlo.kernel @apart convolution {
^bb0(%x: tensor<?x17x17x16xf32, #dhlo.dims<N>>, %w: tensor<3x3x16x16xf32, #dlhlo.packed<winograd4, batch = 0, rows = 3>>):
  dhlo.dim @N in [0, ?]
  %0 = dhlo.convolution %x, %w channels_last strides = [2, 2] low = [0, 0] high = [0, 0]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x17x17x16xf32, #dhlo.dims<N>>, tensor<3x3x16x16xf32, #dlhlo.packed<winograd4, batch = 0, rows = 3>>) -> tensor<?x8x8x16xf32, #dhlo.dims<N>>
  dlhlo.yield %0 : tensor<?x8x8x16xf32, #dhlo.dims<N>>
}

// -----

// Few channels, which come first: vectors of pixels.

// CHECK-LABEL: func.func @plane.body(
// CHECK:       call @planes_copy(
// CHECK:       call @planes_2x8_27(
// CHECK-NOT:   call @mk
// CHECK:       func.func private
dlhlo.kernel @plane convolution {
^bb0(%x: tensor<?x3x32x32xf32, #dhlo.dims<N>>, %w: tensor<8x3x3x3xf32>):
  dhlo.dim @N in [0, ?]
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x3x32x32xf32, #dhlo.dims<N>>, tensor<8x3x3x3xf32>) -> tensor<?x8x32x32xf32, #dhlo.dims<N>>
  dlhlo.yield %0 : tensor<?x8x32x32xf32, #dhlo.dims<N>>
}

// -----

// An input with zeros between its elements has no micro-kernel.

// CHECK-LABEL: func.func @transposed.body(
// CHECK-NOT:   call @
// CHECK:       math.fma
// CHECK-NOT:   func.func private
dlhlo.kernel @transposed convolution {
^bb0(%x: tensor<?x8x8x4xf32, #dhlo.dims<N>>, %w: tensor<2x2x4x8xf32>):
  dhlo.dim @N in [0, ?]
  %0 = dhlo.convolution %x, %w channels_last strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [2, 2] filter_dilation = [1, 1] groups = 1
      : (tensor<?x8x8x4xf32, #dhlo.dims<N>>, tensor<2x2x4x8xf32>) -> tensor<?x16x16x8xf32, #dhlo.dims<N>>
  dlhlo.yield %0 : tensor<?x16x16x8xf32, #dhlo.dims<N>>
}

// -----

// A few output channels: vectors along K, of the three pixels of a row of the window, and
// the summed lanes of five pixels by three channels.

// CHECK-LABEL: func.func @skinny.body(
// CHECK-NOT:   call @mk
// CHECK:       iter_args({{.*}}) -> ({{(vector<16xf32>(, )?){15}[)]}}
// CHECK:         vector.shuffle
// CHECK-NOT:   call @mk
dlhlo.kernel @skinny convolution {
^bb0(%x: tensor<?x32x32x16xf32, #dhlo.dims<N>>, %w: tensor<3x3x16x3xf32>):
  dhlo.dim @N in [0, ?]
  %0 = dhlo.convolution %x, %w channels_last strides = [1, 1] low = [0, 0] high = [0, 0]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x32x32x16xf32, #dhlo.dims<N>>, tensor<3x3x16x3xf32>) -> tensor<?x30x30x3xf32, #dhlo.dims<N>>
  dlhlo.yield %0 : tensor<?x30x30x3xf32, #dhlo.dims<N>>
}

// -----

// Not of so few elements along K that summing lanes takes longer.

// CHECK-LABEL: func.func @short.body(
// CHECK:       call @mk
// CHECK:       func.func private
dlhlo.kernel @short convolution {
^bb0(%x: tensor<?x32x32x8xf32, #dhlo.dims<N>>, %w: tensor<2x2x8x8xf32>):
  dhlo.dim @N in [0, ?]
  %0 = dhlo.convolution %x, %w channels_last strides = [1, 1] low = [0, 0] high = [0, 0]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x32x32x8xf32, #dhlo.dims<N>>, tensor<2x2x8x8xf32>) -> tensor<?x31x31x8xf32, #dhlo.dims<N>>
  dlhlo.yield %0 : tensor<?x31x31x8xf32, #dhlo.dims<N>>
}

// -----

// Three panels of channels are one tile: pairs would compute one of them twice.

// CHECK-LABEL: func.func @wide.body(
// CHECK-NOT:   call @mk_{{[0-9]+}}x2(
// CHECK:       call @mk_8x3(
// CHECK-NOT:   call @mk_{{[0-9]+}}x2(
// CHECK:       func.func private
dlhlo.kernel @wide convolution {
^bb0(%x: tensor<?x17x33x16xf32, #dhlo.dims<N>>, %w: tensor<3x3x16x48xf32, #dlhlo.packed<panels16, batch = 0, rows = 3>>):
  dhlo.dim @N in [0, ?]
  %0 = dhlo.convolution %x, %w channels_last strides = [2, 2] low = [0, 0] high = [0, 0]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x17x33x16xf32, #dhlo.dims<N>>, tensor<3x3x16x48xf32, #dlhlo.packed<panels16, batch = 0, rows = 3>>) -> tensor<?x8x16x48xf32, #dhlo.dims<N>>
  dlhlo.yield %0 : tensor<?x8x16x48xf32, #dhlo.dims<N>>
}
