// RUN: dyn-opt %s -convert-kernel-to-vector | FileCheck %s

// A wide row goes alone, in three passes: the maximum with eight accumulators,
// the sum with the exponentials kept in scratch, the scaling. Of a last vector
// that reaches back, the lanes that were seen before do not count in a sum, and
// what is kept does not lie over what the vector before has kept.

// CHECK-LABEL: func.func @wide.body(
// CHECK:       scf.for %{{.*}} = %arg2 to %arg3
// CHECK-NOT:     arith.cmpf uno
// CHECK:         scf.for {{.*}} -> ([[EIGHT:vector<16xf32>(, vector<16xf32>){7}]]) {{.*}}{
// CHECK:           arith.select
// CHECK:         scf.for {{.*}} -> (vector<16xf32>) {{.*}}{
// CHECK-NOT:       arith.cmpi sge
// CHECK:         scf.for {{.*}} -> (vector<16xf32>) {{.*}}{
// CHECK:         scf.for {{.*}} -> ([[EIGHT]]) {{.*}}{
// CHECK:           llvm.store
// CHECK:         scf.for {{.*}} -> (vector<16xf32>) {{.*}}{
// CHECK:           llvm.store
// CHECK:         scf.for %[[C:[a-z0-9]+]] = {{.*}} -> (vector<16xf32>) {{.*}}{
// CHECK:           %[[NEW:.*]] = arith.cmpi sge, %{{.*}} : vector<16xi32>
// CHECK:           %[[SLOT:.*]] = llvm.getelementptr %{{.*}}[%[[C]]]
// CHECK:           llvm.store %{{.*}}, %[[SLOT]]
// CHECK:           %[[SUM:.*]] = arith.addf %[[OLD:.*]], %
// CHECK:           arith.select %[[NEW]], %[[SUM]], %[[OLD]]
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
// CHECK:           %[[POINTER:.*]] = llvm.getelementptr %[[RESULT]][%{{.*}}] : {{.*}}, f32
// CHECK:           llvm.store %{{.*}}, %[[POINTER]]
// CHECK:         scf.for {{.*}} -> (vector<16xf32>) {{.*}}{
// CHECK:         scf.for {{.*}} -> (vector<16xf32>) {{.*}}{
// CHECK:           llvm.store %{{.*}}, %[[SCRATCH]]
// CHECK:         scf.for
// CHECK:           %[[POINTER:.*]] = llvm.getelementptr %[[RESULT]]
// CHECK:           llvm.load %[[POINTER]]
dlhlo.kernel @wider row {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [2049, ?]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}

// Narrow rows go side by side, each with two accumulators; those that are left
// go one by one. The ends of four rows are combined in one tree.

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
// shorter than a vector is one whose other lanes are masked. The rows and the
// columns of the mask are not those of the operand, so rows are no runs.

