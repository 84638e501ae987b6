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
// CHECK:         scf.for {{.*}} -> (vector<16xf32>) {{.*}}{
// CHECK-NOT:       arith.cmpi sge
// CHECK:         scf.for {{.*}} -> (vector<16xf32>) {{.*}}{
// CHECK:           %[[NEW:.*]] = arith.cmpi sge, %{{.*}} : vector<16xi32>
// CHECK:           arith.select %[[NEW]]
// CHECK:         scf.for {{.*}} -> ([[EIGHT]]) {{.*}}{
// CHECK:           llvm.store
// CHECK:         scf.for {{.*}} -> (vector<16xf32>) {{.*}}{
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
  dhlo.dim @d1 in [257, 2048]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}

// What a wider row keeps lies where its result will be, but for the last vector.

// CHECK-LABEL: func.func @wider.body(
// CHECK:       %[[ADDRESS:.*]] = llvm.getelementptr %arg0[8]
// CHECK:       %[[RESULT:.*]] = llvm.load %[[ADDRESS]] {{.*}} -> !llvm.ptr
// CHECK:       %[[SCRATCH:.*]] = llvm.load %{{.*}} -> !llvm.ptr
// CHECK:       scf.for %{{.*}} = %arg2 to %arg3
// CHECK:         scf.for {{.*}} -> ([[EIGHT]]) {{.*}}{
// CHECK:         scf.for {{.*}} -> ([[EIGHT]]) {{.*}}{
// CHECK:           %[[PLACE:.*]] = llvm.getelementptr %[[RESULT]][%{{.*}}] : {{.*}}, f32
// CHECK:           llvm.store %{{.*}}, %[[PLACE]]
// CHECK:         scf.for {{.*}} -> (vector<16xf32>) {{.*}}{
// CHECK:         scf.for {{.*}} -> (vector<16xf32>) {{.*}}{
// CHECK:           llvm.store %{{.*}}, %[[SCRATCH]]
// CHECK:         scf.for
// CHECK:           %[[PLACE:.*]] = llvm.getelementptr %[[RESULT]]
// CHECK:           llvm.load %[[PLACE]]
dlhlo.kernel @wider row {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [2049, ?]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}

// Narrow rows go side by side, each with two accumulators; those that are left
// go one by one. The ends of four rows meet in one tree.

// CHECK-LABEL: func.func @narrow.body(
// CHECK:       %[[GROUP:.*]] = arith.constant 4 : i64
// CHECK:       scf.for {{.*}} step %[[GROUP]]
// CHECK:         scf.for {{.*}} -> ([[EIGHT]]) {{.*}}{
// CHECK:         scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) {{.*}}{
// CHECK:         vector.shuffle %{{.*}}, %{{.*}} [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]
// CHECK:         vector.shuffle %{{.*}}, %{{.*}} [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27]
// CHECK:         vector.shuffle %{{.*}}, %{{.*}} [0, 1, 4, 5, 8, 9, 12, 13] : vector<16xf32>
// CHECK:       scf.for
// CHECK:         scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>) {{.*}}{
dlhlo.kernel @narrow row {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [65, 256]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}

// Of rows of a few vectors there are eight, with one accumulator each. A row
// shorter than a vector is one whose other lanes are masked.

// CHECK-LABEL: func.func @few.body(
// CHECK:       %[[GROUP:.*]] = arith.constant 8 : i64
// CHECK:       scf.for {{.*}} step %[[GROUP]]
// CHECK:         scf.for {{.*}} -> ([[EIGHT]]) {{.*}}{
// CHECK:         scf.for {{.*}} -> ([[EIGHT]]) {{.*}}{
// CHECK:           arith.cmpi sge
// CHECK:         scf.for {{.*}} -> ([[EIGHT]]) {{.*}}{
// CHECK:           arith.cmpi slt, %{{.*}} : vector<16xi32>
// CHECK:           llvm.intr.masked.load
// CHECK:           llvm.intr.masked.store
dlhlo.kernel @few row {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, 64]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}

// Which they are may be known at run time only.

// CHECK-LABEL: func.func @any.body(
// CHECK:       arith.cmpi sle
// CHECK:       scf.if
// CHECK:         scf.for {{.*}} -> ([[EIGHT]]) {{.*}}{
// CHECK:       arith.cmpi sge
// CHECK:       arith.cmpi sle
// CHECK:       scf.if
// CHECK:         scf.for {{.*}} -> ([[EIGHT]]) {{.*}}{
// CHECK:       arith.cmpi sge
// CHECK:       scf.if
// CHECK:         scf.for {{.*}} -> ([[EIGHT]]) {{.*}}{
dlhlo.kernel @any row {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}
