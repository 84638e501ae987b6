// RUN: dyn-opt %s -split-input-file -convert-kernel-to-vector | FileCheck %s

// A merge sort: passes over widths, pairs of runs, elements.

// CHECK-LABEL: func.func @sort.body(
// CHECK:       scf.while
// CHECK:         scf.for
// CHECK:           scf.for
dlhlo.kernel @sort single {
^bb0(%x: tensor<?xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %v, %i = dhlo.sort %x axis = 0 descending = false : tensor<?xf32, #dhlo.dims<d0>>, tensor<?xi64, #dhlo.dims<d0>>
  dlhlo.yield %v, %i : tensor<?xf32, #dhlo.dims<d0>>, tensor<?xi64, #dhlo.dims<d0>>
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
