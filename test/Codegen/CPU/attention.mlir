// RUN: dyn-opt %s -split-input-file -convert-kernel-to-vector | FileCheck %s

// An item is a block of query rows of one head: scores by micro-kernels on packed keys, the
// exponentials row by row, and the results by micro-kernels on packed values. A row divides
// once, after its sum.

// CHECK-LABEL: func.func @causal.body(
// CHECK:       scf.for %{{.*}} = %arg2 to %arg3
// CHECK:         call @panel_from_columns(
// CHECK:         call @mk_14x2(
// CHECK:         arith.cmpf ogt, {{.*}} : vector<16xf32>
// CHECK:         arith.divf {{.*}} : f32
// CHECK-NOT:     arith.divf
// CHECK:         call @panel_from_rows(
// CHECK:         call @mk_14x2(
// CHECK:       func.func private
dlhlo.kernel @causal attention {
^bb0(%q: tensor<?x2x?x32xf32, #dhlo.dims<B, S>>, %k: tensor<?x2x?x32xf32, #dhlo.dims<B, T>>, %v: tensor<?x2x?x32xf32, #dhlo.dims<B, T>>):
  dhlo.dim @B in [1, 64]
  dhlo.dim @S in [1, 64]
  dhlo.dim @T in [1, 64]
  %0 = dhlo.attention %q, %k, %v scale = 0.5 causal : (tensor<?x2x?x32xf32, #dhlo.dims<B, S>>, tensor<?x2x?x32xf32, #dhlo.dims<B, T>>, tensor<?x2x?x32xf32, #dhlo.dims<B, T>>) -> tensor<?x2x?x32xf32, #dhlo.dims<B, S>>
  dlhlo.yield %0 : tensor<?x2x?x32xf32, #dhlo.dims<B, S>>
}

// -----

// Queries with the heads of a row side by side are copied, as micro-kernels read them
// repeatedly.

// CHECK-LABEL: func.func @heads.body(
// CHECK:       call @copy_row(
// CHECK:       call @panel_from_columns(
dlhlo.kernel @heads attention {
^bb0(%x: tensor<?x?x2x32xf32, #dhlo.dims<B, S>>, %k: tensor<?x2x?x32xf32, #dhlo.dims<B, S>>, %v: tensor<?x2x?x32xf32, #dhlo.dims<B, S>>):
  dhlo.dim @B in [1, 64]
  dhlo.dim @S in [1, 64]
  %q = dhlo.transpose %x permutation = [0, 2, 1, 3] : (tensor<?x?x2x32xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x32xf32, #dhlo.dims<B, S>>
  %0 = dhlo.attention %q, %k, %v scale = 0.5 : (tensor<?x2x?x32xf32, #dhlo.dims<B, S>>, tensor<?x2x?x32xf32, #dhlo.dims<B, S>>, tensor<?x2x?x32xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x32xf32, #dhlo.dims<B, S>>
  dlhlo.yield %0 : tensor<?x2x?x32xf32, #dhlo.dims<B, S>>
}

// -----

// A single query reads keys and values where they are, unless there are fewer than a vector.
// Then it takes the micro-kernel of one row, and no other is emitted.

// CHECK-LABEL: func.func @step.body(
// CHECK:       scf.if
// CHECK:         call @rows_of_k_1_by(
// CHECK:       } else {
// CHECK:         call @panel_from_columns(
// CHECK:         call @mk_1x2(
// CHECK:       arith.divf {{.*}} : f32
// CHECK:       scf.if
// CHECK:         call @rows_of_n_1_by(
// CHECK:       } else {
// CHECK:         call @panel_from_rows(
// CHECK:         call @mk_1x2(
// CHECK-NOT:   @mk_2x2
dlhlo.kernel @step attention {
^bb0(%q: tensor<1x2x1x64xf32>, %k: tensor<1x2x?x64xf32, #dhlo.dims<T>>, %v: tensor<1x2x?x64xf32, #dhlo.dims<T>>):
  dhlo.dim @T in [1, 4096]
  %0 = dhlo.attention %q, %k, %v scale = 0.125 : (tensor<1x2x1x64xf32>, tensor<1x2x?x64xf32, #dhlo.dims<T>>, tensor<1x2x?x64xf32, #dhlo.dims<T>>) -> tensor<1x2x1x64xf32>
  dlhlo.yield %0 : tensor<1x2x1x64xf32>
}

// -----

// Several queries always take packed keys.

// CHECK-LABEL: func.func @several.body(
// CHECK-NOT:   @rows_of
dlhlo.kernel @several attention {
^bb0(%q: tensor<1x2x4x64xf32>, %k: tensor<1x2x?x64xf32, #dhlo.dims<T>>, %v: tensor<1x2x?x64xf32, #dhlo.dims<T>>):
  dhlo.dim @T in [1, 4096]
  %0 = dhlo.attention %q, %k, %v scale = 0.125 : (tensor<1x2x4x64xf32>, tensor<1x2x?x64xf32, #dhlo.dims<T>>, tensor<1x2x?x64xf32, #dhlo.dims<T>>) -> tensor<1x2x4x64xf32>
  dlhlo.yield %0 : tensor<1x2x4x64xf32>
}
