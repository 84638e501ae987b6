// RUN: dyn-opt %s -convert-kernel-to-vector | FileCheck %s

// A wide row goes alone, in three passes: the maximum with eight accumulators,
// the sum with the exponentials kept in scratch, the product. Of a last vector
// that reaches back, the lanes that were seen before do not count, and what is
// kept does not lie over what the vector before has kept.

// CHECK-LABEL: func.func @wide.body(
// CHECK:       scf.for %{{.*}} = %arg2 to %arg3
// CHECK-NOT:     arith.cmpf uno
// CHECK:         scf.for {{.*}} -> ([[EIGHT:vector<16xf32>(, vector<16xf32>){7}]]) {{.*}}{
// CHECK:           arith.select
// CHECK:         scf.for %[[C:[a-z0-9]+]] = {{.*}} -> (vector<16xf32>) {{.*}}{
// CHECK:           %[[AT:.*]] = arith.minsi %[[C]]
// CHECK:           %[[NEW:.*]] = arith.cmpi sge, %{{.*}} : vector<16xi32>
// CHECK:           arith.select %[[NEW]]
// CHECK:         scf.for {{.*}} -> ([[EIGHT]]) {{.*}}{
// CHECK:           llvm.store
// CHECK:         scf.for %[[C:[a-z0-9]+]] = {{.*}} -> (vector<16xf32>) {{.*}}{
// CHECK:           %[[SLOT:.*]] = llvm.getelementptr %{{.*}}[%[[C]]]
// CHECK:           llvm.store %{{.*}}, %[[SLOT]]
// CHECK:         scf.for
// CHECK:           arith.mulf
// CHECK:           llvm.store
dlhlo.kernel @wide row {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [257, ?]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}

// Narrow rows go side by side, each with two accumulators; those that are left
// go one by one.

// CHECK-LABEL: func.func @narrow.body(
// CHECK:       %[[GROUP:.*]] = arith.constant 4 : i64
// CHECK:       scf.for {{.*}} step %[[GROUP]]
// CHECK:         scf.for {{.*}} -> ([[EIGHT]]) {{.*}}{
// CHECK:         scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) {{.*}}{
// CHECK:       scf.for
// CHECK:         scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>) {{.*}}{
dlhlo.kernel @narrow row {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, 256]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}

// Which they are may be known at run time only.

// CHECK-LABEL: func.func @any.body(
// CHECK:       arith.cmpi sle
// CHECK:       scf.if
// CHECK:         scf.for {{.*}} -> ([[EIGHT]]) {{.*}}{
// CHECK:       arith.cmpi sgt
// CHECK:       scf.if
// CHECK:         scf.for {{.*}} -> ([[EIGHT]]) {{.*}}{
dlhlo.kernel @any row {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}