// CHECK-LABEL: func.func @few.body(
// CHECK-NOT:   permvar
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
^bb0(%x: tensor<?x?x?xf32, #dhlo.dims<d0, d2, d1>>, %m: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, 64]
  dhlo.dim @d2 in [0, ?]
  %0 = dhlo.broadcast %m axes = [0, 2] : (tensor<?x?xf32, #dhlo.dims<d0, d1>>) -> tensor<?x?x?xf32, #dhlo.dims<d0, d2, d1>>
  %1 = dhlo.add %x, %0 : tensor<?x?x?xf32, #dhlo.dims<d0, d2, d1>>
  %2 = dhlo.softmax %1 axis = 2 : tensor<?x?x?xf32, #dhlo.dims<d0, d2, d1>>
  dlhlo.yield %2 : tensor<?x?x?xf32, #dhlo.dims<d0, d2, d1>>
}

// Where operands are whole rows, 16 rows of up to 64 columns are one run of
// full vectors. A table tells which row an element belongs to, and a
// permutation brings the row's maximum and the row's sum to it. Reductions read
// row by row, exponentials from the run in scratch; columns count twice in a
// maximum, and in a sum a mask keeps the old. The rows that are left, and rows
// of 48 or 64 columns, go by eight.

// CHECK-LABEL: func.func @run.body(
// CHECK:       %[[GROUP:.*]] = arith.constant 16 : i64
// CHECK:       scf.if
// CHECK:         scf.for %[[ROW:[a-z0-9]+]] = %{{.*}} to %[[GROUP]]
// CHECK:           scf.for
// CHECK:             arith.trunci %[[ROW]]
// CHECK:             llvm.intr.masked.store
// CHECK:         scf.for {{.*}} step %[[GROUP]]
// CHECK:           scf.for {{.*}} -> ([[SIXTEEN:vector<16xf32>(, vector<16xf32>){15}]]) {{.*}}{
// CHECK:           scf.for {{.*}} -> ([[SIXTEEN]]) {{.*}}{
// CHECK-NOT:       vector.extract
// CHECK:           scf.for
// CHECK:             llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"
// CHECK:             llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.ps.512"
// CHECK:             llvm.store
// CHECK:           scf.for {{.*}} -> ([[SIXTEEN]]) {{.*}}{
// CHECK-NOT:         arith.subf
// CHECK:             arith.addf
// CHECK:           scf.for {{.*}} -> ([[SIXTEEN]]) {{.*}}{
// CHECK:             %[[NEW:.*]] = arith.cmpi sge, %{{.*}} : vector<16xi32>
// CHECK:             %[[SUM:.*]] = arith.addf %[[OLD:.*]], %
// CHECK:             arith.select %[[NEW]], %[[SUM]], %[[OLD]]
// CHECK:           scf.for
// CHECK:             llvm.intr.prefetch
// CHECK:             llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"
// CHECK:             llvm.store
// CHECK:       %[[EIGHT_ROWS:.*]] = arith.constant 8 : i64
// CHECK:       scf.for {{.*}} step %[[EIGHT_ROWS]]
dlhlo.kernel @run row {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [16, 64]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}

// The scale and the bias of a norm, which are the same for all rows, stand in
// tables as long as a run. A result with an element a row is a vector.

// CHECK-LABEL: func.func @columns.body(
// CHECK:       scf.if
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-COUNT-3:     llvm.intr.masked.store
// CHECK:         scf.for {{.*}} step
// CHECK-NOT:       vector.extract
// CHECK:           math.sqrt %{{.*}} : vector<16xf32>
// CHECK-NOT:       vector.extract
// CHECK:           llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"
dlhlo.kernel @columns row {
^bb0(%x: tensor<?x17xf32, #dhlo.dims<d0>>, %g: tensor<17xf32>, %b: tensor<17xf32>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.layer_norm %x, %g, %b axis = 1 eps = 1.0e-5 : (tensor<?x17xf32, #dhlo.dims<d0>>, tensor<17xf32>, tensor<17xf32>) -> tensor<?x17xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x17xf32, #dhlo.dims<d0>>
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

// Elements that conditions find are kept in a pass of their own, so that their
// code is there once, and not for each of the accumulators behind it.

// CHECK-LABEL: func.func @joined.body(
// CHECK:       scf.for %{{.*}} = %arg2 to %arg3
// CHECK:         scf.for {{.*}} step %c16_i64 : i64 {
// CHECK:           scf.if
// CHECK:           llvm.store
// CHECK-NOT:     scf.if
// CHECK:         scf.for {{.*}} -> ([[EIGHT]]) {{.*}}{
// CHECK-NOT:     scf.if
// CHECK:         scf.for {{.*}} -> ([[EIGHT]]) {{.*}}{
// CHECK-NOT:     scf.if
// CHECK:         math.sqrt
dlhlo.kernel @joined row {
^bb0(%x: tensor<?x192xf32, #dhlo.dims<d0>>, %y: tensor<?x192xf32, #dhlo.dims<d0>>, %g: tensor<384xf32>, %b: tensor<384xf32>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.concat %x, %y axis = 1 : (tensor<?x192xf32, #dhlo.dims<d0>>, tensor<?x192xf32, #dhlo.dims<d0>>) -> tensor<?x384xf32, #dhlo.dims<d0>>
  %1 = dhlo.layer_norm %0, %g, %b axis = 1 eps = 1.0e-5 : (tensor<?x384xf32, #dhlo.dims<d0>>, tensor<384xf32>, tensor<384xf32>) -> tensor<?x384xf32, #dhlo.dims<d0>>
  dlhlo.yield %1 : tensor<?x384xf32, #dhlo.dims<d0>>
}
