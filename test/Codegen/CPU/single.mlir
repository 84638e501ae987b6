// RUN: dyn-opt %s -split-input-file -convert-kernel-to-vector | FileCheck %s

// Few records are sorted by rank: each vector of them is compared with each. More
// are sorted by one digit after the other: counters, passes over digits, elements.

// CHECK-LABEL: func.func @sort.body(
// CHECK:       arith.shli {{.*}} : vector<16xi64>
// CHECK:       scf.for {{.*}} -> (!llvm.ptr, !llvm.ptr)
// CHECK:         scf.if
// CHECK:           scf.for
// CHECK:           scf.for
// CHECK:       scf.for
// CHECK:         scf.for {{.*}} -> (vector<16xi32>)
// CHECK:           arith.cmpi ule, {{.*}} : vector<16xi32>
// CHECK:         scf.for {{.*}} -> (vector<16xi32>)
// CHECK:           arith.cmpi ult, {{.*}} : vector<16xi32>
dlhlo.kernel @sort single {
^bb0(%x: tensor<?xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, 100000]
  %v, %i = dhlo.sort %x axis = 0 : tensor<?xf32, #dhlo.dims<d0>>, tensor<?xi64, #dhlo.dims<d0>>
  dlhlo.yield %v, %i : tensor<?xf32, #dhlo.dims<d0>>, tensor<?xi64, #dhlo.dims<d0>>
}

// -----

// Of a long segment, vectors are compared with the last of the first elements so
// far. Only what comes before it is sorted, 128 records at a time.

