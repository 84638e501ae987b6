// RUN: dyn-opt %s -split-input-file -convert-kernel-to-vector | FileCheck %s

// A merge sort: passes over widths, pairs of runs, elements.

// CHECK-LABEL: func.func @sort.body(
// CHECK:       scf.while
// CHECK:         scf.for
// CHECK:           scf.for
dlhlo.kernel @sort single {
^bb0(%x: tensor<?xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %v, %i = dhlo.sort %x axis = 0 : tensor<?xf32, #dhlo.dims<d0>>, tensor<?xi64, #dhlo.dims<d0>>
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
