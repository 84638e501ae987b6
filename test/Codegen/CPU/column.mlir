// RUN: dyn-opt %s -convert-kernel-to-vector=isa=v3 | FileCheck %s

// Vectors of four times 16 columns, in three passes over their elements: the
// maximum, the sum with the exponentials kept in scratch, the scaling. What is
// left of the columns is full vectors and single columns. Accumulators are not
// combined.

// CHECK-LABEL: func.func @softmax.body(
// CHECK:       scf.for %{{.*}} = %arg2 to %arg3
// CHECK:         scf.if
// CHECK:           scf.for {{.*}} -> ([[FOUR:vector<16xf32>(, vector<16xf32>){3}]]) {{.*}}{
// CHECK-NOT:         math.exp
// CHECK:           scf.for {{.*}} -> ([[FOUR]]) {{.*}}{
// CHECK-COUNT-4:     llvm.store {{.*}} : vector<16xf32>
// CHECK:           scf.for
// CHECK-COUNT-4:     llvm.store {{.*}} : vector<16xf32>
// CHECK-NOT:       vector.reduction
// CHECK:         } else {
// CHECK:           scf.for
// CHECK:             scf.for {{.*}} -> (vector<16xf32>) {{.*}}{
// CHECK:             scf.for {{.*}} -> (f32)
dlhlo.kernel @softmax column {
^bb0(%x: tensor<?x100x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x100x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x100x?xf32, #dhlo.dims<d0, d1>>
}

// What is kept of long columns would leave the cache: it is computed again.

// CHECK-LABEL: func.func @long.body(
// CHECK:       arith.cmpi sle, %{{.*}}, %{{.*}} : i64
// CHECK:       scf.if
// CHECK:         llvm.store {{.*}} : vector<16xf32>
// CHECK:       } else {
dlhlo.kernel @long column {
^bb0(%x: tensor<?x16xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.softmax %x axis = 0 : tensor<?x16xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x16xf32, #dhlo.dims<d0>>
}

// A reduction alone takes one pass.

// CHECK-LABEL: func.func @sum.body(
// CHECK:       scf.for {{.*}} -> ([[FOUR]]) {{.*}}{
// CHECK-COUNT-4: llvm.store {{.*}} : vector<16xf32>
dlhlo.kernel @sum column {
^bb0(%x: tensor<?x100x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.reduce sum %x axes = [1] : (tensor<?x100x?xf32, #dhlo.dims<d0, d1>>) -> tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}
