// RUN: dyn-opt %s -split-input-file -convert-kernel-to-vector=isa=v4 | FileCheck %s
// RUN: dyn-opt %s -split-input-file -convert-kernel-to-vector=isa=v3 | FileCheck %s --check-prefix=V3

// One row by a constant: no tall tile, so one micro-kernel, called directly.

// CHECK-LABEL: func.func @row.body(
// CHECK-NOT:   scf.index_switch
// CHECK:       call @mk_1x2
// CHECK:       func.func private @mk_1x2(
// CHECK:         math.fma {{.*}} : vector<16xf32>
// CHECK-NOT:   func.func private
// V3-LABEL:    func.func @row.body(
// V3:          func.func private @mk_1x4(
// V3:            math.fma {{.*}} : vector<8xf32>
dlhlo.kernel @row contraction {
^bb0(%x: tensor<1x48xf32>, %w: tensor<48x64xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>):
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<1x48xf32>, tensor<48x64xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>) -> tensor<1x64xf32>
  dlhlo.yield %0 : tensor<1x64xf32>
}

// -----

// One row by a matrix that is no constant, which is read where it is.

// CHECK-LABEL: func.func @read.body(
// CHECK-NOT:   call @panel_from_rows
// CHECK:       call @rows_of_n_1
// CHECK-NOT:   call @mk_
// CHECK:       func.func private @rows_of_n_1
// CHECK:         math.fma {{.*}} : vector<16xf32>
// V3-LABEL:    func.func @read.body(
// V3:          func.func private @rows_of_n_1
// V3:            math.fma {{.*}} : vector<8xf32>
dlhlo.kernel @read contraction {
^bb0(%x: tensor<1x?xf32, #dhlo.dims<K>>, %w: tensor<?x64xf32, #dhlo.dims<K>>):
  dhlo.dim @K in [0, ?]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<1x?xf32, #dhlo.dims<K>>, tensor<?x64xf32, #dhlo.dims<K>>) -> tensor<1x64xf32>
  dlhlo.yield %0 : tensor<1x64xf32>
}

// -----

// Its rows along K are transposed in registers, those of 16 columns at once if
// they share sets of the cache. Another function is for few columns.

// CHECK-LABEL: func.func @transposed.body(
// CHECK:       arith.cmpi sge, %{{.*}}, %c16_i64
// CHECK:       call @rows_of_k_narrow_3
// CHECK:       } else {
// CHECK:       call @panel_from_columns
// CHECK:       call @mk_3x4
dlhlo.kernel @transposed contraction {
^bb0(%x: tensor<3x1024xf32>, %w: tensor<?x1024xf32, #dhlo.dims<N>>):
  dhlo.dim @N in [0, ?]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [1] : (tensor<3x1024xf32>, tensor<?x1024xf32, #dhlo.dims<N>>) -> tensor<3x?xf32, #dhlo.dims<N>>
  dlhlo.yield %0 : tensor<3x?xf32, #dhlo.dims<N>>
}

// -----

// Up to eight rows are one or two tiles.

// CHECK-LABEL: func.func @few.body(
// CHECK:       call @rows_of_n_3
// CHECK:       call @rows_of_n_4
// CHECK-NOT:   call @rows_of_n
// CHECK:       func.func private
dlhlo.kernel @few contraction {
^bb0(%x: tensor<?x48xf32, #dhlo.dims<M>>, %w: tensor<48x64xf32>):
  dhlo.dim @M in [5, 8]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x48xf32, #dhlo.dims<M>>, tensor<48x64xf32>) -> tensor<?x64xf32, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<?x64xf32, #dhlo.dims<M>>
}

// -----

// By one column: its elements are a row.

// CHECK-LABEL: func.func @column.body(
// CHECK:       call @rows_of_k_1
// CHECK-NOT:   call @mk_
dlhlo.kernel @column contraction {
^bb0(%x: tensor<2x100x48xf32>, %w: tensor<2x48x1xf32>):
  %0 = dhlo.dot_general %x, %w batch = 1 lhs_contract = [2] rhs_contract = [1] : (tensor<2x100x48xf32>, tensor<2x48x1xf32>) -> tensor<2x100x1xf32>
  dlhlo.yield %0 : tensor<2x100x1xf32>
}

// -----

// Many rows by many columns of a constant: packed rows, in tiles of one height,
// where a function's registers hold them.

// CHECK-LABEL: func.func @many.body(
// CHECK:       arith.cmpi sge, %{{.*}}, %c128_i64
// CHECK:       call @tile_from_rows_8
// CHECK:       call @mkp_8x3
// CHECK:       call @mk_13x2
// V3-LABEL:    func.func @many.body(
// V3-NOT:      call @tile_from_rows
// V3:          call @mk_6x1
dlhlo.kernel @many contraction {
^bb0(%x: tensor<?x48xf32, #dhlo.dims<M>>, %w: tensor<48x384xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>):
  dhlo.dim @M in [0, ?]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x48xf32, #dhlo.dims<M>>, tensor<48x384xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>) -> tensor<?x384xf32, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<?x384xf32, #dhlo.dims<M>>
}

// -----

// Packed rows of a deep GEMM: tiles process one block along k after the other.
// Of 23 panels the last two are a group of their own.

// CHECK-LABEL: func.func @deep.body(
// CHECK:       %[[BLOCKS:.*]] = arith.select %{{.*}}, %c3_i64, %c1_i64
// CHECK:       scf.for %{{.*}} = %c0_i64 to %[[BLOCKS]]
// CHECK:       call @mkp_8x3
// CHECK:       call @mkp_8x2
// V3-LABEL:    func.func @deep.body(
// V3-NOT:      arith.select %{{.*}}, %c3_i64, %c1_i64
// V3:          call @mk_6x1
dlhlo.kernel @deep contraction {
^bb0(%x: tensor<?x2052xf32, #dhlo.dims<M>>, %w: tensor<2052x368xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>):
  dhlo.dim @M in [0, ?]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x2052xf32, #dhlo.dims<M>>, tensor<2052x368xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>) -> tensor<?x368xf32, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<?x368xf32, #dhlo.dims<M>>
}

// -----

// 112 columns would be seven panels, computed as nine.

// CHECK-LABEL: func.func @uneven.body(
// CHECK-NOT:   call @tile_from_rows
// CHECK:       call @mk_13x2
dlhlo.kernel @uneven contraction {
^bb0(%x: tensor<?x48xf32, #dhlo.dims<M>>, %w: tensor<48x112xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>):
  dhlo.dim @M in [0, ?]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x48xf32, #dhlo.dims<M>>, tensor<48x112xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>) -> tensor<?x112xf32, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<?x112xf32, #dhlo.dims<M>>
}

// -----

// Any number of rows: a branch on the rows of the tile; an RHS that is no
// packed constant is packed; what follows runs on the tile.

// CHECK-LABEL: func.func @rows.body(
// CHECK:       call @panel_from_rows
// CHECK:       scf.index_switch
// CHECK:       call @mk_13x2
// CHECK:       arith.addf {{.*}} : vector<16xf32>
// V3-LABEL:    func.func @rows.body(
// V3:          call @mk_6x1
dlhlo.kernel @rows contraction {
^bb0(%x: tensor<?x48xf32, #dhlo.dims<M>>, %w: tensor<48x64xf32>, %b: tensor<64xf32>):
  dhlo.dim @M in [0, ?]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x48xf32, #dhlo.dims<M>>, tensor<48x64xf32>) -> tensor<?x64xf32, #dhlo.dims<M>>
  %1 = dhlo.broadcast %b axes = [1] : (tensor<64xf32>) -> tensor<?x64xf32, #dhlo.dims<M>>
  %2 = dhlo.add %0, %1 : tensor<?x64xf32, #dhlo.dims<M>>
  dlhlo.yield %2 : tensor<?x64xf32, #dhlo.dims<M>>
}

// -----

// 24 columns: the second panel has 8, in one short vector.

// CHECK-LABEL: func.func @part.body(
// CHECK:       llvm.store %{{.*}} : vector<16xf32>
// CHECK:       llvm.store %{{.*}} : vector<8xf32>
// CHECK-NOT:   llvm.store %{{.*}} : f32
// CHECK:       func.func private
dlhlo.kernel @part contraction {
^bb0(%x: tensor<?x48xf32, #dhlo.dims<M>>, %w: tensor<48x24xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>):
  dhlo.dim @M in [0, ?]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x48xf32, #dhlo.dims<M>>, tensor<48x24xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>) -> tensor<?x24xf32, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<?x24xf32, #dhlo.dims<M>>
}

// -----

// Depthwise: eight pixels at once, in vectors of as many lanes as channels. Where
// all are inside, the ten pixels of a row of the window are read once each; at an
// edge, from a selected address, and results outside are not stored.

// CHECK-LABEL: func.func @depthwise.body(
// CHECK:       scf.if
// CHECK:         scf.for {{.*}} -> ([[EIGHT:vector<12xf32>(, vector<12xf32>){7}]])
// CHECK-NOT:       arith.select
// CHECK-COUNT-24:  math.fma {{.*}} : vector<12xf32>
// CHECK-COUNT-8: llvm.store {{.*}} : vector<12xf32>
// CHECK:       } else {
// CHECK:         scf.for {{.*}} -> ([[EIGHT]])
// CHECK:           arith.select {{.*}} : !llvm.ptr
// CHECK:         arith.cmpi slt
// CHECK-NEXT:    scf.if
// CHECK:           llvm.store {{.*}} : vector<12xf32>
dlhlo.kernel @depthwise convolution {
^bb0(%x: tensor<?x9x9x12xf32, #dhlo.dims<N>>, %w: tensor<3x3x1x12xf32>):
  dhlo.dim @N in [0, ?]
  %0 = dhlo.convolution %x, %w channels_last strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 12
      : (tensor<?x9x9x12xf32, #dhlo.dims<N>>, tensor<3x3x1x12xf32>) -> tensor<?x9x9x12xf32, #dhlo.dims<N>>
  dlhlo.yield %0 : tensor<?x9x9x12xf32, #dhlo.dims<N>>
}

// -----

// Groups of four channels: 16 lanes are four groups, which get the elements of a
// channel by a permutation, once for all results that need them.

// CHECK-LABEL: func.func @fours.body(
// CHECK:         vector.shuffle {{.*}} [0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12] : vector<16xf32>, vector<16xf32>
// CHECK-NEXT:    math.fma
// CHECK:         vector.shuffle {{.*}} [3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15]
// V3-LABEL:    func.func @fours.body(
// V3:            vector.shuffle {{.*}} [0, 0, 0, 0, 4, 4, 4, 4] : vector<8xf32>, vector<8xf32>
dlhlo.kernel @fours convolution {
^bb0(%x: tensor<?x9x9x32xf32, #dhlo.dims<N>>, %w: tensor<3x3x4x32xf32, #dlhlo.packed<panels16, batch = 0, rows = 3>>):
  dhlo.dim @N in [0, ?]
  %0 = dhlo.convolution %x, %w channels_last strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 8
      : (tensor<?x9x9x32xf32, #dhlo.dims<N>>, tensor<3x3x4x32xf32, #dlhlo.packed<panels16, batch = 0, rows = 3>>) -> tensor<?x9x9x32xf32, #dhlo.dims<N>>
  dlhlo.yield %0 : tensor<?x9x9x32xf32, #dhlo.dims<N>>
}

// -----

// Groups of eight channels are a vector each, for which an element is broadcast. 24
// channels are no full panels of 16, so the filter is not packed.

// CHECK-LABEL: func.func @eights.body(
// CHECK:         vector.broadcast {{.*}} : f32 to vector<8xf32>
// CHECK-NEXT:    math.fma {{.*}} : vector<8xf32>
// CHECK-NOT:     vector<16xf32>
// CHECK:         return
dlhlo.kernel @eights convolution {
^bb0(%x: tensor<?x9x9x24xf32, #dhlo.dims<N>>, %w: tensor<3x3x8x24xf32>):
  dhlo.dim @N in [0, ?]
  %0 = dhlo.convolution %x, %w channels_last strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 3
      : (tensor<?x9x9x24xf32, #dhlo.dims<N>>, tensor<3x3x8x24xf32>) -> tensor<?x9x9x24xf32, #dhlo.dims<N>>
  dlhlo.yield %0 : tensor<?x9x9x24xf32, #dhlo.dims<N>>
}

// -----

// Two results for each channel of the input: eight channels have 16 lanes.

// CHECK-LABEL: func.func @multiples.body(
// CHECK:         vector.shuffle {{.*}} [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7] : vector<8xf32>, vector<8xf32>
dlhlo.kernel @multiples convolution {
^bb0(%x: tensor<?x9x9x12xf32, #dhlo.dims<N>>, %w: tensor<3x3x1x24xf32>):
  dhlo.dim @N in [0, ?]
  %0 = dhlo.convolution %x, %w channels_last strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 12
      : (tensor<?x9x9x12xf32, #dhlo.dims<N>>, tensor<3x3x1x24xf32>) -> tensor<?x9x9x24xf32, #dhlo.dims<N>>
  dlhlo.yield %0 : tensor<?x9x9x24xf32, #dhlo.dims<N>>
}

// -----

// 4608 elements a sum: all lines process one tap of 1536 of a group of panels before the
// next, and the sums wait in scratch, but for the last, which go to the result.

// CHECK-LABEL: func.func @taps.body(
// CHECK:       scf.for %[[BLOCK:.*]] = %{{.*}} to %c3_i64{{.*}} step
// CHECK:         scf.for
// CHECK:           arith.cmpi eq, %[[BLOCK]], %c0_i64
// CHECK:           %[[IS_LAST:.*]] = arith.cmpi eq, %[[BLOCK]], %c2_i64
// CHECK:           arith.select %[[IS_LAST]], %{{.*}} : !llvm.ptr
// CHECK:           call @mks_7x3(
// CHECK:       func.func private @mks_7x3(
// V3-LABEL:    func.func @taps.body(
// V3:          call @mks_4x1(
dlhlo.kernel @taps convolution {
^bb0(%x: tensor<?x7x7x512xf32, #dhlo.dims<N>>, %w: tensor<3x3x512x48xf32, #dlhlo.packed<panels16, batch = 0, rows = 3>>):
  dhlo.dim @N in [0, ?]
  %0 = dhlo.convolution %x, %w channels_last strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x7x7x512xf32, #dhlo.dims<N>>, tensor<3x3x512x48xf32, #dlhlo.packed<panels16, batch = 0, rows = 3>>) -> tensor<?x7x7x48xf32, #dhlo.dims<N>>
  dlhlo.yield %0 : tensor<?x7x7x48xf32, #dhlo.dims<N>>
}

// -----

// A with columns in memory is copied by squares. With a B that is packed, too,
// items of one chunk are consecutive: their three groups pass.

// CHECK-LABEL: func.func @columns.body(
// CHECK:       scf.for %[[ITEM:[^ ]+]] =
// CHECK-NEXT:    arith.divui %[[ITEM]], %c3_i64
// CHECK-NEXT:    arith.remui %[[ITEM]], %c3_i64
// CHECK:         call @rows_from_columns
// CHECK:         call @panel_from_rows
// CHECK:       func.func private @rows_from_columns
// CHECK-COUNT-16: llvm.load {{.*}} -> vector<16xf32>
dlhlo.kernel @columns contraction {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<K, M>>, %w: tensor<?x96xf32, #dhlo.dims<K>>):
  dhlo.dim @M in [9, ?]
  dhlo.dim @K in [0, ?]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [0] rhs_contract = [0] : (tensor<?x?xf32, #dhlo.dims<K, M>>, tensor<?x96xf32, #dhlo.dims<K>>) -> tensor<?x96xf32, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<?x96xf32, #dhlo.dims<M>>
}

// -----

// Rows in memory are not copied, so B is packed once: its chunks pass.

// CHECK-LABEL: func.func @rows.body(
// CHECK-NOT:   call @rows_from_columns
// CHECK:       scf.for %[[ITEM:[^ ]+]] =
// CHECK-NEXT:    %[[REST:.*]] = arith.divui %[[ITEM]], %{{[0-9]+}}
// CHECK:         arith.remui %[[REST]], %c3_i64
dlhlo.kernel @rows contraction {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<M, K>>, %w: tensor<?x96xf32, #dhlo.dims<K>>):
  dhlo.dim @M in [9, ?]
  dhlo.dim @K in [0, ?]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x?xf32, #dhlo.dims<M, K>>, tensor<?x96xf32, #dhlo.dims<K>>) -> tensor<?x96xf32, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<?x96xf32, #dhlo.dims<M>>
}
