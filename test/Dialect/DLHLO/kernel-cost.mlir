// RUN: dyn-opt %s --dlhlo-explain -o /dev/null | FileCheck %s

// What a launch of each kernel costs, over the kernel's sizes: bytes, then
// operations.

// Batched: 2 * B * M * N * K, and the addition. Nothing reads the last operand.
// CHECK: "launch": {
// CHECK: "text": "640 * @d0 + 144 * @d0 * @d1"
// CHECK: "flops"
// CHECK: "text": "330 * @d0 * @d1"
// CHECK: "name": "matmul"
dlhlo.kernel @matmul contraction {
^bb0(%x: tensor<?x?x16xf32, #dhlo.dims<d0, d1>>, %w: tensor<?x16x10xf32, #dhlo.dims<d0>>, %r: tensor<?x?x10xf32, #dhlo.dims<d0, d1>>, %b: tensor<?x40xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [1, 64]
  dhlo.dim @d1 in [1, 64]
  %0 = dhlo.dot_general %x, %w batch = 1 lhs_contract = [2] rhs_contract = [1] : (tensor<?x?x16xf32, #dhlo.dims<d0, d1>>, tensor<?x16x10xf32, #dhlo.dims<d0>>) -> tensor<?x?x10xf32, #dhlo.dims<d0, d1>>
  %1 = dhlo.add %0, %r : tensor<?x?x10xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %1 : tensor<?x?x10xf32, #dhlo.dims<d0, d1>>
}

// Of each group's channels alone, at each window: 2 * N * 36 * 8 * 9 * 2.
// CHECK: "text": "2176 * @d0 + 576"
// CHECK: "flops"
// CHECK: "text": "10368 * @d0"
// CHECK: "name": "grouped"
dlhlo.kernel @grouped convolution {
^bb0(%x: tensor<?x4x8x8xf32, #dhlo.dims<d0>>, %w: tensor<8x2x3x3xf32>):
  dhlo.dim @d0 in [1, 64]
  %0 = dhlo.convolution %x, %w channels_first strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 2 : (tensor<?x4x8x8xf32, #dhlo.dims<d0>>, tensor<8x2x3x3xf32>) -> tensor<?x8x6x6xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x8x6x6xf32, #dhlo.dims<d0>>
}

// One of three filters for each image: 2 * N * 36 * 8 * 9 * 4. The bytes of all
// filters, and of the offsets.
// CHECK: "text": "2176 * @d0 + 3488"
// CHECK: "flops"
// CHECK: "text": "20736 * @d0"
// CHECK: "name": "filters"
dlhlo.kernel @filters convolution {
^bb0(%x: tensor<?x4x8x8xf32, #dhlo.dims<d0>>, %w: tensor<3x8x4x3x3xf32>, %o: tensor<4xi64>):
  dhlo.dim @d0 in [1, 64]
  %0 = dhlo.grouped_convolution %x, %w, %o channels_first strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1 : (tensor<?x4x8x8xf32, #dhlo.dims<d0>>, tensor<3x8x4x3x3xf32>, tensor<4xi64>) -> tensor<?x8x6x6xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x8x6x6xf32, #dhlo.dims<d0>>
}

// Transposed: each of the 64 * 4 inputs has 2 x 2 taps of 8 filters, not the
// zeros between them. The bytes of both weights: 4 * 2 * 2 * 4 * 8.
// CHECK: "text": "9216 * @d0 + 512"
// CHECK: "flops"
// CHECK: "text": "16384 * @d0"
// CHECK: "name": "transposed"
dlhlo.kernel @transposed convolution {
^bb0(%x: tensor<?x8x8x4xf32, #dhlo.dims<d0>>, %w: tensor<2x2x4x8xf32>):
  dhlo.dim @d0 in [1, 64]
  %0 = dhlo.convolution %x, %w channels_last strides = [1, 1] low = [1, 1] high = [1, 1] input_dilation = [2, 2] filter_dilation = [1, 1] groups = 1 : (tensor<?x8x8x4xf32, #dhlo.dims<d0>>, tensor<2x2x4x8xf32>) -> tensor<?x16x16x8xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x16x16x8xf32, #dhlo.dims<d0>>
}

// Winograd's filters are stored beside the direct ones; the operations and the
// bytes are those of the direct sum, 36 * 9 * 16 * 16 * 2.
// CHECK: "text": "6400 * @d0 + 9216"
// CHECK: "flops"
// CHECK: "text": "165888 * @d0"
// CHECK: "name": "winograd"
dlhlo.kernel @winograd convolution {
^bb0(%x: tensor<?x8x8x16xf32, #dhlo.dims<d0>>, %w: tensor<3x3x16x16xf32, #dlhlo.packed<winograd4, batch = 0, rows = 3>>):
  dhlo.dim @d0 in [1, 64]
  %0 = dhlo.convolution %x, %w channels_last strides = [1, 1] low = [0, 0] high = [0, 0] input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1 : (tensor<?x8x8x16xf32, #dhlo.dims<d0>>, tensor<3x3x16x16xf32, #dlhlo.packed<winograd4, batch = 0, rows = 3>>) -> tensor<?x6x6x16xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x6x6x16xf32, #dhlo.dims<d0>>
}

// Every score: B * 2 * S * T * (2 * (8 + 8) + 6), and S * 8 divisions.
// CHECK: "text": "128 * @d0 * @d1 + 128 * @d0 * @d2"
// CHECK: "flops"
// CHECK: "text": "16 * @d0 * @d1 + 76 * @d0 * @d1 * @d2"
// CHECK: "name": "attention"
dlhlo.kernel @attention attention {
^bb0(%q: tensor<?x2x?x8xf32, #dhlo.dims<d0, d1>>, %k: tensor<?x2x?x8xf32, #dhlo.dims<d0, d2>>, %v: tensor<?x2x?x8xf32, #dhlo.dims<d0, d2>>):
  dhlo.dim @d0 in [1, 64]
  dhlo.dim @d1 in [1, 64]
  dhlo.dim @d2 in [1, 64]
  %0 = dhlo.attention %q, %k, %v scale = 0.125 : (tensor<?x2x?x8xf32, #dhlo.dims<d0, d1>>, tensor<?x2x?x8xf32, #dhlo.dims<d0, d2>>, tensor<?x2x?x8xf32, #dhlo.dims<d0, d2>>) -> tensor<?x2x?x8xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x2x?x8xf32, #dhlo.dims<d0, d1>>
}

// Causal: S * (S + 1) / 2 scores.
// CHECK: "flops"
// CHECK: "text": "54 * @d0 * @d1 + 38 * @d0 * @d1 * @d1"
// CHECK: "name": "causal"
dlhlo.kernel @causal attention {
^bb0(%q: tensor<?x2x?x8xf32, #dhlo.dims<d0, d1>>, %k: tensor<?x2x?x8xf32, #dhlo.dims<d0, d1>>, %v: tensor<?x2x?x8xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [1, 64]
  dhlo.dim @d1 in [1, 64]
  %0 = dhlo.attention %q, %k, %v scale = 0.125 causal : (tensor<?x2x?x8xf32, #dhlo.dims<d0, d1>>, tensor<?x2x?x8xf32, #dhlo.dims<d0, d1>>, tensor<?x2x?x8xf32, #dhlo.dims<d0, d1>>) -> tensor<?x2x?x8xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x2x?x8xf32, #dhlo.dims<d0, d1>>
}

// 2 * 16 * 4 for the matmul and 13 * 4 for the cell of each row and step.
// CHECK: "flops"
// CHECK: "text": "180 * @d0 * @d1"
// CHECK: "name": "lstm"
dlhlo.kernel @lstm single {
^bb0(%x: tensor<?x?x1x16xf32, #dhlo.dims<d0, d1>>, %r: tensor<1x4x16xf32>):
  dhlo.dim @d0 in [1, 64]
  dhlo.dim @d1 in [1, 64]
  %y, %h, %c = dhlo.lstm forward %x, %r : (tensor<?x?x1x16xf32, #dhlo.dims<d0, d1>>, tensor<1x4x16xf32>) -> (tensor<?x1x?x4xf32, #dhlo.dims<d0, d1>>, tensor<1x?x4xf32, #dhlo.dims<d1>>, tensor<1x?x4xf32, #dhlo.dims<d1>>)
  dlhlo.yield %y, %h, %c : tensor<?x1x?x4xf32, #dhlo.dims<d0, d1>>, tensor<1x?x4xf32, #dhlo.dims<d1>>, tensor<1x?x4xf32, #dhlo.dims<d1>>
}

// For each element 7 + 4 + 5 + 5 + 9, and the reduction.
// CHECK: "text": "36 * @d0 + 64"
// CHECK: "flops"
// CHECK: "text": "248 * @d0"
// CHECK: "name": "rows"
dlhlo.kernel @rows row {
^bb0(%x: tensor<?x8xf32, #dhlo.dims<d0>>, %s: tensor<8xf32>, %b: tensor<8xf32>):
  dhlo.dim @d0 in [1, 64]
  %0 = dhlo.layer_norm %x, %s, %b axis = 1 eps = 1.0e-5 : (tensor<?x8xf32, #dhlo.dims<d0>>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8xf32, #dhlo.dims<d0>>
  %1 = dhlo.rms_norm %0, %s axis = 1 eps = 1.0e-5 : (tensor<?x8xf32, #dhlo.dims<d0>>, tensor<8xf32>) -> tensor<?x8xf32, #dhlo.dims<d0>>
  %2 = dhlo.softmax %1 axis = 1 : tensor<?x8xf32, #dhlo.dims<d0>>
  %3 = dhlo.gelu erf %2 : tensor<?x8xf32, #dhlo.dims<d0>>
  %4 = dhlo.gelu tanh %3 : tensor<?x8xf32, #dhlo.dims<d0>>
  %5 = dhlo.reduce sum %4 axes = [1] : (tensor<?x8xf32, #dhlo.dims<d0>>) -> tensor<?xf32, #dhlo.dims<d0>>
  dlhlo.yield %5 : tensor<?xf32, #dhlo.dims<d0>>
}

// A window of 3 x 3 for each of 16 results.
// CHECK: "flops"
// CHECK: "text": "144 * @d0"
// CHECK: "name": "window"
dlhlo.kernel @window single {
^bb0(%x: tensor<?x6x6xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [1, 64]
  %0 = dhlo.reduce_window max %x window = [1, 3, 3] strides = [1, 1, 1] dilations = [1, 1, 1] low = [0, 0, 0] high = [0, 0, 0] : (tensor<?x6x6xf32, #dhlo.dims<d0>>) -> tensor<?x4x4xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x4x4xf32, #dhlo.dims<d0>>
}

// Two axes change: four elements are mixed, at two operations each.
// CHECK: "flops"
// CHECK: "text": "512 * @d0"
// CHECK: "name": "resized"
dlhlo.kernel @resized single {
^bb0(%x: tensor<?x4x4xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [1, 64]
  %0 = dhlo.resize linear asymmetric floor %x scales = [1.0, 2.0, 2.0] coefficient = -0.75 : (tensor<?x4x4xf32, #dhlo.dims<d0>>) -> tensor<?x8x8xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x8x8xf32, #dhlo.dims<d0>>
}

// Of a table that is gathered from no more counts than what is taken, or the
// table.
// CHECK: "text": "40 * @d0 + 4 * min(8000, 8 * @d0)"
// CHECK: "flops"
// CHECK: "text": "0"
// CHECK: "name": "taken"
dlhlo.kernel @taken loop {
^bb0(%t: tensor<1000x8xf32>, %i: tensor<?xi64, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [1, 2000]
  %0 = dhlo.gather %t, %i axis = 0 batch = 0 : (tensor<1000x8xf32>, tensor<?xi64, #dhlo.dims<d0>>) -> tensor<?x8xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x8xf32, #dhlo.dims<d0>>
}

// Of %u two rows are read and written; of %v, which is negated too, all four
// are, and one is written again.
// CHECK: "text": "416"
// CHECK: "flops"
// CHECK: "text": "32"
// CHECK: "name": "sliced"
dlhlo.kernel @sliced loop {
^bb0(%u: tensor<100x8xf32>, %v: tensor<4x8xf32>):
  %0 = dhlo.slice %u starts = [10, 0] strides = [1, 1] : (tensor<100x8xf32>) -> tensor<2x8xf32>
  %1 = dhlo.slice %v starts = [3, 0] strides = [1, 1] : (tensor<4x8xf32>) -> tensor<1x8xf32>
  %2 = dhlo.neg %v : tensor<4x8xf32>
  dlhlo.yield %0, %1, %2 : tensor<2x8xf32>, tensor<1x8xf32>, tensor<4x8xf32>
}

// One for each element of the updates.
// CHECK: "flops"
// CHECK: "text": "8 * @d0"
// CHECK: "name": "scattered"
dlhlo.kernel @scattered single {
^bb0(%x: tensor<9x8xf32>, %i: tensor<?x1xi64, #dhlo.dims<d0>>, %u: tensor<?x8xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [1, 64]
  %0 = dhlo.scatter_nd %x, %i, %u add : (tensor<9x8xf32>, tensor<?x1xi64, #dhlo.dims<d0>>, tensor<?x8xf32, #dhlo.dims<d0>>) -> tensor<9x8xf32>
  dlhlo.yield %0 : tensor<9x8xf32>
}