// CHECK-LABEL: func.func @top.body(
// CHECK:       %[[MOST:.*]] = arith.constant 128 : i64
// CHECK:       scf.while
// CHECK:         scf.condition
// CHECK:         scf.while
// CHECK:           %[[FOUND:.*]] = arith.andi {{.*}} : vector<16xi1>
// CHECK-NEXT:      vector.reduction <or>, %[[FOUND]]
// CHECK:           scf.if
// CHECK:             llvm.experimental.vector.compress
dlhlo.kernel @top single {
^bb0(%x: tensor<?xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [50, ?]
  %v, %i = dhlo.top_k %x axis = 0 largest : (tensor<?xf32, #dhlo.dims<d0>>) -> (tensor<50xf32>, tensor<50xi64>)
  dlhlo.yield %v, %i : tensor<50xf32>, tensor<50xi64>
}

// -----

// Of columns, a few are lanes: elements come before the last row in some lane, or
// nothing else is compared. A short axis has indices of 32 bits.

// CHECK-LABEL: func.func @top_of_columns.body(
// CHECK:       scf.for {{.*}} -> (vector<16xf32>, vector<16xi32>, vector<16xi1>)
// CHECK:         arith.cmpf ord
// CHECK:       %[[NUMBERS:.*]] = arith.cmpf ord
// CHECK-NEXT:  %[[FOUND:.*]] = arith.andi {{.*}}, %[[NUMBERS]] : vector<16xi1>
// CHECK-NEXT:  vector.reduction <or>, %[[FOUND]]
// CHECK:       scf.if
// CHECK:         scf.for {{.*}} -> (vector<16xf32>, vector<16xi32>, vector<16xi1>)
dlhlo.kernel @top_of_columns single {
^bb0(%x: tensor<80x?xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %v, %i = dhlo.top_k %x axis = 0 largest : (tensor<80x?xf32, #dhlo.dims<d0>>) -> (tensor<5x?xf32, #dhlo.dims<d0>>, tensor<5x?xi64, #dhlo.dims<d0>>)
  dlhlo.yield %v, %i : tensor<5x?xf32, #dhlo.dims<d0>>, tensor<5x?xi64, #dhlo.dims<d0>>
}

// -----

// A sort of a few elements of columns is a selection of all of them.

// CHECK-LABEL: func.func @sort_of_columns.body(
// CHECK:       scf.for {{.*}} -> (vector<16xf32>, vector<16xi32>, vector<16xi1>)
// CHECK-NOT:   scf.while
// CHECK:       return
dlhlo.kernel @sort_of_columns single {
^bb0(%x: tensor<9x?xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %v, %i = dhlo.sort %x axis = 0 : tensor<9x?xf32, #dhlo.dims<d0>>, tensor<9x?xi64, #dhlo.dims<d0>>
  dlhlo.yield %v, %i : tensor<9x?xf32, #dhlo.dims<d0>>, tensor<9x?xi64, #dhlo.dims<d0>>
}

// -----

// Lanes share the elements of a long row; those left are compared one by one.

// CHECK-LABEL: func.func @extreme.body(
// CHECK:       scf.if {{.*}} -> (f32, i64)
// CHECK:         scf.for {{.*}} -> (vector<16xf32>, vector<16xi64>)
// CHECK:           arith.cmpf ogt, {{.*}} : vector<16xf32>
// CHECK:       scf.for {{.*}} -> (f32, i64)
dlhlo.kernel @extreme single {
^bb0(%x: tensor<?xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [1, ?]
  %0 = dhlo.arg_reduce max %x axis = 0 : (tensor<?xf32, #dhlo.dims<d0>>) -> tensor<i64>
  dlhlo.yield %0 : tensor<i64>
}

// -----

// A few columns are lanes of vectors, with the running values in registers.

// CHECK-LABEL: func.func @columns.body(
// CHECK:       scf.for {{.*}} -> (vector<16xf32>, vector<4xf32>)
dlhlo.kernel @columns single {
^bb0(%x: tensor<?x20xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.cumulative sum %x axis = 0 : tensor<?x20xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x20xf32, #dhlo.dims<d0>>
}

// -----

// Along the last axis, elements are lanes: runs of 1, 2, 4 and 8 are joined, and
// a vector waits for the total of those before. Of the last one, lanes are left out.

// CHECK-LABEL: func.func @running.body(
// CHECK:       scf.for
// CHECK:         scf.for {{.*}} -> (vector<16xf32>)
// CHECK:           vector.shuffle {{.*}} [16, 0, 16, 2, 16, 4,
// CHECK:           vector.shuffle {{.*}} [16, 16, 1, 1, 16, 16, 5, 5,
// CHECK:           vector.shuffle {{.*}} [16, 16, 16, 16, 3, 3, 3, 3, 16,
// CHECK:           vector.shuffle {{.*}} 16, 7, 7, 7, 7, 7, 7, 7, 7]
// CHECK-NOT:     scf.for
// CHECK:         llvm.intr.masked.store
dlhlo.kernel @running single {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.cumulative sum %x axis = 1 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}

// -----

// The copy, then the updates in their order.

// CHECK-LABEL: func.func @scatter.body(
// CHECK:       scf.for
// CHECK:         scf.for
// CHECK:       scf.for
// CHECK:         llvm.atomicrmw umin
// CHECK:         scf.if
dlhlo.kernel @scatter single {
^bb0(%x: tensor<7x64xf32>, %i: tensor<?x1xi64, #dhlo.dims<d1>>, %u: tensor<?x64xf32, #dhlo.dims<d1>>):
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.scatter_nd %x, %i, %u add : (tensor<7x64xf32>, tensor<?x1xi64, #dhlo.dims<d1>>, tensor<?x64xf32, #dhlo.dims<d1>>) -> tensor<7x64xf32>
  dlhlo.yield %0 : tensor<7x64xf32>
}

// -----

// Rows of one element are copied as one run, a vector at a time.

// CHECK-LABEL: func.func @scatter_elements.body(
// CHECK:       %[[IS_WHOLE:.*]] = arith.andi
// CHECK:       %[[RUNS:.*]] = arith.select %[[IS_WHOLE]], %c1_i64
// CHECK:       scf.for {{.*}} to %[[RUNS]]
// CHECK:         llvm.load {{.*}} -> vector<16xf32>
// CHECK:         llvm.store {{.*}} : vector<16xf32>
// CHECK:       llvm.atomicrmw umin
dlhlo.kernel @scatter_elements single {
^bb0(%x: tensor<7x?xf32, #dhlo.dims<d0>>, %i: tensor<?x2xi64, #dhlo.dims<d1>>, %u: tensor<?xf32, #dhlo.dims<d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.scatter_nd %x, %i, %u add : (tensor<7x?xf32, #dhlo.dims<d0>>, tensor<?x2xi64, #dhlo.dims<d1>>, tensor<?xf32, #dhlo.dims<d1>>) -> tensor<7x?xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<7x?xf32, #dhlo.dims<d0>>
}

// -----

// What is not zero before the range is counted with vectors; rows are written
// one after the other, and the number by the range with the last item.

// CHECK-LABEL: func.func @nonzero.body(
// CHECK:       scf.if
// CHECK:         %[[LANES:.*]] = scf.for {{.*}} -> (vector<16xi64>)
// CHECK:           arith.cmpf une, {{.*}} : vector<16xf32>
// CHECK:         %[[ROW:.*]] = vector.reduction <add>, %[[LANES]]
// CHECK:         scf.for {{.*}} iter_args({{.*}}, %{{.*}} = %[[ROW]])
// CHECK:           arith.cmpf une, {{.*}} : f32
// CHECK:           scf.if
// CHECK-COUNT-2:     llvm.store {{.*}} : i64
// CHECK:         scf.if
// CHECK:           llvm.store {{.*}} : i64
dlhlo.kernel @nonzero single {
^bb0(%x: tensor<?x3xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @n = 3 * @d0
  %i, %n = dlhlo.find_nonzero %x : (tensor<?x3xf32, #dhlo.dims<d0>>) -> (tensor<?x2xi64, #dhlo.dims<n>>, tensor<i64>)
  dlhlo.yield %i, %n : tensor<?x2xi64, #dhlo.dims<n>>, tensor<i64>
}

// -----

// A list of boxes is an item: each box is compared with vectors of those that were kept, which
// are in scratch, until one overlaps it.

// CHECK-LABEL: func.func @suppress.geometry(
// CHECK-LABEL: func.func @suppress.body(
// CHECK:       scf.for
// CHECK:         scf.if
// CHECK:           scf.while
// CHECK:             llvm.load {{.*}} vector<16xf32>
// CHECK:             scf.if
// CHECK:               arith.divf {{.*}} : vector<16xf32>
dlhlo.kernel @suppress single {
^bb0(%x: tensor<?x9x4xf32, #dhlo.dims<N>>, %c: tensor<?x9xi1, #dhlo.dims<N>>, %t: tensor<f32>, %n: tensor<i64>):
  dhlo.dim @N in [0, ?]
  %0 = dhlo.suppress %x, %c, %t, %n : (tensor<?x9x4xf32, #dhlo.dims<N>>, tensor<?x9xi1, #dhlo.dims<N>>, tensor<f32>, tensor<i64>) -> tensor<?x9xi1, #dhlo.dims<N>>
  dlhlo.yield %0 : tensor<?x9xi1, #dhlo.dims<N>>
}

// -----

// One item sorts all choices by group: counts, positions, rows. A group that does not exist
// is a data error.

// CHECK-LABEL: func.func @group.geometry(
// CHECK:       llvm.store %c1_i64
// CHECK-LABEL: func.func @group.body(
// CHECK:       scf.for
// CHECK:       scf.for
// CHECK:         scf.for
// CHECK:           llvm.atomicrmw umin
// CHECK:       scf.for {{.*}} iter_args({{.*}}) -> (i64)
// CHECK:       scf.for
dlhlo.kernel @group single {
^bb0(%i: tensor<?x2xi64, #dhlo.dims<R>>):
  dhlo.dim @R in [0, ?]
  dhlo.dim @C = 2 * @R
  %o, %r, %p = dhlo.group %i : (tensor<?x2xi64, #dhlo.dims<R>>) -> (tensor<6xi64>, tensor<?xi64, #dhlo.dims<C>>, tensor<?x2xi64, #dhlo.dims<R>>)
  dlhlo.yield %o, %r, %p : tensor<6xi64>, tensor<?xi64, #dhlo.dims<C>>, tensor<?x2xi64, #dhlo.dims<R>>
}

// -----

// An item is some rows of the batch: each of its steps is one matmul by the packed weights,
// and then the activations in vectors.

// CHECK-LABEL: func.func @lstm.body(
// CHECK:       scf.for %{{.*}} = %arg2 to %arg3
// CHECK:         scf.for
// CHECK-NOT:     call @panel
// CHECK:         call @mk_14x2(
// CHECK:         llvm.store {{.*}} : vector<16xf32>
// CHECK:       func.func private
dlhlo.kernel @lstm single {
^bb0(%g: tensor<?x?x2x64xf32, #dhlo.dims<T, B>>, %r: tensor<2x16x64xf32, #dlhlo.packed<panels16, batch = 1, rows = 1>>):
  dhlo.dim @T in [0, ?]
  dhlo.dim @B in [0, ?]
  %y, %h, %c = dhlo.lstm bidirectional %g, %r : (tensor<?x?x2x64xf32, #dhlo.dims<T, B>>, tensor<2x16x64xf32, #dlhlo.packed<panels16, batch = 1, rows = 1>>) -> (tensor<?x2x?x16xf32, #dhlo.dims<T, B>>, tensor<2x?x16xf32, #dhlo.dims<B>>, tensor<2x?x16xf32, #dhlo.dims<B>>)
  dlhlo.yield %y, %h, %c : tensor<?x2x?x16xf32, #dhlo.dims<T, B>>, tensor<2x?x16xf32, #dhlo.dims<B>>, tensor<2x?x16xf32, #dhlo.dims<B>>
}

// -----

// Lines that windows lie in are read where they are: no store but that of the results.

// CHECK-LABEL: func.func @lines.body(
// CHECK:       scf.for %{{.*}} = %arg2 to %arg3
// CHECK-NOT:     llvm.store
// CHECK:         scf.for
// CHECK-COUNT-25:  llvm.load {{.*}} -> vector<16xf32>
// CHECK-NOT:       llvm.load
// CHECK:           llvm.store
// CHECK-NOT:     llvm.store
// CHECK:       return
dlhlo.kernel @lines single {
^bb0(%x: tensor<?x120xf32, #dhlo.dims<N>>):
  dhlo.dim @N in [0, ?]
  %0 = dhlo.reduce_window sum %x window = [1, 25] strides = [1, 1] dilations = [1, 1]
      low = [0, 0] high = [0, 0] : (tensor<?x120xf32, #dhlo.dims<N>>) -> tensor<?x96xf32, #dhlo.dims<N>>
  dlhlo.yield %0 : tensor<?x96xf32, #dhlo.dims<N>>
}

// -----

// Up to four short lines of the operand are combined before the elements of the
// first one. Where there are maps of few elements a line, 16 of them are
// transposed, and then lanes are maps.

// CHECK-LABEL: func.func @planes.body(
// CHECK:       %[[SHORT:.*]] = arith.cmpi sle, %{{.*}}, %c15_i64
// CHECK:       scf.if
// CHECK:         call @panel_from_columns
// CHECK:         call @columns_from_panel
// CHECK:       } else {
// CHECK:         arith.minsi %c4_i64
// CHECK:         %[[LINES:.*]] = arith.maxsi
// CHECK:         scf.for {{.*}} iter_args
// CHECK:           llvm.store {{.*}} : vector<16xf32>
// CHECK:           arith.cmpi eq, %{{.*}}, %[[LINES]]
// CHECK:           %[[LAST:.*]] = arith.ori
// CHECK:           scf.if %[[LAST]]
// CHECK:             scf.for
// CHECK:               llvm.store {{.*}} : vector<16xf32>
// CHECK:       func.func private @panel_from_columns
// CHECK:       func.func private @columns_from_panel
dlhlo.kernel @planes single {
^bb0(%x: tensor<?x?x?xf32, #dhlo.dims<N, H, W>>):
  dhlo.dim @N in [0, ?]
  dhlo.dim @H in [1, ?]
  dhlo.dim @W in [1, ?]
  %0 = dhlo.reduce_window max %x window = [1, 3, 3] strides = [1, 1, 1] dilations = [1, 1, 1]
      low = [0, 1, 1] high = [0, 1, 1] : (tensor<?x?x?xf32, #dhlo.dims<N, H, W>>) -> tensor<?x?x?xf32, #dhlo.dims<N, H, W>>
  dlhlo.yield %0 : tensor<?x?x?xf32, #dhlo.dims<N, H, W>>
}

// -----

// Sums of longer lines, too, but not extremes.

// CHECK-LABEL: func.func @sums.body(
// CHECK-NOT:   scf.if
// CHECK:       call @panel_from_columns
// CHECK-LABEL: func.func @extremes.body(
// CHECK-NOT:   call @panel_from_columns
// CHECK:       return
dlhlo.kernel @sums single {
^bb0(%x: tensor<64x28x28xf32>):
  %0 = dhlo.reduce_window sum %x window = [1, 3, 3] strides = [1, 1, 1] dilations = [1, 1, 1]
      low = [0, 1, 1] high = [0, 1, 1] : (tensor<64x28x28xf32>) -> tensor<64x28x28xf32>
  dlhlo.yield %0 : tensor<64x28x28xf32>
}
dlhlo.kernel @extremes single {
^bb0(%x: tensor<64x28x28xf32>):
  %0 = dhlo.reduce_window min %x window = [1, 3, 3] strides = [1, 1, 1] dilations = [1, 1, 1]
      low = [0, 1, 1] high = [0, 1, 1] : (tensor<64x28x28xf32>) -> tensor<64x28x28xf32>
  dlhlo.yield %0 : tensor<64x28x28xf32>
}
