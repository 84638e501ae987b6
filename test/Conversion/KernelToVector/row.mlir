// RUN: dyn-opt %s -convert-kernel-to-vector | FileCheck %s

// Three passes: the maximum with four accumulators, the sum with the
// exponentials kept in scratch, the product. Of a last vector that reaches back,
// the lanes that were seen before do not count.

// CHECK-LABEL: func.func @softmax.body(
// CHECK:       scf.for %{{.*}} = %arg2 to %arg3
// CHECK:         scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK:           arith.select
// CHECK:         scf.for {{.*}} -> (vector<16xf32>) : i64 {
// CHECK:           arith.minsi
// CHECK:           %[[NEW:.*]] = arith.cmpi sge, %{{.*}} : vector<16xi32>
// CHECK:           arith.select %[[NEW]]
// CHECK:         scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK:           llvm.store
// CHECK:         scf.for
// CHECK:           arith.mulf
// CHECK:           llvm.store
dlhlo.kernel @softmax row {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}
